"""``python tools/build.py BUILD WHEELS [SETTING...]``: a wheel of agathis, a line a module.

``BUILD`` stays, so that the next build compiles only what changed; ``WHEELS`` is where the wheel is
put. A setting goes to meson, as ``-Dwerror=true`` does. pip and ninja print either nothing or a
thousand lines: of these the ones that say how far the build is are shown, and all of them where it
fails.
"""

import re
import subprocess
import sys
from pathlib import Path

import sources

STEPS = {
    "translated": re.compile(r"\[\d+/\d+\] Compiling Cython source \S*?(\w+)\.pyx\s*$"),
    "compiled": re.compile(r"\[\d+/\d+\] Linking target \S*?(\w+)\.[^/\s]+\s*$"),
}


def command(build, wheels, settings):
    return [
        *(sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "-v"),
        *("--no-deps", "--no-build-isolation", "--wheel-dir", wheels),
        *(f"--config-settings={setting}" for setting in [f"build-dir={build}", *settings]),
        ".",
    ]


def forget(build, source="src"):
    """Remove translations that are older than their declarations, so that they are made again.

    ninja knows what a translation has read; a ``.pxd`` that was not there then is not among it.
    """
    for declared in Path(source).rglob("*.pxd"):
        for translated in Path(build).rglob(f"{declared.stem}.pyx.c"):
            if translated.stat().st_mtime < declared.stat().st_mtime:
                translated.unlink()


def main(build, wheels, settings):
    forget(build)
    n_modules = len(sources.sources("cython"))
    totals = {"translated": n_modules, "compiled": n_modules + 1}  # one is what all share
    said, done = [], dict.fromkeys(STEPS, 0)
    process = subprocess.Popen(
        command(build, wheels, [f"setup-args={setting}" for setting in settings]),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    with process:
        for line in process.stdout:
            said.append(line)
            for step, pattern in STEPS.items():
                match = pattern.search(line)
                if match:
                    done[step] += 1
                    print(f"  {step} {done[step]:2} of {totals[step]}: {match[1]}", flush=True)
    if process.returncode:
        sys.stderr.writelines(said)
        sys.exit(f"agathis could not be built (pip's exit status {process.returncode})")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
