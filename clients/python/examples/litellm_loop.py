"""LiteLLM: the agent sends its whole list, the model gets anchord's context of it."""

import asyncio
import json

import litellm
from outcome import check
from tools import TASK, TOOLS, parameters, run

from anchord.litellm import AnchordCallback

litellm.callbacks = [AnchordCallback()]


# The agent.
async def main():
    tools = [
        {
            "type": "function",
            "function": {"name": name, "description": tool.__doc__, "parameters": parameters(tool)},
        }
        for name, tool in TOOLS.items()
    ]
    messages = [{"role": "system", "content": "You are a coding agent."}, {"role": "user", "content": TASK}]
    while True:
        reply = await litellm.acompletion(
            model="openai/gpt-3.5-turbo", messages=messages, tools=tools, litellm_session_id="litellm"
        )
        message = reply.choices[0].message
        messages.append(message.model_dump(include={"role", "content", "tool_calls"}, exclude_none=True))
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            output = run(call.function.name, json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": output})
    # The answers are stored behind the agent's back.
    await asyncio.sleep(1)
    check("litellm", message.content, beside=None)


asyncio.run(main())
