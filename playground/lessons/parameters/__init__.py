"""The lesson on reaching parameters: by name, by index, all at once, one value at a time."""
