"""Step "folder": a missing folder, a missing file, and a truncated file."""

from enum import StrEnum
from pathlib import Path

from playground.steps import Answer, Files, Run, Step, Words, fix_field

FILE = "data/x"
MAKE_FOLDER = 'os.makedirs("data", exist_ok=True)'
SAVE, LOAD = f'torch.save(x, "{FILE}")', f'x2 = torch.load("{FILE}")'


class Place(StrEnum):
    """The path of the file, and the event before it is loaded."""

    MISSING = "missing"
    MADE = "made"
    OTHER_NAME = "other_name"
    AGAIN = "again"
    CUT = "cut"


LINES = {
    Place.MISSING: (SAVE, LOAD),
    Place.MADE: (MAKE_FOLDER, SAVE, LOAD),
    Place.OTHER_NAME: (MAKE_FOLDER, SAVE, 'x2 = torch.load("data/X")'),
    Place.AGAIN: (MAKE_FOLDER, SAVE, f'torch.save(x + 10, "{FILE}")', LOAD),
    Place.CUT: (
        MAKE_FOLDER,
        SAVE,
        f'file = Path("{FILE}")',
        "file.write_bytes(file.read_bytes()[:1000])  # a copy broke off",
        LOAD,
    ),
}


class Folder(Step):
    """Save four numbers as ``data/x``, and load them."""

    place: Place = Place.MISSING
    is_fixed: bool = fix_field()

    def code(self, w: Words) -> str:
        """Save and load; the question is about the line that saves or the one that loads."""
        makes_folder = self.is_fixed and self.place is Place.MISSING
        lines = [*LINES[Place.MADE if makes_folder else self.place]]
        asked = lines.index(SAVE) if self.place is Place.MISSING else len(lines) - 1
        lines[asked] += w.asked
        text = "\n".join(lines)
        needs = [
            line
            for line, word in (("import os", "os."), ("from pathlib import Path", "Path("))
            if word in text
        ]
        return "\n".join([*needs, "import torch", "", "x = torch.arange(4)", text, "print(x2)"])

    def files(self) -> Files:
        is_written = self.place is not Place.MISSING or self.is_fixed
        return Files(downloads=(FILE,) if is_written else ())

    def answer(self, run: Run) -> Answer:
        """Report the outcome and the number of files."""
        is_lost = self.place is Place.MISSING and not self.is_fixed
        return Answer(
            prediction="works" if run.outcome.ok else run.outcome.error_type,
            explanation=self.explanation(is_loaded=run.outcome.ok),
            facts={"files": len([*Path("data").glob("*")])},
            fix=self.tried_fix() if is_lost else None,
            is_silent_failure=self.place is Place.AGAIN,
        )

    def explanation(self, *, is_loaded: bool) -> str:
        if is_loaded and self.place is not Place.AGAIN:
            return "place-made"
        return f"place-{self.place.value.replace('_', '-')}"


def is_replaced(step: Folder, answer: Answer) -> bool:
    """Check that the second file replaced the first."""
    return step.place is Place.AGAIN and answer.facts["files"] == 1
