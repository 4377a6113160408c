#!/usr/bin/env python3
"""Measures what cells cost on one server: appends of four tenants in four cells beside appends of four tenants in one.

Starts two services with databases of their own, one with a cell and one with four, and lets clients append to them in turns. Needs
nothing but the program; `--program` names it.
"""

import argparse
import multiprocessing
import os
import socket
import statistics
import tempfile
import time

from moving import Service, cells, tenant

BODY = b'{"messages":[{"role":"user","content":"The harbour has a new crane, and it lifts forty tons."}]}'


def append(address, key, session, until, count):
    """Appends one message after the other; writes how many were acknowledged."""
    host, port = address.split(":")
    connection = socket.create_connection((host, int(port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    head = f"POST /v1/sessions/{session}/messages HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {key}\r\n"
    head += f"content-type: application/json\r\ncontent-length: {len(BODY)}\r\n\r\n"
    request, done = head.encode() + BODY, 0
    while time.monotonic() < until:
        connection.sendall(request)
        reply = b""
        while b"\r\n\r\n" not in reply:
            reply += connection.recv(65536)
        told, _, rest = reply.partition(b"\r\n\r\n")
        assert told.startswith(b"HTTP/1.1 201"), told
        length = int(next(line for line in told.lower().split(b"\r\n") if line.startswith(b"content-length"))[15:])
        while len(rest) < length:
            rest += connection.recv(65536)
        done += 1
    count.value = done


def appends(service, keys, connections, seconds, number):
    """Appends in a second, of so many connections that the tenants share."""
    counts = [multiprocessing.Value("i", 0) for _ in range(connections)]
    until = time.monotonic() + seconds
    clients = [
        multiprocessing.Process(
            target=append, args=(service.address, keys[at % len(keys)], f"s-{number}-{at}", until, counts[at])
        )
        for at in range(connections)
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
        assert client.exitcode == 0, "a client has failed"
    return sum(count.value for count in counts) / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/anchord")
    parser.add_argument("--connections", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    given = parser.parse_args()
    services = []
    with tempfile.TemporaryDirectory(prefix="ac-") as folder:
        os.chmod(folder, 0o711)
        try:
            for name in ("one", "four"):
                services.append(Service(given.program, f"{folder}/{name}"))
            one, four = services
            names = ["home", "second", "third", "fourth"]
            for name in names[1:]:
                cells(given.program, four, "add", name)
            # A new cell takes tenants when it is a minute old.
            time.sleep(65)
            keys = [[tenant(one, f"of-{name}") for name in names], [tenant(four, f"of-{name}", name) for name in names]]
            for connections in given.connections:
                told = ([], [])
                for number in range(given.rounds + 1):
                    for at, service in enumerate(services):
                        rate = appends(service, keys[at], connections, given.seconds, f"{connections}-{number}")
                        # The first round fills caches.
                        if number > 0:
                            told[at].append(rate)
                ratios = [many / single for single, many in zip(*told)]
                one_cell, four_cells = (statistics.median(rates) for rates in told)
                print(
                    f"{connections} connections: {one_cell:.0f}/s in one cell, {four_cells:.0f}/s in four, "
                    f"ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
                    flush=True,
                )
        finally:
            for service in services:
                service.process.terminate()
                service.process.wait()


main()
