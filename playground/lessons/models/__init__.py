"""Moving a network to a device: what moves with it, and what does not."""
