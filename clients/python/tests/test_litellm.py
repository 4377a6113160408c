"""LiteLLM's SDK with the callback, against the service and a provider."""

import asyncio
import json
from inspect import signature
from typing import Any

import litellm
import pytest
from conftest import MODEL, RULES, Outage, Provider, Work, check

from anchord import Anchord, AsyncAnchord
from anchord.litellm import AnchordCallback


async def run(work: Work, session: str, said: list[str], messages: list[Any]) -> None:
    tools = {tool.__name__: tool for tool in work.tools()}
    offered = [
        {
            "type": "function",
            "function": {
                "name": name,
                "parameters": {
                    "type": "object",
                    "properties": {key: {"type": "string"} for key in signature(tool).parameters},
                },
            },
        }
        for name, tool in tools.items()
    ]
    complete: Any = litellm.acompletion
    for one in said:
        messages.append({"role": "user", "content": one})
        while True:
            reply = await complete(
                model=f"openai/{MODEL}", messages=messages, tools=offered, litellm_session_id=session
            )
            message: Any = reply.choices[0].message
            messages.append(message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
            calls: list[Any] = message.tool_calls or []
            for call in calls:
                output = tools[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": output})
            if not calls:
                break


def test_a_long_run_is_compressed_and_outlives_failures(
    client: Anchord,
    async_failing: AsyncAnchord,
    outage: Outage,
    provider: Provider,
    work: Work,
    session: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(litellm, "callbacks", [AnchordCallback(client=async_failing)])
    messages: list[Any] = [{"role": "system", "content": RULES}]
    question = "Are all of them done?"

    async def all_of_it() -> None:
        await run(work, session, [work.task, question], messages)
        # The last answer is stored behind the caller's back.
        for _ in range(100):
            if client.sessions.get(session)["head_seq"] == len(messages):
                return
            await asyncio.sleep(0.1)

    asyncio.run(all_of_it())
    assert outage.failed == len(outage.failing)
    check(client, session, provider, work, [work.task, question], system_is_stored=True)


def test_a_call_without_a_session_passes_as_it_is(
    service: str, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(litellm, "callbacks", [AnchordCallback()])
    said = [{"role": "user", "content": "Hello."}]
    complete: Any = litellm.acompletion
    asyncio.run(complete(model=f"openai/{MODEL}", messages=said))
    assert provider.calls()[0]["request"]["messages"] == said
