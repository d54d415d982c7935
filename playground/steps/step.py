"""The base class of all steps: settings as fields, and a program in which they are marked."""

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import Field, dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self, dataclass_transform

from playground.compute.settings import Settings, check_choice, check_length
from playground.compute.streaming import StreamSettings, ignore_progress
from playground.errors import InvalidSettingError
from playground.machines.machine import DeviceName, Machine
from playground.palette import Palette
from playground.steps.answer import Answer, Labels, Picture, Progress
from playground.steps.fields import (
    collect,
    convert,
    fix_field,
    network_link,
    number,
    one_of,
    points,
    seed,
    shown_if,
    text,
)
from playground.steps.files import Files, MadeFile, scratch_folder
from playground.steps.program_run import Run, run_program
from playground.steps.program_text import (
    ASKED,
    FOLDED,
    Part,
    Words,
    changed_lines,
    dedent,
    line_of,
    split_parts,
)

MAX_LINK = 4000  # characters, as in modules.spec.link


@dataclass_transform(
    kw_only_default=True,
    frozen_default=True,
    field_specifiers=(number, seed, text, one_of, points, shown_if, fix_field, network_link),
)
class Step(StreamSettings[Answer, Progress]):
    """A step of a lesson: its fields are the settings, its program is the experiment.

    A subclass defines fields, ``code``, ``answer`` and, if it draws, ``picture``, in a module that
    is named after it. A step whose experiment is not a plain run of its program (it
    measures, streams, sweeps or opens a file) overrides ``experiment``.

    Attributes:
        is_watched: The experiment reports its progress; the page shows it during the run, with a
            stop button.

    Raises:
        InvalidSettingError: A field is out of bounds or not one of its choices.
    """

    is_watched: ClassVar[bool] = False
    TEXTS: ClassVar[Mapping[str, int]] = {}
    OPTIONS: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def __init_subclass__(cls) -> None:
        """Make the subclass a frozen dataclass and collect the metadata of its fields."""
        dataclass(frozen=True, kw_only=True)(cls)
        declared = {each.name: each.metadata for each in cls.declared()}
        cls.BOUNDS = collect(declared, "bounds")
        cls.TEXTS = collect(declared, "max_length")
        cls.OPTIONS = collect(declared, "options")
        cls.ONLY_WITH = {
            name: next(iter(conditions.items()))
            for name, conditions in collect(declared, "only_if").items()
        }

    def __post_init__(self) -> None:
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
        """Return the fields of the step, in order."""
        return fields(cls)  # type: ignore[arg-type]  # __init_subclass__ makes it a dataclass

    def replaced(self, **changes: object) -> Self:
        """Return the settings with some fields changed.

        Raises:
            InvalidSettingError: A value is not allowed.
        """
        return replace(self, **changes)  # type: ignore[type-var]  # as above

    @classmethod
    def of(cls, values: Mapping[str, object], **given: object) -> Self:
        """Create a step from plain values of a URL, a control or a words file.

        Args:
            values: By field: texts, numbers or booleans; a choice by its id.
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
            converted[name] = convert(name, kinds[name], value)
        return cls(**{**converted, **given})

    def code(self, w: Words) -> str:
        """Return the program; ``w.left`` is the literal of the field ``left``.

        ``w.asked`` at the end of a line marks the line that the question is about; ``w.folded``
        marks the last of the lines at the top that are folded at first.
        """
        raise NotImplementedError

    def answer(self, run: Run) -> Answer:
        """Read the answer from the run; called in the worker, right after it."""
        raise NotImplementedError

    def picture(self, answer: Answer | None, labels: Labels) -> Picture | None:
        """Draw the answer; called in the web process, with None before there is one."""
        del answer, labels
        return None

    def live_picture(self, progress: Progress, labels: Labels) -> Picture | None:
        """Draw the progress of a watched experiment; called in the web process."""
        del progress, labels
        return None

    def first_state(self) -> Settings[Progress] | None:
        """Return what finds the state that ``live_picture`` draws before the answer; or None."""
        return None

    def chart(
        self, data: Any, earlier: Any, labels: Labels, palette: Palette, said: str = ""
    ) -> Mapping[str, Any] | None:
        """Draw the answer's data as a figure of plotly, whose values can be read off.

        Args:
            data: Of the answer.
            earlier: The data of the answer that was shown before it in this visit, or None.
            labels: The step's labels.
            palette: The colours of the theme.
            said: The visitor's prediction.
        """
        del data, earlier, labels, palette, said
        return None

    def meets(self, challenge: str, answer: Answer) -> bool:
        """Return whether an answer meets a challenge, by the predicate of that name in the module.

        Raises:
            AttributeError: The module has no such predicate.
        """
        return bool(getattr(sys.modules[type(self).__module__], challenge)(self, answer))

    def choices(self, devices: tuple[DeviceName, ...]) -> tuple[str, ...]:
        """Return the answers to choose from if they depend on settings; empty: as in the words."""
        del devices
        return ()

    def experiment(self, report_progress: Callable[[Progress], None] = ignore_progress) -> Answer:
        """Run the program on the step's machine and read the answer; called in the worker."""
        del report_progress
        with self.running():
            run = run_program(self.program())
            answer = self.answer(run)
        return replace(answer, lines=run.lines, outcome=run.outcome, stopped_at=run.stopped_at)

    def host(self) -> Machine | None:
        """Return the machine that the program runs on; None for this computer."""
        machine = getattr(self, "machine", None)
        return machine if isinstance(machine, Machine) else None

    @contextmanager
    def running(self) -> Iterator[None]:
        """Enter that machine, and an empty folder if the program writes files.

        Raises:
            PlaygroundError: The program must not run with these settings.
        """
        self.check_runnable()
        with (
            nullcontext() if self.files() is None else scratch_folder(),
            nullcontext() if (host := self.host()) is None else _running_on(host),
        ):
            yield

    def check_runnable(self) -> None:
        """Check what only a worker can, such as the size of a network that is to be built."""

    def files(self) -> Files | None:
        """Describe the files that the program writes; None if it writes none."""
        return None

    def written_file(self, name: str) -> bytes:
        """Run the program and read a file that it wrote; called in the worker."""
        with self.running():
            run_program(self.program())
            return Path(name).read_bytes()

    def program(self) -> str:
        """Return the plain text, which is shown, run, exported and opened in the lab."""
        return dedent(self.code(Words(self)))

    def parts(self) -> tuple[Part, ...]:
        """Split the program at the words that belong to fields, for the panel."""
        return split_parts(self._marked())

    def asked_line(self) -> int | None:
        """Return the number of the line that the question is about."""
        return line_of(ASKED, self._marked())

    def folded_lines(self) -> int:
        """Return the number of lines at the top that are folded at first."""
        return line_of(FOLDED, self._marked()) or 0

    def _marked(self) -> str:
        return self.code(Words(self, is_marked=True))

    def is_shown(self, name: str) -> bool:
        """Return whether a field is shown, given the values of the others."""
        other, values = self.ONLY_WITH.get(name, ("", ()))
        return not other or getattr(self, other) in values

    def tried_fix(self) -> tuple[str, str] | None:
        """Run the program with its fix; return the lines that differ if it then works.

        Called from ``answer``. The field declared by ``fix_field`` applies the fix.
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
    """Write a file of a step's program again, for a visitor's download.

    Args:
        of: The step, with its settings.
        file_name: One of its downloads.
    """

    deterministic: ClassVar[bool] = False  # the file is not cached
    uses_hardware: ClassVar[bool] = False

    of: Step
    file_name: str

    def __post_init__(self) -> None:
        self.check_types()
        files = self.of.files()
        check_choice("file_name", self.file_name, files.downloads if files else ())

    def experiment(self) -> MadeFile:
        """Run the program; called in the worker."""
        return MadeFile(data=self.of.written_file(self.file_name), file_name=self.file_name)


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


def _running_on(host: Machine) -> AbstractContextManager[None]:
    # loads torch: only a worker calls this
    from playground.machines.machine_context import running_on

    return running_on(host)
