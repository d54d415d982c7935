"""Step "my_sequential": nn.Sequential written out, with registered names and ordered calls."""

from enum import StrEnum

from playground.lessons.blocks.pictures import nodes_of, tree, tree_text
from playground.steps import Answer, Labels, Picture, Run, Step, Words

ORDINARY = "0, 1, 2"
WITH_PARAMETERS = "0, 2"
NAMED = "layer0, layer2"


class Registration(StrEnum):
    """The line that registers a layer."""

    MODULES = "self._modules[str(idx)] = module"
    ADD_MODULE = "self.add_module(str(idx), module)"
    NAMED = 'self.add_module(f"layer{idx}", module)'
    NUMBER = "self._modules[idx] = module"


class MySequential(Step):
    """Write Sequential, and read the names of its parameters."""

    registration: Registration = Registration.MODULES

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn
            {w.folded}
            class MySequential(nn.Module):
                def __init__(self, *args):
                    super().__init__()
                    for idx, module in enumerate(args):
                        {w.registration}
                def forward(self, X):
                    for module in self._modules.values():
                        X = module(X)
                    return X

            net = MySequential(nn.Linear(20, 256), nn.ReLU(), nn.Linear(256, 10))
            print(list(net.state_dict())){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        """Compare the block with nn.Sequential of the same layers."""
        net, torch = run["net"], run["torch"]
        X = torch.ones(2, 20)
        original = torch.nn.Sequential(*net._modules.values())
        facts = {"modules_type": type(net._modules).__name__}
        if run.outcome.ok:
            keys = list(dict.fromkeys(key.partition(".")[0] for key in net.state_dict()))
            facts["is_equal"] = str(torch.equal(net(X), original(X)))
            facts["same_names"] = str(list(net.state_dict()) == list(original.state_dict()))
            prediction, nodes = ", ".join(keys), nodes_of(net)
        else:
            prediction, nodes = run.outcome.error_type, ()
        return Answer(
            prediction=prediction,
            explanation={
                Registration.NUMBER: "no-text",
                Registration.NAMED: "other-names",
            }.get(self.registration, "like-sequential"),
            facts=facts,
            data=nodes,
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        del labels
        if answer is None or not answer.data:
            return None
        return Picture(tree(answer.data), {"tree": tree_text(answer.data)})
