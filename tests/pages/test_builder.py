"""The builder as a student uses it: every edit, every refusal, and nothing lost."""

import base64
import json
import re
import zlib
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from playground import compute
from playground.catalog import Language
from playground.modules.spec import Block, InputSpec, Layer, Network, Shared, edit
from playground.modules.spec.link import from_link, to_link
from playground.modules.spec.presets import BUILDER_PRESETS
from ui.language import table
from ui.panel import plain

ROOT = Path(__file__).resolve().parents[2]
STEP = "blocks_build_"
HISTORY = f"{STEP}history"
MLP = BUILDER_PRESETS["mlp"]
BROKEN = BUILDER_PRESETS["broken"]


@pytest.fixture(autouse=True)
def inline():
    """Experiments run in this process: no worker to wait for."""
    with compute.running_inline():
        yield


def visit(
    network: Network | str | None = None, language: str = "en", *, is_run: bool = True
) -> AppTest:
    """Open the builder with a network in the link, and skip its question."""
    at = AppTest.from_file(ROOT / "ui/router.py", default_timeout=120)
    at.query_params["lang"] = language
    at.query_params["machine"] = "simulated"
    at.query_params[plain.CHOICE] = "true"
    at.query_params["step"] = "build"
    if network is not None:
        at.query_params["network"] = network if isinstance(network, str) else to_link(network)
    at.switch_page(str(ROOT / "pages/blocks.py")).run()
    return at.button(key="blocks-build-run").click().run() if is_run else at


def shown(at: AppTest) -> Network:
    """The network on the screen."""
    return Network.from_json(at.session_state[HISTORY].text)


def press(at: AppTest, name: str) -> AppTest:
    return at.button(key=f"{STEP}{name}").click().run()


def choose(at: AppTest, menu: str, name: str) -> AppTest:
    return at.menu_button(key=f"{STEP}builder-{menu}").click(name).run()


def set_field(at: AppTest, name: str, value: object) -> AppTest:
    element = next(
        each
        for kind in (at.number_input, at.text_input, at.toggle, at.selectbox, at.button_group)
        for each in kind
        if each.key == f"{STEP}{name}"
    )
    return element.set_value(value).run()


def warnings(at: AppTest) -> list[str]:
    assert not at.exception
    return [each.value for each in at.warning]


def rows(at: AppTest) -> list[str]:
    return [each.label for each in at.button if (each.key or "").startswith(f"{STEP}pick-")]


def test_a_link_brings_its_network():
    at = visit(MLP)

    assert shown(at) == MLP
    assert [label.split("**")[1] for label in rows(at)] == ["Linear", "ReLU", "Linear"]
    assert "`(2, 256)`" in rows(at)[0]
    assert warnings(at) == []


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("link", ["☃", "eJy", "A" * 5000, "<script>"])
def test_a_broken_link_opens_the_default_with_a_notice(link, language):
    at = visit(link, language, is_run=False)

    assert shown(at) == MLP
    (reported,) = warnings(at)
    assert reported == table()["network.broken-link"].said(language)


def test_a_link_to_what_cannot_be_built_opens_the_default_with_a_notice():
    network = Network(Block([Layer("Linear", {"in_features": 4})]), InputSpec((2, 4)))
    at = visit(network, is_run=False)

    assert shown(at) == MLP
    (reported,) = warnings(at)
    assert "Linear" in reported
    assert "out_features" in reported


EVIL = "[x](//evil.example) www.evil.example"  # 40 characters are quoted


def packed(layer: dict[str, object], **more: object) -> str:
    """A link to a network of one layer that anybody may have written."""
    network = {"kind": "sequential", "children": [layer], **more}
    text = json.dumps({"network": network, "input": [{"shape": [2, 4]}]})
    return base64.urlsafe_b64encode(zlib.compress(text.encode())).decode().rstrip("=")


