#!/usr/bin/env python3
"""Checks the documentation and makes a site of it.

    build.py --check    every link of the pages leads somewhere, and every page is in the site's navigation
    build.py            the same, and the site in target/site/html; needs the packages of requirements.txt, and no network
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
OUT = ROOT / "target/site"
PAGES, HTML = OUT / "pages", OUT / "html"
# Pages that stand in the root, and where they are on the site.
ROOT_PAGES = ["README.md", "SECURITY.md", "ARCHITECTURE.md", "DECISIONS.md", "CONTRIBUTING.md", "CHANGELOG.md"]
LINK = re.compile(r"(?<!`)(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^()\s]+)\)")
FENCE = re.compile(r"^\s*(```|~~~)")
LANGUAGES = {".py": "python", ".ts": "typescript", ".mjs": "javascript", ".json": "json", ".yaml": "yaml", ".toml": "toml", ".rs": "rust"}


def prose(text: str):
    """The lines of a page, each with whether it is outside of code."""
    is_code = False
    for line in text.split("\n"):
        fence = FENCE.match(line)
        yield line, not is_code and not fence
        if fence:
            is_code = not is_code


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    kept = "".join(c for c in heading.lower() if c in " -_" or unicodedata.category(c)[0] in "LN")
    return kept.replace(" ", "-")


def anchors(path: Path) -> set[str]:
    text = path.read_text()
    found = {slug(line.lstrip("#").strip()) for line, is_prose in prose(text) if is_prose and re.match(r"#{1,6} ", line)}
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def links(path: Path):
    for line, is_prose in prose(path.read_text()):
        if is_prose:
            for match in LINK.finditer(re.sub(r"`[^`]*`", lambda code: " " * len(code[0]), line)):
                if not re.match(r"[a-z]+:", match[2]):
                    yield match[2]


def sources() -> list[Path]:
    return sorted(DOCS.glob("*.md")) + [ROOT / name for name in ROOT_PAGES] + sorted(ROOT.glob("clients/*/README.md"))


def pages_of(nav) -> list[str]:
    """The pages of a navigation."""
    if isinstance(nav, str):
        return [nav]
    return [page for part in (nav.values() if isinstance(nav, dict) else nav) for page in pages_of(part)]


def check() -> None:
    faults = []
    for page in sources():
        for link in links(page):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            name = page.relative_to(ROOT)
            if not target.exists():
                faults.append(f"{name}: there is no {link}")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                faults.append(f"{name}: {path or 'the page'} has no heading #{anchor}")
    listed = pages_of(tomllib.loads((ROOT / "site/zensical.toml").read_text())["project"]["nav"])
    for page in DOCS.glob("*.md"):
        if page.name not in listed:
            faults.append(f"docs/{page.name} is not in the navigation of site/zensical.toml")
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(sources())} pages, {sum(len(list(links(page))) for page in sources())} links")


# ---- the pages of the site ------------------------------------------------------------------------------------------


class Site:
    def __init__(self):
        self.files: set[str] = set()
        self.tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()

    def place(self, target: Path) -> str:
        """Where something of the repository is on the site, from its root."""
        name = target.relative_to(ROOT).as_posix()
        if target.parent == DOCS or name.startswith("docs/"):
            return name.removeprefix("docs/")
        if name in ROOT_PAGES:
            return f"project/{name.lower()}"
        return self.file(target, name)

    def file(self, target: Path, name: str) -> str:
        """A file or folder of the repository becomes a page. The generator passes over names that begin with a dot."""
        shown = re.sub(r"(^|/)\.", r"\1", name)
        place = f"files/{shown}.md" if not target.is_dir() else f"files/{shown}/index.md"
        if target.suffix == ".md":
            place = f"files/{name}"
        if name == "openapi/anchord.json":
            place = f"files/{name}"
        if place in self.files:
            return place
        self.files.add(place)
        page = PAGES / place
        page.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            inside = [file for file in self.tracked if file.startswith(f"{name}/")]
            rows = [f"- [{file}]({os.path.relpath(self.file(ROOT / file, file), Path(place).parent)})" for file in inside]
            page.write_text(f"# {name}\n\n" + "\n".join(rows) + "\n")
        elif target.suffix == ".md":
            page.write_text(self.rewritten(target, place))
        elif name == "openapi/anchord.json":
            shutil.copy(target, page)
        else:
            page.write_text(f"# {target.name}\n\n`{name}`\n\n````{LANGUAGES.get(target.suffix, 'text')}\n{target.read_text()}\n````\n")
        return place

    def rewritten(self, page: Path, place: str) -> str:
        """A page with its links as they are on the site."""

        def moved(match: re.Match) -> str:
            path, hash_, anchor = match[2].partition("#")
            if re.match(r"[a-z]+:", match[2]) or not path:
                return match[0]
            target = (page.parent / path).resolve()
            return f"{match[1]}({os.path.relpath(self.place(target), Path(place).parent)}{hash_}{anchor})"

        lines, before = [], ""
        for line, is_prose in prose(page.read_text()):
            if is_prose:
                line = LINK.sub(moved, line)
                # Behind a paragraph GitHub begins a list without an empty line; Markdown for Python does not.
                is_item = re.match(r"([-*]|\d+\.) ", line)
                if is_item and before and not re.match(r"\s|([-*]|\d+\.) ", before):
                    lines.append("")
            lines.append(line)
            before = line
        return "\n".join(lines)

    def make(self) -> None:
        shutil.rmtree(OUT / "pages", ignore_errors=True)
        PAGES.mkdir(parents=True)
        for file in sorted(DOCS.rglob("*")):
            place = PAGES / file.relative_to(DOCS)
            if file.is_dir():
                place.mkdir(exist_ok=True)
            elif file.suffix == ".md":
                place.write_text(self.rewritten(file, file.relative_to(DOCS).as_posix()))
            else:
                shutil.copy(file, place)
        for name in ROOT_PAGES:
            page = PAGES / self.place(ROOT / name)
            page.parent.mkdir(exist_ok=True)
            page.write_text(self.rewritten(ROOT / name, f"project/{name.lower()}"))
        shutil.copy(ROOT / "site/site.css", PAGES / "site.css")
        Reference().make()


# ---- the reference of the API ---------------------------------------------------------------------------------------


def cell(text: str) -> str:
    return " ".join((text or "").replace("|", "\\|").split())


class Reference:
    def __init__(self):
        self.document = json.loads((ROOT / "openapi/anchord.json").read_text())
        self.schemas = self.document["components"]["schemas"]
        self.folder = PAGES / "api"
        self.folder.mkdir(exist_ok=True)

    def type_of(self, schema: dict) -> str:
        """A schema in words, with links to those that have a name."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return f"[{name}](schemas.md#{name.lower()})"
        for choice in ("oneOf", "anyOf", "allOf"):
            if choice in schema:
                return " or ".join(dict.fromkeys(self.type_of(each) for each in schema[choice]))
        if "enum" in schema:
            return ", ".join(f"`{each}`" for each in schema["enum"] if each is not None)
        kind = schema.get("type", "any")
        if kind == "array":
            return f"list of {self.type_of(schema.get('items', {}))}"
        kind = " or ".join(kind) if isinstance(kind, list) else kind
        unit = " characters" if kind.startswith("string") else ""
        low, high = (schema.get(key, schema.get(other)) for key, other in (("minimum", "minLength"), ("maximum", "maxLength")))
        if low is None and high is None:
            return kind
        bound = f"{low} to {high}" if None not in (low, high) else f"at most {high}" if low is None else f"at least {low}"
        return f"{kind}, {bound}{unit}"

    def fields(self, schema: dict) -> list[str]:
        if "$ref" in schema:
            schema = self.schemas[schema["$ref"].rsplit("/", 1)[1]]
        rows = []
        for part in [schema, *schema.get("allOf", [])]:
            for name, field in part.get("properties", {}).items():
                must = "" if name in part.get("required", []) else "optional"
                rows.append(f"| `{name}` | {self.type_of(field)} | {must} | {cell(field.get('description', ''))} |")
        return ["| field | type | | meaning |", "|---|---|---|---|", *rows, ""] if rows else []

    def operation(self, method: str, path: str, item: dict) -> list[str]:
        lines = [f"## {item['operationId']}", "", item["summary"], "", f"`{method.upper()} {path}`", ""]
        if item.get("description"):
            lines += [item["description"], ""]
        if item.get("parameters"):
            lines += ["| parameter | in | type | | meaning |", "|---|---|---|---|---|"]
            for it in item["parameters"]:
                must = "" if it.get("required") else "optional"
                lines.append(f"| `{it['name']}` | {it['in']} | {self.type_of(it['schema'])} | {must} | {cell(it.get('description'))} |")
            lines.append("")
        for media, body in item.get("requestBody", {}).get("content", {}).items():
            lines += [f"Body, `{media}`: {self.type_of(body['schema'])}", ""]
        lines += ["| status | body | meaning |", "|---|---|---|"]
        for status, reply in item["responses"].items():
            if "$ref" in reply:
                reply = self.document["components"]["responses"][reply["$ref"].rsplit("/", 1)[1]]
            bodies = "; ".join(f"{self.type_of(content['schema'])} (`{media}`)" for media, content in reply.get("content", {}).items())
            lines.append(f"| {status} | {bodies} | {cell(reply.get('description'))} |")
        return [*lines, ""]

    def make(self) -> None:
        tags: dict[str, list[str]] = {}
        rows = []
        for path, methods in self.document["paths"].items():
            for method, item in methods.items():
                tag = item["tags"][0]
                tags.setdefault(tag, []).extend(self.operation(method, path, item))
                name = item["operationId"]
                rows.append(f"| [{name}]({tag}.md#{slug(name)}) | `{method.upper()} {path}` | {cell(item['summary'])} |")
        about = {tag["name"]: tag.get("description", "") for tag in self.document["tags"]}
        for tag, lines in tags.items():
            (self.folder / f"{tag}.md").write_text("\n".join([f"# {tag}", "", about.get(tag, ""), "", *lines]))
        head = ["# API reference", "", f"Version {self.document['info']['version']}, made from [anchord.json](../files/openapi/anchord.json),"
                " which a running service serves at `/openapi.json`. Every refusal is a [Problem](schemas.md#problem).", "",
                "| operation | call | what it does |", "|---|---|---|"]
        (self.folder / "index.md").write_text("\n".join([*head, *rows, ""]))
        (PAGES / "files/openapi").mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "openapi/anchord.json", PAGES / "files/openapi/anchord.json")
        lines = ["# Schemas", ""]
        for name, schema in sorted(self.schemas.items()):
            lines += [f"## {name}", "", schema.get("description", ""), ""]
            lines += self.fields(schema) or [self.type_of({**schema, "description": ""}), ""]
        (self.folder / "schemas.md").write_text("\n".join(lines))


