"""The lesson "devices": device names, helpers, the environment, and this computer's hardware."""
