"""The styles of a stream for the PDF agent: how it writes its turns, and who sees its answers first.

    direct   acts, without thoughts
    reason   a thought before every action, which is the agent's ordinary way
    refine   acts; a critic sees each answer before it leaves, at most four times

A style is two parts put together; `METHODS` names it, and no part knows which style it serves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from quire.ask.llm import LLMPolicy
from quire.ask.loop import Policy
from quire.ask.prompt import ACTING, THINKING, PromptStyle
from quire_streams.methods.criticism import Criticised, ModelCritic


@dataclass(frozen=True, slots=True)
class AgentStyle:
    """What goes into the prompt, and what is put around the policy (or gives it as it is)."""

    prompt_style: PromptStyle
    around: Callable[[LLMPolicy], Policy]


def alone(policy: LLMPolicy) -> Policy:
    """The policy and nothing around it."""
    return policy


def criticised(policy: LLMPolicy) -> Policy:
    """The same model as the critic of its answers."""
    return Criticised(policy, ModelCritic(policy.model, policy.window, policy.action_format))


DIRECT = AgentStyle(ACTING, alone)
REASON = AgentStyle(THINKING, alone)
REFINE = AgentStyle(ACTING, criticised)