@pytest.mark.parametrize(
    "link",
    [
        packed({"type": EVIL}),
        packed({"type": "ReLU", "name": EVIL}),
        packed({"type": "ReLU", EVIL: 1}),
        packed({"type": "ReLU", "arguments": {EVIL: 1}}),
        packed({"type": "Linear", "arguments": {"in_features": EVIL, "out_features": 2}}),
        packed({"type": "Conv2d", "arguments": {"in_channels": {EVIL: 1}}}),
        packed({"type": "RNN", "arguments": [["input_size", 4], [EVIL, 4]]}),
        packed({"of": EVIL}),
        packed({"type": "ReLU"}, kind=EVIL),
        packed({"type": "GELU", "arguments": {"approximate": EVIL}}),
    ],
)
def test_a_strangers_text_in_a_link_is_no_markdown(link):
    at = visit(link, is_run=False)
    if any(each.key == f"{STEP}pick-0" for each in at.button):
        press(at, "pick-0")

    reported = [*warnings(at), *(each.value for kind in (at.caption, at.markdown) for each in kind)]
    outside_of_code = [re.sub("`[^`]*`", "", each) for each in reported]
    assert not [each for each in outside_of_code if "evil" in each]
    options = [each for group in at.button_group for each in group.options]
    assert not [each for each in options if "[x" in str(each) and "\\[x" not in str(each)]


def test_a_layer_is_found_and_added_once_behind_the_selected_one():
    at = press(visit(MLP), "pick-0")
    at.selectbox(key=f"{STEP}search-0").set_value("Tanh")
    sent = at._tree.get_widget_states()
    at._run(sent)
    at._run(sent)  # as the browser does on a slow computer

    assert [each.type for each in shown(at).block.children] == ["Linear", "Tanh", "ReLU", "Linear"]


def test_an_added_layer_takes_the_size_that_arrives():
    at = press(visit(MLP), "add-Linear")

    added = shown(at).block.children[-1]
    assert added.keywords["in_features"] == 10
    assert warnings(at) == []


def test_a_layer_is_removed_and_comes_back():
    at = press(press(visit(MLP), "pick-1"), "builder-icon-remove")
    assert [each.type for each in shown(at).block.children] == ["Linear", "Linear"]

    press(at, "builder-icon-undo")
    assert shown(at) == MLP

    press(at, "builder-icon-redo")
    assert [each.type for each in shown(at).block.children] == ["Linear", "Linear"]


def test_a_layer_moves_up_and_down_and_stays_selected():
    at = press(press(visit(MLP), "pick-1"), "builder-icon-up")
    assert [each.type for each in shown(at).block.children] == ["ReLU", "Linear", "Linear"]
    assert at.button(key=f"{STEP}builder-icon-up").disabled

    press(press(at, "builder-icon-down"), "builder-icon-down")
    assert [each.type for each in shown(at).block.children] == ["Linear", "Linear", "ReLU"]


def test_a_layer_is_duplicated():
    at = press(press(visit(MLP), "pick-1"), "builder-icon-duplicate")

    assert [each.type for each in shown(at).block.children] == ["Linear", "ReLU", "ReLU", "Linear"]


def test_arguments_are_changed_by_their_controls():
    at = set_field(press(visit(MLP), "pick-2"), "argument-out_features", 3)
    assert shown(at).block.children[2].keywords["out_features"] == 3

    set_field(at, "argument-bias", False)
    assert shown(at).block.children[2].keywords["bias"] is False

    set_field(at, "argument-bias", True)  # the default: a program leaves it out
    assert "bias" not in shown(at).block.children[2].keywords


def test_one_number_or_several():
    at = set_field(
        press(visit(BUILDER_PRESETS["small_cnn"]), "pick-0"), "argument-kernel_size", "3, 5"
    )
    assert shown(at).block.children[0].keywords["kernel_size"] == (3, 5)

    set_field(at, "argument-padding", "same")
    assert shown(at).block.children[0].keywords["padding"] == "same"

    set_field(at, "argument-kernel_size", "nonsense")
    assert shown(at).block.children[0].keywords["kernel_size"] == (3, 5)
    assert at.text_input(key=f"{STEP}argument-kernel_size").value == "3, 5"
    (reported,) = warnings(at)
    assert "kernel_size" in reported
    assert "nonsense" in reported


