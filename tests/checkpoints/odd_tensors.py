"""Tensors that are not what they claim to be."""

from collections.abc import Callable, Iterator

from playground.checkpoints.inspect import Verdict
from tests.checkpoints import handmade as by_hand

Made = Callable[[], bytes]

REBUILD = "torch._utils._rebuild_tensor_v2"


def tensor_files() -> Iterator[tuple[str, Verdict, Made]]:
    bad: dict[str, Made] = {
        "(10⁶, 10⁶) over 4 floats": lambda: shaped((10**6, 10**6), (10**6, 1)),
        "storage claims 10¹²": lambda: stored(claimed=10**12),
        "storage claims 2": lambda: stored(claimed=2),
        "storage claims -4": lambda: stored(claimed=-4),
        "negative stride": lambda: shaped((4,), (-1,), 3),
        "negative offset": lambda: shaped((4,), (1,), -1),
        "negative size": lambda: shaped((-1,), (1,)),
        "size 2⁶²": lambda: shaped((2**62,), (1,)),
        "size 2⁶², stride 0": lambda: shaped((2**62,), (0,)),
        "size 2⁶⁴ in an empty tensor": lambda: shaped((2**64, 0), (1, 1)),
        "size 10⁸ in an empty tensor": lambda: shaped((10**8, 0), (1, 1)),
        "stride 2⁶²": lambda: shaped((3,), (2**62,)),
        "offset 2⁷⁰": lambda: shaped((0,), (1,), 2**70),
        "one beyond the end": lambda: shaped((4,), (1,), 1),
        "fewer strides than sizes": lambda: shaped((2, 2), (1,)),
        "65 dimensions": lambda: shaped((1,) * 65, (1,) * 65),
        "sizes in a list": lambda: state(by_hand.tensor().replace(b"(K\x04t", b"]K\x04a")),
        "True as a size": lambda: state(by_hand.tensor().replace(b"(K\x04t", b"\x88\x85")),
        "no arguments": lambda: state(by_hand.call(REBUILD)),
        "a conjugated view": lambda: state(
            by_hand.tensor()[:-2] + by_hand.dict_of((by_hand.text("conj"), b"\x88")) + b"tR"
        ),
        "a hook": lambda: state(by_hand.tensor(hooks=by_hand.ordered((b"K\x00", b"N")))),
        "no hooks": lambda: state(by_hand.tensor(hooks=b"N")),
        "grad that is a number": lambda: state(by_hand.tensor(grad=b"K\x01")),
        "integers that ask for gradients": lambda: state(
            by_hand.tensor(stored=by_hand.storage(kind="torch.IntStorage"), size=(4,), grad=b"\x88")
        ),
        "a parameter of a number": lambda: state(
            by_hand.call("torch._utils._rebuild_parameter", b"K\x01", b"\x88", by_hand.HOOKS)
        ),
        "a bare storage": lambda: state(by_hand.storage()),
        "no storage": lambda: shaped((4,), (1,), stored=b"N"),
        "a storage of 3 values": lambda: shaped((4,), (1,), stored=b"NNN\x87Q"),
        "a dtype as a storage class": lambda: stored(kind="torch.float32"),
        "key ../../../etc/passwd": lambda: stored("../../../etc/passwd"),
        "missing data/7": lambda: stored("7"),
        "odd location": lambda: stored(device="cuda:0; rm"),
        "location mps": lambda: stored(device="mps"),
        "one record, two types": lambda: by_hand.checkpoint(
            by_hand.list_of(
                by_hand.tensor(),
                by_hand.tensor(stored=by_hand.storage(kind="torch.IntStorage")),
            )
        ),
    }
    for title, made in bad.items():
        yield title, Verdict.BAD_TENSOR, made
    yield "stride 0", Verdict.TOO_MANY_ELEMENTS, lambda: shaped((10**9,), (0,))
    yield "expand(10⁵, 10⁵)", Verdict.TOO_MANY_ELEMENTS, lambda: shaped((10**5, 10**5), (0, 0))
    yield "1 000 aliases of 10⁶", Verdict.TOO_MANY_BYTES, aliases


def state(tensor: bytes, data: dict[str, bytes] | None = None) -> bytes:
    return by_hand.checkpoint(by_hand.dict_of((by_hand.text("w"), tensor)), data)


def shaped(
    size: tuple[int, ...], stride: tuple[int, ...], offset: int = 0, stored: bytes | None = None
) -> bytes:
    return state(by_hand.tensor(size, stride, offset, stored))


def stored(
    key: str = "0", claimed: int = 4, kind: str = "torch.FloatStorage", device: str = "cpu"
) -> bytes:
    return state(by_hand.tensor(stored=by_hand.storage(key, claimed, kind, device)))


def aliases() -> bytes:
    """A thousand tensors of a million elements each, all from four floats."""
    one = by_hand.tensor((10**6,), (0,)) + b"q\x00"
    return by_hand.checkpoint(b"](" + one + b"h\x00" * 999 + b"e")
