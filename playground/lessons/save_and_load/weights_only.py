"""Step "weights_only": a file whose pickle asks for more than tensors."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Any

from playground.checkpoints.inspect import disassemble
from playground.compute.streaming import ignore_progress
from playground.lessons.save_and_load import hostile
from playground.steps import Answer, Files, Run, Step, Words

FILE = "weights.pt"


class Content(StrEnum):
    """The content of the file. None of it is ever executed here."""

    COMMAND = "command"
    PROGRAM = "program"
    MODULE = "module"
    WEIGHTS = "weights"

    @property
    def is_hostile(self) -> bool:
        """Loading it without ``weights_only`` would execute its calls."""
        return self in (Content.COMMAND, Content.PROGRAM)


SAVED = {
    Content.MODULE: f'torch.save(nn.Linear(4, 2), "{FILE}")',
    Content.WEIGHTS: f'torch.save(nn.Linear(4, 2).state_dict(), "{FILE}")',
}
MADE = {Content.COMMAND: hostile.COMMAND, Content.PROGRAM: hostile.PROGRAM}


class WeightsOnly(Step):
    """List the instructions of a pickle, and load the file with the check on.

    ``experiment`` is overridden: if the file is hostile, PyTorch's advice to switch the check off
    is removed from its message.
    """

    content: Content = Content.COMMAND

    def code(self, w: Words) -> str:
        """List and load the file that was sent; the part that writes a hostile one is folded."""
        is_hostile = self.content.is_hostile
        network = [] if is_hostile else ["from torch import nn"]
        head = ["import pickletools", "import zipfile", "import torch", *network]
        made = [MADE[self.content].rstrip()] if is_hostile else []
        saved = [] if is_hostile else [SAVED[self.content], ""]
        return "\n".join(
            [
                "\n".join([*head, "", *made]) + w.folded,
                *saved,
                f'with zipfile.ZipFile("{FILE}") as archive:',
                '    pickle = archive.read("weights/data.pkl")',
                "for step, argument, _ in pickletools.genops(pickle):",
                "    print(step.name, argument)",
                "",
                f'torch.load("{FILE}"){w.asked}',
            ]
        )

    def files(self) -> Files:
        return Files(inspected=FILE)

    def experiment(self, report_progress: Callable[[Any], None] = ignore_progress) -> Answer:
        """Run the program; remove the advice if following it would execute the file."""
        answer = super().experiment(report_progress)
        return hostile.without_advice(answer) if self.content.is_hostile else answer

    def answer(self, run: Run) -> Answer:
        """Report whether the file loads, and how much the pickle asks for."""
        data = Path(FILE).read_bytes()
        found = disassemble(data)
        return Answer(
            prediction="works" if run.outcome.ok else run.outcome.error_type,
            explanation=self.explanation(is_loaded=run.outcome.ok),
            facts={"opcodes": len(found.lines), "forbidden": len(found.forbidden)},
            file=data,
        )

    def explanation(self, *, is_loaded: bool) -> str:
        if is_loaded:
            return "only-numbers"
        return "would-have-run" if self.content.is_hostile else "needs-the-code"


def is_refused_without_harm(step: WeightsOnly, answer: Answer) -> bool:
    """Check that ``torch.load`` refuses a file that runs no command or program."""
    return not answer.outcome.ok and not step.content.is_hostile


def is_safe(step: WeightsOnly, answer: Answer) -> bool:
    """Check that the same layer is in a file that loads with the check on."""
    return answer.outcome.ok and step.content is Content.WEIGHTS
