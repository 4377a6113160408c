"""Makes the generated part of the package from openapi/anchord.json: python clients/python/generate [--check]

`openapi-python-client` parses the document and fills the templates beside this file; with `--check` the result is
compared with what is committed.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[2] / "openapi/anchord.json"
PACKAGE = HERE.parent / "src/anchord"
MADE = {"types.py": "types.py", "client.py": "_operations.py"}
# Bodies that are no JSON document; the package's own code has them.
BY_HAND = {"events.stream", "sessions.export", "sessions.import"}


def prepared(document: dict[str, Any]) -> dict[str, Any]:
    """The document as the package means it: what fails is an exception, and replies are what JSON has."""
    schemas = document["components"]["schemas"]
    named = {json.dumps(schema["enum"]): name for name, schema in schemas.items() if "enum" in schema}
    for path in document["paths"].values():
        for method, operation in list(path.items()):
            if operation["operationId"] in BY_HAND:
                del path[method]
                continue
            replies = {status: reply for status, reply in operation["responses"].items() if status[0] == "2"}
            # Replies have their bodies: nobody asks the package to leave them out.
            without = {"If-None-Match"}
            if any(given.get("example") == "return=minimal" for given in operation.get("parameters", [])):
                replies.pop("204", None)
                without.add("Prefer")
            operation["responses"] = replies
            operation["parameters"] = [
                given for given in operation.get("parameters", []) if given["name"] not in without
            ]
            for given in operation["parameters"]:
                simplify(given["schema"], named)
    for schema in schemas.values():
        simplify(schema, {})
    return document


def simplify(schema: Any, named: dict[str, str]) -> None:
    """Leaves a time the text that it is, and calls an enumeration by its name."""
    if isinstance(schema, list):
        for part in schema:
            simplify(part, named)
    elif isinstance(schema, dict):
        if schema.get("type") == "string" or "string" in (schema.get("type") or ()):
            schema.pop("format", None)
        if (name := named.get(json.dumps(schema.get("enum")))) is not None:
            schema.clear()
            schema["$ref"] = f"#/components/schemas/{name}"
        for part in schema.values():
            simplify(part, named)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        document, made = Path(folder, "document.json"), Path(folder, "made")
        document.write_text(json.dumps(prepared(json.loads(DOCUMENT.read_text()))))
        tool = [sys.executable, "-m", "openapi_python_client", "generate", "--meta=none", "--fail-on-warning"]
        tool += [f"--path={document}", f"--output-path={made}", f"--config={HERE / 'config.yaml'}"]
        subprocess.run([*tool, f"--custom-template-path={HERE / 'templates'}"], check=True)
        ruff, wanted = [sys.executable, "-m", "ruff"], [made / name for name in MADE]
        subprocess.run([*ruff, "check", "--select=F401,I", "--fix", "--quiet", *wanted], check=True)
        layout = ["--line-length=120", "--config=format.skip-magic-trailing-comma=true", "--quiet"]
        subprocess.run([*ruff, "format", *layout, *wanted], check=True)
        outdated = []
        for name, place in MADE.items():
            text, kept = (made / name).read_text(), PACKAGE / place
            if not kept.exists() or kept.read_text() != text:
                outdated.append(place)
                if "--check" not in sys.argv:
                    kept.write_text(text)
    if "--check" in sys.argv and outdated:
        sys.exit(f"{', '.join(outdated)}: not as openapi/anchord.json has it; run `just clients`")


main()
