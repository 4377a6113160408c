"""A session of OpenAI's Agents SDK that keeps every item in anchord, and the filter that sends its context.

What a run adds is stored as always; `Runner.run(…, session=session, run_config=session.run_config)`.
"""

import asyncio
import os

import httpx
from agents import Agent, RunConfig, Runner, function_tool, set_tracing_disabled
from agents.run import CallModelData, ModelInputData
from outcome import check
from tools import TASK, TOOLS

URL = f"{os.environ['ANCHORD_URL']}/v1/sessions"
KEY = {"x-api-key": os.environ["ANCHORD_API_KEY"]}


class AnchordSession:
    """The protocol `agents.Session`."""

    session_settings = None

    def __init__(self, session_id: str, model: str):
        self.session_id, self.model, self.context = session_id, model, []
        self.run_config = RunConfig(call_model_input_filter=self.send_context)
        self.anchord = httpx.AsyncClient(base_url=f"{URL}/{session_id}", headers=KEY, timeout=30)

    async def get_items(self, limit: int | None = None) -> list:
        reply = await self.anchord.get("/context", params={"format": "openai-responses"})
        if reply.status_code == 404:
            return []
        items = reply.raise_for_status().json()["messages"]
        return items[-limit:] if limit else items

    async def add_items(self, items: list) -> None:
        if not items:
            return
        asked = {"return": "context", "format": "openai-responses"}
        body = {"model": self.model, "messages": items}
        reply = await self.anchord.post("/messages", params=asked, json=body)
        if "context" not in reply.json():
            raise RuntimeError(reply.text)
        self.context = reply.json()["context"]["messages"]

    async def pop_item(self) -> dict | None:
        """Goes back before the last item, which stays on the branch before."""
        last = (await self.anchord.get("")).json().get("head_seq", 0)
        if not last:
            return None
        item = await self.anchord.get("/messages", params={"from_seq": last})
        (await self.anchord.post("/truncate", json={"seq": last - 1})).raise_for_status()
        return item.json()["items"][0]["message"]

    async def clear_session(self) -> None:
        reply = await self.anchord.delete("")
        if reply.status_code != 404:
            reply.raise_for_status()

    async def send_context(self, data: CallModelData) -> ModelInputData:
        """Each call of the model gets the context in place of all items of the run."""
        return ModelInputData(input=self.context, instructions=data.model_data.instructions)


# The agent.
async def main() -> None:
    set_tracing_disabled(True)
    agent = Agent(
        name="coder",
        model="gpt-3.5-turbo",
        instructions="You are a coding agent.",
        tools=[function_tool(tool) for tool in TOOLS.values()],
    )
    session = AnchordSession("agents", agent.model)
    for said in (TASK, "Are all of them done?"):
        result = await Runner.run(agent, said, session=session, max_turns=100, run_config=session.run_config)
    check(session.session_id, result.final_output, beside=4)


asyncio.run(main())
