import base64
import functools
import hashlib
import io
import json
import zlib
from typing import Any, ClassVar

import pytest
from streamlit.testing.v1 import AppTest

from playground import sandbox
from playground.checkpoints import load as loading
from playground.checkpoints.difference import compare_files
from playground.checkpoints.inspect import disassemble, inspect
from playground.checkpoints.jailed import task
from playground.checkpoints.jailed.difference import compare_checkpoints
from playground.checkpoints.load import parts_of
from playground.errors import InvalidSpecError
from playground.modules.spec import Block, BlockKind, InputSpec, Layer, Network
from playground.modules.spec.link import from_link, to_link
from playground.sandbox import jail
from playground.sandbox.check import check
from playground.sandbox.jail import JailAnswer, SelfTestResult
from playground.sandbox.jail.answer import read_parts
from playground.sandbox.jail.request import ResultCapture
from playground.sandbox.limits import LIMITS
from playground.sandbox.live_run import LiveRun
from playground.sandbox.report import SandboxReport
from playground.sandbox.runner import report_of
from tests.budget import assert_cheap, assert_small
from tests.checkpoints.worst_files import WORST_FILES
from tests.pages import app, test_builder, test_lab, test_xray
from tests.pages.app import said
from tests.sandbox.worst_input import WORST_ANSWERS, WORST_CELLS, longest
from ui.lab import url_state as lab_link

pytestmark = pytest.mark.usefixtures("inline")
TASKS = {"load_checkpoint": task.load_checkpoint, "compare_checkpoints": compare_checkpoints}
NETWORK = Network(Layer.of("Linear", in_features=3, out_features=2), InputSpec((1, 3)))
QUERY_BYTES = 32_000
# A file that is refused is compared with nothing.
WORST_BESIDE_ANOTHER = ("64 dimensions", "metadata", "ties under letters that turn")


class Jail:
    """Stands in for the jail: answers as its child does, and what the child computes is known."""

    known: ClassVar[dict[str, JailAnswer]] = {}

    def run(
        self, name: str, arguments: dict[str, Any], *, data: bytes, more: bytes, **_: object
    ) -> JailAnswer:
        key = json.dumps(arguments) + hashlib.sha256(data + more).hexdigest()
        if key not in self.known:
            value = TASKS[name](arguments, io.BytesIO(data + more), LIMITS)
            self.known[key] = JailAnswer(value=json.loads(json.dumps(value)))
        return self.known[key]


@pytest.fixture
def child(monkeypatch):
    monkeypatch.setattr(loading, "jail", Jail())


@pytest.fixture(autouse=True)
def jail_holds(monkeypatch):
    monkeypatch.setattr(jail, "preflight", lambda: SelfTestResult(ok=True))


def assert_cheap_to_bring(at: AppTest, data: bytes, key: str) -> None:
    def bring(name: str = "again.pt") -> None:
        at.file_uploader(key=f"{key}_upload").upload(name, data).run()
        assert not at.exception

    bring("first.pt")  # now the child has computed
    assert_cheap(bring)
    assert_cheap(at.run)
    assert "again.pt" in said(at)


@pytest.mark.parametrize("title", WORST_FILES)
def test_a_file_in_the_xray_costs_little_each_time_it_is_drawn(title, child):
    at = test_xray.open_step()
    assert_cheap_to_bring(at, WORST_FILES[title](), test_xray.KEY)
    assert not at.warning


@pytest.mark.parametrize("title", WORST_BESIDE_ANOTHER)
def test_a_second_file_costs_little_each_time_it_is_drawn(title, child):
    data = WORST_FILES[title]()
    other = data.replace(b"archive", b"brchive")  # the same tensors in a file of other bytes
    if other == data:
        other = data[:-1] + bytes([data[-1] ^ 1])
    at = test_xray.bring(test_xray.open_step(), "first.pt", data)
    assert_cheap_to_bring(at, other, test_xray.SECOND)
    found = inspect(data, "x.pt"), inspect(other, "x.pt")
    assert_small(lambda: compare_files(data, other, found))


@pytest.mark.parametrize("title", WORST_FILES)
def test_a_file_takes_little_memory_beyond_itself(title, child):
    data = WORST_FILES[title]()

    def look() -> None:
        found = inspect(data, "x.pt")
        if not found.accepted:
            disassemble(data)
            return
        network = NETWORK if parts_of(found) else None
        assert loading.load(data, "x.pt", inspection=found, network=network).accepted

    look()  # now the child has computed, where one does
    assert_small(look)


def stream(form: bytes, size: int, count: int) -> bytes:
    """As many parts of a run as a child may send, each as long as it may be."""
    return (form % (b"x" * size)) * count


LINES = ",".join(['{"number":%d,"notes":[],"printed":"x","error":"","warnings":[]}'] * 400)
WORST_STREAMS = {
    "parts": b'{"live": {"run": {}}}\n' * (LIMITS.live_parts + LIMITS.image_parts),
    "lines": (
        b'{"live": {"run": {"line": 1, "bars": [], "lines": [%s]}}}\n'
        % (LINES % tuple(range(400))).encode()
    )
    * 6,
    "lists": (b'{"live": {"a": [' + b"[]," * 21_000 + b"[]]}}\n") * 3,
    "texts": stream(b'{"live": {"a": "%s"}}\n', 60_000, 3),
    "images": stream(b'{"image": "%s", "live": {"picture": {}}}\n', 500_000, 4),
    "one image": stream(b'{"image": "%s", "live": {"picture": {}}}\n', LIMITS.image_bytes - 99, 1),
    "chunks of an image": b'{"image": "%s", "live": {"picture": {}}}\n'
    % base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0\0\0\0IDAT\0\0\0\0" * 50_000),
}


