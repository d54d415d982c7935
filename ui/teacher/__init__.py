"""The teacher's page: each part reads what it shows, and shows nothing of it to a student."""
