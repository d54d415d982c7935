"""Step "layer_block_model": layer, block and model are all modules; a function is not."""

from enum import StrEnum

from playground.lessons.blocks.pictures import nodes_of, parameters_of, tree, tree_text
from playground.steps import Answer, Labels, Picture, Run, Step, Words, fix_field

REPAIRED = "nn.ReLU()"


class Part(StrEnum):
    """The part that is put into the network; the value is the code that the program shows."""

    MODEL = "model"
    BLOCK = "block"
    LAYER = "layer"
    FUNCTION = "F.relu"
    CLASS = "nn.ReLU"
    MODULE = "nn.ReLU()"


class LayerBlockModel(Step):
    """Use a layer, a block, a whole model or a function as a part of a network."""

    part: Part = Part.MODEL
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        part = REPAIRED if self.is_fixed else w.part
        return f"""
            import torch
            from torch import nn
            from torch.nn import functional as F
            {w.folded}
            layer = nn.Linear(20, 20)
            block = nn.Sequential(layer, nn.ReLU())
            model = nn.Sequential(block, nn.Linear(20, 20))

            net = nn.Sequential({part}, nn.Linear(20, 10)){w.asked}
            Y = net(torch.rand(2, 20))
            print(Y.shape)
        """

    def answer(self, run: Run) -> Answer:
        """Report whether the part was registered, with the tree of modules."""
        net = run.get("net")
        wrong = self.part in (Part.FUNCTION, Part.CLASS)
        repaired = "repaired" if self.is_fixed else None
        return Answer(
            prediction="works" if run.outcome.ok else run.outcome.error_type,
            explanation=repaired or f"{self.part.name.lower()}-as-part",
            facts={
                "modules": len(list(net.modules())) if net is not None else None,
                "parameters": parameters_of(net) if net is not None else None,
            },
            fix=self.tried_fix() if wrong else None,
            data=nodes_of(net) if net is not None else (),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        if answer is None or not answer.data:
            return None
        return Picture(tree(answer.data), {"tree": tree_text(answer.data)})
