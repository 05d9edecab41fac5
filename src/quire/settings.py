"""Settings: one tree of typed values, each with its default, unit and meaning.

Where a value comes from, strongest first: an argument of the command or call, the environment
(`QUIRE_SECTION__FIELD`, e.g. `QUIRE_PARSING__TIME_LIMIT=30`), the file `quire.toml` in the library folder,
the user's file (`$QUIRE_HOME/quire.toml`), the default here. `load()` merges them; nothing else reads them.
The library's file may make only harmless settings, and lower limits but not raise them, unless the user
trusts it (`quire.trust`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from quire import trust as trusting
from quire.errors import SettingsError

RESTORABLE = timedelta(days=30)
"""How long what is removed (papers, conversations, remembered answers) can be taken back."""
_DAY = 86_400.0  # seconds: more than that no clock of the system takes everywhere
_TERABYTE = 1 << 20  # MB
_MANY = 10**9


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _workers(value: Any) -> int | str:
    text = str(value)
    if re.fullmatch(r"ray(://[\w.:\[\]-]+:\d{1,5})?", text, re.ASCII):
        return text
    if re.fullmatch(r"\d{1,3}", text, re.ASCII) and 1 <= int(text) <= 256:
        return int(text)
    raise ValueError("a number from 1 to 256, `ray` or `ray://HOST:PORT`")


class Parsing(_Section):
    """Reading PDFs. Limits hold for each file, in its own child process."""

    parser: str = "pdfium"
    workers: Annotated[int | str, BeforeValidator(_workers)] = Field(
        default=2,
        description="parallel child processes; or a cluster: ray (on this machine), ray://HOST:PORT",
    )
    time_limit: float = Field(default=120.0, gt=0, le=_DAY, description="seconds per file, of its own")
    memory_limit: int = Field(default=2048, ge=256, le=_TERABYTE, description="address space per child, MB")
    max_pages: int = Field(
        default=2000, ge=1, le=_MANY, description="pages read of one file; the rest is told"
    )
    niceness: int = Field(default=0, ge=0, le=19, description="19: only when nothing else runs")
    chunk_tokens: int = Field(
        default=256, ge=16, le=_MANY, description="of the MiniLM tokenizer, which reads no more"
    )

    @property
    def children(self) -> int:
        """How many children may work at once on this machine, also beside a cluster."""
        return self.workers if isinstance(self.workers, int) else 2


class IndexSettings(_Section):
    """Vectors and search."""

    encoders: tuple[str, ...] = ("text_bm25_en", "text_sentence_transformers_all_minilm_l6_v2")
    vectors: str = Field(
        default="files", description="files, milvus:PATH or milvus+http://HOST:PORT (?words: words, too)"
    )
    pooling: str = Field(
        default="parts",
        pattern="^(parts|direct)$",
        description="vectors of passages, sections, pages, tables: means of those of their parts, or direct",
    )
    models: Path | None = Field(
        default=None, description="folder that holds model files; default: $QUIRE_HOME/models"
    )
    memory_limit: int = Field(default=700, ge=256, le=_TERABYTE, description="of the database, MB")
    batch_tokens: int = Field(default=512, ge=256, le=_MANY, description="tokens encoded at once")
    precision: Literal["auto", "float32", "int8"] = Field(
        default="auto", description="of the encoders' weights; auto: int8 where the processor has VNNI"
    )


class Sql(_Section):
    """Limits of SQL from users and agents, which runs in a child process."""

    time_limit: float = Field(default=10.0, gt=0, le=_DAY, description="seconds")
    memory_limit: int = Field(default=1024, ge=256, le=_TERABYTE, description="MB")
    max_rows: int = Field(default=10_000, ge=1, le=_MANY)
    max_bytes: int = Field(default=16_000_000, ge=1000, le=_MANY)


class Observations(_Section):
    """What an agent is shown of a result."""

    format: str = Field(default="json", pattern="^(json|markdown|html|plain)$")
    max_rows: int = Field(default=10, ge=1, le=_MANY)
    max_tokens: int = Field(default=5000, ge=100, le=_MANY)
    short_tokens: int = Field(
        default=1000, ge=0, le=_MANY, description="rows beyond max_rows are shown while all are within it"
    )


class Agent(_Section):
    """The loop of thought, action, observation."""

    method: str = "evidence_first"
    max_turns: int = Field(default=20, ge=1, le=_MANY)
    window: int = Field(default=5, ge=1, le=_MANY, description="last turns that a model sees in full")
    action_format: str = Field(default="markdown", pattern="^(markdown|json|tools)$")


class Memory(_Section):
    """What `ask` recalls of answers that were judged."""

    examples: int = Field(default=4, ge=0, le=32, description="worked examples that a model is shown")
    budget: int = Field(default=2000, ge=0, le=_MANY, description="tokens that they may take; 0: no limit")
    ranking: bool = Field(default=True, description="whether verdicts move the search")


class Fetch(_Section):
    """What `quire add` and `quire fetch-metadata` get from the network, where the user names it."""

    arxiv: str = Field(default="https://arxiv.org/pdf/", description="address before an arXiv id")
    doi: str = Field(default="https://doi.org/", description="address before a DOI")
    time_limit: float = Field(default=120.0, gt=0, le=_DAY, description="seconds of one download, all of it")
    max_mb: int = Field(default=200, ge=1, le=_TERABYTE, description="of one download")
    crossref: str = Field(default="https://api.crossref.org", description="registry of DOIs")
    openalex: str = Field(default="https://api.openalex.org", description="registry of works")
    semantic_scholar: str = Field(default="https://api.semanticscholar.org", description="registry of papers")
    mailto: str = Field(default="", description="your address, told to registries: they ask for one")
    pause: float = Field(default=1.0, ge=0, le=3600, description="seconds between requests to a registry")


class Price(_Section):
    """US dollars per million tokens."""

    prompt: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    cached: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    completion: float = Field(default=0.0, ge=0, allow_inf_nan=False)


class ModelSettings(_Section):
    """Language models, over any endpoint that speaks the OpenAI protocol. No `name`: the offline policy.

    A list as `name` means that these models take turns in answering.
    """

    name: str = ""
    others: tuple[str, ...] = Field(default=(), description="models that take turns with `name`")
    router: str = Field(default="round_robin", pattern="^(round_robin|thompson|dynamic_thompson)$")
    lesson: str = Field(default="", description="draws lessons from answers judged wrong; empty: none")
    summarise: str = Field(default="", description="model for summaries; empty: `name`")
    judge: str = Field(default="", description="model that judges answers; empty: `name`")
    see: str = Field(default="", description="model that sees images; empty: `name`")
    base_url: str = Field(
        default="", pattern="^(https?://.+)?$", description="empty: OPENAI_BASE_URL or the client's own"
    )
    vision: bool = True
    temperature: float = Field(default=0.0, allow_inf_nan=False)
    top_p: float = Field(default=1.0, allow_inf_nan=False)
    max_tokens: int = Field(default=1500, ge=1, le=_MANY)
    seed: int | None = None
    reasoning_effort: str = ""
    time_limit: float = Field(default=120.0, gt=0, le=_DAY, description="seconds per request")
    retries: int = Field(default=5, ge=0, le=100)
    requests_per_minute: int = Field(default=0, ge=0, le=_MANY, description="0: no limit")
    concurrency: int = Field(default=4, ge=1, le=256, description="running requests")
    cache: bool = True
    max_cost: float = Field(default=0.0, ge=0, allow_inf_nan=False, description="US dollars; 0: no limit")
    prices: dict[str, Price] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _several(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and isinstance(values.get("name"), list | tuple) and values["name"]:
            first, *others = values["name"]
            return {**values, "name": first, "others": tuple(others)}
        return values


class Settings(_Section):
    """All settings of one library."""

    library: Path
    offline: bool = False
    parsing: Parsing = Parsing()
    index: IndexSettings = IndexSettings()
    sql: Sql = Sql()
    observations: Observations = Observations()
    agent: Agent = Agent()
    model: ModelSettings = ModelSettings()
    memory: Memory = Memory()
    fetch: Fetch = Fetch()


def home() -> Path:
    """The user's folder of quire: `$QUIRE_HOME`, else the platform's data directory."""
    if given := os.environ.get("QUIRE_HOME"):
        return Path(given).expanduser()
    base = os.environ.get("XDG_DATA_HOME")
    return (Path(base) if base else Path.home() / ".local" / "share") / "quire"


def default_library() -> Path:
    """`$QUIRE_LIBRARY`, else `library` in the user's folder."""
    if given := os.environ.get("QUIRE_LIBRARY"):
        return Path(given).expanduser()
    return home() / "library"


