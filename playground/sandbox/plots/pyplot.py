"""Replacements of functions of ``matplotlib.pyplot`` that need files or a screen.

Figures are shown as in a notebook: by ``plt.show()``, and at the end of the program those that are
still open. A class of matplotlib is patched once for the whole process, which runs nothing but
students' programs.
"""

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, Protocol

import matplotlib
from matplotlib import image, pyplot, style
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from playground.sandbox.picture import Caption, Picture
from playground.sandbox.plots import agg
from playground.sandbox.text import cut

KEPT_IN_RUN = (
    "savefig: the file exists during this run only; the figure itself is shown below the program"
)
PNG_ONLY = "the lab writes figures as PNG: savefig('figure.png')"
TOO_MANY = f"the lab shows {Picture.MAX_PICTURES} figures of a run; further ones are left out"
CLOSED_SETTINGS = ("backend", "text.latex", "savefig.directory", "animation", "webagg", "datapath")
Show = Callable[[bytes, Caption], object]


class Files(Protocol):
    """The files of a program, which live in its memory."""

    def read(self, f: object) -> bytes: ...

    def write(self, f: object, content: bytes) -> int: ...


class Screen:
    """Receiver of the figures of a program.

    Args:
        files: The program's files.
        show: Receives each image.
        line: Returns the line of the program that is being run.
    """

    def __init__(
        self,
        files: Files | None = None,
        show: Show = lambda *_: None,
        line: Callable[[], int | None] = lambda: None,
    ) -> None:
        self.files = files
        self._show, self._line = show, line
        self._numbers: dict[int, int] = {}  # by figure of matplotlib: its number on the page
        self._count = 0
        self._pauses, self._next_pause = 0, 1

    def pause(self, figure: Figure) -> None:
        """Show a figure as it is now, at 33 of the first 100 pauses, at 61 of the first 1,000.

        So there is room for the figure as it is at the end.
        """
        self._pauses += 1
        if self._pauses == self._next_pause:
            self._next_pause += 1 + self._pauses // 12
            self.show(figure)

    def show(self, figure: Figure, *, is_last: bool = False) -> None:
        """Draw a figure, and show it; one that cannot be drawn is said in a warning."""
        number = self._numbers.get(id(figure), self._count)
        if number >= Picture.MAX_PICTURES:
            warnings.warn(TOO_MANY, stacklevel=2)
            return
        try:
            drawn = agg.draw(figure)
        except Exception as error:  # noqa: BLE001 - of any artist, a student's own as well
            warnings.warn(f"a figure could not be drawn: {error}", stacklevel=2)
            return
        self._numbers[id(figure)] = number
        self._count = max(self._count, number + 1)
        caption = Caption(
            number=number,
            line=None if is_last else self._line(),
            title=_text(drawn.title),
            labels=tuple(map(_text, drawn.labels)),
            scale=drawn.scale,
        )
        self._show(drawn.png, caption)

    def show_open(self, *, is_last: bool = False) -> None:
        """Show all figures that are open and not empty, and close them."""
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            if figure.axes or figure.texts or figure.images or figure.lines or figure.patches:
                self.show(figure, is_last=is_last)
            pyplot.close(figure)
            self._numbers.pop(id(figure), None)  # another one may get the same id


def _text(words: str) -> str:
    return cut(str(words), Picture.MAX_CHARACTERS)


_screens = [Screen()]


def begin(screen: Screen) -> None:
    """Give the next program a screen of its own and the settings of a new process."""
    agg.reset()
    _screens[:] = [screen]


def show(*_: object, **__: object) -> None:
    """``plt.show``: show the open figures; what is drawn next begins another."""
    _screens[0].show_open()


def pause(interval: float) -> None:  # noqa: ARG001 - it would only make the program longer
    """``plt.pause``: show the current figure; a later one of the same figure replaces it."""
    if pyplot.get_fignums():
        _screens[0].pause(pyplot.gcf())


def _show_figure(figure: Figure, *_: object, **__: object) -> None:
    """``Figure.show``."""
    _screens[0].show(figure)


