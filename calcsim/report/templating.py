"""The templates that ship with the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Template


def template(name: str, *, escaped: bool) -> Template:
    """Return a template of the folder `templates`.

    Parameters
    ----------
    name
        Of its file.
    escaped
        Whether what is filled in is text that must not be taken for HTML.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    from calcsim.report import html, markdown

    environment = Environment(
        loader=PackageLoader("calcsim.report"),
        autoescape=escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    filters: dict[str, Any] = {
        "inline": html.inline,
        "tone": html.tone,
        "plain": markdown.plain,
        "rows": markdown.rows,
        "kind": lambda block: type(block).__name__,
    }
    environment.filters.update(filters)
    return environment.get_template(name)
