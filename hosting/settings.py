"""All of the operator's settings: one frozen record, read from the environment at the start.

A field ``most_sessions`` is the variable ``PLAYGROUND_MOST_SESSIONS``. A secret may instead stand
in a file that ``PLAYGROUND_<NAME>_FILE`` names. docs/settings.md is made from this record::

    python -m hosting.settings_table > docs/settings.md

A value that cannot be meant ends the start with one sentence: a typing mistake opens no door.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from pathlib import Path

from hosting.parsing import FILE_SUFFIX, PREFIX, SettingError, is_secret, parse, setting

ELSEWHERE = frozenset({"PLAYGROUND_LAB_WITHOUT_JAIL"})  # the sandbox reads it: docs/decisions/0016
ROOT = Path(__file__).parent.parent
LEAST_CODE = 6  # characters; guesses are counted as well
LEAST_SECRET = 32
RAY_ADDRESS = re.compile(r"([\w.-]+|\[[0-9a-f:.]+\]):[1-9][0-9]{0,4}", re.ASCII | re.IGNORECASE)
PUBLIC_ADDRESS = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:[1-9][0-9]{0,4})?/?", re.ASCII)
MOST_OIDC_HOURS = 720  # st.login's own cookie lasts no longer


class Gate(StrEnum):
    """Who may come in."""

    OPEN = "open"
    CODE = "code"
    OIDC = "oidc"


class LogFormat(StrEnum):
    """How the log is written."""

    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    """From what on something is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the operator decides; the meaning of each field stands beside it.

    Raises:
        SettingError: Two settings contradict each other, or one that is needed is missing.
    """

    gate: Gate = setting(
        Gate.OPEN,
        "Who may come in: `open` (everybody who reaches the server), `code` (whoever knows the "
        "class code), `oidc` (whoever signs in with your identity provider).",
    )
    class_code: str = setting(
        "", "The class code, 6 characters or more; needed for `code`.", is_secret=True
    )
    teacher_code: str = setting(
        "",
        "A second code, for teachers; whoever enters it sees the teacher's page.",
        is_secret=True,
    )
    teachers: tuple[str, ...] = setting(
        (), "With `oidc`: the teachers' e-mail addresses, separated by commas."
    )
    oidc_metadata: str = setting(
        "", "Where the identity provider describes itself (`…/.well-known/openid-configuration`)."
    )
    oidc_client_id: str = setting("", "The client id that the provider gave you.")
    oidc_client_secret: str = setting("", "The client secret that goes with it.", is_secret=True)
    oidc_allowed: tuple[str, ...] = setting(
        (),
        "Who of the provider's people may come in: e-mail addresses, and domains as "
        "`@example.edu`. Empty: all of them.",
    )
    public_address: str = setting(
        "",
        "What students type, e.g. `https://playground.example.edu`; with `https`, cookies are sent "
        "encrypted only. Needed for `oidc`, and wherever students come by a name: other names than "
        "this one and `localhost` are refused.",
    )
    cookie_secret: str = setting(
        "",
        "Signs the cookies, 32 characters or more; equal on all replicas. Empty: made once and "
        "kept in the data folder, readable by the server alone.",
        is_secret=True,
    )
    cookie_hours: int = setting(
        720,
        "How long a visitor stays signed in, by a code or with a provider; then 720 at most.",
        least=1,
        most=8_760,
    )
    code_tries: int = setting(
        30,
        "Wrong codes that one address may enter in a minute; ten times as many where somebody is "
        "in already, so that one student who guesses does not keep the class out.",
        least=1,
        most=1_000,
    )
    code_tries_in_all: int = setting(
        300,
        "Wrong codes that all addresses may enter in a minute. Those where somebody is in already "
        "are counted apart, with ten times as many.",
        least=1,
        most=10_000,
    )
    visitors_per_minute: int = setting(
        200,
        "New visitors whom one address may bring by the class code in a minute; a class often "
        "shares one. All addresses: ten times as many.",
        least=1,
        most=10_000,
    )

    most_sessions: int = setting(
        600, "Browser tabs that are connected at once.", least=1, most=10_000
    )
    most_sessions_per_visitor: int = setting(
        20,
        "Of these, by one visitor; a visitor is known by the gate's cookie.",
        least=1,
        most=10_000,
    )
    most_sessions_per_address: int = setting(
        400, "Of these, from one address; a class often shares one.", least=1, most=10_000
    )
    reruns_per_second: int = setting(
        10, "Clicks of one session that are answered in a second; more wait.", least=1, most=1_000
    )
    upload_megabytes: int = setting(
        100, "Uploaded files that one session keeps, in MB.", least=1, most=10_000
    )
    upload_megabytes_in_all: int = setting(
        1_000, "Uploaded files that all sessions keep, in MB of memory.", least=1, most=1_000_000
    )
    uploads_per_minute: int = setting(
        20, "Files that one session may send in a minute.", least=1, most=10_000
    )
    uploads_at_once: int = setting(
        8, "Files that are on their way at the same time, in all.", least=1, most=1_000
    )
    experiments_per_minute: int = setting(
        600, "Experiments that one session may start in a minute.", least=1, most=100_000
    )
    experiments_per_minute_in_all: int = setting(
        30_000, "Experiments that all sessions may start in a minute.", least=1, most=1_000_000
    )
    lab_runs_per_minute: int = setting(
        20, "Cells that one session may run in a minute.", least=1, most=10_000
    )
    lab_runs_per_minute_in_all: int = setting(
        1_200, "Cells that all sessions may run in a minute.", least=1, most=100_000
    )

    gpu_experiments_at_once: int = setting(
        0,
        "Experiments that run on one GPU at once, as far as its memory has room: each can then "
        "have 2 GiB. `0`: as many as have room, 4 at most.",
        least=0,
        most=64,
    )
    gpu_memory_share: int = setting(
        90,
        "What all experiments together may take of each GPU's memory, in percent.",
        least=10,
        most=100,
    )

    data_folder: Path = setting(
        ROOT / "data", "Where the server keeps what must outlive it: database and cookie secret."
    )
    database: str = setting(
        "",
        "Where progress is kept, as SQLAlchemy writes it, e.g. "
        "`postgresql+psycopg://user:password@host/name`. Empty: a SQLite file in the data folder.",
        is_secret=True,
    )
    metrics_token: str = setting(
        "",
        "Whoever sends it as `Authorization: Bearer …` may read `/api/metrics`. Empty: only this "
        "computer itself.",
        is_secret=True,
    )
    log_format: LogFormat = setting(
        LogFormat.TEXT, "`text` for people, `json` (an object a line) for machines."
    )
    log_level: LogLevel = setting(
        LogLevel.INFO, "What is logged: `debug`, `info`, `warning` or `error` and above."
    )
    ray_address: str = setting(
        "",
        "The Ray cluster that runs the experiments, as `ray start --head` names it, e.g. "
        "`10.0.0.5:6379`; this machine must be one of its nodes. Empty: this machine.",
    )

    def __post_init__(self) -> None:
        """Refuse what cannot work together."""
        for sentence, is_wrong in _contradictions(self).items():
            if is_wrong:
                raise SettingError(sentence)

    @property
    def is_https(self) -> bool:
        """Whether visitors come over TLS, as the public address says."""
        return self.public_address.startswith("https://")


def variable(name: str) -> str:
    """The variable of a field.

    >>> variable("most_sessions")
    'PLAYGROUND_MOST_SESSIONS'
    """
    return PREFIX + name.upper()


def read(environment: Mapping[str, str]) -> Settings:
    """Read the settings; an empty variable counts as none.

    Raises:
        SettingError: A value is refused, or a variable that begins like ours is none of ours.

    >>> read({"PLAYGROUND_GATE": "code", "PLAYGROUND_CLASS_CODE": "tensor"}).gate
    <Gate.CODE: 'code'>
    """
    known = {variable(field.name): field for field in fields(Settings)}
    files = {name + FILE_SUFFIX: name for name, field in known.items() if is_secret(field)}
    given = {
        name: text.strip()
        for name, text in environment.items()
        if name.startswith(PREFIX) and name not in ELSEWHERE and text.strip()
    }
    values: dict[str, object] = {}
    for name, text in given.items():
        target = files.get(name, name)
        if target not in known:
            raise SettingError(
                f"{name} is no setting of the playground: docs/settings.md has them all."
            )
        if target != name and target in given:
            raise SettingError(f"Set {target} or {name}, not both.")
        field = known[target]
        values[field.name] = parse(name, _content(name, text) if target != name else text, field)
    return Settings(**values)  # type: ignore[arg-type]


@cache
def current() -> Settings:
    """The settings of this process, read once."""
    return read(os.environ)


def _content(name: str, path: str) -> str:
    try:
        text = Path(path).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise SettingError(f"The file that {name} names cannot be read.") from None
    if not text:
        raise SettingError(f"The file that {name} names is empty.")
    return text


def _contradictions(settings: Settings) -> dict[str, bool]:
    """What to tell the operator, and whether it is so."""
    code, teachers = settings.class_code, settings.teacher_code
    asks, signs_in = settings.gate is Gate.CODE, settings.gate is Gate.OIDC
    lengths = {
        f"{variable(name)} must have at least {least} characters.": 0 < len(given) < least
        for name, given, least in (
            ("class_code", code, LEAST_CODE),
            ("teacher_code", teachers, LEAST_CODE),
            ("cookie_secret", settings.cookie_secret, LEAST_SECRET),
            ("metrics_token", settings.metrics_token, LEAST_SECRET),
        )
    }
    needed = {
        f"PLAYGROUND_GATE is oidc, so {variable(name)} is needed.": signs_in and not given
        for name, given in (
            ("oidc_metadata", settings.oidc_metadata),
            ("oidc_client_id", settings.oidc_client_id),
            ("oidc_client_secret", settings.oidc_client_secret),
            ("public_address", settings.public_address),
        )
    }
    return {
        **lengths,
        **needed,
        "PLAYGROUND_GATE is code, so PLAYGROUND_CLASS_CODE is needed.": asks and not code,
        "PLAYGROUND_CLASS_CODE is asked for only where PLAYGROUND_GATE is code.": bool(code)
        and not asks,
        "PLAYGROUND_TEACHER_CODE is asked for only where PLAYGROUND_GATE is code.": bool(teachers)
        and not asks,
        "PLAYGROUND_TEACHER_CODE must differ from PLAYGROUND_CLASS_CODE.": bool(code)
        and teachers == code,
        "PLAYGROUND_COOKIE_HOURS may be 720 at most where PLAYGROUND_GATE is oidc.": signs_in
        and settings.cookie_hours > MOST_OIDC_HOURS,
        "PLAYGROUND_PUBLIC_ADDRESS must begin with https:// or http:// and name a host, without "
        "a path.": bool(settings.public_address)
        and not PUBLIC_ADDRESS.fullmatch(settings.public_address),
        "PLAYGROUND_RAY_ADDRESS must be host:port as `ray start --head` prints it, without ray://, "
        "e.g. 10.0.0.5:6379.": bool(settings.ray_address)
        and not RAY_ADDRESS.fullmatch(settings.ray_address),
    }
