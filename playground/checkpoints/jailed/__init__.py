"""Code of the jail's child, which loads checkpoints with torch; it runs nowhere else."""
