"""How long the examples of the gallery took when the site was built, told in a line."""

import json
from pathlib import Path

#: Seconds that an example should take at most; the machine may be busy, so it is told, not judged.
LIMIT = 10.0


def tell(app, error):
    """Print the line when the site is built; Sphinx calls this at its end."""
    if error is None:
        print(times(Path(app.srcdir) / "gallery"))


def times(folder):
    """The slowest example, and those that took longer than ``LIMIT``.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for name, seconds in (("plot_a", 2.5), ("plot_b", 12)):
    ...         path = Path(folder) / f"{name}.cost.json"
    ...         _ = path.write_text(json.dumps({"time": seconds}), encoding="utf-8")
    ...     times(Path(folder))
    'Of 2 examples the slowest is plot_b with 12.0 s; longer than 10 s: plot_b'
    """
    # Sphinx-Gallery keeps them, also of examples that were not run again.
    seconds = {
        path.name.removesuffix(".cost.json"): json.loads(path.read_text(encoding="utf-8"))["time"]
        for path in folder.rglob("*.cost.json")
    }
    if not seconds:
        return "Sphinx-Gallery kept no times of examples"
    slowest = max(seconds, key=seconds.get)
    late = ", ".join(sorted(name for name, taken in seconds.items() if taken > LIMIT)) or "none"
    return (
        f"Of {len(seconds)} examples the slowest is {slowest} with {seconds[slowest]:.1f} s; "
        f"longer than {LIMIT:.0f} s: {late}"
    )
