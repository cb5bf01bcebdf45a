"""The inner loops are vectorised, for each kind of machine that they are built for.

Read off the assembler of the installed modules; a compiler or machine without function clones has
nothing to show here.
"""

import re
import shutil
import subprocess

import pytest

from agathis._core.pairwise import pair_search, prefix_scans, updates
from agathis._core.points import point_search, sorted_points
from agathis._core.separation import silhouette

# Vector registers of each clone; packed double instructions must use them.
REGISTERS = {"arch_x86_64_v4": "zmm", "arch_x86_64_v3": "ymm", "default": "xmm"}
# Vectors of four doubles (shared/f64x4.h) are no wider for AVX-512.
IN_QUADS = {"prefix_scan_part", "prefix_scan_leading", "point_moments", "point_sums"}
LOOPS = [
    (pair_search, "scan_features"),
    (updates, "pairs_before"),
    (updates, "pairs_between"),
    (updates, "pairs_add"),
    (prefix_scans, "prefix_scan_part"),
    (prefix_scans, "prefix_scan_leading"),
    (point_search, "point_moments"),
    (point_search, "point_scan"),
    (point_search, "point_refine"),
    (sorted_points, "point_sums"),
    (silhouette, "silhouette_sum"),
]


@pytest.fixture(scope="module")
def assembler():
    """Lines of each function of a module."""
    if shutil.which("objdump") is None:
        pytest.skip("objdump is not installed")

    def lines_of(module):
        command = ["objdump", "-d", "--no-show-raw-insn", module.__file__]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        functions = re.split(r"^[0-9a-f]+ <(.*)>:$", text, flags=re.MULTILINE)
        return dict(zip(functions[1::2], functions[2::2], strict=True))

    return lines_of


@pytest.mark.parametrize(("module", "name"), LOOPS, ids=[name for _, name in LOOPS])
def test_packed_instructions(assembler, module, name):
    functions = assembler(module)
    if not any(function.startswith(f"{name}.arch_") for function in functions):
        pytest.skip("built without function clones")
    for clone, wide in REGISTERS.items():
        register = "ymm" if name in IN_QUADS and wide == "zmm" else wide
        code = functions[f"{name}.{clone}"]
        packed = re.findall(rf"\bv?(?:add|sub|mul|max|cmp\w*|fn?m\w+)pd\s.*%{register}", code)
        assert len(packed) >= 3, f"{name}.{clone} has {len(packed)} packed {register} instructions"
