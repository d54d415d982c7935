"""The engines and lessons of Torch Playground; nothing here imports Streamlit."""
