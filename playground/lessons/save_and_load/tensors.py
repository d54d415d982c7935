"""Step "tensors": one tensor, a list, a dict, and a tensor that is saved twice."""

import zipfile
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from playground.lessons.save_and_load import drawing
from playground.steps import Answer, Files, Labels, Picture, Run, Step, Words, literal, number
from playground.units import format_bytes

MAX_SHOWN = 4
ROW = 62


class Saved(StrEnum):
    """The object that is saved; the value is the code that the program shows."""

    TENSOR = "x"
    LIST = "[x, y]"
    DICT = '{"x": x, "y": y}'
    TWICE = "[x, x]"


class Change(StrEnum):
    """The event between saving and loading."""

    WRITE = "x[0] = 9"
    NOTHING = "# x[0] = 9"


class Wording(NamedTuple):
    """The names and expressions of a program: the file, the loaded object, the output."""

    file: str
    loaded: str
    names: tuple[tuple[str, str], ...]
    last: tuple[str, ...]


WORDINGS = {
    Saved.TENSOR: Wording("x-file", "x2", (("x", "x2"),), ("print(torch.equal(x2, x))",)),
    Saved.LIST: Wording(
        "x-files", "x2, y2", (("x", "x2"), ("y", "y2")), ("print(torch.equal(x2, x))",)
    ),
    Saved.DICT: Wording(
        "mydict",
        "mydict2",
        (("x", 'mydict2["x"]'), ("y", 'mydict2["y"]')),
        ('print(torch.equal(mydict2["x"], x))',),
    ),
    Saved.TWICE: Wording(
        "x-twice",
        "x2, x3",
        (("x", "x2"), ("x", "x3")),
        ("x2[0] = 7", "print(x3[0].item() == 7)"),
    ),
}


class Trip(NamedTuple):
    """Data of the picture: pairs of names and values, in memory and from the file."""

    pieces: tuple[tuple[str, str, str, str], ...]
    records: tuple[tuple[str, int], ...]
    file: str
    is_equal: bool | None = None


class Tensors(Step):
    """Save a tensor, optionally write into it, and load it."""

    saved: Saved = Saved.TENSOR
    change: Change = Change.WRITE
    length: int = number(4, 10_000, default=4)

    def code(self, w: Words) -> str:
        wording = WORDINGS[self.saved]
        has_y = self.saved in (Saved.LIST, Saved.DICT)
        *before, last = wording.last
        lines = [
            "import torch",
            "",
            f"x = torch.arange({w.length})",
            *([f"y = torch.zeros({literal(self.length)})"] if has_y else []),
            f'torch.save({w.saved}, "{wording.file}")',
            w.change,
            "",
            f'{wording.loaded} = torch.load("{wording.file}")',
            *before,
            f"{last}{w.asked}",
        ]
        return "\n".join(lines)

    def files(self) -> Files:
        return Files(downloads=(WORDINGS[self.saved].file,))

    def answer(self, run: Run) -> Answer:
        """Compare the loaded tensors with those in memory, and inspect the file."""
        wording = WORDINGS[self.saved]
        back = [loaded_of(run, name) for _, name in wording.names]
        now = [run[name] for name, _ in wording.names]
        sizes = {each.untyped_storage().data_ptr(): each.untyped_storage().nbytes() for each in now}
        records = tuple(each for each in records_of(wording.file) if each[0].startswith("data/"))
        file_bytes = Path(wording.file).stat().st_size
        prediction = run.printed.strip()
        pieces = tuple(
            (name, values(one), other, values(two))
            for (name, other), one, two in zip(wording.names, now, back, strict=True)
        )
        return Answer(
            prediction=prediction,
            explanation=self.explanation(prediction),
            facts={
                "type_name": type(run.get(wording.loaded)).__name__ if len(now) == 1 else None,
                "number_bytes": format_bytes(sum(sizes.values())),
                "file_bytes": format_bytes(file_bytes),
            },
            placeholders={
                "number_bytes_exact": sum(sizes.values()),
                "file_bytes_exact": file_bytes,
                "dtype": str(back[0].dtype),
                "tensors": len(now),
                "stored": len(records),
            },
            data=Trip(pieces, records, wording.file, all(one == two for _, one, _, two in pieces)),
        )

    def explanation(self, printed: str) -> str:
        if self.saved is Saved.TWICE:
            return "saved-once"
        if printed == "False":
            return "file-keeps-the-past"
        return "one-tensor" if self.saved is Saved.TENSOR else "with-its-container"

    def picture(self, answer: Answer | None, labels: Labels) -> Picture:
        wording = WORDINGS[self.saved]
        names = tuple((name, "", other, "?") for name, other in wording.names)
        return draw(answer.data if answer else Trip(names, (), wording.file), labels)


