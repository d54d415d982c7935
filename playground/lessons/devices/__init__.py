"""Choosing a device: names, helpers, the environment, and what this computer has."""
