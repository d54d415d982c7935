"""The closed choices of this lesson: ids in lower case, the words for them stand in lesson.toml."""

from collections.abc import Mapping
from enum import StrEnum, unique


@unique
class Written(StrEnum):
    """How a lazy layer is written."""

    OUT = "out"
    TWO_NUMBERS = "two_numbers"
    NO_BIAS = "no_bias"
    CONV = "conv"

    @property
    def code(self) -> str:
        """The call as a program writes it."""
        return WRITTEN[self]

    @property
    def batch(self) -> tuple[int, ...]:
        """The shape of a first batch that it takes."""
        return (2, 3, 8, 8) if self is Written.CONV else (2, 20)


WRITTEN: Mapping[Written, str] = {
    Written.OUT: "nn.LazyLinear(256)",
    Written.TWO_NUMBERS: "nn.LazyLinear(20, 256)",
    Written.NO_BIAS: "nn.LazyLinear(256, bias=False)",
    Written.CONV: "nn.LazyConv2d(16, 3)",
}


@unique
class Question(StrEnum):
    """What a layer without shapes is asked."""

    SHAPE = "shape"
    SIZE = "size"
    NUMEL = "numel"
    LEN = "len"
    WEIGHT = "weight"
    DATA = "data"
    NDIM = "ndim"
    DTYPE = "dtype"
    DEVICE = "device"
    GRAD = "grad"
    NORM = "norm"
    LAYER = "layer"
    BIAS = "bias"
    IS_PARAMETER = "is_parameter"

    @property
    def code(self) -> str:
        """The expression as a program writes it."""
        return QUESTIONS[self]

    @property
    def short(self) -> str:
        """What of it there is room for in a table."""
        if self is Question.IS_PARAMETER:
            return "isinstance(…)"
        return self.code.replace("layer.", ".")


QUESTIONS: Mapping[Question, str] = {
    Question.SHAPE: "layer.weight.shape",
    Question.SIZE: "layer.weight.size()",
    Question.NUMEL: "layer.weight.numel()",
    Question.LEN: "len(layer.weight)",
    Question.WEIGHT: "layer.weight",
    Question.DATA: "layer.weight.data",
    Question.NDIM: "layer.weight.ndim",
    Question.DTYPE: "layer.weight.dtype",
    Question.DEVICE: "layer.weight.device",
    Question.GRAD: "layer.weight.grad",
    Question.NORM: "layer.weight.norm()",
    Question.LAYER: "layer",
    Question.BIAS: "layer.bias",
    Question.IS_PARAMETER: "isinstance(layer.weight, nn.Parameter)",
}


@unique
class StageName(StrEnum):
    """Where a lazy network may be stopped and asked; ``FIRST_FORWARD`` is in the middle of one."""

    CONSTRUCTED = "constructed"
    MOVED = "moved"
    FIRST_FORWARD = "first_forward"
    MATERIALISED = "materialised"


@unique
class Probe(StrEnum):
    """What is asked at every stop."""

    WEIGHT = "weight"
    SHAPE = "shape"
    NUMEL = "numel"
    REPR = "repr"
    STATE_DICT = "state_dict"
    INITIALISER = "initialiser"
    SGD = "sgd"
    ADAGRAD = "adagrad"

    @property
    def code(self) -> str:
        """What a program writes for it, in short."""
        return PROBES.get(self, f".{self}")


PROBES: Mapping[Probe, str] = {
    Probe.NUMEL: ".numel()",
    Probe.REPR: "repr(…)",
    Probe.STATE_DICT: "state_dict",
    Probe.INITIALISER: "zeros_(…)",
    Probe.SGD: "SGD(…)",
    Probe.ADAGRAD: "Adagrad(…)",
}


@unique
class Batch(StrEnum):
    """What the first batch is like."""

    FITTING = "fitting"
    WRONG_TYPE = "wrong_type"


