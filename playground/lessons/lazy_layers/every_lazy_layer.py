"""Reference step: every lazy layer of torch.nn, and the size that its first batch decides."""

from enum import StrEnum

from playground.steps import Answer, Run, Step, Words


class Layer(StrEnum):
    """The value is the code that the program shows."""

    LINEAR = "nn.LazyLinear(16)"
    CONV1D = "nn.LazyConv1d(16, 3)"
    CONV2D = "nn.LazyConv2d(16, 3)"
    CONV3D = "nn.LazyConv3d(16, 3)"
    CONV_TRANSPOSE1D = "nn.LazyConvTranspose1d(16, 3)"
    CONV_TRANSPOSE2D = "nn.LazyConvTranspose2d(16, 3)"
    CONV_TRANSPOSE3D = "nn.LazyConvTranspose3d(16, 3)"
    BATCH_NORM1D = "nn.LazyBatchNorm1d()"
    BATCH_NORM2D = "nn.LazyBatchNorm2d()"
    BATCH_NORM3D = "nn.LazyBatchNorm3d()"
    INSTANCE_NORM1D = "nn.LazyInstanceNorm1d()"
    INSTANCE_NORM2D = "nn.LazyInstanceNorm2d()"
    INSTANCE_NORM3D = "nn.LazyInstanceNorm3d()"

    @property
    def batch(self) -> str:
        """A valid batch in which no two sizes are equal."""
        if self is Layer.LINEAR:
            return "2, 7"
        dimensions = int(self.partition("d(")[0][-1])
        return ", ".join(map(str, (2, 7, 5, 6, 8)[: 2 + dimensions]))


class EveryLazyLayer(Step):
    """Pass a first batch to a lazy layer, and print its class afterwards."""

    layer: Layer = Layer.CONV2D

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn

            layer = {w.layer}
            print(layer)
            layer(torch.rand({self.layer.batch}))
            print(layer)
            for name, p in layer.named_parameters():
                print(name, tuple(p.shape))
        """

    def answer(self, run: Run) -> Answer:
        layer = run["layer"]
        names = ("in_features", "in_channels", "num_features")
        attribute = next(name for name in names if hasattr(layer, name))
        return Answer(
            prediction="",
            explanation="decides-shapes",
            facts={
                "becomes": type(layer).__name__,
                "attribute": attribute,
                "value": getattr(layer, attribute),
            },
            placeholders={"batch": self.layer.batch},
        )
