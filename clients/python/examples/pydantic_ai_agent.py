"""Pydantic AI: the history stays whole, the model gets anchord's context of it."""

import asyncio

from outcome import check
from pydantic_ai import Agent
from pydantic_ai.usage import UsageLimits
from tools import TASK, TOOLS

from anchord.pydantic_ai import AnchordHistory

history = AnchordHistory("gpt-3.5-turbo")


# The agent.
async def main():
    agent = Agent(
        "openai-chat:gpt-3.5-turbo",
        instructions="You are a coding agent.",
        tools=list(TOOLS.values()),
        capabilities=[history],
    )
    limits = {"usage_limits": UsageLimits(request_limit=None), "conversation_id": "pydantic-ai"}
    result = await agent.run(TASK, **limits)
    result = await agent.run("Are all of them done?", message_history=result.all_messages(), **limits)
    check("pydantic-ai", result.output, beside=4)


asyncio.run(main())
