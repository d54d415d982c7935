"""The base of all steps: settings as fields, the program as text with the fields marked in it."""

import difflib
import importlib
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import Field, dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Self, dataclass_transform

from playground.compute.settings import Settings, check_choice, check_length
from playground.compute.streaming import StreamSettings, tell_nobody
from playground.errors import InvalidSettingError
from playground.machines.machine import DeviceName, Machine
from playground.palette import Words as Labels
from playground.steps.answer import Answer, Picture, Progress
from playground.steps.files import Files, MadeFile, scratch_folder
from playground.steps.program import Run, run_program

# Private-use characters mark places in a program; repr escapes them in values.
OPEN, MIDDLE, CLOSE, ASKED, FOLDED = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004"
MAX_LINK = 4000  # characters, as modules.spec.link has it
MARKED = re.compile(f"{OPEN}(.*?){MIDDLE}(.*?){CLOSE}", re.DOTALL)
Condition = Mapping[str, tuple[object, ...]]


def number(least: float, most: float, *, default: float, only_if: Condition | None = None) -> Any:
    """Declare a number with its bounds; integers where both bounds are integers."""
    bounds = {"least": least, "most": most}
    return field(default=default, metadata={"bounds": bounds, "only_if": only_if})


def seed() -> Any:
    """Declare the seed of the random numbers."""
    return number(0, 9999, default=0)


def text(max_length: int, *, default: str, only_if: Condition | None = None) -> Any:
    """Declare a short text."""
    return field(default=default, metadata={"max_length": max_length, "only_if": only_if})


def one_of(*options: str, default: str, only_if: Condition | None = None) -> Any:
    """Declare a text out of a few."""
    return field(default=default, metadata={"options": options, "only_if": only_if})


def shown_if(default: Any, **conditions: tuple[object, ...]) -> Any:
    """Declare a field that means something only beside certain values of another one."""
    return field(default=default, metadata={"only_if": conditions})


def fix_field() -> Any:
    """Declare the field that says whether the fix is applied; it has no control of its own."""
    return field(default=False, metadata={"is_fix": True})


