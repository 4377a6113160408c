"""Pydantic AI's agent with the history, against the service and a provider."""

import asyncio

from conftest import MODEL, RULES, Outage, Provider, Work, check
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.usage import UsageLimits

from anchord import Anchord, AsyncAnchord
from anchord.pydantic_ai import AnchordHistory


def test_a_long_run_is_compressed_and_outlives_failures(
    client: Anchord, async_failing: AsyncAnchord, outage: Outage, provider: Provider, work: Work, session: str
) -> None:
    agent = Agent(
        f"openai-chat:{MODEL}",
        instructions=RULES,
        tools=work.tools(),
        capabilities=[AnchordHistory(MODEL, async_failing)],
    )
    question, limits = "Are all of them done?", UsageLimits(request_limit=None)

    async def run() -> list[ModelMessage]:
        first = await agent.run(work.task, conversation_id=session, usage_limits=limits)
        second = await agent.run(question, message_history=first.all_messages(), usage_limits=limits)
        return second.all_messages()

    history = asyncio.run(run())
    assert outage.failed == len(outage.failing)
    # The history stays whole: a request and an answer for each call of the model.
    assert len(history) == 2 * len(provider.calls())
    check(client, session, provider, work, [work.task, question], system_is_stored=False)


def test_a_history_is_served_as_its_own_messages(service: str, session: str) -> None:
    said: list[ModelMessage] = [
        ModelRequest(
            [SystemPromptPart("Be brief."), UserPromptPart(["Look.", BinaryContent(b"hi", media_type="image/png")])]
        ),
        ModelResponse(
            [
                ThinkingPart("Hm.", signature="c2ln"),
                TextPart("I read both."),
                ToolCallPart("read_file", {"path": "a.py"}, "1"),
                ToolCallPart("read_file", '{"path": "b.py"}', "2"),
            ]
        ),
        ModelRequest([ToolReturnPart("read_file", "x = 1", "1"), ToolReturnPart("read_file", {"y": 2}, "2")]),
        ModelResponse([TextPart("Done")]),
        ModelRequest([UserPromptPart("Say more.")]),
    ]

    async def run() -> None:
        history = AnchordHistory(MODEL)
        for _ in "first", "repeated":
            assert await history.process(session, said) == said

    asyncio.run(run())


def test_what_is_shortened_stays_with_its_call(client: Anchord, session: str) -> None:
    said: list[ModelMessage] = [ModelRequest([UserPromptPart("Read all files.")])]
    for step in range(30):
        said.append(ModelResponse([ToolCallPart("read_file", {"path": f"{step}.py"}, f"{step}")]))
        size = 100_000 if step == 29 else 700
        said.append(ModelRequest([ToolReturnPart("read_file", f"{step} = 1\n" * size, f"{step}")]))

    async def run() -> list[ModelMessage]:
        return await AnchordHistory(MODEL).process(session, said)

    served = asyncio.run(run())
    assert len(served) < len(said)
    # The service's own words are no answers of the model.
    answers = [part for message in served if isinstance(message, ModelResponse) for part in message.parts]
    assert answers and all(isinstance(part, ToolCallPart) for part in answers)
    calls = [part.tool_call_id for message in served for part in message.parts if isinstance(part, ToolCallPart)]
    results = [part for message in served for part in message.parts if isinstance(part, ToolReturnPart)]
    assert calls == [part.tool_call_id for part in results] and calls[-1] == "29"
    # An output that is larger than the window is served in part.
    assert "29 = 1" in results[-1].model_response_str() and len(results[-1].model_response_str()) < 100_000
    assert len(list(client.messages.iter(session))) == len(said)
