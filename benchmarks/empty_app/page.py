"""An empty page: one title."""

import streamlit as st

st.title("Empty")
