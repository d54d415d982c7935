"""Hosting a class: who may come in, how much each may ask for, and what the operator can see.

Everything here stands between the server and Streamlit, and knows neither pages nor torch.
"""
