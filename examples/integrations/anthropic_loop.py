"""Anthropic's client: one call a turn stores what was said and returns what to send."""

import os

import httpx
from anthropic import Anthropic
from outcome import check
from tools import TASK, TOOLS, parameters, run

MODEL, SESSION = "claude-sonnet-4-6", "anthropic"
URL = f"{os.environ['ANCHORD_URL']}/v1/sessions/{SESSION}"
KEY = {"x-api-key": os.environ["ANCHORD_API_KEY"]}
anchord = httpx.Client(base_url=URL, headers=KEY, timeout=30)


def turn(*messages: dict) -> dict:
    """Stores messages as they are and returns system prompt and messages to answer."""
    body = {"model": MODEL, "messages": messages}
    reply = anchord.post("/messages", params={"return": "context", "format": "anthropic"}, json=body)
    if "context" not in reply.json():
        raise RuntimeError(reply.text)
    context = reply.json()["context"]
    return {"system": context["system"], "messages": context["messages"]}


# The model's own window has a million tokens. Smaller contexts cost less, and this agent needs no more.
anchord.put("", json={"model": MODEL, "context_window": 16_000}).raise_for_status()
# The agent.
model = Anthropic()
tools = [
    {"name": name, "description": tool.__doc__, "input_schema": parameters(tool)}
    for name, tool in TOOLS.items()
]
context = turn({"role": "system", "content": "You are a coding agent."}, {"role": "user", "content": TASK})
while True:
    reply = model.messages.create(model=MODEL, max_tokens=4_000, tools=tools, **context)
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": run(block.name, block.input)}
        for block in reply.content
        if block.type == "tool_use"
    ]
    said = {"role": "assistant", "content": [block.to_dict() for block in reply.content]}
    context = turn(said, *([{"role": "user", "content": results}] if results else []))
    if not results:
        break
check(SESSION, reply.content[0].text, beside=2)