def load(library: Path | str | None = None, **overrides: Any) -> Settings:
    """Merge all sources of settings.

    `overrides` are dotted by double underscore: `load(path, parsing__workers=4)`; None leaves a value alone.

    Raises:
        SettingsError: a file is not TOML, a name is unknown, a value is of the wrong type or range, or the
            library's file makes a setting that needs the user's trust.
    """
    tree: dict[str, Any] = {}
    for _, source in _sources(_folder(library), overrides):
        _merge(tree, source)
    return _valid(tree, _folder(library))


def _valid(tree: Mapping[str, Any], folder: Path) -> Settings:
    try:
        return Settings.model_validate({**tree, "library": folder})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SettingsError(
            f"Setting `{where}`: {first['msg']}.", hint="See `quire config` for all settings."
        ) from error


def changed(settings: Settings, **sections: Mapping[str, Any]) -> Settings:
    """The settings with some of one or more sections changed.

    Raises:
        SettingsError: one does not fit.
    """
    tree = settings.model_dump()
    for name, values in sections.items():
        tree[name] |= values
    return _valid(tree, settings.library)


def keep(section: str, **values: str | float) -> Path:
    """Write settings of a section into the user's own file, beside what stands there; gives the file.

    Raises:
        SettingsError: the file cannot be read or written.
    """
    from quire import atomic

    file = home() / "quire.toml"
    try:
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        file.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(file, trusting.with_values(text, section, **values))
    except (OSError, ValueError) as error:
        raise SettingsError(f"{file} cannot be changed: {error}.", hint="See to the file.") from error
    return file


