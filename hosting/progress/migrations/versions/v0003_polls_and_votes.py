"""Live polls of a class, and their votes."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "polls",
        sa.Column("number", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("lesson", sa.String(160), nullable=False),
        sa.Column("step", sa.String(160), nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("machine", sa.String(64), nullable=False),
        sa.Column("gpus", sa.Integer, nullable=False),
        sa.Column("memory_gib", sa.Integer, nullable=False),
        sa.Column("first", sa.String(64), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("stage", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_polls"),
        sa.UniqueConstraint("id", name="uq_polls_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "votes",
        sa.Column("poll", sa.String(64), nullable=False),
        sa.Column("student", sa.Integer, nullable=False),
        sa.Column("said", sa.String(160), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("poll", "student", name="pk_votes"),
        sa.ForeignKeyConstraint(["poll"], ["polls.id"], name="fk_votes_poll", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["student"], ["students.number"], name="fk_votes_student", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_votes_student", "votes", ["student"])


def downgrade() -> None:
    """Drop both tables."""
    op.drop_table("votes")
    op.drop_table("polls")
