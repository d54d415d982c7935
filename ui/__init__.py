"""What the pages share on the screen; the only code that touches ``st.session_state``."""
