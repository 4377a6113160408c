"""LangChain and LangGraph: the thread stays whole, the model gets anchord's context of it."""

import asyncio

from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from outcome import check
from tools import TASK, TOOLS

from anchord.langchain import AnchordMiddleware

middleware = [AnchordMiddleware("gpt-3.5-turbo")]
# The agent.
agent = create_agent(
    "openai:gpt-3.5-turbo",
    tools=list(TOOLS.values()),
    system_prompt="You are a coding agent.",
    middleware=middleware,
    checkpointer=InMemorySaver(),
)
thread = {"configurable": {"thread_id": "langchain"}, "recursion_limit": 500}
agent.invoke({"messages": [{"role": "user", "content": TASK}]}, thread)
question = {"role": "user", "content": "Are all of them done?"}
result = asyncio.run(agent.ainvoke({"messages": [question]}, thread))
check("langchain", result["messages"][-1].content, beside=4)
