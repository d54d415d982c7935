"""The results of a class load test as a section of BENCHMARKS.md."""

from benchmarks import environment
from benchmarks.class_load import resource_monitor, vote
from benchmarks.class_load.action import MIX, Action
from benchmarks.class_load.class_run import ARRIVAL_SECONDS, ClassRun
from benchmarks.class_load.resource_monitor import ResourceMonitor, ResourceUsage
from benchmarks.class_load.step_click import MAX_RECENT
from benchmarks.measurement import Budget, Measurement, Section, Statistic
from benchmarks.sample import Sample
from benchmarks.session import RUN_SECONDS

GRADED_SESSIONS = 150
MINUTE = resource_monitor.MINUTE
TIME = Budget(statistic=Statistic.P95, limit=250.0)  # with a vote every minute
WALL_TIME = Budget(statistic=Statistic.P95, limit=2_000.0)
NO_ERROR = Budget(statistic=Statistic.MAX, limit=0.0)
FLAT = Budget(statistic=Statistic.MAX, limit=10.0)
IDS = {
    Action.DOOR: "door",
    Action.ARRIVAL: "arrival",
    Action.CACHED: "cached",
    Action.FRESH: "fresh",
    Action.SWITCH: "switch",
    Action.LAB: "lab",
    Action.UPLOAD: "upload",
    Action.VOTE: "vote",
}
SHARES = ", ".join(f"{share:.0%} {kind}" for kind, share in MIX.items())
HOW = (
    "The server runs as hosted: class code, progress in a SQLite file. Students come"
    f" {ARRIVAL_SECONDS:g} s apart, each by the class code, and do something every 5 to 10 s:"
    f" {SHARES}."
    " What needs another page goes there first, which counts as another page. An answer counts as"
    f" known where a student used the same settings of a step among the last {MAX_RECENT}"
    " of the class. In a lesson that shows one step at a time such a click is a new value and then"
    " Run, both counted, the pause between them not. A run in the lab lasts until its output is"
    " drawn, a file from its choice until its verdict is. Times count once all students are there,"
    " errors always: an exception, a lost"
    f" connection, a run over {RUN_SECONDS:g} s, an experiment, a cell or a file without an answer."
    f" Every {vote.EVERY_SECONDS:g} s the teacher asks the class a question; each student goes"
    " there by the banner and answers, and the projector's page is drawn every second. From the"
    " n-th answer until it shows that n have answered is the time to the projector. A vote is lost"
    " if the database does not have it at the end."
    " Memory is judged in the second half: in the first, sessions come to hold what each page"
    " needs, and the server fills its cache of reports."
    " Clients and server share the processors. Nothing is drawn: what a browser needs on top is"
    " under *Paint*."
)


def section(load: ClassRun, readings: ResourceMonitor) -> Section:
    """The figures of one level."""
    sessions, seconds = load.level.sessions, load.level.seconds
    steady = readings.between(load.began, load.ended)
    return Section(
        title=f"A class of {sessions}, {_long(seconds)}",
        how=HOW,
        figures=(
            *_times(load),
            _errors(load),
            *_votes(load),
            *_memory(load, readings),
            *_cpu(load, steady),
        ),
        remarks=_remarks(load),
    )


def _long(seconds: float) -> str:
    minutes = seconds / MINUTE
    return f"{minutes:g} minute{'s' if minutes != 1 else ''}"


def _times(load: ClassRun) -> list[Measurement]:
    found = {kind: load.times(kind) for kind in Action}
    return [
        Measurement(
            id=f"{_id(load)}.{IDS[kind]}",
            what=f"{kind} ({len(sample.readings):,} times)",
            unit="ms",
            sample=sample,
            budget=TIME if kind is Action.CACHED and _is_graded(load) else None,
        )
        for kind, sample in found.items()
    ]


