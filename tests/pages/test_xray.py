"""The step that looks into a file, and into a second one; where one is loaded, the jail is real."""

import pickle
import tomllib
from types import SimpleNamespace

import pytest
import torch
from streamlit.testing.v1 import AppTest

from playground.catalog import Language
from playground.checkpoints import load as loading
from playground.checkpoints import save
from playground.checkpoints.inspect import Inspection, allow_list, inspect
from playground.checkpoints.save import full_checkpoint, save_safetensors, save_torch
from playground.compute.fair_queue import FairQueue
from playground.errors import SandboxBusyError, SandboxClosedError
from playground.modules.spec import Block, InputSpec, Layer, Network
from playground.modules.spec.link import to_link
from playground.sandbox.limits import LIMITS
from playground.units import MEBIBYTE
from tests.pages.app import EVIL, ROOT, SHOWN, said, sentence, visit, warnings
from ui.xray import file

pytestmark = pytest.mark.usefixtures("inline")
LESSON = "save_and_load"
KEY = f"{LESSON}_xray"
SECOND = f"{KEY}_second"
NETWORK = Network(
    Block([Layer("Linear", {"in_features": 5, "out_features": 6}, name="encoder")]),
    InputSpec((2, 5)),
)
MLP = torch.nn.Sequential(torch.nn.Linear(20, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))


def open_step(language: str = "en", **address: str) -> AppTest:
    return visit(LESSON, lang=language, step="xray", **address)


def bring(at: AppTest, name: str, data: bytes, key: str = KEY) -> AppTest:
    at.file_uploader(key=f"{key}_upload").upload(name, data).run()
    at.run()
    assert not at.exception
    return at


def brought(state: dict[str, object], language: str = "en") -> AppTest:
    """The step with a file of these contents."""
    return bring(open_step(language), "mine.pt", save_torch(state).data)


def choose(at: AppTest, field: str, value: str) -> AppTest:
    at.selectbox(key=f"{LESSON}-xray-{field}").set_value(value).run()
    return at.run()


def test_a_good_file_is_accepted_loaded_and_put_into_the_network_of_the_link(jailed):
    torch.manual_seed(9)
    linear = torch.nn.Linear(5, 6)
    state = {f"encoder.{name}": each for name, each in linear.state_dict().items()}
    at = bring(open_step(network=to_link(NETWORK)), "mine.pt", save_torch(state).data)

    html = said(at)
    assert "✓ Accepted" in html
    assert "mine.pt" in html
    assert "state_dict · 36 parameters · float32 · written by torch.save" in html
    assert "<code>encoder.weight</code><span>(6, 5) float32" in html
    assert "Histogram from" in html
    assert "load_state_dict(…, strict=True)" in html
    with torch.no_grad():
        torch.manual_seed(0)
        torch.nn.Linear(5, 6)  # the network that the file goes into draws its numbers first
        expected = linear(torch.randn(2, 5)).flatten()[:4].tolist()
    assert ", ".join(f"{each:.4g}" for each in expected) in html


def test_what_does_not_fit_is_torchs_refusal_and_strict_off_loads_the_rest(jailed):
    at = choose(open_step(), "own", "batch_norm")
    assert "Error(s) in loading state_dict for Sequential" in said(at)
    assert "other size" in said(at)

    at = choose(at, "own", "dropout")  # a dropout layer shifts the last one's name
    html = said(choose(at, "is_strict", "false"))
    assert "load_state_dict(…, strict=False)" in html
    assert "✗ missing" in html
    assert "✗ unexpected" in html


def test_the_part_that_goes_into_the_network_can_be_chosen(jailed):
    state = {"weight": torch.ones(1)}
    at = brought({"first": state, EVIL: state})

    (box,) = [each for each in at.selectbox if str(each.key).startswith(f"{KEY}_part")]
    assert box.options == ["first", EVIL]
    box.select_index(1).run()
    assert not at.exception
    assert KEY not in str([name for name in at.query_params if EVIL in str(at.query_params[name])])


