"""The limits of a run of untrusted code, read by the jail, the pages and the tests."""

from dataclasses import dataclass

from playground.units import KIBIBYTE, MEBIBYTE


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The bounds of one run, of its source, and of the server.

    Attributes:
        source_characters: How long a cell may be.
        syntax_nodes: How many nodes its syntax tree may have.
        cpu_seconds: Computing time after which a run is ended; whole seconds, as the kernel counts.
        cpu_hard_seconds: The same for a run that ignores the signal.
        wall_seconds: Time after which a run is ended, waiting included.
        memory_bytes: Memory of a run beyond that of its process at the start.
        stack_bytes: How far the stack may grow.
        open_files: How many files may be open, the pipes to the jail included.
        output_bytes: How much a run may print.
        result_bytes: How long its answer may be, as JSON.
        live_bytes: How much it may send ahead of its answer while it runs, as JSON.
        live_parts: In how many parts.
        image_bytes: How long the images may be that it sends, in base64 and all together.
        image_parts: How many these may be; what is sent without an image takes none of them.
        result_depth: How deep lists and objects may be nested in its answer.
        shown_elements: How many elements of a tensor are shown.
        arguments_bytes: How long the arguments of a run may be, as JSON.
        file_bytes: How large a file of weights may be. ``server.maxUploadSize`` in
            ``.streamlit/config.toml`` is the same; every other limit of a file derives from it.
        data_bytes: How many bytes a run may be given: two files, where they are compared.
        own_file_bytes: How large a file of the student's own may be, which a cell may read.
        children: How many runs may be alive at once, on the whole server.
        long_children: How many of these may be long ones: ``jail.jail.FairShare``.
        waiting: How many may wait for one of them to end.
        runs_per_minute: How often one session may run.
        inspections_at_once: How many files may be inspected at once, on the whole server.
        inspections_waiting: How many may wait for one of them to end.
        inspections_per_minute: How many files one session may have inspected.
    """

    source_characters: int = 8_000
    syntax_nodes: int = 3_000
    cpu_seconds: int = 2
    cpu_hard_seconds: int = 3
    wall_seconds: float = 4.0
    memory_bytes: int = 256 * MEBIBYTE
    stack_bytes: int = 8 * MEBIBYTE
    open_files: int = 32
    output_bytes: int = 64 * KIBIBYTE
    result_bytes: int = 256 * KIBIBYTE
    live_bytes: int = 192 * KIBIBYTE
    live_parts: int = 240
    image_bytes: int = 2 * MEBIBYTE
    image_parts: int = 100
    result_depth: int = 20
    shown_elements: int = 1_000
    arguments_bytes: int = MEBIBYTE
    file_bytes: int = 20 * MEBIBYTE
    data_bytes: int = 2 * file_bytes
    own_file_bytes: int = 2 * MEBIBYTE
    children: int = 8
    long_children: int = 2
    waiting: int = 30
    runs_per_minute: int = 20
    inspections_at_once: int = 2
    inspections_waiting: int = 20
    inspections_per_minute: int = 10


LIMITS = Limits()


class OneProcessError(RuntimeError):
    """More than one process or thread was requested in a run."""
