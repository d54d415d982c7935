"""The operator's settings: one frozen dataclass, read from the environment at the start.

A field ``most_sessions`` is the variable ``PLAYGROUND_MOST_SESSIONS``. A secret may instead be in a
file that ``PLAYGROUND_<NAME>_FILE`` names. docs/settings.md is generated from the dataclass::

    python -m tools.settings_table > docs/settings.md

An invalid value or name ends the start with one sentence: a typing error never opens the gate.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from pathlib import Path

from hosting.setting_field import FILE_SUFFIX, PREFIX, SettingError, is_secret, parse, setting

SANDBOX_VARIABLES = frozenset(
    {"PLAYGROUND_LAB_WITHOUT_JAIL"}
)  # read by the sandbox: docs/decisions/0016
ROOT = Path(__file__).parent.parent
MIN_CODE_CHARACTERS = 6  # guesses are limited as well
MIN_SECRET_CHARACTERS = 32
RAY_ADDRESS = re.compile(r"([\w.-]+|\[[0-9a-f:.]+\]):[1-9][0-9]{0,4}", re.ASCII | re.IGNORECASE)
PUBLIC_ADDRESS = re.compile(r"https?://([\w.-]+|\[[0-9a-fA-F:.]+\])(:[1-9][0-9]{0,4})?/?", re.ASCII)
EMBEDDING_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9][0-9]{0,4})?", re.ASCII)
MAX_OIDC_HOURS = 720  # the cookie of st.login lasts no longer


class Gate(StrEnum):
    """The kind of gate."""

    OPEN = "open"
    CODE = "code"
    OIDC = "oidc"


class Lab(StrEnum):
    """Policy for running students' code."""

    ON = "on"
    OFF = "off"


class LogFormat(StrEnum):
    """The format of the log."""

    TEXT = "text"
    JSON = "json"


class LogLevel(StrEnum):
    """The lowest level that is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings; the meaning of each field is beside it.

    Raises:
        SettingError: Two settings contradict each other, or one that is needed is missing.
    """

    gate: Gate = setting(
        Gate.OPEN,
        "Who may use the playground: `open` (everybody who reaches the server), `code` (everybody "
        "who knows the class code), `oidc` (accounts of your identity provider).",
    )
    class_code: str = setting(
        "", "The class code, 6 characters or more; needed for `code`.", is_secret=True
    )
    teacher_code: str = setting(
        "",
        "A second code, for teachers: it opens the teacher's page as well.",
        is_secret=True,
    )
    teachers: tuple[str, ...] = setting(
        (), "With `oidc`: the teachers' e-mail addresses, separated by commas."
    )
    oidc_metadata: str = setting(
        "", "The provider's metadata URL (`…/.well-known/openid-configuration`)."
    )
    oidc_client_id: str = setting("", "The client id at the provider.")
    oidc_client_secret: str = setting("", "The client secret of that id.", is_secret=True)
    oidc_allowed: tuple[str, ...] = setting(
        (),
        "The accounts that may sign in: e-mail addresses, and domains as `@example.edu`. Empty: "
        "all accounts of the provider.",
    )
    public_address: str = setting(
        "",
        "The address that students type, e.g. `https://playground.example.edu`; with `https`, "
        "cookies are sent over TLS only. Needed for `oidc`, and if students use a host name: names "
        "other than this one and `localhost` are rejected.",
    )
    embedded_by: tuple[str, ...] = setting(
        (),
        "Hosts whose pages may show the playground in a frame, e.g. "
        "`moodle.example.edu,huggingface.co`; they must use `https`, and so must the public "
        "address. Empty: none but the playground's own. Not with `oidc`.",
    )
    cookie_secret: str = setting(
        "",
        "Signs the cookies, 32 characters or more; equal on all replicas. Empty: generated once in "
        "the data folder, readable by the server alone.",
        is_secret=True,
    )
    cookie_hours: int = setting(
        720,
        "How long a visitor stays signed in; with a provider, 720 at most.",
        minimum=1,
        maximum=8_760,
    )
    code_tries: int = setting(
        30,
        "Wrong codes from one address in a minute; ten times as many from an address with a "
        "signed-in visitor, so that one student who guesses does not lock the class out.",
        minimum=1,
        maximum=1_000,
    )
    code_tries_in_all: int = setting(
        300,
        "Wrong codes from all addresses in a minute. Addresses with a signed-in visitor are "
        "counted separately, with ten times as many.",
        minimum=1,
        maximum=10_000,
    )
    visitors_per_minute: int = setting(
        200,
        "New visitors by the class code from one address in a minute; a class often shares one. "
        "All addresses: ten times as many.",
        minimum=1,
        maximum=10_000,
    )

    most_sessions: int = setting(600, "Browser tabs connected at once.", minimum=1, maximum=10_000)
    most_sessions_per_visitor: int = setting(
        20,
        "Of these, of one visitor; a visitor is identified by the gate's cookie.",
        minimum=1,
        maximum=10_000,
    )
    most_sessions_per_address: int = setting(
        400, "Of these, from one address; a class often shares one.", minimum=1, maximum=10_000
    )
    reruns_per_second: int = setting(
        10,
        "Clicks of one session answered in a second; further ones wait.",
        minimum=1,
        maximum=1_000,
    )
    upload_megabytes: int = setting(
        100, "Uploaded files of one session, in MB.", minimum=1, maximum=10_000
    )
    upload_megabytes_in_all: int = setting(
        1_000, "Uploaded files of all sessions, in MB of memory.", minimum=1, maximum=1_000_000
    )
    uploads_per_minute: int = setting(
        20, "Uploads of one session in a minute.", minimum=1, maximum=10_000
    )
    uploads_at_once: int = setting(
        8, "Uploads at the same time, of all sessions.", minimum=1, maximum=1_000
    )
    experiments_per_minute: int = setting(
        600, "Experiments of one session in a minute.", minimum=1, maximum=100_000
    )
    experiments_per_minute_in_all: int = setting(
        30_000, "Experiments of all sessions in a minute.", minimum=1, maximum=1_000_000
    )
    lab_runs_per_minute: int = setting(
        20, "Lab runs of one session in a minute.", minimum=1, maximum=10_000
    )
    lab_runs_per_minute_in_all: int = setting(
        1_200, "Lab runs of all sessions in a minute.", minimum=1, maximum=100_000
    )
    lab_training_seconds: int = setting(
        10, "Computing seconds of a lab program that trains, else 2.", minimum=2, maximum=120
    )
    lab: Lab = setting(
        Lab.ON,
        "Whether students' code runs and their files are loaded: `on` (if the jail holds) or "
        "`off`, which also saves the jail's memory.",
    )

    gpu_experiments_at_once: int = setting(
        0,
        "Experiments on one GPU at once, as far as its memory suffices for 2 GiB each. `0`: as "
        "many as its memory suffices for, 4 at most.",
        minimum=0,
        maximum=64,
    )
    gpu_memory_share: int = setting(
        90, "Percent of each GPU's memory for all experiments together.", minimum=10, maximum=100
    )

    data_folder: Path = setting(
        ROOT / "data",
        "The folder of the database and the cookie secret, which must outlive the server.",
    )
    database: str = setting(
        "",
        "The database of progress, as a SQLAlchemy URL, e.g. "
        "`postgresql+psycopg://user:password@host/name`. Empty: a SQLite file in the data folder.",
        is_secret=True,
    )
    keep_days: int = setting(
        365,
        "What is saved of a student is deleted so many days after the last visit. `0`: never.",
        maximum=36_500,
    )
    metrics_token: str = setting(
        "",
        "Requests with `Authorization: Bearer <token>` may read `/api/metrics`. Empty: only "
        "requests from this computer.",
        is_secret=True,
    )
    log_format: LogFormat = setting(LogFormat.TEXT, "`text`, or `json` (one object a line).")
    log_level: LogLevel = setting(LogLevel.INFO, "The lowest level that is logged.")
    ray_address: str = setting(
        "",
        "The Ray cluster that runs the experiments, as `ray start --head` prints it, e.g. "
        "`10.0.0.5:6379`; this machine must be one of its nodes. Empty: this machine.",
    )

    def __post_init__(self) -> None:
        """Check that the settings do not contradict each other."""
        for sentence, is_wrong in _contradictions(self).items():
            if is_wrong:
                raise SettingError(sentence)

    @property
    def is_https(self) -> bool:
        """True if visitors come over TLS, according to the public address."""
        return self.public_address.startswith("https://")


