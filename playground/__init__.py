"""Everything of Torch Playground that is not a screen; nothing here imports Streamlit."""
