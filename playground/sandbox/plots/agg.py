"""Matplotlib without files: fonts are read once, in the zygote, and figures become PNG images.

A child of the jail can open no file, so all that matplotlib would read while it draws is loaded
here. Private parts of matplotlib 3.11 that are replaced, each named by a test:
``font_manager._get_font``, ``font_manager._cached_realpath``, ``FontManager._findfont_cached`` and
``_mathtext.TruetypeFonts._get_font``.
"""

import functools
import importlib
import io
import logging
import os
import pkgutil
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playground.sandbox.picture import Picture

with tempfile.TemporaryDirectory() as folder:  # nothing is left of its caches
    os.environ |= {
        "MPLCONFIGDIR": folder,
        "MPLBACKEND": "agg",
        "MPL_IGNORE_SYSTEM_FONTS": "1",  # each server draws with the same fonts
    }
    import matplotlib
    from matplotlib import _mathtext, font_manager, ft2font, pyplot, text
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontManager, FontPath, fontManager

    for name in ("MPLCONFIGDIR", "MPLBACKEND", "MPL_IGNORE_SYSTEM_FONTS"):
        del os.environ[name]

CHINESE = str(Path(__file__).with_name("fonts") / "NotoSansSC-GB2312.otf")
LAST_RESORT = "LastResortHE-Regular.ttf"  # draws what no other font has as a box, and warns
MAX_SCORE = 10.0  # of a font that has the family that was asked for
PIXEL_RATIO = 1.5  # of the image to the page: sharp on most screens, and still small
PAD_INCHES = 0.1
MAX_TRIES = 3  # to make an image smaller
NOT_IMPORTED = frozenset({"tests", "testing", "sphinxext", "backends", "pylab"})
NO_LATEX = "the lab has no LaTeX; matplotlib itself draws formulas: '$x^2$'"
NO_FONT = "the lab draws with its own fonts, and reads no font file"
_FontProperties: Any = font_manager.FontProperties  # whose private parts are used as well
_ExceptionInfo: Any = matplotlib.cbook.__dict__["_ExceptionInfo"]
Paths = tuple[tuple[str, int], ...]


class NotDrawnError(ValueError):
    """A figure cannot be drawn within its limits; the text says why."""


def _contents() -> dict[str, bytes]:
    """Read every font of matplotlib's, and one with Chinese characters."""
    fontManager.addfont(CHINESE)
    fonts = {str(each.fname) for each in fontManager.ttflist}
    fonts.add(str(Path(matplotlib.get_data_path(), "fonts", "ttf", LAST_RESORT)))
    return {name: Path(name).read_bytes() for name in fonts}


_FONTS = _contents()


def _open(path: str, index: int, **options: Any) -> Any:
    if path not in _FONTS:
        raise ValueError(NO_FONT)
    return ft2font.FT2Font(io.BytesIO(_FONTS[path]), face_index=index, **options)


@functools.lru_cache(64)
def _get_font(
    font_filepaths: Paths,
    *,
    _kerning_factor: Any,
    thread_id: int,  # noqa: ARG001 - part of the key
    enable_last_resort: bool,
) -> Any:
    """``font_manager._get_font`` from memory; each font falls back on the Chinese one."""
    (first, first_index), *rest = font_filepaths
    if (CHINESE, 0) not in font_filepaths:
        rest.append((CHINESE, 0))
    others = [_open(path, index, _kerning_factor=_kerning_factor) for path, index in rest]
    if enable_last_resort:
        path = next(each for each in _FONTS if each.endswith(LAST_RESORT))
        boxes = _open(path, 0, _kerning_factor=_kerning_factor, _warn_if_used=True)
        boxes.set_charmap(0)
        others.append(boxes)
    return _open(first, first_index, _fallback_list=others, _kerning_factor=_kerning_factor)


@functools.lru_cache(1024)
def _find_font(
    fonts: FontManager,
    prop: Any,
    fontext: str,
    directory: object,  # noqa: ARG001
    fallback_to_default: bool,
    rebuild_if_missing: bool,  # noqa: ARG001
    rc_params: object,
) -> Any:
    """``FontManager._findfont_cached`` without a look at the disk."""
    prop = _FontProperties._from_any(prop)
    if (path := prop.get_file()) is not None:
        return path
    candidates = fonts.afmlist if fontext == "afm" else fonts.ttflist

    def score(font: Any) -> float:
        total: float = (
            fonts.score_family(prop.get_family(), font.name) * MAX_SCORE
            + fonts.score_style(prop.get_style(), font.style)
            + fonts.score_variant(prop.get_variant(), font.variant)
            + fonts.score_weight(prop.get_weight(), font.weight)
            + fonts.score_stretch(prop.get_stretch(), font.stretch)
        )
        return total

    best = min(candidates, key=score)
    if score(best) < MAX_SCORE:
        return FontPath(str(best.fname), best.index)
    if not fallback_to_default:
        return _ExceptionInfo(ValueError, f"Failed to find font {prop}")
    default = prop.copy()
    default.set_family(fonts.defaultFamily[fontext])
    return _find_font(fonts, default, fontext, None, False, False, rc_params)


