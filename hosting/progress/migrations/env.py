"""The environment script of alembic; the connection comes from ``migrate``."""

from alembic import context


def run() -> None:
    """Run the missing versions in the transaction that is already open."""
    context.configure(
        connection=context.config.attributes["connection"],
        transactional_ddl=True,  # SQLite supports it if its transactions begin explicitly
        render_as_batch=True,
    )
    context.run_migrations()


if __name__ == "env_py":  # alembic's name for it; an import runs nothing
    run()
