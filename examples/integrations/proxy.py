"""A proxy for agents that cannot be changed: their model's base URL becomes `http://127.0.0.1:8090/SESSION/v1`.

Chat completions come with the whole conversation. What is new of it is stored in the session, and the
provider at PROVIDER_URL is sent the context instead. Everything else passes through, and so do streams.
"""

import json
import os
import sys

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

URL = f"{os.environ['ANCHORD_URL']}/v1/sessions"
KEY = {"x-api-key": os.environ["ANCHORD_API_KEY"]}
anchord = httpx.AsyncClient(base_url=URL, headers=KEY, timeout=30)
provider = httpx.AsyncClient(base_url=os.environ["PROVIDER_URL"], timeout=600)
PASSED = {"authorization", "content-type", "retry-after", "x-request-id"}


async def context(session: str, model: str, messages: list) -> httpx.Response:
    """Stores what is new of a conversation, and returns what to send."""
    return await anchord.put(f"/{session}/transcript", json={"model": model, "messages": messages})


async def forward(request: Request) -> Response:
    path, content = request.path_params["path"], await request.body()
    if path == "chat/completions":
        body = await request.json()
        reply = await context(request.path_params["session"], body["model"], body["messages"])
        served = reply.json().get("context", reply.json())
        if "messages" not in served:
            return Response(reply.content, reply.status_code if reply.is_error else 422)
        content = json.dumps(body | {"messages": served["messages"]})
    headers = {name: value for name, value in request.headers.items() if name in PASSED}
    sent = provider.build_request(request.method, path, content=content, headers=headers)
    reply = await provider.send(sent, stream=True)
    headers = {name: value for name, value in reply.headers.items() if name in PASSED}
    close = BackgroundTask(reply.aclose)
    return StreamingResponse(reply.aiter_bytes(), reply.status_code, headers, background=close)


routes = [Route("/{session}/v1/{path:path}", forward, methods=["GET", "POST"])]
uvicorn.run(Starlette(routes=routes), port=int(sys.argv[1]), log_level="warning")