def test_a_block_is_made_closed_opened_and_taken_apart():
    at = choose(press(visit(MLP), "pick-1"), "more", "wrap-residual")
    assert isinstance(shown(at).block.children[1], Block)
    assert len(rows(at)) == 4

    press(at, "fold-1")
    assert len(rows(at)) == 3

    choose(press(at, "fold-1"), "more", "unwrap")
    assert shown(at) == MLP


def test_a_layer_is_shared_and_its_parameters_count_once():
    net = Network(Block([Layer.of("Linear", in_features=4, out_features=4)]), InputSpec((2, 4)))
    at = choose(press(visit(net), "pick-0"), "more", "share")

    assert "**↻" in rows(at)[1]
    said = [each.proto.body for each in at.get("html")]
    assert any("<code>0.weight</code> = <code>1.weight</code>" in each for each in said)


def test_names_and_copies():
    at = set_field(press(visit(MLP), "pick-1"), "name", "bend")
    assert shown(at).block.children[1].name == "bend"

    set_field(at, "times", 3)
    assert shown(at).block.children[1].times == 3

    set_field(at, "name", "no.dots")
    assert len(warnings(at)) == 1
    assert shown(at).block.children[1].name == "bend"


def test_an_ill_fitting_network_shows_torchs_error_and_a_button_that_mends_it():
    at = visit(BROKEN)
    said = " ".join(each.proto.body for each in at.get("html"))
    assert "expected input[2, 8, 16, 16] to have 16 channels" in said

    press(at, "apply")
    assert shown(at).block.children[3].keywords["in_channels"] == 8

    press(at, "apply")  # what was wrong behind it: images come to a linear layer
    assert shown(at).block.children[6] == Layer("Flatten")

    press(at, "apply")
    assert shown(at).block.children[7].keywords["in_features"] == 16 * 8 * 8
    assert not any(each.key == f"{STEP}apply" for each in at.button)

    for _ in range(3):
        press(at, "builder-icon-undo")
    assert shown(at) == BROKEN


@pytest.mark.parametrize("again", [Shared("0"), None], ids=["shared", "copies"])
def test_a_layer_that_takes_its_own_output_is_mended_once(again):
    """Another ``in_features`` would make the first use fail, then again the second, for ever."""
    layer = Layer("Linear", {"in_features": 20, "out_features": 256}, times=1 if again else 3)
    at = visit(Network(Block([layer, again] if again else [layer]), InputSpec((2, 20))))

    press(at, "apply")

    assert shown(at).block.children[0].keywords == {"in_features": 20, "out_features": 20}
    assert not any(each.key == f"{STEP}apply" for each in at.button)


def test_a_network_that_is_too_large_is_refused_and_the_last_good_one_stays():
    at = set_field(press(visit(MLP), "pick-2"), "argument-out_features", 1_000_000)

    assert len(warnings(at)) == 1
    assert shown(at) == MLP
    assert at.number_input(key=f"{STEP}argument-out_features").value == 10


@pytest.mark.parametrize("reported", ["2, 99999999999", "2, -3", "two", "2.5, 20"])
def test_a_bad_shape_is_refused(reported):
    at = set_field(visit(MLP), "shape", reported)

    assert len(warnings(at)) == 1
    assert shown(at) == MLP
    assert at.text_input(key=f"{STEP}shape").value == "2, 20"


def test_of_several_inputs_the_first_can_be_kept():
    inputs = (InputSpec((2, 20)), InputSpec((2, 4)))
    at = visit(Network(MLP.block, inputs))
    assert not at.exception

    press(at, "one-input")
    assert shown(at) == MLP


def test_the_input_may_be_tokens():
    at = set_field(visit(BUILDER_PRESETS["transformer"]), "below", 50)
    assert shown(at).input[0].below == 50

    set_field(at, "dtype", "float")
    assert shown(at).input[0].kind == "float"


