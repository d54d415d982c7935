"""The lessons: one folder each, none of which knows another. Importing this loads nothing."""
