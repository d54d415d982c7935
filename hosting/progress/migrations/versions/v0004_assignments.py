"""Assignments: sets of exercises until a date."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "assignments",
        sa.Column("number", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("title", sa.String(160), nullable=False),
        sa.Column("parts", sa.Text, nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_assignments"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("assignments")
