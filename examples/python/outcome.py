"""What a run came to, by the service's own figures, and whether that is what docs/integrations.md says."""

import os
import re
import sys
from pathlib import Path

import httpx
from tools import written

URL, ADMIN = os.environ["ANCHORD_URL"], {"Authorization": f"Bearer {os.environ['ANCHORD_ADMIN_TOKEN']}"}


def requests() -> int:
    """The requests on sessions that the service has answered since it started."""
    lines = httpx.get(f"{URL}/metrics", headers=ADMIN).text.splitlines()
    wanted = re.compile(r'anchord_http_requests_total\{.*operation="[A-Z]+ /v1/sessions/.* (\d+)$')
    return sum(int(found[1]) for line in lines if (found := wanted.match(line)))


BEFORE = requests()


def check(session: str, said: str, beside: int | None = 1) -> None:
    """Ends the process: well, when the task is done and remembered, was summarised on the way, and took one
    request for each answer of the model and those `beside`; `None` when the agent makes none itself."""
    made = requests() - BEFORE
    key = {"x-api-key": os.environ["ANCHORD_API_KEY"]}
    with httpx.Client(base_url=f"{URL}/v1/sessions/{session}", headers=key) as anchord:
        found = anchord.get("").raise_for_status().json()
        page = anchord.get("/messages", params={"limit": 1000}).raise_for_status().json()
        context = anchord.get("/context").raise_for_status()
    turns = sum(
        item["message"].get("role") == "assistant" or item["message"].get("type") == "function_call"
        for item in page["items"]
    )
    forgotten = [path for path in written if Path(path).name not in context.text]
    print(said)
    print(f"{found['head_seq']} messages, {context.json()['tokens']['total']} tokens of them sent at the end")
    print(f"{found['compression_count']} compressions, forgotten: {forgotten or 'nothing'}")
    print(f"{made} requests in {turns} turns")
    many = beside is not None and made > turns + beside
    few = found["compression_count"] < 3 or many or page["next_cursor"] is not None
    sys.exit(few or bool(forgotten) or "All checks passed" not in said)
