"""The lesson "training": a Trainer that handles devices, batches and optimizers."""
