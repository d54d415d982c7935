"""The closed choices of this lesson: ids in lower case, the words for them stand in lesson.toml."""

from collections.abc import Mapping
from enum import StrEnum, unique


@unique
class Thing(StrEnum):
    """What is moved: a module, or a tensor."""

    MODULE = "module"
    TENSOR = "tensor"


@unique
class Layer(StrEnum):
    """A kind of layer; each refuses a batch from elsewhere in words of its own."""

    LINEAR = "linear"
    CONV = "conv"
    EMBEDDING = "embedding"
    LSTM = "lstm"
    BATCH_NORM = "batch_norm"

    @property
    def written(self) -> str:
        """The layer as a program makes it."""
        return LAYERS[self][0]

    @property
    def batch(self) -> str:
        """A batch for it, as a program makes it on a device."""
        return LAYERS[self][1]


LAYERS = {
    Layer.LINEAR: ("nn.Linear(4, 3)", 'torch.ones(2, 4, device="{device}")'),
    Layer.CONV: ("nn.Conv2d(1, 2, kernel_size=3)", 'torch.ones(2, 1, 5, 5, device="{device}")'),
    Layer.EMBEDDING: ("nn.Embedding(5, 3)", 'torch.tensor([0, 2], device="{device}")'),
    Layer.LSTM: ("nn.LSTM(4, 3)", 'torch.ones(2, 1, 4, device="{device}")'),
    Layer.BATCH_NORM: ("nn.BatchNorm1d(4)", 'torch.ones(2, 4, device="{device}")'),
}


@unique
class CatalogueModule(StrEnum):
    """The modules whose ledger the lesson shows; the broken ones have a repaired twin."""

    LIST = "list"
    DICT = "dict"
    PARAMETER_LIST = "parameter_list"
    CONSTANT = "constant"
    NESTED = "nested"
    KEPT_RESULT = "kept_result"
    OWN_LAZY = "own_lazy"
    MADE_IN_FORWARD = "made_in_forward"
    LOSS = "loss"
    OPTIMIZER = "optimizer"
    MLP = "mlp"
    BATCH_NORM = "batch_norm"
    MASK = "mask"
    TIED = "tied"
    LSTM = "lstm"
    LAZY = "lazy"

    @property
    def class_name(self) -> str:
        """The class that the catalogue has for it."""
        return CLASSES[self][0]

    @property
    def repaired_class_name(self) -> str:
        """The class in which the fault is mended; the same one where the fault lies outside."""
        return CLASSES[self][-1]

    @property
    def is_mended_inside(self) -> bool:
        """The fault lies in the class."""
        return self.class_name != self.repaired_class_name

    @property
    def is_mended_outside(self) -> bool:
        """The fault lies in the lines around the module."""
        return self in (CatalogueModule.LOSS, CatalogueModule.OPTIMIZER)


CLASSES: Mapping[CatalogueModule, tuple[str, ...]] = {
    CatalogueModule.LIST: ("LayersInList", "LayersInModuleList"),
    CatalogueModule.DICT: ("LayersInDict", "LayersInModuleDict"),
    CatalogueModule.PARAMETER_LIST: ("ParametersInList", "ParametersInParameterList"),
    CatalogueModule.CONSTANT: ("ConstantAttribute", "ConstantBuffer"),
    CatalogueModule.NESTED: ("NestedTables", "NestedBuffers"),
    CatalogueModule.KEPT_RESULT: ("KeptResult", "ResultInForward"),
    CatalogueModule.OWN_LAZY: ("OwnLazyLinear", "OwnLazyLinearBesideBatch"),
    CatalogueModule.MADE_IN_FORWARD: ("NoiseFromCPU", "NoiseBesideBatch"),
    CatalogueModule.LOSS: ("MLP",),
    CatalogueModule.OPTIMIZER: ("MLP",),
    CatalogueModule.MLP: ("MLP",),
    CatalogueModule.BATCH_NORM: ("NormalizedMLP",),
    CatalogueModule.MASK: ("MaskedLinear",),
    CatalogueModule.TIED: ("TiedAutoencoder",),
    CatalogueModule.LSTM: ("LastOfLSTM",),
    CatalogueModule.LAZY: ("LazyMLP",),
}


@unique
class OptimizerName(StrEnum):
    """An optimizer, by what it keeps for each parameter."""

    ADAM = "adam"
    SGD = "sgd"
    MOMENTUM = "momentum"
    RMSPROP = "rmsprop"
    ADAGRAD = "adagrad"

    @property
    def written(self) -> str:
        """The optimizer as a program makes it."""
        return OPTIMIZERS[self]


OPTIMIZERS = {
    OptimizerName.ADAM: "torch.optim.Adam(net.parameters(), lr=0.1)",
    OptimizerName.SGD: "torch.optim.SGD(net.parameters(), lr=0.1)",
    OptimizerName.MOMENTUM: "torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)",
    OptimizerName.RMSPROP: "torch.optim.RMSprop(net.parameters(), lr=0.1)",
    OptimizerName.ADAGRAD: "torch.optim.Adagrad(net.parameters(), lr=0.1)",
}


@unique
class Moment(StrEnum):
    """When the optimizer is made."""

    BEFORE = "before"
    AFTER = "after"


@unique
class Way(StrEnum):
    """How the parameters get to the device."""

    TO = "to"
    REPLACED = "replaced"


@unique
class Remedy(StrEnum):
    """What is done about the optimizer after the move."""

    NOTHING = "nothing"
    LOAD = "load_state_dict"


@unique
class Reading(StrEnum):
    """How a result is looked at."""

    ITEM = "item"
    CPU = "cpu"
    TOLIST = "tolist"
    NUMPY = "numpy"
    BARE_NUMPY = "bare_numpy"
    ARGMAX = "argmax"
    BRANCH = "branch"
    NON_BLOCKING = "non_blocking"

    @property
    def written(self) -> str:
        """The line as a program writes it."""
        return READINGS[self]


READINGS = {
    Reading.ITEM: "Y.sum().item()",
    Reading.CPU: "Y.cpu()",
    Reading.TOLIST: "Y.tolist()",
    Reading.NUMPY: "Y.detach().cpu().numpy()",
    Reading.BARE_NUMPY: "Y.detach().numpy()",
    Reading.ARGMAX: "Y.argmax(dim=1)",
    Reading.BRANCH: "bool((Y > 0).any())",
    Reading.NON_BLOCKING: 'Y.to("cpu", non_blocking=True)',
}
