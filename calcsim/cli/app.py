"""The commands put together."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from calcsim.cli import (
    ask,
    bench,
    compare,
    duel,
    legal,
    metagame,
    metrics,
    policies,
    replay,
    restricted,
    rules,
    run,
    skill,
    study,
    tournament,
    trace,
    tune,
)
from calcsim.errors import UsageError, nearest
from calcsim.version import __version__


class CommandGroup(TyperGroup):
    """Commands by name, whose error for an unknown name is ours."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that `args` begin with.

        Raises
        ------
        UsageError
            If there is none of that name, with the nearest.
        """
        name = args[0]
        if name not in self.commands and not name.startswith("-"):
            raise UsageError(
                f"unknown command {name!r}{nearest(name, self.commands)} (see '{ctx.command_path} --help')"
            )
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=CommandGroup,
    add_completion=False,
    # Plain help: it needs no further imports and holds no escape codes wherever it goes.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"calcsim {__version__}")
        raise typer.Exit()


@app.callback(invoke_without_command=True)
def calcsim(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show where an error comes from; works after a command, too.")
    ] = False,
) -> None:
    """Play millions of games of Calc and Advanced Calc, and say what happens in them."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command("ask", short_help="Say how often something happens in a game.")(ask.ask)
app.command("run", short_help="Play games and print every figure of them.")(run.run)
app.command("compare", short_help="Compare rules on the same deals, with verdicts.")(compare.compare)
app.command("metrics", short_help="List what can be measured, and how it is counted.")(metrics.metrics)
app.command("tournament", short_help="Say which policies are better.")(tournament.tournament)
app.command("duel", short_help="Say which of two policies is better, with as few deals as it takes.")(
    duel.duel
)
app.command("metagame", short_help="Say which policies survive among each other.")(metagame.metagame)
app.command("restricted", short_help="Say what a part of the game is worth to a policy.")(
    restricted.restricted
)
app.command("skill", short_help="Say how much is skill and how much is luck.")(skill.skill)
app.command("tune", short_help="Find weights that win.")(tune.tune)
app.command("bench", short_help="Measure how fast games are played.")(bench.bench)
app.command("trace", short_help="Print games as JSON Lines, event by event.")(trace.trace)
app.command("legal", short_help="List the legal actions of positions.")(legal.legal)
app.command("replay", short_help="Show a game for people to read.")(replay.replay)
app.add_typer(study.app, name="study", cls=CommandGroup)
app.add_typer(rules.app, name="rules", cls=CommandGroup)
app.add_typer(policies.app, name="policies", cls=CommandGroup)