@unique
class Action(StrEnum):
    """What is done with a network, perhaps too early."""

    COUNT = "count"
    NAMES = "names"
    INIT_NORMAL = "init_normal"
    INIT_XAVIER = "init_xavier"
    FREEZE = "freeze"
    FREEZE_EACH = "freeze_each"
    DOUBLE = "double"
    BFLOAT16 = "bfloat16"
    DEEPCOPY = "deepcopy"
    STATE_DICT = "state_dict"
    SAVE_AND_LOAD = "save_and_load"
    INTO_EAGER = "into_eager"
    FROM_EAGER = "from_eager"
    SGD = "sgd"
    ADAGRAD = "adagrad"

    @property
    def code(self) -> str:
        """The lines as a program writes them; ``weight`` is that of the first lazy layer."""
        return ACTIONS[self]

    @property
    def short(self) -> str:
        """What of it there is room for in a list."""
        if self is Action.SAVE_AND_LOAD:
            return "torch.load(…)"
        line = self.code.replace("torch.optim.", "").replace(", lr=0.1", "")
        return line.splitlines()[-1].strip()


ACTIONS: Mapping[Action, str] = {
    Action.COUNT: "sum(p.numel() for p in net.parameters())",
    Action.NAMES: "list(net.named_parameters())",
    Action.INIT_NORMAL: "nn.init.normal_(weight, std=0.01)",
    Action.INIT_XAVIER: "nn.init.xavier_uniform_(weight)",
    Action.FREEZE: "net.requires_grad_(False)",
    Action.FREEZE_EACH: "for p in net.parameters():\n    p.requires_grad = False",
    Action.DOUBLE: "net.double()",
    Action.BFLOAT16: "net.bfloat16()",
    Action.DEEPCOPY: "copy.deepcopy(net)",
    Action.STATE_DICT: "net.state_dict()",
    Action.SAVE_AND_LOAD: "torch.save(net.state_dict(), file)\nfile.seek(0)\ntorch.load(file)",
    Action.INTO_EAGER: "eager.load_state_dict(net.state_dict())",
    Action.FROM_EAGER: "net.load_state_dict(eager.state_dict())",
    Action.SGD: "torch.optim.SGD(net.parameters(), lr=0.1)",
    Action.ADAGRAD: "torch.optim.Adagrad(net.parameters(), lr=0.1)",
}


@unique
class Moment(StrEnum):
    """Before or after the first batch."""

    BEFORE = "before"
    AFTER = "after"


@unique
class Optimizer(StrEnum):
    """The optimizers of torch.optim."""

    SGD = "SGD"
    ADAM = "Adam"
    ADAGRAD = "Adagrad"
    MUON = "Muon"
    ADAMW = "AdamW"
    RMSPROP = "RMSprop"
    ADADELTA = "Adadelta"
    ADAMAX = "Adamax"
    NADAM = "NAdam"
    RADAM = "RAdam"
    ASGD = "ASGD"
    RPROP = "Rprop"
    ADAFACTOR = "Adafactor"
    LBFGS = "LBFGS"
    SPARSE_ADAM = "SparseAdam"


@unique
class Check(StrEnum):
    """How a function for ``apply`` picks the layers that it is meant for."""

    ISINSTANCE = "isinstance"
    TYPE = "type"

    @property
    def code(self) -> str:
        """The condition as a program writes it."""
        return "type(m) == nn.Linear" if self is Check.TYPE else "isinstance(m, nn.Linear)"


@unique
class Meeting(StrEnum):
    """How a lazy layer meets a second width."""

    SECOND_BATCH = "second_batch"
    USED_TWICE = "used_twice"


@unique
class Recipe(StrEnum):
    """What is lazy in a network, and what else draws random numbers."""

    ALL = "all"
    FIRST = "first"
    LAST = "last"
    BATCH = "batch"
    DROPOUT = "dropout"
    BACKWARDS = "backwards"

    @property
    def is_general(self) -> bool:
        """It can be tried on any network, not only on the lesson's."""
        return self not in {Recipe.DROPOUT, Recipe.BACKWARDS}