def network_link() -> Any:
    """Declare a network from the builder, as ``modules.spec.link`` writes it; empty for none.

    Its control is shown once the visitor has brought one. The step refuses what is no network,
    and in ``check_runnable`` what cannot be built.
    """
    return field(default="", metadata={"is_network": True})


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a program: plain text, or the word that belongs to a field.

    Attributes:
        field: The field's name; empty for plain text.
    """

    text: str
    field: str = ""


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(number, seed, text, one_of, shown_if, fix_field, network_link),
)
class Step(StreamSettings[Answer, Progress]):
    """A step of a lesson: its fields are the settings, its program is the experiment.

    A subclass defines fields, ``code``, ``answer`` and, where it draws, ``picture``. It stands
    alone in a module that is named like it. A step whose experiment is not a plain run of its
    program (it measures, streams, sweeps or opens a file) overrides ``experiment``.

    Attributes:
        is_watched: Its experiment reports its progress; the page shows that while it runs, with a
            button that stops it.

    Raises:
        InvalidSettingError: A field is out of bounds or no member of its choices.
    """

    is_watched: ClassVar[bool] = False
    TEXTS: ClassVar[Mapping[str, int]] = {}
    OPTIONS: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def __init_subclass__(cls) -> None:
        """Make the subclass a frozen dataclass, and collect what its fields declare."""
        dataclass(frozen=True, kw_only=True)(cls)
        declared = {each.name: each.metadata for each in cls.declared()}
        cls.BOUNDS = _collect(declared, "bounds")
        cls.TEXTS = _collect(declared, "max_length")
        cls.OPTIONS = _collect(declared, "options")
        cls.ONLY_WITH = {
            name: next(iter(conditions.items()))
            for name, conditions in _collect(declared, "only_if").items()
        }

    def __post_init__(self) -> None:
        """Refuse values of a wrong type, unknown devices, and what is out of bounds."""
        super().__post_init__()
        for name, most in self.TEXTS.items():
            check_length(name, getattr(self, name), most=most)
        for name, options in self.OPTIONS.items():
            check_choice(name, getattr(self, name), options)
        for each in self.declared():
            if each.metadata.get("is_network"):
                check_length(each.name, getattr(self, each.name), most=MAX_LINK)

    @classmethod
    def declared(cls) -> tuple[Field[Any], ...]:
        """The fields of the step, in order."""
        return fields(cls)  # type: ignore[arg-type]  # __init_subclass__ makes it a dataclass

    def replaced(self, **changes: object) -> Self:
        """The same settings with some fields changed.

        Raises:
            InvalidSettingError: A value is not allowed.
        """
        return replace(self, **changes)  # type: ignore[type-var]  # as above

    @classmethod
    def of(cls, values: Mapping[str, object], **given: object) -> Self:
        """Make a step of plain values, as a URL, a control or a words file has them.

        Args:
            values: By field: texts, or numbers and booleans as they are; a choice by its id.
            given: Fields that need no conversion, such as ``machine``.

        Raises:
            InvalidSettingError: A field is unknown, or its value is not allowed.
        """
        kinds = {each.name: each.type for each in cls.declared()}
        converted = {}
        for name, value in values.items():
            if name not in kinds:
                allowed = ", ".join(kinds)
                raise InvalidSettingError("choice", field=name, given=name, allowed=allowed)
            converted[name] = _converted(name, kinds[name], value)
        return cls(**{**converted, **given})

    def code(self, w: "Words") -> str:
        """Write the program; ``w.left`` is the literal of the field ``left``.

        ``w.asked`` at the end of a line marks the line that the question is about, ``w.folded``
        the last of the lines at the top that are folded away at first.
        """
        raise NotImplementedError

    def answer(self, run: Run) -> Answer:
        """Read the answer from what the program did; called in the worker, right after the run."""
        raise NotImplementedError

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        """Draw what is known; called in the web process, before the answer with None."""
        del answer, labels
        return None

    def live_picture(self, progress: Progress, labels: Labels) -> Picture | None:
        """Draw how far a watched experiment is; called in the web process."""
        del progress, labels
        return None

    def meets(self, challenge: str, answer: Answer) -> bool:
        """Whether an answer meets a challenge: the predicate of that name in the step's module.

        Raises:
            AttributeError: The module has no such predicate.
        """
        return bool(getattr(sys.modules[type(self).__module__], challenge)(self, answer))

    def choices(self, devices: tuple[DeviceName, ...]) -> tuple[str, ...]:
        """The answers to choose from where the settings decide; empty: as the words list them."""
        del devices
        return ()

    def experiment(self, report_progress: Callable[[Progress], None] = tell_nobody) -> Answer:
        """Run the program on the step's machine and read the answer; called in the worker."""
        del report_progress
        with self.running():
            run = run_program(self.program())
            answer = self.answer(run)
        return replace(answer, lines=run.lines, outcome=run.outcome, stopped_at=run.stopped_at)

    def host(self) -> Machine | None:
        """The machine that the program runs on; None for this computer as it is."""
        machine = getattr(self, "machine", None)
        return machine if isinstance(machine, Machine) else None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run on that machine, and in an empty folder where the program writes files.

        Raises:
            PlaygroundError: The program is not to be run with these settings.
        """
        self.check_runnable()
        with (
            nullcontext() if self.files() is None else scratch_folder(),
            nullcontext() if (host := self.host()) is None else _running_on(host),
        ):
            yield

    def check_runnable(self) -> None:
        """Refuse what only a worker can judge, such as a network that is too large to build."""

    def files(self) -> Files | None:
        """What the page does with the files that the program writes; None where it writes none."""
        return None

    def written_file(self, name: str) -> bytes:
        """Run the program and read a file that it wrote; called in the worker."""
        with self.running():
            run_program(self.program())
            return Path(name).read_bytes()

    def program(self) -> str:
        """The bare text: what is shown, run, exported and opened in the lab."""
        return _dedented(self.code(Words(self)))

    def parts(self) -> tuple[Part, ...]:
        """The program cut at the words that belong to fields, for the panel."""
        marked = self._marked().replace(ASKED, "").replace(FOLDED, "")
        plain, *others = MARKED.split(marked)
        parts = [Part(plain)]
        for name, word, after in zip(others[::3], others[1::3], others[2::3], strict=True):
            parts += [Part(word, name), Part(after)]
        return tuple(part for part in parts if part.text or part.field)

    def asked_line(self) -> int | None:
        """The number of the line that the question is about."""
        return _line_of(ASKED, self._marked())

    def folded_lines(self) -> int:
        """How many lines at the top are folded away at first."""
        return _line_of(FOLDED, self._marked()) or 0

    def _marked(self) -> str:
        return _dedented(self.code(Words(self, is_marked=True)))

    def is_shown(self, name: str) -> bool:
        """Whether a field means something beside the values of the others."""
        other, values = self.ONLY_WITH.get(name, ("", ()))
        return not other or getattr(self, other) in values

    def tried_fix(self) -> tuple[str, str] | None:
        """Run the program with its fix; the lines that differ, joined, where it then works.

        Called from ``answer``. The field declared by ``fix_field`` says whether it is applied.
        """
        names = [each.name for each in self.declared() if each.metadata.get("is_fix")]
        if not names or getattr(self, names[0]):
            return None
        fixed = self.replaced(**{names[0]: True})
        if not run_program(fixed.program()).outcome.ok:
            return None
        return changed_lines(self.program(), fixed.program())


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFile(Settings[MadeFile]):
    """Write a file of a step's program once more, for a visitor who wants to take it away.

    Args:
        of: The step, with its settings.
        file_name: One of its downloads.
    """

    deterministic: ClassVar[bool] = False  # so that no file is kept
    uses_hardware: ClassVar[bool] = False

    of: Step
    file_name: str

    def __post_init__(self) -> None:
        """Refuse what the step does not offer."""
        self.check_types()
        files = self.of.files()
        check_choice("file_name", self.file_name, files.downloads if files else ())

    def experiment(self) -> MadeFile:
        """Run the program; called in the worker."""
        return MadeFile(data=self.of.written_file(self.file_name), file_name=self.file_name)


class Words:
    """The literals of a step's fields; the value of a StrEnum is code itself.

    Args:
        step: Whose fields.
        is_marked: Put marks around them, by which ``Step.parts`` finds them again.
    """

    def __init__(self, step: Step, *, is_marked: bool = False) -> None:
        self._step, self._is_marked = step, is_marked

    @property
    def asked(self) -> str:
        """Marks the line that the question is about; nothing in the bare program."""
        return ASKED if self._is_marked else ""

    @property
    def folded(self) -> str:
        """Marks the last of the lines that are folded away; nothing in the bare program."""
        return FOLDED if self._is_marked else ""

    def __getattr__(self, name: str) -> str:
        """The literal of a field."""
        return self.mark(name, literal(getattr(self._step, name)))

    def mark(self, name: str, code: str) -> str:
        """Say that a piece of code belongs to a field, such as the line that an option stands for.

        The code must not hold a text of a visitor, other than by ``literal``.
        """
        return f"{OPEN}{name}{MIDDLE}{code}{CLOSE}" if self._is_marked else code


def load_step(lesson_name: str, step_id: str) -> type[Step]:
    """Import a step's module and return its class.

    Raises:
        ModuleNotFoundError: There is no such module.
        LookupError: The module defines no step, or several.
    """
    module = importlib.import_module(f"playground.lessons.{lesson_name}.{step_id}")
    found = [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Step) and each.__module__ == module.__name__
    ]
    if len(found) != 1:
        raise LookupError(f"{module.__name__} defines {len(found)} steps instead of one")
    return found[0]


def id_of(value: object) -> str:
    """The id of a field's value in URLs and words files.

    >>> id_of(True), id_of(2.0), id_of("cpu")
    ('true', '2', 'cpu')
    """
    if isinstance(value, StrEnum):
        return value.name.lower()
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def _running_on(host: Machine) -> AbstractContextManager[None]:
    from playground.machines.host import running_on  # loads torch: only a worker calls this

    return running_on(host)


def _converted(name: str, kind: Any, given: object) -> object:
    if isinstance(kind, type) and issubclass(kind, StrEnum) and not isinstance(given, kind):
        members = {id_of(member): member for member in kind}
        if given not in members:
            raise InvalidSettingError("choice", field=name, given=given, allowed=", ".join(members))
        return members[str(given)]
    if kind is Machine and isinstance(given, Mapping):
        return Machine(**given)
    if not isinstance(given, str) or kind not in (bool, int, float):
        return given
    try:
        return {"true": True, "false": False}[given] if kind is bool else kind(given)
    except (KeyError, ValueError):
        raise InvalidSettingError(
            "choice", field=name, given=given, allowed=kind.__name__
        ) from None


def literal(value: object) -> str:
    """Write a value as Python does, texts in double quotes; the value of a StrEnum is code.

    >>> literal("cuda:0"), literal('say "hi"'), literal(2.5)
    ('"cuda:0"', '\\'say "hi"\\'', '2.5')
    """
    if isinstance(value, StrEnum):
        return value.value
    written = repr(value)
    if isinstance(value, str) and written[0] == "'" and '"' not in written:
        return f'"{written[1:-1]}"'
    return written


def changed_lines(before: str, after: str) -> tuple[str, str]:
    """The lines that differ between two programs, as they were and as they are.

    >>> changed_lines("a = 1\\nb = 2", "a = 1\\nb = 3")
    ('b = 2', 'b = 3')
    """
    old, new = before.splitlines(), after.splitlines()
    removed, added = [], []
    for kind, i, j, k, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            removed += old[i:j]
            added += new[k:end]
    return "\n".join(removed), "\n".join(added)


def _collect(declared: Mapping[str, Mapping[str, Any]], key: str) -> dict[str, Any]:
    return {name: metadata[key] for name, metadata in declared.items() if metadata.get(key)}


def _line_of(mark: str, program: str) -> int | None:
    before, found, _ = program.partition(mark)
    return before.count("\n") + 1 if found else None


def _dedented(code: str) -> str:
    return textwrap.dedent(code).strip("\n")