def _errors(load: ClassRun) -> Measurement:
    return Measurement(
        id=f"{_id(load)}.errors",
        what="errors",
        unit="",
        sample=Sample((float(load.errors.total()),)),
        budget=NO_ERROR if _is_graded(load) else None,
    )


def _votes(load: ClassRun) -> list[Measurement]:
    votes, is_graded = load.votes, _is_graded(load)
    latencies = votes.latencies
    if not latencies.readings:
        return []
    count = sum(map(len, votes.given.values()))
    return [
        Measurement(
            id=f"{_id(load)}.wall",
            what=f"from an answer to the projector ({votes.polls} votes, {count} answers)",
            unit="ms",
            sample=latencies,
            budget=WALL_TIME if is_graded else None,
        ),
        Measurement(
            id=f"{_id(load)}.lost",
            what="votes lost",
            unit="",
            sample=Sample((float(votes.lost),)),
            budget=NO_ERROR if is_graded else None,
        ),
    ]


def _memory(load: ClassRun, readings: ResourceMonitor) -> list[Measurement]:
    """The memory of the first, the middle and the last minute in which all are there."""
    began, ended, half = load.began, load.ended, load.level.seconds / 2
    length = min(MINUTE, half / 2)
    first = readings.between(began, began + length)
    middle = readings.between(began + half, began + half + length)
    last = readings.between(ended - length, ended)
    web = resource_monitor.web_memory
    sizes = {
        "web-first": ("web process, first minute", web(first)),
        "web-middle": ("web process, middle minute", web(middle)),
        "web-last": ("web process, last minute", web(last)),
        "children-first": (
            "workers and sandbox, first minute",
            resource_monitor.children_memory(first),
        ),
        "children-last": (
            "workers and sandbox, last minute",
            resource_monitor.children_memory(last),
        ),
    }
    slope = resource_monitor.growth_per_minute(readings.between(began + half, ended))
    return [
        *(
            Measurement(id=f"{_id(load)}.{name}", what=what, unit="MB", sample=sample)
            for name, (what, sample) in sizes.items()
        ),
        Measurement(
            id=f"{_id(load)}.growth",
            what="web process, last over middle minute",
            unit="%",
            sample=Sample((_growth(web(middle).median, web(last).median),)),
            budget=FLAT if _is_graded(load) else None,
        ),
        Measurement(
            id=f"{_id(load)}.slope",
            what="web process, growth in the second half",
            unit="MB/min",
            sample=Sample((slope,)),
        ),
    ]


def _growth(before: float, after: float) -> float:
    return (after - before) / before * 100


def _cpu(load: ClassRun, steady: list[ResourceUsage]) -> list[Measurement]:
    used = {
        "cpu-web": ("cores busy with the web process", resource_monitor.cores(steady, _web)),
        "cpu-children": (
            "cores busy with workers and sandbox",
            resource_monitor.cores(steady, _children),
        ),
        "cpu-clients": ("cores busy with the clients", resource_monitor.cores(steady, _own)),
    }
    return [
        Measurement(
            id=f"{_id(load)}.{name}",
            what=f"{what}, of {environment.cores()}",
            unit="",
            sample=Sample((value,)),
        )
        for name, (what, value) in used.items()
    ] + [
        Measurement(
            id=f"{_id(load)}.lateness",
            what="lateness of the clients' own clock",
            unit="ms",
            sample=Sample.of(load.lateness),
        )
    ]


def _web(reading: ResourceUsage) -> float:
    return reading.web_seconds


def _children(reading: ResourceUsage) -> float:
    return reading.children_seconds


def _own(reading: ResourceUsage) -> float:
    return reading.own_seconds


def _remarks(load: ClassRun) -> tuple[str, ...]:
    if not load.errors:
        return ("No error.",)
    return tuple(f"{count} × {error}." for error, count in load.errors.most_common())


def _id(load: ClassRun) -> str:
    return f"class-load.{load.level.sessions}"


def _is_graded(load: ClassRun) -> bool:
    return load.level.sessions == GRADED_SESSIONS
