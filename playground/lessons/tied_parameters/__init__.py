"""The lesson about one tensor under two names; every file of it is in this folder."""
