"""The package as it is published: version, types, licence."""

import json
import tomllib
from importlib.metadata import metadata
from importlib.resources import files
from pathlib import Path

import anchord

ROOT = Path(__file__).parents[3]


def test_the_version_is_that_of_the_workspace() -> None:
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())
    cargo = workspace["workspace"]["package"] if "package" in workspace.get("workspace", {}) else workspace["package"]
    document = json.loads((ROOT / "openapi/anchord.json").read_text())
    assert anchord.__version__ == cargo["version"] == document["info"]["version"]


def test_the_package_says_that_it_has_types_and_a_licence() -> None:
    assert files("anchord").joinpath("py.typed").is_file()
    assert metadata("anchord")["License-Expression"] == "Apache-2.0"
    kept = Path(__file__).parents[1] / "LICENSE"
    assert kept.read_text() == (ROOT / "LICENSE").read_text()
