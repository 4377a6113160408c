"""The model: it decides on its next step from the conversation alone and remembers nothing between two
requests. What a context has lost, it does not know.
"""

import re

from .conversation import Call, Conversation

PATH = re.compile(r"\bshop/\w+\.py\b")


def step(conversation: Conversation) -> Call | str:
    """The next tool call, or the answer that ends the work."""
    if "read_page" in conversation.tools:
        return next_page(conversation)
    if not any("print()" in text and "log.info()" in text for text in conversation.texts):
        return "I no longer know what the task is."
    calls = list(conversation.calls.values())
    last = calls[-1] if calls else None
    forbidden = {path for text in conversation.texts for path in never_touched(text)}
    done = changed(conversation)
    if last and last.name == "run_checks":
        return f"Done. {last.result} Changed: {', '.join(sorted(done))}."
    if last and last.name == "read_file" and last.arguments["path"] not in forbidden:
        path = last.arguments["path"]
        return Call("write_file", {"path": path, "content": last.result.replace("print(", "log.info(")})
    listing = next((call.result for call in reversed(calls) if call.name == "list_files"), "")
    if not PATH.search(listing):
        return Call("list_files", {})
    left = [path for path in PATH.findall(listing) if path not in done | forbidden]
    if left:
        return Call("read_file", {"path": left[0]})
    # Where it may look into the past it does so before it is done.
    if "search_past" in conversation.tools and last and last.name != "search_past":
        return Call("search_past", {"query": "which file must never be touched"})
    return Call("run_checks", {})


def next_page(conversation: Conversation) -> Call | str:
    """The work of the pages of docs/, which have one tool."""
    total = max((int(last) for text in conversation.texts for last in re.findall(r"pages 1 to (\d+)", text)), default=0)
    read = max((call.arguments["number"] for call in conversation.calls.values()), default=0)
    return Call("read_page", {"number": read + 1}) if read < total else f"All {read} pages are read."


def never_touched(text: str) -> list[str]:
    """The paths that a sentence forbids."""
    return [path for rule in re.findall(r"[Nn]ever touch[^\n]*", text) for path in PATH.findall(rule)]


def changed(conversation: Conversation) -> set[str]:
    """The files that were written, by the calls themselves or by a summary's section on modified files."""
    written = {call.arguments["path"] for call in conversation.calls.values() if call.name == "write_file"}
    for text in conversation.texts:
        for section in re.findall(r"(?im)^#+ .*modified.*\n((?:(?!#).*\n?)*)", text):
            # Many files of a folder are one line: the folder, and each one's name.
            written.update(f"shop/{name}" for name in re.findall(r"\b\w+\.py\b", section))
    return written
