"""Looks into a session over MCP, with the official client (`pip install mcp`).

    python examples/mcp/client.py http://127.0.0.1:8080/mcp?session=first     # the key is in ANCHORD_API_KEY
    python examples/mcp/client.py anchord mcp --session first                 # over standard input and output
"""

import asyncio
import os
import sys
from contextlib import AsyncExitStack

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def main(command: list[str]) -> None:
    async with AsyncExitStack() as stack:
        if command[0].startswith("http"):
            key = {"Authorization": f"Bearer {os.environ['ANCHORD_API_KEY']}"}
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=key))
            server = streamable_http_client(command[0], http_client=http)
        else:
            server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
        client = await stack.enter_async_context(Client(server))
        print("protocol:", client.protocol_version)
        print("tools:", *[tool.name for tool in (await client.list_tools()).tools])
        found = await client.call_tool("search_past", {"query": "port"})
        print("search_past:", found.content[0].text.splitlines()[0])
        for resource in (await client.list_resources()).resources:
            read = await client.read_resource(resource.uri)
            print(f"{resource.uri}: {len(read.contents[0].text)} characters")
        prompt = await client.get_prompt("handoff", {"level": "500"})
        print("handoff:", prompt.messages[0].content.text.splitlines()[0])


asyncio.run(main(sys.argv[1:]))
