"""Neural-network modules, looked at from outside; importing this package loads no torch."""