def _get_math_font(fonts: Any, font: str) -> Any:
    """``TruetypeFonts._get_font`` of formulas without a look at the disk."""
    name = str(fonts.fontmap.get(font, font))
    if name not in fonts._fonts and name in _FONTS:
        found = font_manager.get_font(name)
        keys = (name, found.postscript_name, found.postscript_name.lower())
        fonts._fonts.update(dict.fromkeys(keys, found))
    return fonts._fonts.get(name)


def _set_usetex(of: Any, usetex: bool | None) -> None:
    """``Text.set_usetex`` without the program that it would start.

    Raises:
        ValueError: LaTeX was asked for.
    """
    if usetex or (usetex is None and matplotlib.rcParams["text.usetex"]):
        raise ValueError(NO_LATEX)
    of._usetex = False


def _install() -> None:
    """Replace what would open files or start programs, and import all that may be drawn with."""
    patches: tuple[tuple[Any, str, object], ...] = (
        (font_manager, "_get_font", _get_font),
        (font_manager, "_cached_realpath", str),
        (FontManager, "_findfont_cached", _find_font),
        (_mathtext.TruetypeFonts, "_get_font", _get_math_font),
        (text.Text, "set_usetex", _set_usetex),
    )
    for owner, name, replacement in patches:
        getattr(owner, name)  # it is still there
        setattr(owner, name, replacement)
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)  # nobody reads it
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in pkgutil.iter_modules(matplotlib.__path__):
            if module.name not in NOT_IMPORTED:
                importlib.import_module(f"matplotlib.{module.name}")
        importlib.import_module("mpl_toolkits.mplot3d")
        importlib.import_module("mpl_toolkits.axes_grid1")


_install()
_print_figure = Figure.savefig
_DEFAULTS = dict(matplotlib.rcParams)


def reset() -> None:
    """Close all figures and restore all settings, for the next program."""
    pyplot.close("all")
    restore_settings()


def restore_settings() -> None:
    """Restore the settings that matplotlib has at its start."""
    if dict(matplotlib.rcParams) != _DEFAULTS:
        dict.update(matplotlib.rcParams, _DEFAULTS)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure as an image.

    Attributes:
        png: The image.
        title: Of the figure, or of its first axes.
        labels: Those of axes and of what they show, for the alternative text.
        scale: Pixels of the image for one of the page.
    """

    png: bytes
    scale: float
    title: str
    labels: tuple[str, ...]


def draw(figure: Figure) -> Drawn:
    """Draw a figure as a notebook shows it: on its own background, cut to what is on it.

    Raises:
        NotDrawnError: The image would be larger than the page takes.
        Exception: Whatever matplotlib says of a figure that cannot be drawn.
    """
    ratio = PIXEL_RATIO
    for _ in range(MAX_TRIES):
        width, height = (ratio * side * figure.dpi for side in figure.get_size_inches())
        ratio *= min(1.0, Picture.MAX_SIDE / max(width, height, 1.0))
        png = to_png(figure, dpi=ratio * figure.dpi, bbox_inches="tight", pad_inches=PAD_INCHES)
        excess = max(len(png) / Picture.MAX_BYTES, max(Picture.size_of(png)) / Picture.MAX_SIDE)
        if excess <= 1:
            return Drawn(png, ratio, _title(figure), tuple(_labels(figure)))
        ratio *= 0.9 / excess**0.5
    raise NotDrawnError("this figure has more detail than the page shows; draw a smaller one")


def to_png(figure: Figure, **options: Any) -> bytes:
    """Draw a figure as a PNG image without metadata."""
    file = io.BytesIO()
    _print_figure(figure, file, format="png", metadata={"Software": None}, **options)
    return file.getvalue()


def _title(figure: Figure) -> str:
    titles = [figure.get_suptitle(), *(axes.get_title() for axes in figure.axes)]
    return next((each for each in titles if each), "")


def _labels(figure: Figure) -> Sequence[str]:
    """Return labels in reading order, each once; those that matplotlib makes up are left out."""
    found: dict[str, None] = {}
    for axes in figure.axes:
        _, legend = axes.get_legend_handles_labels()
        for each in (axes.get_title(), axes.get_xlabel(), axes.get_ylabel(), *legend):
            if each and each != _title(figure):
                found[each] = None
    return tuple(found)[: Picture.MAX_LABELS]
