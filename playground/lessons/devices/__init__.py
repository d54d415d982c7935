"""What this computer has, and how PyTorch names it."""
