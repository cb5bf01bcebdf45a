"""The commands and their options as a page, from the commands themselves."""

from pathlib import Path

import typer

from agathis._cli.app import make_app


def write(folder: Path) -> None:
    """Write ``commands.md`` into a folder."""
    (folder / "commands.md").write_text(page(), encoding="utf-8")


def page() -> str:
    """All commands, in the order of the help."""
    top = typer.main.get_command(make_app())
    return "\n".join(_section(f"agathis {name}", top.commands[name]) for name in top.commands)


def _section(name, command) -> str:
    context = command.context_class(command, info_name=name)
    example = _plain(command.epilog).removeprefix("Example: ")
    records = [param.get_help_record(context) for param in command.params]
    rows = [_row(*record) for record in records if record is not None]
    parts = [
        f"## `{name}`",
        _plain(command.help),
        f"```text\n{command.get_usage(context).removeprefix('Usage: ')}\n```",
        "\n".join(["| argument or option | what it does |", "|---|---|", *rows]),
    ]
    if example:
        parts.append(f"For example:\n\n```text\n{example}\n```")
    return "\n\n".join(parts) + "\n"


def _row(name: str, text: str) -> str:
    cell = " ".join((text or "").split()).replace("|", r"\|").replace("<", "&lt;")
    return f"| `{name.replace('|', ' or ')}` | {cell.replace('*', chr(92) + '*')} |"


def _plain(text: str | None) -> str:
    return (text or "").replace("\b\n", "").strip()
