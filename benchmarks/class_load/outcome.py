"""What a class met, as a section of figures and remarks."""

from benchmarks import surroundings
from benchmarks.class_load import gauge
from benchmarks.class_load.crowd import ARRIVAL_SECONDS, Crowd
from benchmarks.class_load.gauge import Gauge, Reading
from benchmarks.class_load.kind import MIX, Kind
from benchmarks.class_load.known import MOST
from benchmarks.figure import Budget, Figure, Judged, Section
from benchmarks.sample import Sample
from benchmarks.session import RUN_SECONDS

GRADED_SESSIONS = 150
MINUTE = gauge.MINUTE
TIME = Budget(judged=Judged.P95, most=200.0)
NO_ERROR = Budget(judged=Judged.MOST, most=0.0)
FLAT = Budget(judged=Judged.MOST, most=10.0)
IDS = {
    Kind.DOOR: "door",
    Kind.ARRIVAL: "arrival",
    Kind.CACHED: "cached",
    Kind.FRESH: "fresh",
    Kind.LIVE: "live",
    Kind.SWITCH: "switch",
    Kind.LAB: "lab",
    Kind.UPLOAD: "upload",
}
SHARES = ", ".join(f"{share:.0%} {kind}" for kind, share in MIX.items())
HOW = (
    "The server runs as hosted: class code, progress in a SQLite file. Students come"
    f" {ARRIVAL_SECONDS:g} s apart, each through the door, and do something every 5 to 10 s:"
    f" {SHARES}; where a lesson offers a run that is watched live, new settings start that instead."
    " What needs another page goes there first, which counts as another page. An answer counts as"
    f" known where somebody brought a step to the same settings among the last {MOST} that the"
    " class used. In a lesson that shows one step at a time such a click is another value and then"
    " Run, both counted, the pause between them not. A run in the lab lasts until its output is"
    " drawn, a file from its choice until its verdict is. Times count once all students are there,"
    " errors always: an exception, a lost"
    f" connection, a run over {RUN_SECONDS:g} s, an experiment, a cell or a file without an answer."
    " Memory is judged in the second half: in the first, sessions come to hold what each page"
    " needs, and the server fills its cache of reports."
    " Clients and server share the processors. Nothing is drawn: what a browser needs on top is"
    " under *Paint*."
)


def section(crowd: Crowd, readings: Gauge) -> Section:
    """The figures of one level."""
    sessions, seconds = crowd.level.sessions, crowd.level.seconds
    steady = readings.between(crowd.began, crowd.ended)
    return Section(
        title=f"A class of {sessions}, {_long(seconds)}",
        how=HOW,
        figures=(*_times(crowd), _errors(crowd), *_memory(crowd, readings), *_cpu(crowd, steady)),
        remarks=_remarks(crowd),
    )


def _long(seconds: float) -> str:
    minutes = seconds / MINUTE
    return f"{minutes:g} minute{'s' if minutes != 1 else ''}"


def _times(crowd: Crowd) -> list[Figure]:
    found = {kind: crowd.times(kind) for kind in Kind}
    return [
        Figure(
            id=f"{_id(crowd)}.{IDS[kind]}",
            what=f"{kind} ({len(sample.readings):,} times)",
            unit="ms",
            sample=sample,
            budget=TIME if kind is Kind.CACHED and _is_graded(crowd) else None,
        )
        for kind, sample in found.items()
    ]


def _errors(crowd: Crowd) -> Figure:
    return Figure(
        id=f"{_id(crowd)}.errors",
        what="errors",
        unit="",
        sample=Sample((float(crowd.errors.total()),)),
        budget=NO_ERROR if _is_graded(crowd) else None,
    )


def _memory(crowd: Crowd, readings: Gauge) -> list[Figure]:
    """The memory of the first, the middle and the last minute in which all are there."""
    began, ended, half = crowd.began, crowd.ended, crowd.level.seconds / 2
    length = min(MINUTE, half / 2)
    first = readings.between(began, began + length)
    middle = readings.between(began + half, began + half + length)
    last = readings.between(ended - length, ended)
    web = gauge.web_memory
    sizes = {
        "web-first": ("web process, first minute", web(first)),
        "web-middle": ("web process, middle minute", web(middle)),
        "web-last": ("web process, last minute", web(last)),
        "children-first": ("workers and sandbox, first minute", gauge.children_memory(first)),
        "children-last": ("workers and sandbox, last minute", gauge.children_memory(last)),
    }
    slope = gauge.growth_per_minute(readings.between(began + half, ended))
    return [
        *(
            Figure(id=f"{_id(crowd)}.{name}", what=what, unit="MB", sample=sample)
            for name, (what, sample) in sizes.items()
        ),
        Figure(
            id=f"{_id(crowd)}.growth",
            what="web process, last over middle minute",
            unit="%",
            sample=Sample((_growth(web(middle).median, web(last).median),)),
            budget=FLAT if _is_graded(crowd) else None,
        ),
        Figure(
            id=f"{_id(crowd)}.slope",
            what="web process, growth in the second half",
            unit="MB/min",
            sample=Sample((slope,)),
        ),
    ]


def _growth(before: float, after: float) -> float:
    return (after - before) / before * 100


def _cpu(crowd: Crowd, steady: list[Reading]) -> list[Figure]:
    used = {
        "cpu-web": ("cores busy with the web process", gauge.cores(steady, _web)),
        "cpu-children": ("cores busy with workers and sandbox", gauge.cores(steady, _children)),
        "cpu-clients": ("cores busy with the clients", gauge.cores(steady, _own)),
    }
    return [
        Figure(
            id=f"{_id(crowd)}.{name}",
            what=f"{what}, of {surroundings.cores()}",
            unit="",
            sample=Sample((value,)),
        )
        for name, (what, value) in used.items()
    ] + [
        Figure(
            id=f"{_id(crowd)}.lateness",
            what="lateness of the clients' own clock",
            unit="ms",
            sample=Sample.of(crowd.lateness),
        )
    ]


def _web(reading: Reading) -> float:
    return reading.web_seconds


def _children(reading: Reading) -> float:
    return reading.children_seconds


def _own(reading: Reading) -> float:
    return reading.own_seconds


def _remarks(crowd: Crowd) -> tuple[str, ...]:
    if not crowd.errors:
        return ("No error.",)
    return tuple(f"{count} × {error}." for error, count in crowd.errors.most_common())


def _id(crowd: Crowd) -> str:
    return f"class-load.{crowd.level.sessions}"


def _is_graded(crowd: Crowd) -> bool:
    return crowd.level.sessions == GRADED_SESSIONS
