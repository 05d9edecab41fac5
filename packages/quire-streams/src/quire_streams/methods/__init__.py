"""How one instance of a stream is answered: the methods, each a row of a style, a memory and a router.

Nothing else knows their names: to add one, add a row. Five styles and routers and five memories make every
method of the StreamBench paper (arXiv 2406.08747), its ablations, and some that it does not have. `styles`
ask a model and read its answer; the PDF agent as a solver, in its own styles, is `agent_styles`. `twin` finds
the row that differs only in having no memory, which is what a gain is measured against.
"""

from __future__ import annotations

from dataclasses import dataclass

from quire.registry import Registry, Rows

STYLES = Registry(
    "style",
    {
        "direct": "quire_streams.methods.styles:DirectStyle",
        "reason": "quire_streams.methods.styles:ReasonStyle",
        "refine": "quire_streams.methods.styles:RefineStyle",
    },
    "quire.styles",
)
# The same names for the PDF agent, which works in turns instead of answering one prompt.
AGENT_STYLES = Registry(
    "style",
    {
        "direct": "quire_streams.methods.agent_styles:DIRECT",
        "reason": "quire_streams.methods.agent_styles:REASON",
        "refine": "quire_streams.methods.agent_styles:REFINE",
    },
    "quire.agent_styles",
)


@dataclass(frozen=True, slots=True)
class StreamMethod:
    """A row. `admit`, `render` and `readers` name the parts of the memory; see `quire_streams.memories`."""

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
    StreamMethod("zero_shot", paper="Zero-Shot"),
    StreamMethod("few_shot", memory="fixed", paper="Few-Shot"),
    StreamMethod("cot", style="reason", paper="CoT"),
    StreamMethod("self_refine", style="refine", paper="Self-Refine"),
    StreamMethod("grow_prompt", memory="window", render="verdict", paper="GrowPrompt"),
    StreamMethod("mem_prompt", memory="retrieved", render="verdict", paper="MemPrompt"),
    StreamMethod("self_stream_icl", memory="retrieved", admit="right", paper="Self-StreamICL"),
    StreamMethod(
        "mam_stream_icl", memory="retrieved", admit="right", router="round_robin", paper="MAM-StreamICL"
    ),
    # Ablations of the paper: Figure 2 (which verdicts help) and Table 9 (whose memory helps).
    StreamMethod("grow_prompt_only_right", memory="window", admit="right", render="verdict"),
    StreamMethod("grow_prompt_only_wrong", memory="window", admit="wrong", render="verdict"),
    StreamMethod("mem_prompt_only_right", memory="retrieved", admit="right", render="verdict"),
    StreamMethod("mem_prompt_only_wrong", memory="retrieved", admit="wrong", render="verdict"),
    StreamMethod(
        "mam_one_author",
        memory="retrieved",
        admit="right",
        router="round_robin_one_author",
        paper="MAM-StreamICL (ablation)",
    ),
    StreamMethod(
        "mam_own_memories", memory="retrieved", admit="right", router="round_robin", readers="oneself"
    ),
    StreamMethod("zero_shot_round_robin", router="round_robin"),
    # Beyond the paper.
    StreamMethod("cot_stream_icl", style="reason", memory="retrieved", admit="right", render="reasoned"),
    StreamMethod(
        "cot_mam", style="reason", memory="retrieved", admit="right", render="reasoned", router="round_robin"
    ),
    StreamMethod("cot_round_robin", style="reason", router="round_robin"),
    StreamMethod("mam_thompson", memory="retrieved", admit="right", router="thompson"),
    StreamMethod("mam_dynamic_thompson", memory="retrieved", admit="right", router="dynamic_thompson"),
    StreamMethod("mam_author", memory="retrieved", admit="right", render="author", router="round_robin"),
    StreamMethod("playbook", memory="playbook"),
    StreamMethod("playbook_mam", memory="playbook", router="round_robin"),
)

METHODS: Rows[StreamMethod] = Rows("method", {row.name: row for row in _ROWS}, "quire.stream_methods")
PAPER_METHODS = tuple(row.name for row in _ROWS[:8])


def twin(of: StreamMethod) -> StreamMethod:
    """The same style and kind of routing without any memory."""
    router = "one" if of.router == "one" else "round_robin"
    return next(
        row for row in _ROWS if row.memory == "none" and row.style == of.style and row.router == router
    )
