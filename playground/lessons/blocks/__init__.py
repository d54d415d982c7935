"""The lesson blocks; importing it loads nothing."""