def test_nan_is_reported_before_all_else_and_then_what_the_file_holds(jailed):
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    state = net.half().state_dict() | {"0.weight": torch.full((3, 4), torch.nan)}
    html = said(brought({"model": state, "epoch": 7}))

    holds = "21 parameters · 7 in buffers · float32, float16, int64 · written by torch.save"
    assert html.index(sentence("xray.odd", count=12)) < html.index("✓ Accepted")
    assert f"checkpoint · {holds} · epoch 7" in html
    first = html.index("<details>")
    assert "model.0.weight" in html[first : html.index("</details>")]


def test_a_file_of_another_network_is_one_sentence_and_no_wall(jailed):
    state = {f"conv{number}.weight": torch.ones(1) for number in range(9)}
    at = brought(state)
    assert sentence("xray.none-fits", count=9) in said(at)
    assert "Error(s) in loading" not in said(at)
    assert not at.expander


@pytest.mark.parametrize("language", Language)
def test_what_loading_converts_without_a_message_is_said_with_numbers(jailed, language):
    state = {name: each.half() for name, each in MLP.state_dict().items()}
    html = said(brought(state, language))

    sizes = {"before": "15.52 KiB", "after": "31.04 KiB"}  # 7,946 numbers of 2 and of 4 bytes
    dtypes = {"file": "float16", "network": "float32"}
    assert sentence("xray.cast", language, tensors=4, **dtypes, **sizes) in html
    assert sentence("xray.cast-wider", language, **dtypes) in html
    assert "tp-outcome tp-refused" not in html


def test_a_prefix_that_hides_the_names_is_named(jailed):
    html = said(brought(torch.nn.DataParallel(MLP).state_dict()))
    assert "0 of 4 names fit this network" in html
    assert 'name.removeprefix("module.")' in html


@pytest.mark.parametrize("language", Language)
def test_a_hostile_file_is_refused_with_what_it_asks_for(language):
    at = choose(open_step(language), "sample", "hostile")

    html = said(at)
    assert f"✗ {sentence('xray.refused', language)}" in html
    assert html.count("posix.system") >= 3
    assert "weights_only=False" not in html
    assert not at.tabs


@pytest.mark.parametrize(
    ("name", "data", "verdict"),
    [
        ("weights.pt", b"", "EMPTY"),
        ("weights.pth", pickle.dumps({EVIL: 1}), "PICKLE_NOT_TORCH"),
        ("weights", b"PK\x03\x04" + bytes(40), "BAD_ZIP"),
        (f"{EVIL}.pt", EVIL.encode(), "UNKNOWN"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.isupper() else "",
)
def test_any_bytes_get_a_verdict(name, data, verdict):
    html = said(bring(open_step(), name, data))
    assert "✗ Refused" in html
    assert verdict in html
    assert "<img" not in html.split("tp-outcome", 1)[1]


def test_a_name_of_a_file_cannot_turn_the_verdict_around():
    at = bring(open_step(), "a\u202etp.\x1b[31m\nb.pt", b"hello")
    headline = said(at).split("tp-outcome", 1)[1].split("</div>", 1)[0]
    assert "a\\u202etp.\\x1b[31m\\x0ab.pt" in headline
    assert not {"\u202e", "\x1b", "\n"} & set(headline)


@pytest.mark.parametrize(
    ("language", "words"), [("en", "torch does not ask for"), ("zh", "torch 不要求")]
)
def test_what_torch_does_not_ask_for_is_reported(jailed, language, words):
    at = choose(open_step(language), "own", "batch_norm")

    html = said(at)
    assert f"{words} <code>1.num_batches_tracked</code>" in html
    listed = html.split("Missing key(s) in state_dict:", 1)[1].split("size mismatch", 1)[0]
    assert "1.running_var" in listed
    assert "num_batches_tracked" not in listed
    assert words not in said(choose(at, "own", "mlp"))


def test_texts_of_a_file_are_shown_as_plain_text(jailed):
    at = brought({EVIL: torch.ones(2), "note": EVIL})
    tied = torch.ones(1)
    both = bring(at, "evil.pt", save_torch({EVIL: tied, f"{EVIL}2": tied}).data)

    assert said(both).count(SHOWN) > 3
    assert "<img" not in said(both).split("tp-outcome", 1)[1]
    shown = [each.value for each in (*both.markdown, *both.caption, *both.warning)]
    assert not [each for each in shown if "onerror" in each]


def test_metadata_of_safetensors_have_a_tab(jailed):
    data = save_safetensors({"w": torch.ones(2)}, {"author": EVIL}).data
    at = bring(open_step(), "w.pt", data)
    assert [each.label for each in at.tabs] == ["Tensors", "Structure", "Records", "Texts"]
    assert SHOWN in said(at)


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (SandboxClosedError("sandbox_closed"), ("not loaded on this server", "不加载文件")),
        (SandboxBusyError("sandbox_busy", waiting=30), ("30 others", "30 个任务")),
    ],
    ids=["closed", "busy"],
)
def test_without_a_jail_the_inspection_is_still_shown(monkeypatch, language, error, words):
    monkeypatch.setattr(loading.jail, "error", error)
    at = open_step(language)

    html = said(at)
    assert not at.exception
    assert not at.warning
    assert "0.weight" in html
    assert words[list(Language).index(language)] in html
    assert "load_state_dict" not in html


