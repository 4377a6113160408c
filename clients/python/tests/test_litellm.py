"""LiteLLM's SDK with the callback, and its proxy with the guardrail, against the service and a provider."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import httpx2
import litellm
import pytest
from conftest import MODEL, RULES, Outage, Provider, Work, check, free_port
from litellm.types.utils import CallTypes  # pyright: ignore[reportMissingTypeStubs]
from openai import AsyncOpenAI, InternalServerError

from anchord import Anchord, AsyncAnchord
from anchord.litellm import AnchordCallback, AnchordGuardrail

Complete = Callable[..., Coroutine[Any, Any, Any]]
QUESTION = "Are all of them done?"
MASTER = "sk-of-the-proxy"


async def run(complete: Complete, work: Work, said: list[str], messages: list[Any]) -> None:
    """An agent that keeps its whole list, and sends it to the model each time."""
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
    for one in said:
        messages.append({"role": "user", "content": one})
        while True:
            reply = await complete(messages=messages, tools=offered)
            message: Any = reply.choices[0].message
            messages.append(message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
            calls: list[Any] = message.tool_calls or []
            for call in calls:
                output = tools[call.function.name](**json.loads(call.function.arguments))
                messages.append({"role": "tool", "tool_call_id": call.id, "content": output})
            if not calls:
                break


async def whole(client: Anchord, session: str, complete: Complete, work: Work) -> None:
    """A run, until all of it is stored: the last answer is, behind the caller's back."""
    messages: list[Any] = [{"role": "system", "content": RULES}]
    await run(complete, work, [work.task, QUESTION], messages)
    for _ in range(100):
        if client.sessions.get(session)["head_seq"] == len(messages):
            return
        await asyncio.sleep(0.1)


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
    acompletion: Any = litellm.acompletion

    async def complete(**given: Any) -> Any:
        return await acompletion(model=f"openai/{MODEL}", litellm_session_id=session, **given)

    asyncio.run(whole(client, session, complete, work))
    assert outage.failed == len(outage.failing)
    check(client, session, provider, work, [work.task, QUESTION], system_is_stored=True)


