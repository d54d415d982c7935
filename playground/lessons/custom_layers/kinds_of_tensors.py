"""Step on plain attributes, Parameters and buffers: which mechanisms see a tensor of a module."""

from enum import StrEnum

from playground.lessons.custom_layers.pictures import checklist
from playground.steps import Answer, Device, Labels, Machine, Picture, Run, Step, Words

KINDS = {  # in parameters(), in the state_dict, moved by .to
    (False, False, False): "nobody",
    (True, True, True): "all",
    (False, True, True): "saved_and_moved",
    (False, False, True): "moved",
}


class Holding(StrEnum):
    """The line that gives the module its tensor."""

    TRACKED = "self.scale = torch.ones(4, requires_grad=True)"
    ATTRIBUTE = "self.scale = torch.ones(4)"
    PARAMETER = "self.scale = nn.Parameter(torch.ones(4))"
    BUFFER = 'self.register_buffer("scale", torch.ones(4))'
    UNSAVED = 'self.register_buffer("scale", torch.ones(4), persistent=False)'


class KindsOfTensors(Step):
    """Store a tensor in one of five ways, train one step, and move the network."""

    machine: Machine = Machine()
    holding: Holding = Holding.TRACKED
    device: Device = "cuda:0"

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn
            {w.folded}
            class Scale(nn.Module):
                def __init__(self):
                    super().__init__()
                    {w.holding}
                def forward(self, X):
                    return X * self.scale

            net = nn.Sequential(nn.Linear(4, 4), Scale())
            net(torch.ones(2, 4)).sum().backward()
            torch.optim.SGD(net.parameters(), lr=0.1).step()
            net.to({w.device}){w.asked}
            Y = net(torch.ones(2, 4, device="{self.device}"))
        """

    def answer(self, run: Run) -> Answer:
        net, torch = run["net"], run["torch"]
        scale = net[1].scale
        in_parameters = any(each is scale for each in net.parameters())
        is_registered = in_parameters or any(each is scale for each in net.buffers())
        known = (in_parameters, "1.scale" in net.state_dict(), is_registered)
        is_trained = not torch.equal(scale.detach().cpu(), torch.ones(4))
        return Answer(
            prediction=KINDS[known],
            explanation=self.explanation(run),
            facts={
                "in_parameters": known[0],
                "in_state_dict": known[1],
                "place": str(scale.device),
                "has_gradient": scale.grad is not None,
                "is_trained": is_trained,
            },
            placeholders={"device": self.device},
            is_silent_failure=run.outcome.ok and not is_registered,
            data=(*known, scale.grad is not None, is_trained),
        )

    def explanation(self, run: Run) -> str:
        if not run.outcome.ok and "same device" not in run.outcome.message:
            return "no-such-device"
        name = self.holding.name.lower()
        if self.holding in (Holding.TRACKED, Holding.ATTRIBUTE):
            return f"{name}-stays" if self.device != "cpu" else f"{name}-unseen"
        return f"held-as-{name}"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        names = ("parameters", "state_dict", "to", "autograd", "optimizer")
        known = answer.data if answer else (None,) * len(names)
        rows = [(labels[f"by_{name}"], each) for name, each in zip(names, known, strict=True)]
        known_by = ", ".join(text for text, is_done in rows if is_done) or "—"
        return Picture(checklist(rows), {"known": known_by})


def moves_unsaved(step: KindsOfTensors, answer: Answer) -> bool:
    """Return whether the tensor moved to a GPU with the network but is not in the state_dict."""
    del step
    place = str(answer.facts["place"])
    return place.startswith("cuda") and not answer.facts["in_state_dict"]
