"""What the jail's child does with a checkpoint; knows torch, and runs nowhere else."""
