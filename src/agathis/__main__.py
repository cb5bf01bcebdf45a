"""The command ``agathis``, also as ``python -m agathis``."""

import sys

from agathis._utils.extras import needed


def main() -> None:
    """Run the command of this process's arguments, or say what is not installed."""
    try:
        for package in ("typer", "rich"):
            needed(package, "cli", "the command line")
    except ImportError as error:
        raise SystemExit(f"Error: {error}") from error
    try:
        from agathis._cli import main as run

        run()
    except KeyboardInterrupt:  # before a command began
        print("Stopped.", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
