"""What the integrations do with repeated requests, restarts, forks and what only one provider reads."""

import asyncio
from pathlib import Path
from types import SimpleNamespace

from agents import Session
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage


def integration(name: str) -> SimpleNamespace:
    """What a file defines above its agent."""
    found = {}
    exec((Path(__file__).parent / f"{name}.py").read_text().split("# The agent.")[0], found)
    return SimpleNamespace(**found)


def middleware() -> None:
    """A middleware and its thread."""
    langchain = integration("langchain_middleware")
    anchord, thread = langchain.AnchordMiddleware("gpt-3.5-turbo"), "edges-langchain"
    call = {"id": "1", "name": "read_file", "args": {"path": "a.py"}}
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    used = {"type": "tool_use", "id": "1", "name": "read_file", "input": {"path": "a.py"}}
    said = [
        HumanMessage("Read a.py."),
        AIMessage([thinking, {"type": "text", "text": "I do."}, used], tool_calls=[call]),
        ToolMessage("x = 1", tool_call_id="1", name="read_file"),
        HumanMessage([{"type": "image", "base64": "aGk=", "mime_type": "image/png"}]),
    ]
    for _ in "first", "repeated":
        served = anchord.context(thread, said)
        assert len(served) == 4 and all(a is b for a, b in zip(served, said, strict=True)), served
    anchord = langchain.AnchordMiddleware("gpt-3.5-turbo")  # as after a restart
    assert len(anchord.context(thread, said)) == 4
    anchord = langchain.AnchordMiddleware("gpt-3.5-turbo")
    said.append(AIMessage("It is one line."))
    assert anchord.context(thread, said)[-1] is said[-1]
    # Cut, forked there, and the first one again.
    assert anchord.context(thread, said[:1]) == said[:1]
    forked = [*said[:1], AIMessage("Which one?"), HumanMessage("The one in src.")]
    for thread_of in forked, said, forked:
        assert anchord.context(thread, thread_of) == thread_of


async def session() -> None:
    """A session of the Agents SDK."""
    sdk = integration("agents_session")
    anchord = sdk.AnchordSession("edges-agents", "gpt-3.5-turbo")
    assert isinstance(anchord, Session)
    await anchord.clear_session()
    assert await anchord.get_items() == []
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2Vj"}
    call = {"type": "function_call", "call_id": "1", "name": "read_file", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "1", "output": "x = 1"}
    said = [{"role": "user", "content": "Read a.py."}, reasoning, call, output]
    await anchord.add_items([])
    await anchord.add_items(said)
    assert anchord.context[1:] == [reasoning, call, output] == (await anchord.get_items())[1:], (
        anchord.context
    )
    assert await anchord.get_items(limit=1) == [output]
    anchord = sdk.AnchordSession("edges-agents", "gpt-3.5-turbo")
    await anchord.add_items([{"role": "user", "content": "Go on."}])
    assert len(anchord.context) == 5, anchord.context
    assert await anchord.pop_item() == {"role": "user", "content": "Go on."}
    assert await anchord.pop_item() == output
    await anchord.add_items([output | {"output": "x = 2"}])
    assert anchord.context[1:] == [reasoning, call, output | {"output": "x = 2"}], anchord.context
    await anchord.clear_session()
    assert await anchord.get_items() == [] and await anchord.pop_item() is None


middleware()
asyncio.run(session())
print("repeated, restarted, forked and cleared")
