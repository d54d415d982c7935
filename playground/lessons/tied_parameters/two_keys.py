"""Step on a tied weight saved under two keys: loading if the keys differ or one is missing."""

import io
import zipfile
from enum import StrEnum

from playground.lessons.tied_parameters import ties
from playground.steps import Answer, Labels, Picture, Run, Step, Words

FIRST, SECOND = "0.weight", "2.weight"
ONES = f'state["{FIRST}"] = torch.ones(4, 4)'
DELETE = f'del state["{SECOND}"]'
LOAD = "net.load_state_dict(state)"


class Given(StrEnum):
    """The change of the dict before loading, and the call; the value is the code."""

    DIFFERENT = f'{ONES}\nstate["{SECOND}"] = 2 * torch.ones(4, 4)\n{LOAD}'
    REVERSED = (
        f'{ONES}\nstate["{SECOND}"] = 2 * torch.ones(4, 4)\n'
        f"state = dict(reversed(state.items()))\n{LOAD}"
    )
    MISSING = f"{ONES}\n{DELETE}\n{LOAD}"
    NOT_STRICT = f"{ONES}\n{DELETE}\nprint(net.load_state_dict(state, strict=False))"
    EQUAL = f'{ONES}\nstate["{SECOND}"] = torch.ones(4, 4)\n{LOAD}'


class TwoKeys(Step):
    """Load a dict into a network in which two keys refer to one weight."""

    given: Given = Given.DIFFERENT

    def code(self, w: Words) -> str:
        lines = [
            "import torch",
            "from torch import nn",
            "",
            f"torch.manual_seed(0){w.folded}",
            "shared = nn.Linear(4, 4)",
            "net = nn.Sequential(shared, nn.ReLU(), shared)",
            "state = net.state_dict()",
            *self.given.splitlines(),
            f"print(net[0].weight[0, 0].item()){w.asked}",
        ]
        return "\n".join(lines)

    def answer(self, run: Run) -> Answer:
        torch, net, state = run["torch"], run["net"], run["state"]
        loaded = net[0].weight[0, 0].item()
        file = io.BytesIO()
        torch.save(net.state_dict(), file)
        with zipfile.ZipFile(file) as archive:
            pieces = sum("/data/" in name for name in archive.namelist())
        in_dict = {name: state[name][0, 0].item() for name in (FIRST, SECOND) if name in state}
        is_lost = run.outcome.ok and any(value != loaded for value in in_dict.values())
        return Answer(
            prediction=f"{loaded:g}" if run.outcome.ok else run.outcome.error_type,
            explanation=self.given.name.lower().replace("_", "-"),
            facts={
                "loaded": f"{loaded:g}",
                "is_one_object": net[0].weight is net[2].weight,
                "keys_in_file": len(net.state_dict()),
                "pieces_in_file": pieces,
            },
            is_silent_failure=is_lost,
            data=ties.Ties(
                columns=(
                    tuple(f"{name}: {value:g}" for name, value in in_dict.items()),
                    (f"[0, 0] = {loaded:g}",),
                ),
                links=(tuple((place, 0) for place in range(len(in_dict))),),
                hot=((1, 0),) if is_lost else (),
            ),
        )

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        data = answer.data if answer else ties.Ties(columns=((FIRST, SECOND), ("?",)))
        return ties.draw(data, (labels["key"], labels["weight"]))


def loads_one_key(step: TwoKeys, answer: Answer) -> bool:
    """Return whether a dict without the second key was loaded without an error."""
    return step.given is Given.NOT_STRICT and answer.outcome.ok