def origins(library: Path | str | None = None, **overrides: Any) -> dict[str, str]:
    """Where each setting that is not at its default comes from: dotted name to the source's name."""
    found: dict[str, str] = {}
    for name, source in _sources(_folder(library), overrides):
        found.update({setting: name for setting, _ in trusting.leaves(source)})
    return found


def untrusted(library: Path | str | None = None) -> dict[str, Any]:
    """The settings of the library's own file that need the user's trust and have it not yet."""
    ours, file = home() / "quire.toml", _folder(library) / "quire.toml"
    content, tree = trusting.read(file)
    found = _needing(trusting.read(ours)[1], tree, _folder(library))
    return {} if found and trusting.trusted(home(), file, content) else found


def trust(library: Path | str | None = None) -> None:
    """Trust the library's own settings file, as it is now.

    Raises:
        SettingsError: there is none, or the trust cannot be written down.
    """
    file = _folder(library) / "quire.toml"
    content, _ = trusting.read(file)
    if not content:
        raise SettingsError(f"There is no settings file {file}.")
    trusting.trust(home(), file, content)


def _folder(library: Path | str | None) -> Path:
    return Path(library).expanduser() if library is not None else default_library()


def _sources(folder: Path, overrides: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The sources, weakest first."""
    ours, theirs = home() / "quire.toml", folder / "quire.toml"
    _, own = trusting.read(ours)
    yield str(ours), own
    content, tree = trusting.read(theirs)
    if (refused := _needing(own, tree, folder)) and not trusting.trusted(home(), theirs, content):
        raise SettingsError(
            f"The settings file {theirs} of the library sets {', '.join(f'`{name}`' for name in refused)},"
            " which can send your data and keys elsewhere, or take more of your machine than you allow.",
            hint=f"If you wrote it or trust who did: `quire config trust {folder}`. Else remove it.",
        )
    yield str(theirs), tree
    yield "environment", _from_environment(os.environ)
    given: dict[str, Any] = {}
    for name, value in overrides.items():
        if value is not None:
            _put(given, name.split("__"), value)
    yield "command", given


def _needing(own: Mapping[str, Any], tree: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """What of a library's file needs trust: what is not harmless, and limits above those without it."""
    found = trusting.needing(tree)
    if found or not tree:
        return found
    both = deepcopy(dict(own))
    _merge(both, tree)
    before, after = _valid(own, folder), _valid(both, folder)
    for name, value in trusting.leaves(tree):
        section, _, field = name.partition(".")
        now = getattr(getattr(after, section), field, None) if field else None
        if isinstance(now, int | float) and trusting.raises(
            name, getattr(getattr(before, section), field), now
        ):
            found[name] = value
    return found


def _from_environment(environment: Mapping[str, str]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, value in environment.items():
        if name == "QUIRE_OFFLINE":
            tree["offline"] = value
        elif name.startswith("QUIRE_") and "__" in name:
            _put(tree, name.removeprefix("QUIRE_").lower().split("__"), _listed(value))
    return tree


def _listed(value: str) -> Any:
    """Lists and tables come as JSON; everything else stays text, which is checked by its field's type."""
    if not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _put(tree: dict[str, Any], path: list[str], value: Any) -> None:
    *parents, leaf = path
    for part in parents:
        tree = tree.setdefault(part, {})
    tree[leaf] = value


def _merge(into: dict[str, Any], other: Mapping[str, Any]) -> None:
    for key, value in other.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value
