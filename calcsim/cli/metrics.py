"""``calcsim metrics``: what every metric is."""

from __future__ import annotations

from typing import Any

from calcsim.cli.common import (
    DEFAULT_PLAYERS,
    CsvOption,
    JsonOption,
    PlayersOption,
    output_format,
    write_csv,
    write_json,
    write_text,
)
from calcsim.cli.tables import format_table
from calcsim.stats.metrics import groups
from calcsim.stats.special import SPECIALS


def metrics(
    players: PlayersOption = DEFAULT_PLAYERS, as_json: JsonOption = False, as_csv: CsvOption = False
) -> None:
    """List every metric: what it counts, per what, which way is better, and where it comes from.

    A * stands for the seat (win.seat0), the place, or the policy where policies differ.
    """
    style = output_format(as_json, as_csv)
    rows = _rows(players)
    if style == "json":
        write_json(rows)
    elif style == "csv":
        write_csv(rows)
    else:
        for group in dict.fromkeys(row["group"] for row in rows):
            write_text(f"{group}")
            table = [_line(row) for row in rows if row["group"] == group]
            write_text(format_table(("", "", ""), table) + "\n")


def _rows(players: int) -> list[dict[str, Any]]:
    counted = [
        {
            "group": group,
            "metric": metric.name,
            "kind": metric.kind,
            "unit": metric.unit or ("share" if metric.kind == "share" else ""),
            "per": metric.per,
            "better": metric.better,
            "margin": metric.margin,
            "source": metric.clause,
            "counts": metric.doc,
        }
        for group, members in groups(players).items()
        for metric in members
    ]
    special = [
        {
            "group": _GROUPS[special.needs],
            "metric": special.name,
            "kind": special.needs,
            "unit": special.unit,
            "per": special.per,
            "better": special.better,
            "margin": special.margin,
            "source": special.source,
            "counts": special.doc,
        }
        for special in SPECIALS
    ]
    return counted + special


_GROUPS = {
    "derived": "made of the metrics above (studies and compare)",
    "flow": "course of the game (studies: games are replayed, turn by turn)",
    "calibration": "the win probabilities that the course is measured by",
    "luck": "luck (studies: deals are replayed with other choices of the players)",
    "match": "matches of several games (studies)",
}


def _line(row: dict[str, Any]) -> tuple[str, str, str]:
    text = f"{row['counts']}; per {row['per']}"
    if row["better"]:
        text += f"; better if {row['better']}"
    return row["metric"], text, row["source"]
