"""The lesson initialization; importing it loads nothing."""
