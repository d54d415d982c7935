"""``IPython.display``: what textbooks call of it around their figures."""

from matplotlib.figure import Figure


def display(*objects: object, **_: object) -> None:
    """Print objects; the lab shows figures by itself."""
    for each in objects:
        if not isinstance(each, Figure):
            print(each)  # noqa: T201 - what the program prints


def clear_output(*_: object, **__: object) -> None:
    """Do nothing: what was printed stays."""
