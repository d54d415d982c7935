"""Checkpoints: read without torch, loaded in the jail, saved by torch."""
