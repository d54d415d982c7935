"""Step on one layer in two places of a network, beside two layers with equal weights."""

from enum import StrEnum

from playground.lessons.tied_parameters import ties
from playground.steps import Answer, Labels, Picture, Run, Step, Words, number


class Second(StrEnum):
    """The layer in the second place; the value is the code that the program shows."""

    SHARED = "shared"
    DEEPCOPY = "copy.deepcopy(shared)"
    OTHER = "other"


class Place(StrEnum):
    """The value is the code that the program shows."""

    FIRST = "net[2]"
    SECOND = "net[4]"

    @property
    def other(self) -> "Place":
        return Place.SECOND if self is Place.FIRST else Place.FIRST


class OneLayerTwice(Step):
    """Write a number at one place, and read it at the other."""

    second: Second = Second.SHARED
    place: Place = Place.FIRST
    value: int = number(-999, 999, default=100)

    def code(self, w: Words) -> str:
        other = [
            "other = nn.Linear(8, 8)",
            "other.load_state_dict(shared.state_dict())",
        ]
        lines = [
            "import copy",
            "import torch",
            "from torch import nn",
            "",
            f"torch.manual_seed(0){w.folded}",
            "shared = nn.Linear(8, 8)",
            *(other if self.second is Second.OTHER else []),
            "net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), shared, nn.ReLU(),",
            f"                    {w.second}, nn.ReLU(), nn.Linear(8, 1))",
            "print(torch.equal(net[2].weight, net[4].weight))",
            f"{w.place}.weight.data[0, 0] = {w.value}",
            f"print({self.place.other}.weight[0, 0].item()){w.asked}",
        ]
        return "\n".join(lines)

    def answer(self, run: Run) -> Answer:
        net = run["net"]
        places = {"net[2]": net[2].weight, "net[4]": net[4].weight}
        written, other = (places[each].detach() for each in (self.place, self.place.other))
        is_one = written.data_ptr() == other.data_ptr()
        found = other[0, 0].item()
        return Answer(
            prediction="new" if found == self.value else "old",
            explanation=self.second.name.lower(),
            facts={
                "is_same_layer": net[2] is net[4],
                "length": len(net),
                "modules": len(list(net.children())),
                "parameters": sum(each.numel() for each in net.parameters()),
            },
            placeholders={
                "written": self.place,
                "other": self.place.other,
                "value": self.value,
                "other_value": f"{found:.4g}",
            },
            data=ties.Ties(
                columns=(
                    tuple(Place),
                    tuple(
                        f"[0, 0] = {each[0, 0].item():.4g}"
                        for each in (list(places.values())[:1] if is_one else places.values())
                    ),
                ),
                links=(((0, 0), (1, 0 if is_one else 1)),),
            ),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        data = answer.data if answer else ties.Ties(columns=(tuple(Place), ("?",)))
        return ties.draw(data, (labels["places"], labels["weights"]))


def is_equal_and_apart(step: OneLayerTwice, answer: Answer) -> bool:
    """Return whether the weights were equal, and writing into one did not change the other."""
    return answer.prediction == "old" and step.second is not Second.SHARED
