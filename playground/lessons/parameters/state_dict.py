"""Step on the contents of the state_dict: parameters and persistent buffers."""

from enum import StrEnum

from playground.lessons.parameters import tensor_list
from playground.steps import Answer, Labels, Picture, Run, Step, Words

CHILDREN = (  # those of the program's network, by place
    ("Linear(4, 8)", ("0.weight", "0.bias")),
    (
        "BatchNorm1d(8)",
        ("1.weight", "1.bias", "1.running_mean", "1.running_var", "1.num_batches_tracked"),
    ),
    ("ReLU()", ()),
    ("Linear(8, 1)", ("3.weight", "3.bias")),
)


class Kind(StrEnum):
    """Ways to add the tensor to the network; the value is the code that the program shows."""

    NOT_PERSISTENT = 'net.register_buffer("note", torch.ones(3), persistent=False)'
    BUFFER = 'net.register_buffer("note", torch.ones(3))'
    PARAMETER = "net.note = nn.Parameter(torch.ones(3))"
    ATTRIBUTE = "net.note = torch.ones(3)"


class StateDict(Step):
    """Add a tensor to a network, and list the keys of its state_dict."""

    kind: Kind = Kind.NOT_PERSISTENT

    def code(self, w: Words) -> str:
        return f"""
            import torch
            from torch import nn
            {w.folded}
            net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(),
                                nn.Linear(8, 1))
            {w.kind}
            state = net.state_dict()
            for key, tensor in state.items():
                print(key, tuple(tensor.shape)){w.asked}
        """

    def answer(self, run: Run) -> Answer:
        net, state = run["net"], run["state"]
        kinds = {name: "parameter" for name, _ in net.named_parameters()}
        kinds |= {name: "buffer" for name, _ in net.named_buffers()}
        kept_buffers = sum(kinds[key] == "buffer" for key in state)
        is_registered = "note" in kinds
        kinds.setdefault("note", "attribute")
        return Answer(
            prediction="yes" if "note" in state else "no",
            explanation=self.kind.name.lower().replace("_", "-"),
            facts={
                "keys": len(state),
                "parameters_kept": len(state) - kept_buffers,
                "buffers_kept": kept_buffers,
                "moves": is_registered,
                "is_live": state["0.weight"].data_ptr() == net[0].weight.data_ptr(),
            },
            is_silent_failure=not is_registered,
            data=tuple((name, kind, name in state) for name, kind in kinds.items()),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        if answer is None:
            names = [name for _, own in CHILDREN for name in own]
            rows = [tensor_list.Row(name=name) for name in names]
            return tensor_list.draw([*rows, tensor_list.Row(name="note", mark="?", is_dashed=True)])
        return tensor_list.draw(
            tensor_list.Row(
                name=name,
                detail=labels[kind],
                mark=labels["kept" if is_kept else "left_out"],
                tone="yes" if is_kept else "no",
                is_dashed=not is_kept,
            )
            for name, kind, is_kept in sorted(answer.data, key=lambda each: each[0] == "note")
        )


def moves_but_is_not_saved(step: StateDict, answer: Answer) -> bool:
    """Return whether the tensor is registered but not saved."""
    del step
    return answer.facts["moves"] is True and answer.prediction == "no"
