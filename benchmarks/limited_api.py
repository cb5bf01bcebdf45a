"""What Python's limited interface would cost: a wheel for all Pythons from 3.11 on, or one each.

``python benchmarks/limited_api.py build/cpython-311`` takes the C files that a build of agathis has
left, compiles them once more with ``Py_LIMITED_API``, and puts them into a copy of the installed
package. Then the two take turns in processes of their own; the least CPU time of each work goes to
``limited_api.json`` beside this file. Loops call nothing of Python, so what is lost is lost on the
way to them.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

INTERFACE = "-DPy_LIMITED_API=0x030B0000"
TURNS = 8


def works():
    """Each work and how often it is done in a turn."""
    from sklearn.datasets import load_iris, make_blobs

    from agathis import Kauri

    iris = load_iris().data
    X, _ = make_blobs(4000, 10, centers=10, random_state=0)
    tree = Kauri(10, max_leaf_nodes=40, n_jobs=1).fit(X).tree_
    small = {"max_leaf_nodes": 12, "n_jobs": 1}
    return {
        "fit of iris, linear": (lambda: Kauri(3, **small).fit(iris), 100),
        "fit of iris, rbf": (lambda: Kauri(3, kernel="rbf", **small).fit(iris), 100),
        "fit of 4000 x 10": (lambda: Kauri(10, max_leaf_nodes=40, n_jobs=1).fit(X), 20),
        "a row predicted": (lambda: tree.predict(X[:1]), 1000),
        "4000 rows predicted": (lambda: tree.predict(X), 100),
    }


def measure():
    """Print the least CPU seconds of each work, in this process."""
    found = {}
    for name, (work, times) in works().items():
        work()
        seconds = []
        for _ in range(times):
            begin = time.process_time()
            work()
            seconds.append(time.process_time() - begin)
        found[name] = min(seconds)
    print(json.dumps(found))


def compiled(build, home):
    """A copy of the installed package below ``home``, its modules for the limited interface."""
    import agathis

    package = Path(shutil.copytree(Path(agathis.__file__).parent, home / "agathis"))
    (loops,) = Path(build).rglob("libagathis_loops.a")
    for step in json.loads((Path(build) / "compile_commands.json").read_text()):
        name = Path(step["file"]).name.removesuffix(".c").removesuffix(".pyx")
        if not step["file"].endswith((".pyx.c", "_cyutility.c")):
            continue
        (module,) = package.rglob(f"{name}.cpython-*.so")
        words = shlex.split(step["command"])
        kept = [w for w in words if w.startswith(("-I", "-D", "-O", "-f", "-std", "-pthread"))]
        made = home / f"{name}.o"
        cc = ["cc", "-w", INTERFACE, *kept]
        subprocess.run([*cc, "-c", step["file"], "-o", made], cwd=step["directory"], check=True)
        limited = module.with_name(f"{name}.abi3.so")
        subprocess.run(["cc", "-shared", made, loops, "-fopenmp", "-lm", "-o", limited], check=True)
        module.unlink()
        print(f"  compiled {name}", flush=True)


def turn(home=None):
    """What ``measure`` prints, in a new process."""
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    environment["PYTHONPATH"] = str(home) if home else ""
    done = subprocess.run(
        [sys.executable, "-P", __file__, "--measure"],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def main(build):
    with tempfile.TemporaryDirectory() as home:
        compiled(build, Path(home))
        turns = [(turn(), turn(home)) for _ in range(TURNS)]
    found = {
        name: {
            "seconds": min(own[name] for own, _ in turns),
            "limited": min(limited[name] for _, limited in turns),
        }
        for name in turns[0][0]
    }
    for name, row in found.items():
        print(
            f"{name:24}{1e3 * row['seconds']:9.3f} ms {row['limited'] / row['seconds']:6.2f} times"
        )
    Path(__file__).with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    measure() if sys.argv[1] == "--measure" else main(sys.argv[1])
