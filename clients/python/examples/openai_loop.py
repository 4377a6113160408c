"""OpenAI's client: one call a turn stores what was said and returns what to send."""

import json

from openai import OpenAI
from outcome import check
from tools import TASK, TOOLS, parameters, run

from anchord import Anchord

MODEL, SESSION = "gpt-3.5-turbo", "openai"
anchord = Anchord()


def turn(*messages):
    """Stores messages as they are and returns the context to answer."""
    return anchord.turn(SESSION, messages, model=MODEL)["messages"]


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
    context = turn(message, *results)
    if not results:
        break
check(SESSION, message.content)