def test_a_file_brings_its_network_and_undo_brings_the_old_one_back():
    at = visit(MLP)
    reported = BUILDER_PRESETS["residual"].to_json().encode()
    at.file_uploader(key=f"{STEP}load").upload("net.json", reported, "application/json").run()
    assert shown(at) == BUILDER_PRESETS["residual"]

    press(at, "builder-icon-undo")
    assert shown(at) == MLP


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xff\xfe", ""),
        (b"not json", ""),
        (b"[1, 2]", ""),
        (b"[" * 100_000, ""),
        (b"1" * 300_000, "300,000"),
        (
            json.dumps(
                {
                    "network": {
                        "kind": "sequential",
                        "children": [{"type": "Linear", "arguments": {"in_features": "x"}}],
                    },
                    "input": [{"shape": [2, 4]}],
                }
            ).encode(),
            "in_features",
        ),
    ],
)
def test_a_bad_file_is_one_sentence_and_the_network_stays(content, says):
    at = visit(MLP)
    at.file_uploader(key=f"{STEP}load").upload("net.json", content, "application/json").run()

    (reported,) = warnings(at)
    assert says.replace(",", "") in reported.replace(",", "")
    assert shown(at) == MLP


@pytest.mark.parametrize("start", BUILDER_PRESETS)
def test_every_start_is_a_press_away(start):
    at = choose(visit(MLP), "starts", start)

    assert shown(at) == BUILDER_PRESETS[start]
    assert warnings(at) == []


def test_switching_the_language_keeps_network_selection_and_history():
    at = press(press(visit(MLP), "pick-1"), "builder-icon-remove")
    at.sidebar.button_group(key="lang").set_value(Language.ZH).run()

    assert [each.type for each in shown(at).block.children] == ["Linear", "Linear"]
    press(at, "builder-icon-undo")
    assert shown(at) == MLP


def test_the_address_holds_the_network():
    at = press(press(visit(MLP), "pick-1"), "builder-icon-remove")

    (link,) = re.findall(r"network=([\w-]+)", at.session_state["page-blocks"].query)
    assert from_link(link) == shown(at)


def test_another_round_can_be_undone():
    at = visit(BUILDER_PRESETS["residual"])
    at.button(key="blocks-build-round").click().run()
    assert shown(at) == BUILDER_PRESETS["small_cnn"]

    press(at, "builder-icon-undo")
    assert shown(at) == BUILDER_PRESETS["residual"]


def test_an_emptied_network_is_a_network_too():
    at = visit(Network(Block([Layer("ReLU")]), InputSpec((2, 4))))
    press(press(at, "pick-0"), "builder-icon-remove")
    assert shown(at).block.children == ()
    assert not at.exception
    assert table()["builder.empty"].en in [each.value for each in at.caption]

    press(at, "add-Linear")
    assert edit.node_at(shown(at).block, (0,)).keywords["in_features"] == 4


def test_both_programs_are_shown():
    at = visit(BUILDER_PRESETS["residual"])

    programs = [each.value for each in at.code if "BatchNorm2d" in each.value]
    assert len(programs) == 2
    assert any("class Net(nn.Module)" in each for each in programs)


@pytest.mark.parametrize(
    "layer",
    [
        Layer("Softmax", {"dim": 2**60}),
        Layer("Softmax", {"dim": -99}),
        Layer("Upsample", {"scale_factor": 2.0, "mode": "bogus"}),
        Layer("Unflatten", {"dim": 1, "unflattened_size": [4, 5]}),
        Layer("TransformerEncoderLayer", {"d_model": 20, "nhead": 4}),
        Layer("LSTM", {"input_size": 20, "hidden_size": 4}),
    ],
)
def test_whatever_a_link_brings_can_be_selected(layer):
    at = press(visit(Network(Block([layer]), InputSpec((2, 20)))), "pick-0")

    assert not at.exception


def test_every_layer_of_the_transformer_can_be_selected():
    at = visit(BUILDER_PRESETS["transformer"])
    for number in range(3):
        press(at, f"pick-{number}")
        assert not at.exception
