"""Add the table of predictions."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "answers",
        sa.Column("number", sa.Integer, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("student", sa.Integer, nullable=False),
        sa.Column("lesson", sa.String(160), nullable=False),
        sa.Column("step", sa.String(160), nullable=False),
        sa.Column("said", sa.String(160), nullable=False),
        sa.Column("truth", sa.String(160), nullable=False),
        sa.Column("is_right", sa.Boolean, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_answers"),
        sa.UniqueConstraint("id", name="uq_answers_id"),
        sa.ForeignKeyConstraint(
            ["student"], ["students.number"], name="fk_answers_student", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_answers_lesson", "answers", ["lesson", "step"])
    op.create_index("ix_answers_student", "answers", ["student"])


def downgrade() -> None:
    """Drop the table."""
    op.drop_table("answers")