@pytest.mark.parametrize("title", WORST_STREAMS)
@pytest.mark.parametrize("size", [500, 65_536])
def test_what_a_run_says_while_it_goes_on_costs_little(title: str, size: int) -> None:
    text = WORST_STREAMS[title]

    def hear() -> None:
        live = LiveRun()
        capture = ResultCapture(LIMITS, live)
        for begin in range(0, len(text), size):
            if not capture.is_full:
                capture.add(text[begin : begin + size])
        live.snapshot()

    assert_cheap(hear)
    assert_small(hear)


def reported(text: bytes) -> SandboxReport:
    """Return the report that the page gets of a child's answer."""
    parts = read_parts(text, LIMITS)
    return report_of(JailAnswer(value=parts.last, first=parts.first), LIMITS)


@pytest.mark.parametrize("title", WORST_ANSWERS)
def test_an_answer_of_the_sandbox_costs_little_to_read_and_to_draw(title, monkeypatch):
    text = longest(WORST_ANSWERS[title])
    report = reported(text)
    monkeypatch.setattr(sandbox, "run", lambda *_, **__: report)
    at = test_lab.ran("x = 1")

    assert not at.exception
    assert_cheap(lambda: reported(text))
    assert_cheap(at.run)
    assert_small(lambda: reported(text))


@pytest.mark.parametrize("title", WORST_CELLS)
def test_a_cell_costs_little_to_check(title):
    cell = WORST_CELLS[title][: LIMITS.source_characters]
    assert_cheap(lambda: check(cell))
    assert_small(lambda: check(cell))


def packed(text: str) -> str:
    """As links hold it, whatever it is."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def block(*children: str) -> str:
    return f'{{"kind":"sequential","children":[{",".join(children)}]}}'


def network(node: str) -> str:
    return f'{{"network":{node},"input":[{{"shape":[2,20]}}]}}'


def listed(text: str, count: int) -> str:
    return f"[{','.join([text] * count)}]"


RELU = '{"type":"ReLU"}'
DEEP_LIST = functools.reduce(lambda inner, _: f"[{inner}]", range(6), listed("0", 60))
WORST_NETWORKS = {
    "layers": network(block(*[RELU] * 12_000)),
    "blocks in blocks": network(functools.reduce(lambda inner, _: block(inner), range(300), RELU)),
    "arguments": network(
        f'{{"type":"ReLU","arguments":{{"a":{listed(listed(DEEP_LIST, 30), 40)}}}}}'
    ),
    "lists": listed("[]", 60_000),
    "objects": listed("{}", 60_000),
    "numbers": listed("9" * 24, 7_900),
    "a bomb": "[" * 10**7,
    "nothing": "\0" * 10**7,
}


@pytest.mark.parametrize("title", WORST_NETWORKS)
def test_a_link_to_a_network_costs_little_to_read(title):
    text = WORST_NETWORKS[title]

    def read() -> None:
        for reader, given in ((from_link, packed(text)), (Network.from_json, text)):
            try:
                reader(given)
            except InvalidSpecError:
                continue

    assert_cheap(read)
    assert_small(read)


CONVOLUTION = Layer(
    "Conv2d", dict.fromkeys(("in_channels", "out_channels", "kernel_size", "stride", "dilation"), 1)
)
LARGEST_NETWORKS = {
    "layers": [CONVOLUTION] * 255,
    "wires": [Layer("ReLU", name="a"), *[Layer("ReLU", inputs=("a",))] * 254],
    "joins": [Block([], kind=BlockKind.ADD, inputs=["-"] * 4)] * 254,
    "blocks": [Block([Layer("ReLU")])] * 127,
    "a failure": [Layer.of("Linear", in_features=3, out_features=4), *[Layer("ReLU")] * 254],
}


@pytest.mark.parametrize("title", LARGEST_NETWORKS)
def test_a_link_to_the_builder_costs_little_to_draw(title):
    shape = (2, 1, 3, 3) if title == "layers" else (2, 20)
    network = Network(Block(LARGEST_NETWORKS[title]), InputSpec(shape))
    at = test_builder.visit(network=to_link(network))
    assert at.session_state[test_builder.STATE].network == network
    assert_cheap(at.run)
    assert not at.exception


@pytest.mark.parametrize("text", ["x = 1\n" * 1_300, "😀" * 8_000, "\0" * 10**7, "x" * 10**7])
def test_a_link_to_the_lab_costs_little(text):
    link = packed(text)
    lab_link.from_link(link)

    def visit() -> AppTest:
        return test_lab.visit(code=link)

    visit()
    assert_cheap(visit)
    assert_small(lambda: lab_link.from_link(link))


@pytest.mark.parametrize(
    "given",
    [
        {"step": "x" * QUERY_BYTES},
        {"devices_cpu_size": "9" * QUERY_BYTES},
        {f"devices_{number}": "x" * 20 for number in range(999)},
        {"network": "A" * QUERY_BYTES},
        {"lang": "x" * QUERY_BYTES, "machine": "x" * QUERY_BYTES},
    ],
    ids=["step", "number", "many", "network", "ours"],
)
def test_a_query_costs_little(given):
    def visit() -> AppTest:
        return app.visit("save_and_load", **given)

    visit()
    assert_cheap(visit)