@pytest.mark.parametrize("key", [KEY, SECOND])
def test_a_file_that_is_too_large_is_refused_in_one_sentence(jailed, monkeypatch, key):
    monkeypatch.setattr(file, "max_mebibytes", lambda: 1)
    at = brought(MLP.state_dict())
    bring(at, "large.pt", bytes(2**20 + 1), key)
    assert warnings(at) == [sentence("failures.upload_too_large", given=2**20 + 1, most=1)]
    assert key == KEY or "✓ Accepted" in said(at)


def test_one_number_limits_a_file_wherever_it_goes():
    config = tomllib.loads((ROOT / ".streamlit/config.toml").read_text("utf-8"))
    assert config["server"]["maxUploadSize"] * MEBIBYTE == allow_list.MAX_FILE_BYTES
    assert allow_list.MAX_FILE_BYTES == save.MAX_BYTES == file.max_mebibytes() * MEBIBYTE
    assert LIMITS.data_bytes == 2 * allow_list.MAX_FILE_BYTES


def test_only_so_many_files_a_minute_are_looked_at(monkeypatch):
    monkeypatch.setattr(file, "time", SimpleNamespace(monotonic=lambda: 100.0))  # slow computer
    at = open_step()
    for number in range(LIMITS.inspections_per_minute + 1):
        assert not at.warning, number
        bring(at, "x.pt", bytes([number]))  # drawing the same file again costs nothing

    (reported,) = warnings(at)
    assert str(LIMITS.inspections_per_minute) in reported


def test_a_file_is_inspected_once_however_often_it_is_drawn(jailed, monkeypatch):
    looked_at = []

    def counted(data: bytes, file_name: str) -> Inspection:
        looked_at.append(file_name)
        return inspect(data, file_name)

    for module in (file, loading):
        monkeypatch.setattr(module, "inspect", counted)
    at = bring(open_step(), "good.pt", save_torch({"0.weight": torch.ones(2)}).data)
    choose(at, "is_strict", "false")
    choose(at, "own", "batch_norm")
    assert looked_at.count("good.pt") == 1

    bring(at, "bad.pt", b"hello")
    assert looked_at.count("bad.pt") == 1
    assert "UNKNOWN" in said(at)


def test_a_file_waits_while_others_are_looked_at_and_says_so_calmly(monkeypatch):
    queue = FairQueue(range(1), max_waiting=0)
    monkeypatch.setattr(file, "QUEUE", queue)
    at = open_step()
    with queue.turn():
        bring(at, "x.pt", b"hello")
        assert warnings(at) == [sentence("failures.inspections_busy")]
    at.run()
    assert not at.warning
    assert "UNKNOWN" in said(at)


def test_nothing_keeps_the_bytes_of_a_file(jailed):
    mark = torch.arange(1000, dtype=torch.float64) * torch.pi
    data = save_torch({"w": mark}).data
    piece = mark.numpy().tobytes()[800:1600]
    at = bring(open_step(), "w.pt", data)
    bring(at, "again.pt", save_torch({"w": mark, "v": mark + 1}).data, SECOND)

    kept = at.session_state.to_dict()
    assert {f"{KEY}_loading", f"{SECOND}_second-loading"} <= kept.keys()
    for name, value in kept.items():
        if not name.endswith("_upload"):  # Streamlit's own
            assert piece not in _written(value), name
            assert repr(piece[:20])[2:-1] not in repr(value), name
    assert piece in _written(data)  # it would have been found


