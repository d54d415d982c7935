"""Who has this session, as far as the gate knows: in an open playground nobody."""

from dataclasses import dataclass
from functools import cache

import streamlit as st

from hosting import secret, settings
from hosting.gate import account
from hosting.gate.ticket import Tickets
from hosting.progress.records import clean_name
from hosting.progress.student import student_id
from hosting.settings import Gate, Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Somebody whom the gate let in.

    Attributes:
        student: The id that progress is kept under; nothing personal.
        is_teacher: Sees the teacher's page; of teachers nothing is kept.
        name: The identity provider's, for the teacher; None where the student may choose one.
    """

    student: str
    is_teacher: bool = False
    name: str | None = None


def current() -> Visitor | None:
    """Whose session this is; the gate let nobody else in."""
    chosen = settings.current()
    if chosen.gate is Gate.CODE:
        holder = _tickets(chosen).visitor(st.context.cookies)
        if holder is None:
            return None
        return Visitor(student=student_id(Gate.CODE, holder.id), is_teacher=holder.is_teacher)
    if chosen.gate is Gate.OIDC:
        return _signed_in(chosen)
    return None


def is_teacher() -> bool:
    """Whether the teacher's page may be shown."""
    who = current()
    return who is not None and who.is_teacher


@cache
def _tickets(chosen: Settings) -> Tickets:
    return Tickets(chosen, secret.of(chosen))


def _signed_in(chosen: Settings) -> Visitor | None:
    claims = st.user.to_dict()
    who = account.holder(claims, chosen)
    if who is None:
        return None
    return Visitor(
        student=student_id(Gate.OIDC, str(claims.get("iss") or ""), str(claims["sub"])),
        is_teacher=who.is_teacher,
        name=clean_name(str(claims.get("name") or claims.get("preferred_username") or "")),
    )
