"""The folder that an agent of the examples works in.

`workspace.py make DIR` writes it, `workspace.py check DIR` says whether the task is done.
"""

import sys
from pathlib import Path

LEGACY = "shop/legacy.py"
MODULES = """accounts addresses basket billing brands bundles catalog checkout coupons credit delivery export
 invoices loyalty orders payments prices ratings refunds search shelves stock suppliers taxes""".split()
STEPS = ["load", "check", "reserve", "apply", "report", "archive"]


def source(module: str) -> str:
    """A module of the shop."""
    functions = [
        f'''def {step}_{module}(record, *, limit={place * 7 + len(module)}):
    """Takes one record of {module} through the step {step}."""
    if record is None:
        print("{module}: nothing to {step}")
        return None
    record["{step}_count"] = min(record.get("{step}_count", 0) + 1, limit)
    print("{module}: {step} done for", record["id"])
    return record
'''
        for place, step in enumerate(STEPS)
    ]
    return "from shop.logs import log\n\n\n" + "\n\n".join(functions)


def make(root: Path) -> None:
    """Writes the folder."""
    (root / "shop").mkdir(parents=True)
    for module in MODULES:
        (root / f"shop/{module}.py").write_text(source(module))
    (root / LEGACY).write_text(source("legacy"))


def check(root: Path) -> list[str]:
    """What is not as the task wants it."""
    found = []
    for module in MODULES:
        wanted = source(module).replace("print(", "log.info(")
        if (root / f"shop/{module}.py").read_text() != wanted:
            found.append(f"shop/{module}.py still prints, or says something else")
    if (root / LEGACY).read_text() != source("legacy"):
        found.append(f"{LEGACY} was touched")
    return found


if __name__ == "__main__":
    command, root = sys.argv[1], Path(sys.argv[2])
    if command == "make":
        make(root)
    elif complaints := check(root):
        sys.exit("\n".join(complaints))
    else:
        print(f"All checks passed: {len(MODULES)} files log, {LEGACY} is as it was.")
