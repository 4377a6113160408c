"""An agent past its model's window: Anthropic's client asks the model, anchord keeps the messages."""

import json
import os
import sys
from pathlib import Path

from anchord_client import AuthenticatedClient
from anchord_client.api.context import context_get
from anchord_client.api.messages import messages_append
from anchord_client.api.sessions import sessions_get, sessions_put
from anchord_client.models import AppendRequest, MessageFormat, Settings
from anthropic import Anthropic
from tools import TASK, TOOLS, parameters, run, written

SESSION = "anthropic-loop"
MODEL = "claude-sonnet-4-5"
anchord = AuthenticatedClient(os.environ["ANCHORD_URL"], os.environ["ANCHORD_API_KEY"])
model = Anthropic()  # ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY say where


def append(*messages: dict) -> int:
    """Stores messages as they are. Nothing else has to be asked for: when it is time, anchord summarises."""
    batch = AppendRequest.from_dict({"model": MODEL, "format": "anthropic", "messages": messages})
    return messages_append.sync(SESSION, client=anchord, body=batch).tokens_added


def context() -> dict:
    """What to send next: system prompt, and as messages a summary of what is long ago and the newest."""
    return context_get.sync(SESSION, client=anchord, format_=MessageFormat.ANTHROPIC).to_dict()


# The window follows from the model; here it is a small one, so that there is something to summarise.
sessions_put.sync(SESSION, client=anchord, body=Settings(model=MODEL, context_window=16_000))
tokens = append({"role": "system", "content": "You are a coding agent."}, {"role": "user", "content": TASK})
tools = [
    {"name": name, "description": tool.__doc__, "input_schema": parameters(tool)}
    for name, tool in TOOLS.items()
]
for _ in range(100):
    now = context()
    reply = model.messages.create(
        model=MODEL, max_tokens=4_000, system=now["system"], messages=now["messages"], tools=tools
    )
    results = [
        {"type": "tool_result", "tool_use_id": block.id, "content": run(block.name, block.input)}
        for block in reply.content
        if block.type == "tool_use"
    ]
    said = {"role": "assistant", "content": [block.to_dict() for block in reply.content]}
    tokens += append(said, *([{"role": "user", "content": results}] if results else []))
    if not results:
        break

print(reply.content[0].text)
last, session = context(), sessions_get.sync(SESSION, client=anchord)
forgotten = [path for path in written if Path(path).name not in json.dumps(last["messages"])]
print(f"{tokens} tokens in {session.head_seq} messages, {last['tokens']['total']} of them sent at the end")
print(f"{session.compression_count} compressions, forgotten: {forgotten or 'nothing'}")
sys.exit(session.compression_count < 3 or bool(forgotten) or "All checks passed" not in reply.content[0].text)
