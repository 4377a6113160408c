"""OpenAI's client: one call a turn stores what was said and returns what to send."""

import json
import os

import httpx
from openai import OpenAI
from outcome import check
from tools import TASK, TOOLS, parameters, run

MODEL, SESSION = "gpt-3.5-turbo", "openai"
URL = f"{os.environ['ANCHORD_URL']}/v1/sessions/{SESSION}"
KEY = {"x-api-key": os.environ["ANCHORD_API_KEY"]}
anchord = httpx.Client(base_url=URL, headers=KEY, timeout=30)


def turn(*messages: dict) -> list[dict]:
    """Stores messages as they are and returns the context to answer."""
    body = {"model": MODEL, "messages": messages}
    reply = anchord.post("/messages", params={"return": "context"}, json=body)
    if "context" not in reply.json():
        raise RuntimeError(reply.text)
    return reply.json()["context"]["messages"]


# The agent.
model = OpenAI()
tools = [
    {
        "type": "function",
        "function": {"name": name, "description": tool.__doc__, "parameters": parameters(tool)},
    }
    for name, tool in TOOLS.items()
]
context = turn({"role": "system", "content": "You are a coding agent."}, {"role": "user", "content": TASK})
while True:
    message = model.chat.completions.create(model=MODEL, messages=context, tools=tools).choices[0].message
    results = []
    for call in message.tool_calls or []:
        output = run(call.function.name, json.loads(call.function.arguments))
        results.append({"role": "tool", "tool_call_id": call.id, "content": output})
    context = turn(message.model_dump(exclude_none=True), *results)
    if not results:
        break
check(SESSION, message.content)
