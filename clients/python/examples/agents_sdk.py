"""OpenAI's Agents SDK: a session that keeps every item, and sends the model its context."""

import asyncio

from agents import Agent, Runner, function_tool, set_tracing_disabled
from outcome import check
from tools import TASK, TOOLS

from anchord.agents import AnchordSession

session = AnchordSession("agents", model="gpt-3.5-turbo")


# The agent.
async def main():
    set_tracing_disabled(True)
    agent = Agent(
        name="coder",
        model="gpt-3.5-turbo",
        instructions="You are a coding agent.",
        tools=[function_tool(tool) for tool in TOOLS.values()],
    )
    for said in (TASK, "Are all of them done?"):
        result = await Runner.run(agent, said, session=session, max_turns=100, run_config=session.run_config)
    check(session.session_id, result.final_output, beside=6)


asyncio.run(main())
