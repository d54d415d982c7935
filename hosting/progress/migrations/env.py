"""What alembic runs for each migration; the connection comes from ``migrate``."""

from alembic import context


def run() -> None:
    """Run the versions that are missing, in the transaction that is open already."""
    context.configure(
        connection=context.config.attributes["connection"],
        transactional_ddl=True,  # SQLite can, too, once its transactions are begun by us
        render_as_batch=True,
    )
    context.run_migrations()


if __name__ == "env_py":  # alembic's name for it; whoever imports it gets nothing run
    run()
