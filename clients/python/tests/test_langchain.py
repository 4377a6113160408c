"""LangChain's agent with the middleware, against the service and a provider."""

import asyncio
from typing import Any

from conftest import MODEL, RULES, Outage, Provider, Work, check
from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from anchord import Anchord
from anchord.langchain import AnchordMiddleware, summarizer


def test_a_long_run_is_compressed_and_outlives_failures(
    client: Anchord, failing: Anchord, outage: Outage, provider: Provider, work: Work, session: str
) -> None:
    agent: Any = create_agent(
        f"openai:{MODEL}",
        tools=work.tools(),
        system_prompt=RULES,
        middleware=[AnchordMiddleware(MODEL, client=failing)],
        checkpointer=InMemorySaver(),
    )
    thread = {"configurable": {"thread_id": session}, "recursion_limit": 500}
    agent.invoke({"messages": [{"role": "user", "content": work.task}]}, thread)
    question = "Are all of them done?"
    # Loops over a stream read what each step changed: there is no step that changes nothing.
    again = {"messages": [{"role": "user", "content": "Is one of them done?"}]}
    for chunk in agent.stream(again, thread, stream_mode="updates"):
        assert all(update["messages"] for update in chunk.values())
    result = asyncio.run(agent.ainvoke({"messages": [{"role": "user", "content": question}]}, thread))
    assert outage.failed == len(outage.failing)
    # The thread stays whole: 2 messages of a person, and of each step a call with its result.
    assert len(result["messages"]) == len(list(client.messages.iter(session)))
    check(
        client, session, provider, work, [work.task, again["messages"][0]["content"], question], system_is_stored=False
    )


def test_a_thread_is_served_as_its_own_messages_and_may_be_cut_and_forked(client: Anchord, session: str) -> None:
    call = {"id": "1", "name": "read_file", "args": {"path": "a.py"}}
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    used = {"type": "tool_use", "id": "1", "name": "read_file", "input": {"path": "a.py"}}
    parts: list[str | dict[Any, Any]] = [thinking, {"type": "text", "text": "I do."}, used]
    said: list[AnyMessage] = [
        HumanMessage("Read a.py."),
        AIMessage(parts, tool_calls=[call]),
        ToolMessage("x = 1", tool_call_id="1", name="read_file"),
        HumanMessage([{"type": "image", "base64": "aGk=", "mime_type": "image/png"}]),
    ]
    for _ in "first", "repeated", "as after a restart":
        served = AnchordMiddleware(MODEL, client=client).context(session, said)
        assert len(served) == 4 and all(a is b for a, b in zip(served, said, strict=True)), served
    middleware = AnchordMiddleware(MODEL, client=client)
    said.append(AIMessage("It is one line."))
    assert middleware.context(session, said)[-1] is said[-1]
    assert middleware.context(session, said[:1]) == said[:1]
    forked: list[AnyMessage] = [*said[:1], AIMessage("Which one?"), HumanMessage("The one in src.")]
    for thread in forked, said, forked:
        assert middleware.context(session, thread) == thread


def test_messages_given_to_the_client_are_stored_as_what_they_are(client: Anchord, session: str) -> None:
    call = {"id": "1", "name": "read_file", "args": {"path": "a.py"}}
    said: list[AnyMessage] = [
        SystemMessage("Be brief."),
        HumanMessage("Read a.py."),
        AIMessage([{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "I do."}], tool_calls=[call]),
        ToolMessage("x = 1", tool_call_id="1", name="read_file"),
    ]
    context = client.sync(session, said, model=MODEL)
    client.turn(session, [HumanMessage("Go on.")])
    roles = [item["message"]["role"] for item in client.messages.iter(session)]
    assert roles == ["system", "user", "assistant", "tool", "user"]
    assert context["messages"][2]["tool_calls"][0]["function"] == {"name": "read_file", "arguments": '{"path": "a.py"}'}
    assert context["messages"][2]["content"] == [{"type": "text", "text": "I do."}]


def test_langchains_own_middleware_has_its_summaries_from_the_service(
    client: Anchord, provider: Provider, work: Work, session: str
) -> None:
    own: Any = SummarizationMiddleware(
        f"openai:{MODEL}",
        trigger=("tokens", 8_000),
        keep=("messages", 4),
        summarizer=summarizer(MODEL),
        trim_tokens_to_summarize=None,
    )
    agent: Any = create_agent(f"openai:{MODEL}", tools=work.tools(), system_prompt=RULES, middleware=[own])
    thread = {"configurable": {"thread_id": session}, "recursion_limit": 500}
    result = agent.invoke({"messages": [{"role": "user", "content": work.task}]}, thread)
    assert "All checks passed" in result["messages"][-1].content and provider.refused.read_text() == ""
    # No model wrote a summary, and the last request has that of the service.
    assert all(call["request"]["messages"][0]["content"] == RULES for call in provider.calls())
    assert "Files Modified" in str(provider.calls()[-1]["request"])
    assert client.sessions.get(session)["compression_count"] >= 2
    # Each message that went is stored once.
    stored = [one["message"] for one in client.messages.iter(session)]
    calls = [str(message["tool_calls"][0]["id"]) for message in stored if message["role"] == "assistant"]
    assert len(calls) == len(set(calls)) > 20
