"""The teacher's page. Each part reads its own data; students see none of it."""