def test_a_call_without_a_session_passes_as_it_is(
    service: str, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(litellm, "callbacks", [AnchordCallback()])
    said = [{"role": "user", "content": "Hello."}]
    complete: Any = litellm.acompletion
    asyncio.run(complete(model=f"openai/{MODEL}", messages=said))
    assert provider.calls()[0]["request"]["messages"] == said


@pytest.fixture(scope="module")
def proxy(service: str, one_provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """LiteLLM's proxy with the configuration that the document prints, and more of its kind."""
    document = (Path(__file__).parents[3] / "docs/python.md").read_text()
    (printed,) = re.findall(r"^```yaml\n(.*?)^```", document, re.DOTALL | re.MULTILINE)
    yaml: Any = importlib.import_module("yaml")
    config: Any = yaml.safe_load(printed.replace("gpt-4o", MODEL))
    # A model to which LiteLLM translates the calls of Anthropic's API.
    translated = {"model": f"hosted_vllm/{MODEL}", "api_base": f"{one_provider.url}/v1", "api_key": "unused"}
    config["model_list"].append({"model_name": "translated", "litellm_params": translated})
    as_is = {"model": f"anthropic/{MODEL}", "api_base": one_provider.url, "api_key": "unused"}
    config["model_list"].append({"model_name": "as-is", "litellm_params": as_is})
    away = {"guardrail": "anchord.litellm.AnchordGuardrail", "mode": "pre_call", "api_base": "http://127.0.0.1:9"}
    theirs = {
        "guardrail": "headroom",
        "mode": "pre_call",
        "api_base": service,
        "api_key": os.environ["ANCHORD_API_KEY"],
    }
    config["guardrails"].append({"guardrail_name": "away", "litellm_params": away})
    config["guardrails"].append({"guardrail_name": "headroom", "litellm_params": theirs})
    folder = tmp_path_factory.mktemp("proxy")
    (folder / "config.yaml").write_text(json.dumps(config))
    port = str(free_port())
    environment = {
        "OPENAI_BASE_URL": f"{one_provider.url}/v1",
        "OPENAI_API_KEY": "unused",
        "LITELLM_MASTER_KEY": MASTER,
    }
    program = [str(Path(sys.executable).parent / "litellm"), "--config", str(folder / "config.yaml")]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [*program, "--host", "127.0.0.1", "--port", port], env=os.environ | environment, stdout=log, stderr=log
        )
    url = f"http://127.0.0.1:{port}"
    for _ in range(3000):
        try:
            httpx2.get(f"{url}/health/liveliness")
            break
        except httpx2.TransportError:
            assert process.poll() is None, (folder / "log").read_text()
            time.sleep(0.1)
    else:
        raise RuntimeError((folder / "log").read_text())
    yield url
    process.terminate()
    process.wait()


def through(proxy: str, **headers: str) -> Complete:
    async def complete(**given: Any) -> Any:
        async with AsyncOpenAI(base_url=f"{proxy}/v1", api_key=MASTER, max_retries=0) as agent:
            create: Any = agent.chat.completions.create
            return await create(model=MODEL, extra_headers=headers, **given)

    return complete


def test_the_proxy_gives_the_model_the_context_of_the_session(
    client: Anchord, proxy: str, provider: Provider, work: Work, session: str
) -> None:
    asyncio.run(whole(client, session, through(proxy, **{"x-litellm-session-id": session}), work))
    check(client, session, provider, work, [work.task, QUESTION], system_is_stored=True)


def test_the_proxy_compresses_a_call_without_a_session_by_itself(
    client: Anchord, proxy: str, provider: Provider, work: Work
) -> None:
    before = [one["session_id"] for one in client.sessions.iter()]
    messages: list[Any] = [{"role": "system", "content": RULES}]
    asyncio.run(run(through(proxy), work, [work.task], messages))
    assert provider.refused.read_text() == ""
    assert "All checks passed" in messages[-1]["content"]
    first, last = (provider.calls()[place]["request"]["messages"] for place in (0, -1))
    assert first == messages[:2] and len(last) < len(messages) / 2
    assert "Files Modified" in json.dumps(last)
    assert [one["session_id"] for one in client.sessions.iter()] == before


def test_the_proxy_does_the_same_for_anthropics_messages(
    client: Anchord, proxy: str, provider: Provider, work: Work, session: str
) -> None:
    tools = {tool.__name__: tool for tool in work.tools()}
    offered: list[dict[str, Any]] = [
        {
            "name": name,
            "input_schema": {
                "type": "object",
                "properties": {key: {"type": "string"} for key in signature(tool).parameters},
            },
        }
        for name, tool in tools.items()
    ]
    headers = {"authorization": f"Bearer {MASTER}", "x-litellm-session-id": session}
    said: list[dict[str, Any]] = [{"role": "user", "content": work.task}]
    while said[-1]["role"] == "user":
        body = {"model": "as-is", "max_tokens": 1000, "system": RULES, "tools": offered, "messages": said}
        reply = httpx2.post(f"{proxy}/v1/messages", json=body, headers=headers, timeout=60)
        assert reply.status_code == 200, reply.text
        content: list[dict[str, Any]] = reply.json()["content"]
        said.append({"role": "assistant", "content": content})
        results = [
            {"type": "tool_result", "tool_use_id": one["id"], "content": tools[one["name"]](**one["input"])}
            for one in content
            if one["type"] == "tool_use"
        ]
        if results:
            said.append({"role": "user", "content": results})
    assert provider.refused.read_text() == "" and "All checks passed" in json.dumps(said[-1])
    last = provider.calls()[-1]
    assert last["path"] == "/v1/messages" and last["request"]["system"] == RULES
    assert len(last["request"]["messages"]) < len(said) / 2 and "Files Modified" in json.dumps(last["request"])
    # The last answer would come with the next list.
    assert [one["message"] for one in client.messages.iter(session)] == said[:-1]
    assert client.sessions.get(session)["compression_count"] >= 1


def test_the_proxy_asks_once_for_a_call_that_it_translates(
    client: Anchord, proxy: str, provider: Provider, session: str
) -> None:
    said: list[dict[str, Any]] = [{"role": "user", "content": "Hello."}]
    for more in range(2):
        body = {"model": "translated", "max_tokens": 100, "system": RULES, "messages": said}
        headers = {"authorization": f"Bearer {MASTER}", "x-litellm-session-id": session}
        reply = httpx2.post(f"{proxy}/v1/messages", json=body, headers=headers, timeout=60)
        assert reply.headers["x-litellm-applied-guardrails"] == "anchord", reply.text
        said += [{"role": "assistant", "content": reply.json()["content"]}, {"role": "user", "content": f"And {more}?"}]
    assert provider.calls()[0]["path"] == "/v1/chat/completions"
    assert [one["message"] for one in client.messages.iter(session)] == said[:3]
    assert [branch["name"] for branch in client.branches.iter(session)] == ["main"]


def test_a_call_passes_while_the_service_is_away(proxy: str, provider: Provider) -> None:
    said = [{"role": "user", "content": "Hello."}]
    reply = asyncio.run(through(proxy)(messages=said, extra_body={"guardrails": ["away"]}))
    assert reply.choices and provider.calls()[0]["request"]["messages"] == said


def test_litellms_own_guardrail_for_such_services_is_refused(proxy: str, provider: Provider) -> None:
    """It wants each message back in its place, so that the document says to take the one of this package."""
    said = [{"role": "user", "content": f"Hello, {one}."} for one in "abc"]
    with pytest.raises(InternalServerError, match="Headroom compression service returned an error") as caught:
        asyncio.run(through(proxy)(messages=said, extra_body={"guardrails": ["headroom"]}))
    assert caught.value.status_code == 502 and provider.calls() == []


def test_two_keys_of_the_proxy_have_two_sessions() -> None:
    asked: list[str] = []

    async def noted(request: httpx2.Request) -> httpx2.Response:
        if request.url.path.startswith("/v1/models"):
            return httpx2.Response(200, json={"context_window": 16_385, "reserved_output_tokens": 3_277})
        asked.append(request.url.path.split("/")[3])
        return httpx2.Response(200, json={"session_id": "s", "context": {"messages": []}})

    client = AsyncAnchord("http://service", "ak_1", transport=httpx2.MockTransport(noted))
    guardrail = AnchordGuardrail(client=client, guardrail_name="anchord", event_hook="pre_call", default_on=True)

    async def call(key: str, **named: Any) -> None:
        given = {"model": MODEL, "messages": [{"role": "user", "content": "Hello."}], **named}
        metadata = {**named.get("metadata", {}), "user_api_key_hash": key}
        await guardrail.async_pre_call_deployment_hook(given | {"metadata": metadata}, CallTypes.acompletion)

    async def calls() -> None:
        for key in "0" * 64, "1" * 64, "the operator's own":
            await call(key, litellm_session_id="work")
        await call("none", litellm_session_id="no name: ä/ö")
        # LiteLLM's own word for a call that names none.
        await call("none", metadata={"session_id": "random", "litellm_session_id_generated": True})

    asyncio.run(calls())
    assert asked[:3] == [f"{'0' * 12}:work", f"{'1' * 12}:work", "work"]
    assert len(asked) == 4 and re.fullmatch(r"litellm-[0-9a-f]{64}", asked[3])
