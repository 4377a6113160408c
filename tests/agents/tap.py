"""A relay that changes nothing and writes down what passes: requests as the agent sent them, answers as it got them."""

import hashlib
import http.client
import http.server
import json
import pathlib
import threading
import time

# These belong to one connection, not to the request.
HOP_BY_HOP = {"connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "host"}


class Tap:
    def __init__(self, port, upstream, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.upstream = upstream
        self.lock = threading.Lock()
        self.count = 0
        self.lines = open(self.folder / "requests.jsonl", "a")
        tap = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def relay(self):
                tap.relay(self)

            do_GET = do_HEAD = do_POST = do_DELETE = do_PUT = relay

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def relay(self, agent):
        raw, chunked = body_of(agent)
        with self.lock:
            self.count += 1
            number = self.count
        (self.folder / f"{number:04}.json").write_bytes(raw)
        seen = {"n": number, "at": time.time(), "method": agent.command, "path": agent.path, "headers": agent.headers.items()}
        seen.update(sha256=hashlib.sha256(raw).hexdigest(), bytes=len(raw))
        said = b""
        try:
            said = self.forward(agent, raw, chunked, seen)
        except OSError as problem:
            # The agent hung up, or nobody listens behind the tap.
            seen["broken"] = repr(problem)
            agent.close_connection = True
        seen.update(answer_sha256=hashlib.sha256(said).hexdigest(), seconds=time.time() - seen["at"])
        (self.folder / f"{number:04}.answer").write_bytes(said)
        with self.lock:
            self.lines.write(json.dumps(seen) + "\n")
            self.lines.flush()

    def forward(self, agent, raw, chunked, seen):
        upstream = http.client.HTTPConnection("127.0.0.1", self.upstream, timeout=600)
        upstream.putrequest(agent.command, agent.path, skip_host=True, skip_accept_encoding=True)
        for name, value in agent.headers.items():
            if name.lower() != "connection":
                upstream.putheader(name, value)
        upstream.putheader("Connection", "close")
        upstream.endheaders(message_body=[raw] if chunked else raw or None, encode_chunked=chunked)
        answer = upstream.getresponse()
        seen.update(status=answer.status, answer_headers=answer.getheaders(), first_byte=time.time() - seen["at"])
        agent.send_response_only(answer.status, answer.reason)
        streamed = answer.getheader("content-length") is None and agent.command != "HEAD" and answer.status not in (204, 304)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding"):
                agent.send_header(name, value)
        if streamed:
            agent.send_header("Transfer-Encoding", "chunked")
        agent.end_headers()
        said = b""
        while piece := answer.read1(65536):
            said += piece
            agent.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if streamed else piece)
            agent.wfile.flush()
        if streamed:
            agent.wfile.write(b"0\r\n\r\n")
        upstream.close()
        return said


def body_of(agent):
    if (agent.headers.get("transfer-encoding") or "").lower() != "chunked":
        return agent.rfile.read(int(agent.headers.get("content-length") or 0)), False
    raw = b""
    while size := int(agent.rfile.readline().split(b";")[0], 16):
        raw += agent.rfile.read(size)
        agent.rfile.readline()
    agent.rfile.readline()
    return raw, True


def comparable(headers):
    """Headers as the other side has to see them: no case, no order, without those of a connection and the gateway's own."""
    kept = [(name.lower(), value) for name, value in headers]
    return sorted((name, value) for name, value in kept if name not in HOP_BY_HOP and not name.startswith("x-anchord-"))
