#!/usr/bin/env python3
"""Measures for how long a tenant's writers are refused while it is moved from one server to another.

Starts two services with databases of their own, makes a cell of the second one's, fills a tenant for each size, and moves it there
and back while four clients append. Needs nothing but the program; `--program` names it.
"""

import argparse
import http.client
import json
import os
import random
import subprocess
import tempfile
import threading
import time
from pathlib import Path

SECRETS = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
OPERATOR = "operator-token-of-the-bench-of-moves"
MESSAGE_BYTES = 2_000
BATCH = 500
SESSION_BATCHES = 10
WORDS = [f"{a}{b}" for a in ("in", "re", "un", "over", "out", "co") for b in ("port", "take", "line", "mark", "set", "work", "turn")]


class Service:
    """A service with a Postgres of its own."""

    def __init__(self, program, folder):
        words = [program, "serve", "--listen", "127.0.0.1:0", "--data-dir", folder, "--roles", "api"]
        words += ["--admin-token", OPERATOR, "--rate-limit", "0", "--log", "error"]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment())
        greeting = ""
        while "Try:" not in greeting:
            line = self.process.stdout.readline()
            assert line, f"the service ended: {greeting}"
            greeting += line
        self.address = greeting.split("http://", 1)[1].split("/")[0].split()[0]
        sockets = str(Path(folder, "postgres", "sockets").resolve()).replace("/", "%2F")
        self.database = f"postgres://anchord@localhost:5432/anchord?host={sockets}&sslmode=disable"

    def call(self, key, method, path, body=None, connection=None):
        connection = connection or http.client.HTTPConnection(self.address, timeout=120)
        headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
        connection.request(method, path, json.dumps(body) if body is not None else None, headers)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read() or "null")


def environment(**more):
    return {"PATH": os.environ["PATH"], "ANCHORD_SECRETS_KEY": SECRETS, **more}


def cells(program, home, *words):
    began = time.monotonic()
    done = subprocess.run(
        [program, "cells", *words], env=environment(DATABASE_URL=home.database), text=True, capture_output=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip(), time.monotonic() - began


def tenant(service, name, cell="home"):
    status, made = service.call(OPERATOR, "POST", "/v1/admin/tenants", {"name": name, "cell": cell})
    assert status == 201, made
    scopes = {"scopes": ["read", "write", "admin"]}
    status, key = service.call(OPERATOR, "POST", f"/v1/admin/tenants/{made['id']}/keys", scopes)
    assert status == 201, key
    status, settings = service.call(key["key"], "PUT", "/v1/settings", {"auto": False})
    assert status == 200, settings
    return key["key"]


def fill(service, key, megabytes):
    """Appends messages of random words until there are so many megabytes."""
    batches = iter(range(max(1, megabytes * 1_000_000 // (BATCH * MESSAGE_BYTES))))
    lock = threading.Lock()

    def some(seed):
        made = random.Random(seed)
        connection = http.client.HTTPConnection(service.address, timeout=120)
        while True:
            with lock:
                batch = next(batches, None)
            if batch is None:
                return
            texts = ["".join(f"{made.choice(WORDS)} " for _ in range(300))[:MESSAGE_BYTES] for _ in range(BATCH)]
            messages = [{"role": "user", "content": text} for text in texts]
            path = f"/v1/sessions/filled-{seed}-{batch // SESSION_BATCHES}/messages"
            status, reply = service.call(key, "POST", path, {"messages": messages}, connection)
            assert status == 201, reply

    threads = [threading.Thread(target=some, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def moved(program, service, key, name, to):
    """Moves a tenant under appends; what the command took and printed, and the longest time in which a client was refused."""
    is_over = threading.Event()
    refused = []

    def append(client):
        good, longest, count = time.monotonic(), 0.0, 0
        while not is_over.is_set():
            body = {"messages": [{"role": "user", "content": f"{client} goes on: {count}"}]}
            status, reply = service.call(key, "POST", f"/v1/sessions/{client}/messages", body)
            now = time.monotonic()
            assert status in (201, 503), reply
            if status == 201:
                longest, good, count = max(longest, now - good), now, count + 1
            time.sleep(0.02)
        refused.append(longest)

    threads = [threading.Thread(target=append, args=(f"client-{client}",)) for client in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(2)
    printed, seconds = cells(program, service, "move", name, to)
    time.sleep(5)
    is_over.set()
    for thread in threads:
        thread.join()
    assert len(refused) == len(threads), "a client has failed"
    return printed, seconds, max(refused)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/anchord")
    parser.add_argument("--megabytes", type=int, nargs="+", default=[10, 100, 1_000])
    parser.add_argument("--back-by", help="another program, which moves the tenants back")
    given = parser.parse_args()
    services = []
    with tempfile.TemporaryDirectory(prefix="am-") as folder:
        os.chmod(folder, 0o711)
        try:
            for name in ("a", "b"):
                services.append(Service(given.program, f"{folder}/{name}"))
            home, other = services
            cells(given.program, home, "add", "second", "--url", other.database)
            keys = {}
            for megabytes in given.megabytes:
                keys[megabytes] = tenant(home, f"of-{megabytes}")
                fill(home, keys[megabytes], megabytes)
            # A new cell takes tenants when it is a minute old.
            time.sleep(65)
            for program, to in ((given.program, "second"), (given.back_by or given.program, "home")):
                for megabytes, key in keys.items():
                    printed, seconds, longest = moved(program, home, key, f"of-{megabytes}", to)
                    print(f"{megabytes} MB: {printed}; {seconds:.1f} s, writers refused for at most {longest:.2f} s", flush=True)
        finally:
            for service in services:
                service.process.terminate()
            for service in services:
                service.process.wait()


if __name__ == "__main__":
    main()
