"""Step on a tied parameter: counted once, but saved under each of its names."""

from enum import StrEnum
from typing import Any

from playground.lessons.tied_parameters import ties
from playground.modules.network_step import NetworkStep
from playground.steps import Answer, Labels, Picture, Run, Words, number, shown_if


class Layer(StrEnum):
    """The layer in the middle; the value is the code that the program shows."""

    LINEAR = "nn.Linear(8, 8)"
    BATCH_NORM = "nn.BatchNorm1d(8)"


class CountedOnce(NetworkStep):
    """Count the numbers in parameters() and in the state_dict."""

    layer: Layer = shown_if(Layer.LINEAR, network=("",))
    uses: int = number(1, 5, default=2, only_if={"network": ("",)})

    def code(self, w: Words) -> str:
        count = f"""\
state = net.state_dict()
print(sum(p.numel() for p in net.parameters()))
print(sum(tensor.numel() for tensor in state.values())){w.asked}
"""
        if self.network:
            return f"{self.definition(w)}\n{count}"
        return f"""\
import torch
from torch import nn

torch.manual_seed(0){w.folded}
shared = {w.layer}
net = nn.Sequential(
    nn.Linear(4, 8), *[shared, nn.ReLU()] * {w.uses}, nn.Linear(8, 1)
)
{count}"""

    def answer(self, run: Run) -> Answer:
        net = run["net"]
        named = dict(net.named_parameters(remove_duplicate=False))
        if not run.outcome.ok:  # a lazy layer
            return Answer(
                prediction=run.outcome.error_type,
                explanation="no-shape-yet",
                facts={"keys": len(run["state"])},
            )
        state, buffers = run["state"], dict(net.named_buffers(remove_duplicate=False))
        counted = sum(each.numel() for each in net.parameters())
        saved = sum(each.numel() for each in state.values())
        objects = list({id(each): each for each in named.values()}.values())
        storages = {each.untyped_storage() for each in state.values()}
        kept = [each for name, each in state.items() if name in buffers]
        in_buffers = sum(each.numel() for each in kept)
        return Answer(
            prediction="more" if saved > counted else "same" if saved == counted else "less",
            explanation=explanation(is_tied=len(named) > len(objects), has_buffers=bool(kept)),
            facts={
                "counted": counted,
                "saved": saved,
                "in_buffers": in_buffers or None,
                "keys": len(state),
                "objects": len(objects),
                "storages": len(storages),
            },
            placeholders={"groups": groups(named, objects), "buffers": in_buffers},
            data=names_to_storages(named, objects),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        if answer is None or answer.data is None:
            return None
        return ties.draw(answer.data, (labels["name"], labels["object"], labels["storage"]))


def groups(named: dict[str, Any], objects: list[Any]) -> str:
    """List the names, joined if they refer to the same Parameter."""
    same = [[name for name, each in named.items() if each is other] for other in objects]
    return "; ".join(" = ".join(f"`{name}`" for name in names) for names in same if len(names) > 1)


def names_to_storages(named: dict[str, Any], objects: list[Any]) -> ties.Ties:
    """Describe the links for the picture; Parameters and storages are numbered."""
    place = {id(each): number for number, each in enumerate(objects)}
    storages = list(dict.fromkeys(each.untyped_storage() for each in objects))
    return ties.Ties(
        columns=(
            tuple(named),
            tuple(f"Parameter {number}" for number in range(len(objects))),
            tuple(f"{storage.nbytes()} B" for storage in storages),
        ),
        links=(
            tuple((number, place[id(each)]) for number, each in enumerate(named.values())),
            tuple(
                (number, storages.index(each.untyped_storage()))
                for number, each in enumerate(objects)
            ),
        ),
    )


def explanation(*, is_tied: bool, has_buffers: bool) -> str:
    """Choose the explanation that fits this case."""
    if is_tied:
        return "tied-with-buffers" if has_buffers else "tied"
    return "only-buffers" if has_buffers else "all-apart"


def saves_twice_what_it_trains(step: CountedOnce, answer: Answer) -> bool:
    """Return whether the state_dict is over twice as large as parameters(), buffers aside."""
    del step
    if answer.explanation not in ("tied", "tied-with-buffers"):
        return False
    saved = int(str(answer.facts["saved"])) - int(str(answer.placeholders["buffers"]))
    return saved > 2 * int(str(answer.facts["counted"]))
