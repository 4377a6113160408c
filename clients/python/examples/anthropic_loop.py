"""Anthropic's client: one call a turn stores what was said and returns what to send."""

from anthropic import Anthropic
from outcome import check
from tools import TASK, TOOLS, parameters, run

from anchord import Anchord

MODEL, SESSION = "claude-sonnet-4-6", "anthropic"
anchord = Anchord()
# The model's own window has a million tokens. Smaller contexts cost less, and this agent needs no more.
anchord.sessions.put(SESSION, {"model": MODEL, "context_window": 16_000})


def turn(*messages):
    """Stores messages as they are and returns system prompt and messages to answer."""
    context = anchord.turn(SESSION, messages, model=MODEL, format="anthropic")
    return {"system": context["system"], "messages": context["messages"]}


# The agent.
model = Anthropic()
tools = [{"name": name, "description": tool.__doc__, "input_schema": parameters(tool)} for name, tool in TOOLS.items()]
context = turn({"role": "system", "content": "You are a coding agent."}, {"role": "user", "content": TASK})
while True:
    reply = model.messages.create(model=MODEL, max_tokens=4_000, tools=tools, **context)
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": run(block.name, block.input)}
        for block in reply.content
        if block.type == "tool_use"
    ]
    said = {"role": "assistant", "content": reply.content}
    context = turn(said, *([{"role": "user", "content": results}] if results else []))
    if not results:
        break
check(SESSION, reply.content[0].text, beside=2)
