"""A Trainer that knows devices: what it moves, how it learns, what can be set."""
