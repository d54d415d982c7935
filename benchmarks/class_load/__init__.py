"""A class at work on a hosted server: behind the class code, with its progress in a database."""