# ---- the site -------------------------------------------------------------------------------------------------------


def look() -> None:
    """The site loads nothing from elsewhere, and every link within it leads to a page and a place on it."""
    pages = {page: page.read_text() for page in HTML.rglob("*.html")}
    places = {page: set(re.findall(r'\bid="?([^"\s>]+)', text)) for page, text in pages.items()}
    faults, count = [], 0
    for page, text in pages.items():
        name = page.relative_to(HTML)
        text = re.sub(r"<(pre|code)\b.*?</\1>", "", text, flags=re.DOTALL)
        for address in re.findall(r'<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)="?(https?:[^"\s>]+)', text):
            if not re.search(r'rel="?(canonical|next|prev|alternate)', text[text.index(address) - 200 : text.index(address)]):
                faults.append(f"{name} loads {address}")
        if name.name == "404.html":
            continue
        for link in re.findall(r'<(?:a|img|link|script)\b[^>]*?\b(?:href|src)="?([^"\s>]+)', text):
            if re.match(r"[a-z]+:|/", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            target = target / "index.html" if target.is_dir() else target
            count += 1
            if not target.exists():
                faults.append(f"{name}: there is no {link}")
            elif anchor and target in places and anchor not in places[target] and not anchor.startswith("__"):
                faults.append(f"{name}: {path} has no #{anchor}")
    if faults:
        sys.exit("\n".join(sorted(set(faults))[:60]))
    print(f"{len(pages)} pages, {count} links in {HTML.relative_to(ROOT)}")


def main() -> None:
    check()
    if "--check" in sys.argv:
        return
    Site().make()
    program = Path(sys.executable).parent / "zensical"
    shutil.copy(ROOT / "site/zensical.toml", OUT / "zensical.toml")
    shutil.rmtree(HTML, ignore_errors=True)
    subprocess.run([program, "build", "--clean", "--strict", "--config-file", OUT / "zensical.toml"], check=True)
    look()


main()
