"""The closed choices of this lesson: ids in lower case, the words for them stand in lesson.toml."""

from enum import StrEnum, unique


@unique
class Call(StrEnum):
    """How a network is run."""

    NET = "net"
    FORWARD = "forward"

    @property
    def written(self) -> str:
        """As a program writes it."""
        return "net(X)" if self == Call.NET else "net.forward(X)"


@unique
class Copying(StrEnum):
    """How the class gets the weights of the Sequential."""

    NOTHING = "nothing"
    STATE_DICT = "state_dict"
    LAYERS = "layers"
    SEED = "seed"


@unique
class Container(StrEnum):
    """What a block of one's own keeps its layers in."""

    LIST = "list"
    MODULES = "modules"


@unique
class Use(StrEnum):
    """What is done with a block."""

    OPTIMIZER = "optimizer"
    FORWARD = "forward"
    MOVE = "move"


@unique
class Infinite(StrEnum):
    """Where one number is infinite."""

    NOWHERE = "nowhere"
    INPUT = "input"
    CONSTANT = "constant"


@unique
class Keeping(StrEnum):
    """How a module keeps a constant."""

    ATTRIBUTE = "attribute"
    BUFFER = "buffer"


@unique
class Piece(StrEnum):
    """A block of the chimera."""

    NEST_MLP = "nest_mlp"
    LINEAR = "linear"
    FIXED_HIDDEN = "fixed_hidden"

    @property
    def written(self) -> str:
        """As a program makes it."""
        return PIECES[self]


PIECES = {
    Piece.NEST_MLP: "NestMLP()",
    Piece.LINEAR: "nn.Linear(16, 20)",
    Piece.FIXED_HIDDEN: "FixedHiddenMLP()",
}


@unique
class DutyBlock(StrEnum):
    """A block whose five duties are looked at."""

    FIXED_HIDDEN = "fixed_hidden"
    MLP = "mlp"
    NEST_MLP = "nest_mlp"
    CHIMERA = "chimera"
    CENTERED = "centered"
    MY_LINEAR = "my_linear"
    WITH_DATA = "with_data"
    WITH_LIST = "with_list"
    CONV = "conv"

    @property
    def written(self) -> str:
        """As a program makes it."""
        return DUTY_BLOCKS[self][0]

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes of ours that it is made of."""
        return DUTY_BLOCKS[self][1]

    @property
    def input_shape(self) -> tuple[int, ...]:
        """A batch that it takes."""
        return DUTY_BLOCKS[self][2]


DUTY_BLOCKS: dict[DutyBlock, tuple[str, tuple[str, ...], tuple[int, ...]]] = {
    DutyBlock.FIXED_HIDDEN: ("FixedHiddenMLP()", ("FixedHiddenMLP",), (2, 20)),
    DutyBlock.MLP: ("MLP()", ("MLP",), (2, 20)),
    DutyBlock.NEST_MLP: ("NestMLP()", ("NestMLP",), (2, 20)),
    DutyBlock.CHIMERA: (
        "nn.Sequential(NestMLP(), nn.Linear(16, 20), FixedHiddenMLP())",
        ("NestMLP", "FixedHiddenMLP"),
        (2, 20),
    ),
    DutyBlock.CENTERED: ("CenteredLayer()", ("CenteredLayer",), (2, 5)),
    DutyBlock.MY_LINEAR: ("MyLinear(5, 3)", ("MyLinear",), (2, 5)),
    DutyBlock.WITH_DATA: ("MyLinearWithData(5, 3)", ("MyLinearWithData",), (2, 5)),
    DutyBlock.WITH_LIST: (
        "MySequentialWithList(nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 3))",
        ("MySequentialWithList",),
        (2, 5),
    ),
    DutyBlock.CONV: ("nn.Conv2d(1, 2, kernel_size=3)", (), (2, 1, 5, 5)),
}


@unique
class Duty(StrEnum):
    """What every block has to do."""

    INPUT = "input"
    OUTPUT = "output"
    GRADIENT = "gradient"
    PARAMETERS = "parameters"
    INITIALIZATION = "initialization"