def loaded_of(run: Run, name: str) -> Any:
    """Return a loaded tensor by its name, or from the loaded dict."""
    variable, _, key = name.partition("[")
    return run[variable][key.strip('"]')] if key else run[variable]


def values(tensor: Any) -> str:
    """Return the first values of a tensor."""
    shown = " ".join(f"{each:g}" for each in tensor[:MAX_SHOWN].tolist())
    return f"{shown} …" if len(tensor) > MAX_SHOWN else shown


def records_of(name: str) -> list[tuple[str, int]]:
    """Return the records of the zip archive with their bytes, without the enclosing folder."""
    with zipfile.ZipFile(name) as archive:
        return [(each.filename.partition("/")[2], each.file_size) for each in archive.infolist()]


def draw(trip: Trip, labels: Labels) -> Picture:
    """Draw a row for each tensor, and in the middle the records with their values."""
    parts = [
        drawing.text(x, 14, words, anchor="middle", ink=drawing.MUTED)
        for x, words in ((66, labels["in_memory"]), (220, trip.file), (374, labels["loaded"]))
    ]
    records = trip.records or (("?", 0),)
    places = [
        26 + ROW * (index + 0.5) * len(trip.pieces) / len(records) for index in range(len(records))
    ]
    for (record, size), y in zip(records, places, strict=True):
        parts.append(drawing.box(166, y - 22, 108, 44, colour=drawing.ACCENT, name=record))
        parts.append(drawing.text(220, y - 3, record, anchor="middle", is_code=True))
        shown = f"{size:,} B" if size else ""
        parts.append(drawing.text(220, y + 14, shown, anchor="middle", size=12, ink=drawing.MUTED))
    for index, (name, now, other, loaded) in enumerate(trip.pieces):
        y = 26 + ROW * (index + 0.5)
        stored = places[min(index, len(places) - 1)]
        differs = trip.is_equal is not None and now != loaded
        ink = drawing.TROUBLE if differs else drawing.INK
        for left, label, shown in ((0, name, now), (308, other, loaded)):
            parts.append(drawing.box(left, y - 22, 132, 44, name=f"{left} {index} {label}"))
            parts.append(drawing.text(left + 66, y - 3, label, anchor="middle", is_code=True))
            parts.append(drawing.text(left + 66, y + 14, shown, anchor="middle", ink=ink, size=12))
        parts += [drawing.arrow(132, y, 166, stored), drawing.arrow(274, stored, 308, y)]
    described = "; ".join(f"{a} = {b}, {c} = {d}" for a, b, c, d in trip.pieces)
    height = 34 + ROW * len(trip.pieces)
    return drawing.picture(height, *parts, file=trip.file, described=described)


def is_mostly_numbers(step: Tensors, answer: Answer) -> bool:
    """Check that less than a tenth of the file is not tensor data."""
    del step
    numbers, file = (answer.placeholders[f"{name}_bytes_exact"] for name in ("number", "file"))
    return float(numbers or 0) > 0.9 * float(file or 0)


def is_one_memory(step: Tensors, answer: Answer) -> bool:
    """Check that two loaded tensors share their memory."""
    return step.saved is Saved.TWICE and answer.prediction == "True"