def _save_figure(figure: Figure, fname: Any, *, format: Any = None, **options: Any) -> None:
    """``Figure.savefig`` into a file in the memory of the run.

    Raises:
        ValueError: The format is not PNG.
        TypeError: The target is no file of a program.
    """
    is_buffer = type(fname) is io.BytesIO
    suffix = str(format or ("png" if is_buffer else f"{fname}".rpartition(".")[2])).lower()
    if suffix not in ("png", str(fname).lower()):  # matplotlib adds .png to a name without a suffix
        raise ValueError(PNG_ONLY)
    allowed = ("dpi", "facecolor", "edgecolor", "bbox_inches", "pad_inches", "transparent")
    png = agg.to_png(figure, **{name: options[name] for name in allowed if name in options})
    if is_buffer:
        fname.write(png)
    elif _screens[0].files is not None:
        _screens[0].files.write(fname, png)
        warnings.warn(KEPT_IN_RUN, stacklevel=2)


for name, method in (("show", _show_figure), ("savefig", _save_figure)):
    setattr(Figure, name, method)


def imread(fname: Any, format: Any = None) -> Any:  # noqa: ARG001
    """``plt.imread`` of a file of the program, which is in memory."""
    content = fname.getvalue() if type(fname) is io.BytesIO else _files().read(fname)
    return image.imread(io.BytesIO(content))


def imsave(fname: Any, arr: Any, **options: Any) -> None:
    """``plt.imsave`` into a file of the program."""
    file = fname if type(fname) is io.BytesIO else io.BytesIO()
    image.imsave(file, arr, **(options | {"format": "png"}))
    if file is not fname:
        _files().write(fname, file.getvalue())


def _files() -> Files:
    files = _screens[0].files
    assert files is not None
    return files


def use(backend: str, *, force: bool = True) -> None:  # noqa: ARG001
    """``matplotlib.use`` and ``plt.switch_backend``: accept any, and go on drawing images."""
    if not isinstance(backend, str):
        raise TypeError(f"expected str, not {type(backend).__name__}")


def setp(obj: Any, *args: Any, **properties: Any) -> Any:
    """``plt.setp`` of what matplotlib has drawn.

    Raises:
        TypeError: It is something else, whose methods it would call by name.
    """
    several = [obj] if isinstance(obj, Artist) else [*obj]
    if not all(isinstance(each, Artist) for each in several):
        raise TypeError("setp() sets properties of what matplotlib has drawn")
    return pyplot.setp(several, *args, **properties)


class Settings(MutableMapping[str, Any]):
    """``plt.rcParams`` without the settings of files, programs and backends."""

    def __getitem__(self, name: str) -> Any:
        _refuse_closed(name)
        return matplotlib.rcParams[name]

    def __setitem__(self, name: str, value: Any) -> None:
        _refuse_closed(name)
        if name == "text.usetex" and value:
            raise ValueError(agg.NO_LATEX)
        matplotlib.rcParams[name] = value

    def __delitem__(self, name: str) -> None:
        raise TypeError("a setting cannot be deleted")

    def __iter__(self) -> Iterator[str]:
        return (name for name in matplotlib.rcParams if not name.startswith(CLOSED_SETTINGS))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return "".join(f"{name}: {value}\n" for name, value in self.items())


def _refuse_closed(name: object) -> None:
    if type(name) is not str or name.startswith(CLOSED_SETTINGS):
        raise KeyError(f"the lab does not offer the setting {name!r}")


rcParams = Settings()  # noqa: N816 - its name in matplotlib


def rc(group: Any, **settings: Any) -> None:
    """``plt.rc("lines", linewidth=2)``."""
    for each in (group,) if isinstance(group, str) else group:
        for name, value in settings.items():
            rcParams[f"{each}.{name}"] = value


@contextlib.contextmanager
def rc_context(rc: Mapping[str, Any] | None = None) -> Iterator[None]:
    """``with plt.rc_context({"lines.linewidth": 2}):``."""
    with matplotlib.rc_context():
        rcParams.update(rc or {})
        yield


def use_style(name: Any) -> None:
    """``plt.style.use``: a style by its name, or settings; no file.

    Raises:
        OSError: There is no such style.
    """
    for each in [name] if isinstance(name, str | Mapping) else [*name]:
        if isinstance(each, Mapping):
            rcParams.update(each)
        elif each == "default":
            agg.restore_settings()
        elif each in style.library:
            style.use(each)
        else:
            raise OSError(f"{each!r} is not a style that matplotlib brings: plt.style.available")


@contextlib.contextmanager
def style_context(name: Any, *, after_reset: bool = False) -> Iterator[None]:
    """``with plt.style.context("ggplot"):``."""
    with matplotlib.rc_context():
        if after_reset:
            agg.restore_settings()
        use_style(name)
        yield


def set_matplotlib_formats(*_: object, **__: object) -> None:
    """``backend_inline.set_matplotlib_formats``: the lab chooses the format of images."""
