"""A small trainer that uses GPUs (``trainer``), and points to train on (``points``)."""