def variable(name: str) -> str:
    """Return the environment variable of a field.

    >>> variable("most_sessions")
    'PLAYGROUND_MOST_SESSIONS'
    """
    return PREFIX + name.upper()


def read(environment: Mapping[str, str]) -> Settings:
    """Read the settings from an environment; an empty variable counts as none.

    Raises:
        SettingError: A value is invalid, or a variable begins with the prefix and is unknown.

    >>> read({"PLAYGROUND_GATE": "code", "PLAYGROUND_CLASS_CODE": "tensor"}).gate
    <Gate.CODE: 'code'>
    """
    known = {variable(field.name): field for field in fields(Settings)}
    files = {name + FILE_SUFFIX: name for name, field in known.items() if is_secret(field)}
    given = {
        name: text.strip()
        for name, text in environment.items()
        if name.startswith(PREFIX) and name not in SANDBOX_VARIABLES and text.strip()
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
    """Return the settings of this process, which are read once."""
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
    """Return the sentence of each contradiction, and whether the settings have it."""
    code, teachers = settings.class_code, settings.teacher_code
    asks, signs_in = settings.gate is Gate.CODE, settings.gate is Gate.OIDC
    lengths = {
        f"{variable(name)} must have at least {minimum} characters.": 0 < len(given) < minimum
        for name, given, minimum in (
            ("class_code", code, MIN_CODE_CHARACTERS),
            ("teacher_code", teachers, MIN_CODE_CHARACTERS),
            ("cookie_secret", settings.cookie_secret, MIN_SECRET_CHARACTERS),
            ("metrics_token", settings.metrics_token, MIN_SECRET_CHARACTERS),
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
        and settings.cookie_hours > MAX_OIDC_HOURS,
        "PLAYGROUND_PUBLIC_ADDRESS must begin with https:// or http:// and name a host, without "
        "a path.": bool(settings.public_address)
        and not PUBLIC_ADDRESS.fullmatch(settings.public_address),
        "PLAYGROUND_EMBEDDED_BY must be host names such as moodle.example.edu, separated by "
        "commas, without https:// or a path.": not all(
            EMBEDDING_HOST.fullmatch(host) for host in settings.embedded_by
        ),
        "PLAYGROUND_EMBEDDED_BY needs a PLAYGROUND_PUBLIC_ADDRESS that begins with https://: "
        "otherwise browsers keep no cookie in a frame.": bool(settings.embedded_by)
        and not settings.is_https,
        "PLAYGROUND_EMBEDDED_BY must be empty where PLAYGROUND_GATE is oidc: providers allow no "
        "frame around their sign-in.": bool(settings.embedded_by) and signs_in,
        "PLAYGROUND_RAY_ADDRESS must be host:port as `ray start --head` prints it, without ray://, "
        "e.g. 10.0.0.5:6379.": bool(settings.ray_address)
        and not RAY_ADDRESS.fullmatch(settings.ray_address),
    }
