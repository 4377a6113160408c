"""Checks the lines of code that docs/integrations.md gives for each integration: those above its agent."""

import ast
import io
import re
import sys
import tokenize
from pathlib import Path

HERE = Path(__file__).parent
LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def lines(path: Path) -> int:
    """Lines with code: neither empty, nor comments, nor docstrings, nor what the examples share."""
    text = path.read_text().split("# The agent.")[0]
    tree = ast.parse(text)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    found = {
        line
        for token in tokens
        if token.type not in LAYOUT
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(tree):
        is_shared = isinstance(node, ast.ImportFrom) and node.module in {"outcome", "tools"}
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_shared or is_text:
            found -= set(range(node.lineno, node.end_lineno + 1))
    return len(found)


table = dict(
    re.findall(
        r"\(\.\./examples/integrations/(\w+)\.py\) \|[^|]*\| (\d+) \|",
        (HERE / "../../docs/integrations.md").read_text(),
    )
)
actual = {name: str(lines(HERE / f"{name}.py")) for name in table}
if len(table) != 5 or actual != table:
    sys.exit(f"docs/integrations.md has {table}, but it is {actual}")
print(", ".join(f"{name} {count}" for name, count in actual.items()))
