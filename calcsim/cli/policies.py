"""``calcsim policies``: who can sit at the table."""

from __future__ import annotations

import typer

from calcsim.cli.common import JsonOption, write_json, write_text
from calcsim.cli.tables import format_table
from calcsim.policies import describe, names

app = typer.Typer(help="The policies that can play: list.", rich_markup_mode=None)


@app.callback()
def policies() -> None:
    """Policies that can play."""


@app.command("list")
def list_policies(as_json: JsonOption = False) -> None:
    """List the policies that come with calcsim."""
    if as_json:
        write_json([{"name": name, "summary": describe(name)} for name in names()])
        return
    write_text(format_table(("name", "what it does"), [(name, describe(name)) for name in names()]))
