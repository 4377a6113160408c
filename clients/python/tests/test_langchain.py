"""LangChain's agent with the middleware, against the service and a provider."""

import asyncio
from typing import Any

from conftest import MODEL, RULES, Outage, Provider, Work, check
from langchain.agents import create_agent  # pyright: ignore[reportUnknownVariableType]
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver

from anchord import Anchord
from anchord.langchain import AnchordMiddleware


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
    result = asyncio.run(agent.ainvoke({"messages": [{"role": "user", "content": question}]}, thread))
    assert outage.failed == len(outage.failing)
    # The thread stays whole: 2 messages of a person, and of each step a call with its result.
    assert len(result["messages"]) == len(list(client.messages.iter(session)))
    check(client, session, provider, work, [work.task, question], system_is_stored=False)


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
