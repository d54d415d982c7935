"""The visitor of a session, as the gate identifies it; an open playground identifies nobody."""

from dataclasses import dataclass
from functools import cache

import streamlit as st

from hosting import openid_sign_in, settings
from hosting.cookies import SessionCookies, cookie_secret
from hosting.progress.records import user_id
from hosting.settings import Gate, Settings
from hosting.trusted_hosts import LOOPBACK, is_from_this_computer


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """A visitor who has passed the gate.

    Attributes:
        student: The id under which progress is stored; nothing personal.
        is_teacher: Sees the teacher's page; nothing is stored of teachers.
    """

    student: str
    is_teacher: bool = False


def current() -> Visitor | None:
    """Return the visitor of this session; None in an open playground."""
    chosen = settings.current()
    if chosen.gate is Gate.CODE:
        holder = _tickets(chosen).visitor(st.context.cookies)
        if holder is None:
            return None
        return Visitor(student=user_id(Gate.CODE, holder.id), is_teacher=holder.is_teacher)
    if chosen.gate is Gate.OIDC:
        return _signed_in(chosen)
    return None


def is_teacher() -> bool:
    """Return whether the teacher's page may be shown.

    In an open playground the teacher is the person who runs it, on the same computer. A server with
    a public address has none.
    """
    who, chosen = current(), settings.current()
    if who is not None or chosen.gate is not Gate.OPEN:
        return who is not None and who.is_teacher
    here = st.context.ip_address or LOOPBACK[0]  # None stands for this computer
    is_here = is_from_this_computer(st.context.headers.to_dict(), here)
    return is_here and not chosen.public_address


@cache
def _tickets(chosen: Settings) -> SessionCookies:
    return SessionCookies(chosen, cookie_secret(chosen))


def _signed_in(chosen: Settings) -> Visitor | None:
    claims = st.user.to_dict()
    who = openid_sign_in.visitor_of(claims, chosen)
    if who is None:
        return None
    return Visitor(
        student=user_id(Gate.OIDC, str(claims.get("iss") or ""), str(claims["sub"])),
        is_teacher=who.is_teacher,
    )
