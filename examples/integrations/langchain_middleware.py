"""A middleware for LangChain's agents: the thread stays whole, the model gets anchord's context of it.

`create_agent(…, middleware=[AnchordMiddleware(model)], checkpointer=…)`: a session has the id of its thread.
"""

import asyncio
import os

import httpx
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import BaseMessage, convert_to_messages, convert_to_openai_messages
from langgraph.checkpoint.memory import InMemorySaver
from outcome import check
from tools import TASK, TOOLS

URL = f"{os.environ['ANCHORD_URL']}/v1/sessions"
KEY = {"x-api-key": os.environ["ANCHORD_API_KEY"]}
PARTS = {"text", "image_url", "input_audio", "file"}


def stored(message: BaseMessage) -> dict:
    """A message as chat completions have it. What only its provider reads (thinking) stays in the thread."""
    plain = convert_to_openai_messages(message)
    if isinstance(plain["content"], list):
        plain["content"] = [part for part in plain["content"] if part["type"] in PARTS] or ""
    return plain


class AnchordMiddleware(AgentMiddleware):
    def __init__(self, model: str):
        super().__init__()
        self.model = model
        self.anchord = httpx.Client(base_url=URL, headers=KEY, timeout=30)

    def context(self, thread: str, messages: list[BaseMessage]) -> list[BaseMessage]:
        """Stores what is new of a thread, and returns what to send."""
        body = {"model": self.model, "messages": list(map(stored, messages))}
        reply = self.anchord.put(f"/{thread}/transcript", json=body)
        if "context" not in reply.json():
            raise RuntimeError(reply.text)
        served = reply.json()["context"]

        def own(message: dict, seqs: list[int] | None) -> BaseMessage | dict:
            """What is served unchanged is the thread's own, with all that its provider wants to have back."""
            found = messages[seqs[0] - 1] if seqs else message
            return found if found is not message and stored(found) == message else message

        return convert_to_messages(map(own, served["messages"], served["sources"]))

    def wrap_model_call(self, request, handler):
        thread = request.runtime.execution_info.thread_id
        return handler(request.override(messages=self.context(thread, request.messages)))

    async def awrap_model_call(self, request, handler):
        thread = request.runtime.execution_info.thread_id
        messages = await asyncio.to_thread(self.context, thread, request.messages)
        return await handler(request.override(messages=messages))

    def after_agent(self, state, runtime):
        """The last answer is stored, too."""
        self.context(runtime.execution_info.thread_id, state["messages"])


# The agent.
agent = create_agent(
    "openai:gpt-3.5-turbo",
    tools=list(TOOLS.values()),
    system_prompt="You are a coding agent.",
    middleware=[AnchordMiddleware("gpt-3.5-turbo")],
    checkpointer=InMemorySaver(),
)
thread = {"configurable": {"thread_id": "langchain"}, "recursion_limit": 500}
agent.invoke({"messages": [{"role": "user", "content": TASK}]}, thread)
question = {"role": "user", "content": "Are all of them done?"}
result = asyncio.run(agent.ainvoke({"messages": [question]}, thread))
check("langchain", result["messages"][-1].content, beside=2)
