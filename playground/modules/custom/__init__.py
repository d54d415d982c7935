"""The lessons' own modules, one class per file; importing this package loads no torch."""
