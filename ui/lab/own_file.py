"""A file of the student's own that a program may read.

Streamlit keeps it in the memory of the visit until it is removed or the page is left. Each run gets
a copy in its own memory; nothing of it is read here.
"""

import re

import streamlit as st

from playground.sandbox.limits import LIMITS
from playground.sandbox.run_request import OwnFile
from playground.units import MEBIBYTE
from ui.language import say, translate_uploader

KEY = "lab-own-file"
MAX_MEBIBYTES = LIMITS.own_file_bytes // MEBIBYTE
MAX_STEM, MAX_SUFFIX = 30, 8  # letters of a name in the lab
EXAMPLES = (  # how a program reads it, by the end of its name
    (re.compile(r"\.(png|jpe?g)$", re.IGNORECASE), "plt.imread({name!r})"),
    (re.compile(r"\.(csv|tsv)$", re.IGNORECASE), 'np.loadtxt({name!r}, delimiter=",", skiprows=1)'),
    (re.compile(r"\.(pt|pth)$", re.IGNORECASE), "torch.load({name!r})"),
    (re.compile(""), "open({name!r}).read()"),
)


def name_in_lab(name: str) -> str:
    """Return the name under which a program finds a file: short, and in letters that are safe.

    >>> name_in_lab("my data (2).CSV"), name_in_lab("数据.txt"), name_in_lab("../.x")
    ('my_data__2_.CSV', 'file.txt', 'x')
    """
    last = name.replace("\\", "/").rpartition("/")[2]
    plain = re.sub(r"[^A-Za-z0-9_.-]", "_", last).lstrip(".-")
    stem, dot, suffix = plain.rpartition(".")
    if not dot:
        stem, suffix = plain, ""
    stem = stem[:MAX_STEM] if stem.strip("_.-") else "file"
    return f"{stem}.{suffix[:MAX_SUFFIX]}" if suffix else stem


def draw() -> None:
    """Draw the field for the file, and how a program reads it."""
    name = _current_name()
    label = name or say("lab.own-file")
    with st.popover(label, key="lab-file", icon=":material/attach_file:"):
        st.file_uploader(
            say("lab.own-file-field"),
            max_upload_size=MAX_MEBIBYTES,
            key=KEY,
        )
        translate_uploader(st.container(), MAX_MEBIBYTES)
        if name:
            example = next(code for end, code in EXAMPLES if end.search(name))
            st.code(example.format(name=name), language="python")
        elif st.session_state.get(KEY) is not None:
            st.warning(say("upload.refused", most=MAX_MEBIBYTES))
        st.caption(say("lab.own-file-note"))


def _current_name() -> str:
    """Return the name of the file in the lab; empty without one, or where it is too large."""
    given = st.session_state.get(KEY)
    if given is None or given.size > LIMITS.own_file_bytes:  # a browser need not obey
        return ""
    return name_in_lab(given.name)


def current() -> OwnFile | None:
    """Return the file for a run."""
    name = _current_name()
    return OwnFile(name=name, content=st.session_state[KEY].getvalue()) if name else None
