"""Runs what the quick starts of docs/ print, against the service of ANCHORD_URL; the package for TypeScript runs its own."""

import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[1]
URL, KEY = os.environ["ANCHORD_URL"], os.environ["ANCHORD_API_KEY"]
# A text that each page's commands must print.
EXPECTED = {
    "quick-framework": "",
    "quick-gateway": "Never push to main.",
    "quick-http": "Never touch the legacy/ folder",
    "quick-mcp": "data from the past",
}
# Where the service of the examples runs, in place of where the pages start one.
PLACES = {"http://127.0.0.1:8080": URL, "$(cat data/api-key)": KEY}

bin_folder = Path(tempfile.mkdtemp())
(bin_folder / "anchord").symlink_to(Path(sys.argv[1]).resolve())
environment = os.environ | {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
known = subprocess.run(["anchord", "serve", "--help"], env=environment, capture_output=True, text=True, check=True).stdout


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of a language, those of lists too."""
    return [
        textwrap.dedent(block)
        for block in re.findall(rf"^ *```{language}\n(.*?)^ *```", page.read_text(), re.DOTALL | re.MULTILINE)
    ]


def script_of(page: Path) -> str:
    lines = "".join(blocks(page, "sh")).splitlines(keepends=True)
    for line in lines:
        # A service is there already: of the command that starts one its options are checked.
        if line.startswith("anchord serve"):
            unknown = [flag for flag in re.findall(r"--[a-z-]+", line) if f" {flag} " not in known]
            assert not unknown, f"{page.name}: anchord serve has no {unknown}"
    script = "".join(line for line in lines if not line.startswith("anchord serve"))
    for printed, actual in PLACES.items():
        script = script.replace(printed, actual)
    return script


def serves(config: dict, env: dict) -> list[str]:
    """The tools of a server that an agent starts by its configuration."""
    server = config["mcpServers"]["anchord"]
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "page", "version": "1"}}
    said = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    command = [server["command"], *server["args"]]
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdin.write("".join(json.dumps(each) + "\n" for each in said))
        process.stdin.flush()
        replies = {}
        while 2 not in replies:
            reply = json.loads(process.stdout.readline())
            replies[reply.get("id")] = reply
        process.kill()
    return [tool["name"] for tool in replies[2]["result"]["tools"]]


pages = sorted((ROOT / "docs").glob("quick-*.md"))
assert {page.stem for page in pages} == EXPECTED.keys(), "a page is not expected here"
for page in [*pages, ROOT / "docs/index.md"]:
    script = script_of(page)
    ran = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)
    if ran.returncode or "/problems/" in ran.stdout or EXPECTED.get(page.stem, "") not in ran.stdout:
        sys.exit(f"{page.name}: {script}\n{ran.stdout}\n{ran.stderr}")
    print(f"{page.name}: {len(script.splitlines())} lines, {len(ran.stdout)} bytes")
    for block in blocks(page, "json"):
        tools = serves(json.loads(block), environment)
        missing = [tool for tool in tools if f"`{tool}`" not in page.read_text()]
        if not tools or missing:
            sys.exit(f"{page.name}: tools {tools}, not named {missing}")
        print(f"{page.name}: {', '.join(tools)}")
