"""Packages that textbooks import and the lab does not install: ``d2l``, ``tqdm``, ``torchvision``.

They are written here from their public interfaces, for what the first chapters of *Dive into Deep
Learning* use. A cell reaches them as it reaches its own classes: see ``OWN`` of ``facade.guard``,
and the names in ``allowed_names.toml``. Data sets are drawn in the zygote, since a run has no
network; the check says so where one is used.
"""

import importlib
from collections.abc import Mapping
from typing import Any

HOMES: Mapping[str, str | None] = {
    "d2l": None,
    "d2l.torch": "d2l",
    "IPython": None,
    "IPython.display": "ipython_display",
    "torchvision": None,
    "torchvision.datasets": "clothes",
    "torchvision.transforms": "clothes",
    "tqdm": "tqdm",
    "tqdm.auto": "tqdm",
    "tqdm.notebook": "tqdm",
}
"""By the name under which a cell imports it: the module here; None for what has only parts."""


def members(name: str) -> Mapping[str, Any]:
    """Return what a module of ours has, by name; loads torch.

    Args:
        name: One of ``HOMES``.
    """
    home = HOMES[name]
    if home is None:
        return {}
    module = importlib.import_module(f"{__name__}.{home}")
    found: Mapping[str, Any] = vars(module).get("MEMBERS", vars(module))
    return found
