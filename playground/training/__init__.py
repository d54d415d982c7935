"""A small Trainer that knows devices, and points to train on; import its modules, not this."""
