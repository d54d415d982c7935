"""Students, and what they have done."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "students",
        sa.Column("number", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("name", sa.String(40), nullable=False, server_default=""),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_students"),
        sa.UniqueConstraint("id", name="uq_students_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "done",
        sa.Column("student", sa.Integer, nullable=False),
        sa.Column("lesson", sa.String(160), nullable=False),
        sa.Column("part", sa.String(160), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("student", "lesson", "part", name="pk_done"),
        sa.ForeignKeyConstraint(
            ["student"], ["students.number"], name="fk_done_student", ondelete="CASCADE"
        ),
    )


def downgrade() -> None:
    """Drop both tables."""
    op.drop_table("done")
    op.drop_table("students")