def _written(value: object) -> bytes:
    try:
        return pickle.dumps(value)
    except Exception:  # noqa: BLE001 - what cannot be pickled is reported as text
        return repr(value).encode()


def net() -> torch.nn.Sequential:
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))


@pytest.mark.parametrize("language", Language)
def test_two_states_of_a_network_are_compared_number_by_number(jailed, language):
    trained = net()
    before = save_torch(full_checkpoint(trained, torch.optim.SGD(trained.parameters()), 3)).data
    with torch.no_grad():
        trained[2].bias += torch.tensor([0.0, 0.25])
    after = save_torch(full_checkpoint(trained, torch.optim.SGD(trained.parameters()), 7)).data
    at = bring(open_step(language), "before.pt", before)
    assert sentence("xray.second-empty", language) in said(at)

    html = said(bring(at, "after.pt", after, SECOND))

    assert sentence("xray.diff-changed", language, count=1, common=4) in html
    percent = 100 * 0.25 / net()[2].bias.norm().item()
    amount = sentence("xray.diff-by", language, percent=f"{percent:.3g}")
    assert f"<code>model.2.bias</code> {amount}" in html
    assert "<dd>3 → 7</dd>" in html
    assert "<dd>0.25</dd>" in html
    assert f"<dd>{sentence('xray.diff-of', language, count=1, most=2)}</dd>" in html
    assert html.index("before.pt") < html.index("after.pt")


def test_nan_in_one_of_the_files_comes_before_all_else(jailed):
    state = net().state_dict()
    broken = state | {"0.bias": torch.tensor([1.0, torch.nan, torch.inf])}
    html = said(bring(brought(state), "after.pt", save_torch(broken).data, SECOND))

    headline = html.split("tp-beside")[1].split("</div>")[0]
    assert sentence("xray.diff-broken", count=1) in headline
    assert "<code>0.bias</code>" in headline
    assert "0 → 2" in html


@pytest.mark.parametrize(
    ("second", "key", "values"),
    [
        (lambda state: save_torch(state).data, "diff-same", {}),
        (lambda state: save_safetensors(state).data, "diff-equal", {"count": 4}),
        (
            lambda _: save_torch([torch.ones(2)]).data,
            "diff-nothing",
            {"first": "state_dict", "second": "a list"},
        ),
        (
            lambda state: save_torch({f"module.{name}": state[name] for name in state}).data,
            "diff-prefix",
            {"prefix": "module."},
        ),
    ],
    ids=["same", "equal", "kinds", "prefix"],
)
def test_each_kind_of_second_file_is_named(jailed, second, key, values):
    state = net().state_dict()
    html = said(bring(brought(state), "second.pt", second(state), SECOND))
    expected = sentence(f"xray.{key}", **values).replace("`", "")
    assert expected in html.replace("<code>", "").replace("</code>", "")


@pytest.mark.parametrize("language", Language)
def test_a_second_file_that_is_refused_leaves_the_first_as_it_is(jailed, language):
    at = brought(net().state_dict(), language)
    empty = f'<div class="tp-muted">{sentence("xray.second-empty", language)}'
    before, _ = said(at).split(empty)

    html = said(bring(at, "second.pt", b"hello", SECOND))

    assert f"✗ {sentence('xray.refused', language)}" in html
    assert sentence("xray.second-refused", language) in html
    assert before in html


def test_names_of_both_files_are_plain_text_and_two_files_count_once(jailed):
    at = brought({EVIL: torch.ones(2), "b": 1})
    bring(at, f"{EVIL}.pt", save_torch({EVIL: torch.zeros(2), "b": 2}).data, SECOND)
    for _ in range(LIMITS.inspections_per_minute):
        at.run()

    html = said(at)
    assert not at.warning
    assert html.split("tp-beside")[1].count(SHOWN) == 2
    assert "<img" not in html.split("tp-outcome", 1)[1]
