"""Serves on a free port and prints the address: python3 -m provider

With PROVIDER_RECORD every request that is answered is written there with its reply, one a line.
"""

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pydantic import ValidationError

from . import chat_completions, messages, model, responses
from .conversation import Refused, conforms

ROUTES = {
    "/v1/chat/completions": chat_completions,
    "/v1/messages": messages,
    "/v1/responses": responses,
}
# The model's window, in tokens: that of gpt-3.5-turbo. A conversation that is kept whole is refused long
# before its end.
WINDOW = 16_385
# A model takes its time; this one is quick.
LATENCY_SECONDS = 0.1


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        wire = ROUTES.get(self.path)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if wire is None:
            return self.answer(404, {})
        try:
            conforms(wire.REQUEST, body)
            conversation = wire.read(body)
            if conversation.size() > WINDOW:
                raise Refused(f"the prompt is too long: {conversation.size()} tokens > {WINDOW} maximum")
        except (Refused, ValidationError) as refused:
            print(f"refused on {self.path}: {refused}", file=sys.stderr, flush=True)
            return self.answer(400, wire.refusal("invalid_request_error", str(refused)))
        time.sleep(LATENCY_SECONDS)
        reply = wire.write(model.step(conversation), body["model"], conversation.size())
        if record := os.environ.get("PROVIDER_RECORD"):
            with open(record, "a") as lines:
                print(json.dumps({"path": self.path, "request": body, "reply": reply}), file=lines)
        if not body.get("stream"):
            return self.answer(200, reply)
        events = [f"data: {json.dumps(event)}\n\n" for event in wire.stream(reply)]
        return self.send(200, "text/event-stream", "".join([*events, "data: [DONE]\n\n"]).encode())

    def answer(self, status: int, body: dict) -> None:
        self.send(status, "application/json", json.dumps(body).encode())

    def send(self, status: int, kind: str, payload: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_) -> None:
        """Says nothing: what is refused is told above."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
