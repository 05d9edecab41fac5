"""The methods: each a row of a style, a memory and a router. Nothing else knows their names.

To add one, add a row. `twin` finds the row that differs only in having no memory, which is what a gain is
measured against.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from quire.errors import UnknownNameError
from quire.registry import Registry

STYLES = Registry(
    "style",
    {
        "direct": "quire.agents.stream.direct:DirectStyle",
        "reason": "quire.agents.stream.reason:ReasonStyle",
        "refine": "quire.agents.stream.refine:RefineStyle",
    },
)
# The same names for the PDF agent, which works in turns instead of answering one prompt.
AGENT_STYLES = Registry(
    "style",
    {
        "direct": "quire.agents.stream.agent_styles:DIRECT",
        "reason": "quire.agents.stream.agent_styles:REASON",
        "refine": "quire.agents.stream.agent_styles:REFINE",
    },
)
ROUTERS = Registry(
    "router",
    {
        "one": "quire.agents.stream.routers:OneModel",
        "round_robin": "quire.agents.stream.routers:RoundRobin",
        "round_robin_one_author": "quire.agents.stream.routers:RoundRobinOneAuthor",
        "thompson": "quire.agents.stream.routers:Thompson",
        "dynamic_thompson": "quire.agents.stream.routers:DynamicThompson",
    },
)


@dataclass(frozen=True, slots=True)
class Method:
    """A row. `admit`, `render` and `readers` name the parts of the memory; see `quire.memory`."""

    name: str
    style: str = "direct"
    memory: str = "none"
    admit: str = "judged"
    render: str = "plain"
    router: str = "one"
    readers: str = "everyone"
    paper: str = ""  # its name in the paper's tables

    @property
    def compares(self) -> bool:
        """Its memory measures likeness, so the encoder matters."""
        return self.memory in ("retrieved", "playbook")

    @property
    def stateless(self) -> bool:
        """No step depends on another, so steps may run at the same time."""
        return self.memory in ("none", "fixed") and self.router in ("one", "round_robin")


_ROWS = (
    Method("zero_shot", paper="Zero-Shot"),
    Method("few_shot", memory="fixed", paper="Few-Shot"),
    Method("cot", style="reason", paper="CoT"),
    Method("self_refine", style="refine", paper="Self-Refine"),
    Method("grow_prompt", memory="window", render="verdict", paper="GrowPrompt"),
    Method("mem_prompt", memory="retrieved", render="verdict", paper="MemPrompt"),
    Method("self_stream_icl", memory="retrieved", admit="right", paper="Self-StreamICL"),
    Method("mam_stream_icl", memory="retrieved", admit="right", router="round_robin", paper="MAM-StreamICL"),
    # Ablations of the paper: Figure 2 (which verdicts help) and Table 9 (whose memory helps).
    Method("grow_prompt_only_right", memory="window", admit="right", render="verdict"),
    Method("grow_prompt_only_wrong", memory="window", admit="wrong", render="verdict"),
    Method("mem_prompt_only_right", memory="retrieved", admit="right", render="verdict"),
    Method("mem_prompt_only_wrong", memory="retrieved", admit="wrong", render="verdict"),
    Method(
        "mam_one_author",
        memory="retrieved",
        admit="right",
        router="round_robin_one_author",
        paper="MAM-StreamICL (ablation)",
    ),
    Method("mam_own_memories", memory="retrieved", admit="right", router="round_robin", readers="oneself"),
    Method("zero_shot_round_robin", router="round_robin"),
    # Beyond the paper.
    Method("cot_stream_icl", style="reason", memory="retrieved", admit="right", render="reasoned"),
    Method(
        "cot_mam", style="reason", memory="retrieved", admit="right", render="reasoned", router="round_robin"
    ),
    Method("cot_round_robin", style="reason", router="round_robin"),
    Method("mam_thompson", memory="retrieved", admit="right", router="thompson"),
    Method("mam_dynamic_thompson", memory="retrieved", admit="right", router="dynamic_thompson"),
    Method("mam_author", memory="retrieved", admit="right", render="author", router="round_robin"),
    Method("playbook", memory="playbook"),
    Method("playbook_mam", memory="playbook", router="round_robin"),
)

METHODS: Mapping[str, Method] = {row.name: row for row in _ROWS}
PAPER_METHODS = tuple(row.name for row in _ROWS[:8])


def method(name: str) -> Method:
    """The row of that name.

    Raises:
        UnknownNameError: there is none; the message lists the choices.
    """
    if name not in METHODS:
        choices = ", ".join(METHODS)
        raise UnknownNameError(f"There is no method named `{name}`.", hint=f"Choose from: {choices}.")
    return METHODS[name]


def twin(of: Method) -> Method:
    """The same style and kind of routing without any memory."""
    router = "one" if of.router == "one" else "round_robin"
    return next(
        row for row in _ROWS if row.memory == "none" and row.style == of.style and row.router == router
    )
