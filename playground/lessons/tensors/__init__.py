"""Where tensors live, what happens when two of them live apart, and what they cost in memory."""
