"""What all adapters have in common: what is counted, raised and outlived."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import httpx2
import litellm
import pytest
from agents import Agent as SdkAgent
from agents import OpenAIChatCompletionsModel, RunConfig, Runner, function_tool, set_tracing_disabled
from conftest import MODEL, RULES, Provider, Work
from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from openai import AsyncOpenAI
from pydantic_ai import Agent as PydanticAgent

from anchord import Anchord, AsyncAnchord, ConnectionFailed, Invalid, Unauthorized
from anchord.agents import AnchordSession
from anchord.langchain import AnchordMiddleware
from anchord.litellm import AnchordCallback
from anchord.pydantic_ai import AnchordHistory

# About 2,000 tokens that no message has.
LONG = RULES + " Be careful." * 700
Arguments = dict[str, Any]
Speak = Callable[[str], Awaitable[object]]


def langchain(session: str, window: int | None, given: Arguments, work: Work) -> Speak:
    middleware = AnchordMiddleware(MODEL, window=window, client=Anchord(retries=0, **given))
    agent: Any = create_agent(f"openai:{MODEL}", tools=work.tools(), system_prompt=LONG, middleware=[middleware])
    thread = {"configurable": {"thread_id": session}}

    async def speak(said: str) -> None:
        await asyncio.to_thread(agent.invoke, {"messages": [{"role": "user", "content": said}]}, thread)

    return speak


def pydantic_ai(session: str, window: int | None, given: Arguments, work: Work) -> Speak:
    history = AnchordHistory(MODEL, AsyncAnchord(retries=0, **given), window=window)
    agent = PydanticAgent(f"openai-chat:{MODEL}", instructions=LONG, tools=work.tools(), capabilities=[history])
    return lambda said: agent.run(said, conversation_id=session)


def sdk_agent(work: Work) -> SdkAgent[None]:
    set_tracing_disabled(True)
    model = OpenAIChatCompletionsModel(MODEL, openai_client=AsyncOpenAI())
    return SdkAgent(name="it", model=model, instructions=LONG, tools=[function_tool(it) for it in work.tools()])


def agents_sdk(session: str, window: int | None, given: Arguments, work: Work) -> Speak:
    kept = AnchordSession(session, MODEL, window=window, client=AsyncAnchord(retries=0, **given))
    agent = sdk_agent(work)
    return lambda said: Runner.run(agent, said, session=kept, run_config=kept.run_config)


def lite_llm(session: str, window: int | None, given: Arguments, work: Work) -> Speak:
    litellm.callbacks = [AnchordCallback(window=window, client=AsyncAnchord(retries=0, **given))]
    tool = {"type": "function", "function": {"name": "it", "description": LONG, "parameters": {"type": "object"}}}
    complete: Any = litellm.acompletion

    async def speak(said: str) -> None:
        messages = [{"role": "user", "content": said}]
        await complete(model=f"openai/{MODEL}", messages=messages, tools=[tool], litellm_session_id=session)

    return speak


def run(speak: Speak, *texts: str) -> None:
    async def all_of_them() -> None:
        for said in texts:
            await speak(said)

    asyncio.run(all_of_them())


Adapter = Callable[[str, int | None, Arguments, Work], Speak]
ADAPTERS: list[Adapter] = [langchain, pydantic_ai, agents_sdk, lite_llm]
every_adapter = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.__name__)


@pytest.fixture(autouse=True)
def callbacks() -> Iterator[None]:
    """Without those of other tests: LiteLLM keeps the first of a class for good."""
    manager: Any = litellm.logging_callback_manager
    manager._reset_all_callbacks()
    yield
    manager._reset_all_callbacks()


@every_adapter
def test_a_wrong_key_is_raised_at_the_first_call(
    service: str, provider: Provider, work: Work, session: str, adapter: Adapter
) -> None:
    with pytest.raises(Unauthorized):
        run(adapter(session, None, {"api_key": "ak_wrong"}, work), "Hello.")
    assert provider.calls() == []


@every_adapter
def test_a_wrong_window_is_raised_at_the_first_call(
    service: str, provider: Provider, work: Work, session: str, adapter: Adapter
) -> None:
    with pytest.raises(Invalid, match="context_window"):
        run(adapter(session, 1, {}, work), "Hello.")
    assert provider.calls() == []


class Noted:
    """The requests of a client, by method and the last part of their path."""

    def __init__(self, adapter: Adapter) -> None:
        self.requests: list[str] = []
        noted = self.requests

        class Sync(httpx2.HTTPTransport):
            def handle_request(self, request: httpx2.Request) -> httpx2.Response:
                noted.append(request.method)
                return super().handle_request(request)

        class Async(httpx2.AsyncHTTPTransport):
            async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
                noted.append(request.method)
                return await super().handle_async_request(request)

        self.transport = Sync() if adapter is langchain else Async()


@every_adapter
def test_the_window_and_what_no_message_has_are_told_once(
    client: Anchord, provider: Provider, work: Work, session: str, adapter: Adapter
) -> None:
    noted = Noted(adapter)
    run(adapter(session, 20_000, {"transport": noted.transport}, work), "Hello.", "And again.", "And again.")
    settings = client.sessions.get(session)["settings"]
    assert settings.get("context_window") == 20_000
    assert 2_000 < (settings.get("system_tokens") or 0) < 4_000
    # One before the session is there, and one where the tools are known later than that.
    assert len(provider.calls()) == 3 and noted.requests.count("PATCH") <= 2


@every_adapter
def test_a_service_that_is_not_there_is_told_of_once_and_not_waited_for(
    service: str,
    provider: Provider,
    work: Work,
    session: str,
    adapter: Adapter,
    caplog: pytest.LogCaptureFixture,
) -> None:
    noted = Noted(adapter)
    speak = adapter(session, None, {"url": "http://127.0.0.1:9", "transport": noted.transport}, work)
    if adapter is agents_sdk:
        # It would know nothing.
        with pytest.raises(ConnectionFailed, match="http://127.0.0.1:9 .*ANCHORD_URL .*http://127.0.0.1:8080"):
            run(speak, "Hello.")
        return
    run(speak, "Hello.", "And again.")
    # The first call asked for the window to be set, and nothing asked again.
    assert len(provider.calls()) == 2 and len(noted.requests) == 1
    [told] = [record.getMessage() for record in caplog.records if record.name == "anchord"]
    assert "http://127.0.0.1:9 " in told and "ANCHORD_URL" in told and "http://127.0.0.1:8080" in told


def test_a_run_without_its_configuration_is_told_of(
    service: str, provider: Provider, work: Work, session: str, caplog: pytest.LogCaptureFixture
) -> None:
    agent = sdk_agent(work)

    async def ask(said: str, *, is_configured: bool) -> None:
        kept = AnchordSession(session, MODEL)
        await Runner.run(agent, said, session=kept, run_config=kept.run_config if is_configured else RunConfig())

    async def both() -> None:
        await ask("Hello.", is_configured=True)
        await ask("And again.", is_configured=True)
        assert caplog.records == []
        await ask("And again.", is_configured=False)

    asyncio.run(both())
    [told] = caplog.records
    assert told.levelno == logging.WARNING and "run_config=session.run_config" in told.getMessage()


def test_a_model_that_is_not_known_is_told_of_once(
    service: str, provider: Provider, work: Work, session: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = Anchord()
    for _ in range(2):
        client.turn(session, [{"role": "user", "content": "Hello."}], model="nobodys-model")
        client.sync(f"{session}-2", [{"role": "user", "content": "Hello."}], model="nobodys-model")
    [told] = [record.getMessage() for record in caplog.records]
    assert session in told and "nobodys-model" in told and "context_window" in told
