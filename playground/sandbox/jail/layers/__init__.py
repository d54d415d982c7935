"""What the operating system is asked to forbid a child; each layer alone, each for good."""
