"""The address with which a class joins, and its QR code."""

import html
import socket
from functools import lru_cache
from urllib.parse import urlsplit

import segno
import streamlit as st

from hosting import framework_internals, settings
from hosting.trusted_hosts import host_name, is_loopback

NOWHERE = ("192.0.2.1", 9)  # an address for documentation; nothing is sent to it


def address() -> str:
    """Return the URL that students type; empty if only this computer reaches the server."""
    if chosen := settings.current().public_address:
        return chosen.rstrip("/")
    seen = urlsplit(st.context.url or "")
    if not seen.hostname or not is_loopback(host_name(seen.netloc)):
        return f"{seen.scheme}://{seen.netloc}" if seen.hostname else ""
    is_reached = framework_internals.listening_host() in framework_internals.EVERY_ADDRESS
    own = network_address() if is_reached else ""
    port = f":{seen.port}" if seen.port else ""
    return f"{seen.scheme}://{own}{port}" if own else ""


def own_origin() -> str:
    """Return the origin of the page that is open, for links on this computer."""
    seen = urlsplit(st.context.url or "")
    return f"{seen.scheme}://{seen.netloc}" if seen.netloc else ""


@lru_cache(maxsize=1)
def network_address() -> str:
    """Return this computer's address in its network; empty if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(NOWHERE)  # of a datagram socket: it only chooses the own address
        except OSError:
            return ""
        own = str(probe.getsockname()[0])
    return "" if is_loopback(own) else own


@lru_cache(maxsize=8)
def qr_code(url: str) -> str:
    """Return the QR code of a URL as an image, dark on white in both themes."""
    uri = segno.make(url, error="m", micro=False).svg_data_uri(border=3, dark="#000", light="#fff")
    return f'<img class="tp-qr" src="{html.escape(uri)}" alt="{html.escape(url)}">'


def short(url: str) -> str:
    """Return a URL as it is typed.

    >>> short("https://playground.example.edu"), short("http://192.0.2.7:8501")
    ('playground.example.edu', 'http://192.0.2.7:8501')
    """
    return url.removeprefix("https://")
