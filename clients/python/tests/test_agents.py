"""OpenAI's Agents SDK with the session, against the service and a provider."""

import asyncio
from typing import Any

import pytest
from agents import Agent, Runner, Session, function_tool, set_tracing_disabled
from conftest import MODEL, RULES, AsyncFailing, Outage, Provider, Work, check

from anchord import Anchord, AsyncAnchord, RateLimited
from anchord.agents import AnchordSession

REASONING: Any = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2Vj"}
CALL: Any = {"type": "function_call", "call_id": "1", "name": "read_file", "arguments": "{}"}
OUTPUT: Any = {"type": "function_call_output", "call_id": "1", "output": "x = 1"}


def test_a_long_run_is_compressed_and_outlives_failures(
    client: Anchord, async_failing: AsyncAnchord, outage: Outage, provider: Provider, work: Work, session: str
) -> None:
    set_tracing_disabled(True)
    agent = Agent[None](
        name="coder", model=MODEL, instructions=RULES, tools=[function_tool(tool) for tool in work.tools()]
    )
    kept = AnchordSession(session, MODEL, client=async_failing)
    question = "Are all of them done?"

    async def run() -> None:
        for said in (work.task, question):
            await Runner.run(agent, said, session=kept, max_turns=100, run_config=kept.run_config)

    asyncio.run(run())
    assert outage.failed == len(outage.failing) and kept.missed == []
    check(client, session, provider, work, [work.task, question], system_is_stored=False)


def test_a_run_does_not_begin_without_its_memory(service: str, session: str) -> None:
    async def run() -> None:
        client = AsyncAnchord(transport=AsyncFailing(Outage(range(1, 99))), longest_wait=5)
        with pytest.raises(RateLimited):
            await AnchordSession(session, MODEL, client=client).get_items()

    asyncio.run(run())


def test_items_are_served_as_they_were_and_the_last_ones_taken_back(service: str, session: str) -> None:
    async def run() -> None:
        kept: Any = AnchordSession(session, MODEL)
        assert isinstance(kept, Session)
        await kept.clear_session()
        assert await kept.get_items() == []
        await kept.add_items([])
        await kept.add_items([{"role": "user", "content": "Read a.py."}, REASONING, CALL, OUTPUT])
        assert (await kept.get_items())[1:] == [REASONING, CALL, OUTPUT]
        assert await kept.get_items(limit=1) == [OUTPUT]
        kept = AnchordSession(session, MODEL)
        await kept.add_items([{"role": "user", "content": "Go on."}])
        assert len(await kept.get_items()) == 5
        assert await kept.pop_item() == {"role": "user", "content": "Go on."}
        assert await kept.pop_item() == OUTPUT
        await kept.add_items([OUTPUT | {"output": "x = 2"}])
        assert (await kept.get_items())[1:] == [REASONING, CALL, OUTPUT | {"output": "x = 2"}]
        await kept.clear_session()
        assert await kept.get_items() == [] and await kept.pop_item() is None

    asyncio.run(run())
