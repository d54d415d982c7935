"""Figures of matplotlib in a program, read back as images by Pillow."""

import io
from unittest.mock import Mock

import numpy as np
import pytest
from matplotlib import _mathtext, colors, font_manager, patches, pyplot
from PIL import Image

from playground.sandbox.allowed_names import LIBRARY_ATTRIBUTES
from playground.sandbox.picture import Picture
from playground.sandbox.plots import agg
from tests.sandbox.cells import drawn_by, execute

PLT = "import matplotlib.pyplot as plt\n"
RED, GREEN, WHITE = (255, 0, 0), (0, 128, 0), (255, 255, 255)


def colours_of(png):
    """The colours of an image, each with its share of the pixels."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    counted = image.getcolors(image.width * image.height)
    return {colour: count / (image.width * image.height) for count, colour in counted}


@pytest.mark.parametrize(
    ("lines", "colours"),
    [
        ("plt.plot([0, 1], [0, 1], 'r-', linewidth=9)", {RED}),
        ("plt.bar(['猫', 'dog'], [1, 2], color=['red', 'green'])", {RED, GREEN}),
        ("plt.scatter([0, 1], [0, 1], c=['r', 'g'], s=999)", {RED, GREEN}),
        ("plt.imshow([[0, 1], [1, 0]], cmap='gray')", {(0, 0, 0)}),
        ("plt.figure(facecolor='red')\nplt.plot([1])", {RED}),
        ("plt.style.use('dark_background')\nplt.plot([1])", {(0, 0, 0)}),
        ("plt.rcParams['axes.facecolor'] = 'red'\nplt.plot([1])", {RED}),
        ("plt.subplot(1, 2, 1)\nplt.fill_between([0, 1], [1, 2], color='red')", {RED}),
        ("plt.errorbar([0, 1], [0, 1], yerr=[1, 1], color='g', elinewidth=20)", {GREEN}),
        ("plt.plot([1])\nplt.twinx().bar([0], [1], color='r')", {RED}),
        ("import matplotlib as m\nm.use('Agg')\nplt.bar([0], [1], color='r')", {RED}),
    ],
)
def test_colours_are_those_that_were_asked_for(lines, colours):
    [(png, _)], answer = drawn_by(PLT + lines)
    found = colours_of(png)

    assert not answer.message
    assert all(found.get(colour, 0) > 0.005 for colour in colours)


def test_a_grid_of_axes_is_one_figure_with_its_words():
    source = PLT + "_, axes = plt.subplots(1, 2, figsize=(8, 3))\naxes[0].plot([1], label='损失')\n"
    source += "axes[0].legend()\naxes[1].set_xlabel('epoch')\nplt.suptitle('t')\nplt.show()\n"
    [(png, caption), (_, last)], _ = drawn_by(f"{source}plt.plot([1])")
    width, height = Picture.size_of(png)

    assert 2 < width / height < 3  # cut to what is drawn
    assert (caption.title, caption.labels, caption.line) == ("t", ("损失", "epoch"), 7)
    assert (caption.number, last.number, last.line) == (0, 1, None)


def test_every_chinese_character_of_a_textbook_has_a_glyph():
    _, answer = drawn_by(PLT + "plt.title('动手学深度学习：训练损失，准确率', fontname='SimHei')")
    _, missing = drawn_by(PLT + "plt.title('\\U00012000')")

    assert answer.warnings == ()
    assert "Glyph 73728" in missing.warnings[0].text  # what cannot be drawn is said


def test_settings_and_figures_are_gone_in_the_next_program():
    source = PLT + "plt.rcParams['lines.linewidth'] = 40\nplt.style.use('ggplot')\nplt.plot([1])"
    [(first, _)], _ = drawn_by(source)
    [(second, _)], _ = drawn_by(PLT + "plt.plot([1])")
    [(third, _)], _ = drawn_by(PLT + "plt.plot([1])")

    assert first != second == third
    assert drawn_by(PLT + "plt.figure()\nplt.plot([1])\nplt.close()")[0] == []


@pytest.mark.parametrize(
    ("lines", "error", "message"),
    [
        ("plt.plot([1, 2], [1, 2, 3])", "ValueError", "same first dimension"),
        ("plt.title('x', usetex=True)", "ValueError", agg.NO_LATEX),
        ("plt.rcParams['text.usetex'] = True", "ValueError", agg.NO_LATEX),
        ("plt.rcParams['backend'] = 'pdf'", "KeyError", "does not offer the setting"),
        ("plt.rc('animation', ffmpeg_path='/bin/sh')", "KeyError", "does not offer the setting"),
        ("plt.style.use('/etc/passwd')", "OSError", "not a style"),
        ("plt.savefig('x.pdf')", "ValueError", "as PNG"),
        ("plt.savefig('/tmp/x.png')", "TypeError", "plain name"),
        ("plt.imread('/etc/passwd')", "TypeError", "plain name"),
        ("plt.imread('https://example.org/x.png')", "TypeError", "plain name"),
        ("plt.setp(plt, rcParams={})", "TypeError", ""),
        ("plt.gcf().canvas.mpl_connect", "AttributeError", "does not offer 'mpl_connect'"),
        ("plt.gcf().canvas.print_png('x')", "AttributeError", "does not offer 'print_png'"),
        ("plt.gca().add_callback(print)", "AttributeError", "does not offer 'add_callback'"),
    ],
)
def test_what_would_leave_the_memory_of_the_run_is_refused(lines, error, message):
    _, answer = drawn_by(PLT + lines)
    assert answer.error_type == error
    assert message in answer.message


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("plt.plot([1])\nplt.text(1e7, 1e7, 'far away')", "could not be drawn"),
        ("plt.title('$x_{$')", "could not be drawn"),
        ("plt.title('x', font='/etc/passwd')", ""),
        ("for _ in range(14):\n    plt.figure()\n    plt.plot([1])", "12 figures"),
    ],
)
def test_what_cannot_be_shown_is_said(lines, message):
    figures, answer = drawn_by(PLT + lines)

    assert not answer.message
    assert len(figures) <= Picture.MAX_PICTURES
    assert message in " ".join(each.text for each in answer.warnings)


def test_a_large_or_noisy_image_is_made_smaller():
    source = PLT + "import numpy as np\nplt.figure(figsize=(30, 30))\n"
    source += "plt.imshow(np.random.rand(900, 900, 3), interpolation='none')"
    [(png, caption)], _ = drawn_by(source)

    assert len(png) <= Picture.MAX_BYTES
    assert max(Picture.size_of(png)) <= Picture.MAX_SIDE
    assert caption.scale < agg.PIXEL_RATIO


def test_a_saved_figure_is_a_file_of_the_run():
    source = PLT + "import io\nplt.plot([1])\nplt.savefig('a.png')\nfile = io.BytesIO()\n"
    source += "plt.gcf().savefig(file)\nplt.imread('a.png').shape, len(file.getvalue()) > 999"
    figures, answer = drawn_by(source)

    assert answer.message == ""
    assert "during this run only" in answer.warnings[0].text
    assert len(figures) == 1


def test_a_figure_that_is_shown_again_replaces_itself_and_is_not_shown_at_each_of_many_pauses():
    source = PLT + "for i in range(40):\n    plt.plot([i])\n    plt.pause(0.1)\nplt.show()"
    figures, _ = drawn_by(source)
    assert [caption.number for _, caption in figures] == [0] * 24


def test_every_attribute_that_is_offered_exists():
    figure, axes = pyplot.subplots()
    solid = pyplot.figure().add_subplot(projection="3d")
    drawn = [
        *(figure, axes, solid, axes.xaxis, axes.text(0, 0, "x"), axes.annotate("x", (0, 0))),
        *(axes.plot([1], label="x")[0], axes.imshow(np.eye(2)), axes.bar([1], [1])),
        *(axes.legend(), axes.spines, axes.spines["top"], axes.scatter([1], [1]), axes.stem([1])),
        *(axes.contourf(np.eye(2)), pyplot.Circle((0, 0)), pyplot.Polygon([[0, 0]]), figure.canvas),
        *(figure.colorbar(axes.images[0], ax=axes), pyplot.get_cmap(), axes.get_position()),
        *(colors.LinearSegmentedColormap, colors.LogNorm(), pyplot.GridSpec(1, 1), axes.pie([1])),
        *(patches.FancyArrowPatch((0, 0), (1, 1)), pyplot.Rectangle((0, 0), 1, 1)),
    ]
    pyplot.close("all")

    listed = sorted(LIBRARY_ATTRIBUTES["matplotlib"])
    assert [name for name in listed if not any(hasattr(each, name) for each in drawn)] == []


def test_drawing_needs_no_disk(monkeypatch):
    refuse = Mock(side_effect=PermissionError(1, "Operation not permitted"))
    figure = execute(PLT)["plt"].figure()
    figure.suptitle(r"$\sum x_1$ 中文", fontweight="heavy", family="Missing Sans")
    with monkeypatch.context() as patch:
        for name in ("os.open", "os.stat", "builtins.open"):
            patch.setattr(name, refuse)
        drawn = agg.draw(figure)
    assert drawn == agg.draw(figure)


def test_the_parts_of_matplotlib_that_are_replaced_are_still_used():
    assert font_manager._get_font is agg._get_font
    assert font_manager.FontManager._findfont_cached is agg._find_font
    assert _mathtext.TruetypeFonts._get_font is agg._get_math_font
