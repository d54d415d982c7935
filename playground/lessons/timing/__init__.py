"""The lesson about time: what is measured on this server, and what waits for what."""
