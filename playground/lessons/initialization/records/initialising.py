"""One initialiser on one tensor."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from playground.compute.settings import Bounds, Settings, check_length
from playground.errors import InvalidSettingError
from playground.explained import Told
from playground.lessons.initialization.records.arguments import (
    SEED_BOUNDS,
    Given,
    Pairs,
    check_name,
    check_seed,
    checked,
    checked_shape,
)
from playground.lessons.initialization.records.measured import Measured
from playground.modules.distributions import Fixed, Normal, Orthogonal, Truncated
from playground.modules.initialiser_types import Initialiser
from playground.modules.spec import Block, Layer, Network
from playground.units import short

DEFAULT_LAYER = Layer.of("Linear", in_features=20, out_features=256)
MOST_PATH = 400
MOST_TEXT = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ListInitialisersReport:
    """All initialisers of torch.nn.init."""

    initialisers: tuple[Initialiser, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListInitialisers(Settings["ListInitialisersReport"]):
    """Find the initialisers of torch.nn.init, and what they may be given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InitializeReport(Measured):
    """What became of the tensor.

    Attributes:
        initializer: As it was asked for, with or without its underscore.
        arguments: All of them, torch's defaults included.
        warning: What torch had to say besides; empty where nothing.
    """

    initializer: str
    arguments: Pairs
    warning: str = ""

    @property
    def printed(self) -> str:
        """Torch's warning."""
        return self.warning

    @property
    def mentions(self) -> Told:
        """The numbers, and the arguments."""
        given = {name: str(value) for name, value in self.arguments}
        fan = self.fan_out if given.get("mode") == "fan_out" else self.fan_in
        return {
            **self.spoken,
            "initializer": self.initializer,
            "fan": fan,
            "gain": short(self.gain, 4),
            "mode": given.get("mode", ""),
        }

    @property
    def why(self) -> str:
        """The explanation that fits."""
        if not self.outcome.ok:
            return self._why_refused()
        if self.warning:
            return "old-name"
        match self.distribution:
            case None:
                return "no-closed-form"
            case Fixed():
                return "nothing-drawn"
            case Orthogonal():
                return "orthogonal"
            case Truncated():
                return "truncated"
            case Normal(share=share) if share < 1:
                return "sparse"
        if self.initializer.startswith("xavier"):
            return "xavier"
        return "kaiming" if self.initializer.startswith("kaiming") else "as-asked"

    def _why_refused(self) -> str:
        if self.outcome.error_type == "AttributeError":
            return "no-such-name"
        if self.shape is None:
            return "no-shape-yet"
        if self.outcome.message.startswith("Fan in and fan out"):
            return "one-dimension"
        return "other-dimensions" if "imensions" in self.outcome.message else "refused"


@dataclass(frozen=True, slots=True)
class Initialize(Settings["InitializeReport"]):
    """Let an initialiser of torch.nn.init fill a tensor.

    Args:
        initializer: Its name. Without the underscore it is asked for as it stands.
        arguments: Beside the tensor, by name.
        shape: Of a tensor made for it.
        layer: Or a layer, or a network, or the JSON of one, or the name of a layer's class; with
            neither, ``nn.Linear(20, 256)``.
        parameter: Which parameter of the layer, by its path.
        seed: Of torch's generator, before the values are drawn.

    Raises:
        InvalidSettingError: A value is out of range.
        InvalidSpecError: The text is of no layer and no network.
    """

    BOUNDS: ClassVar[Bounds] = SEED_BOUNDS

    initializer: str = "xavier_uniform_"
    arguments: Given = ()
    shape: tuple[int, ...] | None = None
    layer: Layer | Block | Network | str | None = None
    parameter: str = "weight"
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        self.check_types()
        check_name("initializer", self.initializer)
        object.__setattr__(self, "arguments", checked(self.initializer, self.arguments))
        check_length("parameter", self.parameter, most=MOST_PATH)
        check_seed(self.seed)
        if self.shape is not None:
            if self.layer is not None:
                raise InvalidSettingError(
                    "choice", field="shape", given=str(self.shape), allowed="None"
                )
            object.__setattr__(self, "shape", checked_shape(self.shape))
            return
        object.__setattr__(self, "layer", read_layer(self.layer))

    @property
    def pairs(self) -> Pairs:
        """The arguments, as they are kept."""
        return tuple(
            self.arguments.items() if isinstance(self.arguments, Mapping) else self.arguments
        )

    @property
    def spec(self) -> Layer | Block | Network:
        """The layer or network whose parameter is filled, where no shape is given."""
        return read_layer(self.layer)


def read_layer(given: object) -> Layer | Block | Network:
    """What was given as a layer.

    Raises:
        InvalidSettingError: It is none.
        InvalidSpecError: It is the text of none.
    """
    if given is None:
        return DEFAULT_LAYER
    if isinstance(given, Layer | Block | Network):
        return given
    if not isinstance(given, str):
        raise InvalidSettingError(
            "choice", field="layer", given=type(given).__name__, allowed="Layer"
        )
    check_length("layer", given, most=MOST_TEXT)
    text = given.strip()
    if not text.startswith("{"):
        return Layer(text)
    if '"network"' in text:
        return Network.from_json(text)
    return Layer.from_json(text) if '"children"' not in text else Block.from_json(text)
