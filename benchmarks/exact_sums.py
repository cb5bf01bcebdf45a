"""What sums of whole numbers cost beside sums of doubles: ``python benchmarks/exact_sums.py``.

The loops of the binned engine themselves (``_core/points/bin_loops.c``), and the same loops with
doubles in the place of whole numbers, on the same rows: 10^6 of 20 float32 columns in 255 bins, one
thread, taking turns. A block of rows is made points and added to the histogram of each column, as
in a fit. Needs a C compiler.
"""

import ctypes
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

CORE = Path(__file__).resolve().parents[1] / "src" / "agathis" / "_core"
N, D, BLOCK, BINS, TURNS = 1_000_000, 20, 256, 256, 15
CODE = """
#include "points/bin_loops.c"

enum { D = %(D)d, WIDTH = (D + LANES - 1) / LANES * LANES, BLOCK = %(BLOCK)d };

AGATHIS_CLONES void
plain_points(const float *x, const int32_t *ids, ptrdiff_t n, ptrdiff_t ahead,
             const double *origin, const double *gap, double *out)
{
    for (ptrdiff_t r = 0; r < n; ++r) {
        const float *restrict row = x + ids[r] * (ptrdiff_t)D;
        if (r + ROWS_AHEAD < ahead)
            fetch((const char *)(x + ids[r + ROWS_AHEAD] * (ptrdiff_t)D), D * sizeof(float));
        double *restrict point = out + r * WIDTH;
        for (ptrdiff_t j = 0; j < D; ++j) {
            const double value = row[j];
            point[j] = value == value ? value - origin[j] : gap[j];
        }
        for (ptrdiff_t j = D; j < WIDTH; ++j)
            point[j] = 0;
    }
}

AGATHIS_CLONES void
plain_add(const double *points, ptrdiff_t width, const uint8_t *bin, ptrdiff_t n, double *sum,
          int64_t *count)
{
    for (ptrdiff_t r = 0; r < n; ++r) {
        const ptrdiff_t b = bin[r];
        const double *restrict point = points + r * width;
        double *restrict to = sum + b * width;
        for (ptrdiff_t j = 0; j < width; j += LANES)
            lanes_store(to + j, lanes_plus(lanes_load(to + j), lanes_load(point + j)));
        count[b] += 1;
    }
}

void
sums(int exact, const float *x, const uint8_t *bins, const int32_t *ids, ptrdiff_t n,
     const double *origin, const double *gap, const double *steps, void *sum, int64_t *count)
{
    static int64_t wholes[BLOCK * WIDTH];
    static double doubles[BLOCK * WIDTH];
    static uint8_t taken[BLOCK * D];
    double most[D] = {0};
    const point_grid grid = {.origin = origin, .gap = gap, .steps = steps, .ratio = 1.0};
    for (ptrdiff_t i = 0; i < n; i += BLOCK) {
        const ptrdiff_t m = n - i < BLOCK ? n - i : BLOCK;
        bins_take(bins, D, ids + i, m, n - i, D, taken);
        if (exact)
            points_of_floats(x, D, ids + i, m, n - i, &grid, NULL, D, WIDTH, most, wholes);
        else
            plain_points(x, ids + i, m, n - i, origin, gap, doubles);
        for (ptrdiff_t f = 0; f < D; ++f) {
            const ptrdiff_t at = f * %(BINS)d;
            if (exact)
                bins_add(wholes, WIDTH, taken + f * m, NULL, m, (int64_t *)sum + at * WIDTH,
                         count + at, NULL);
            else
                plain_add(doubles, WIDTH, taken + f * m, m, (double *)sum + at * WIDTH, count + at);
        }
    }
}
"""


def compiled(folder):
    source, library = Path(folder) / "sums.c", Path(folder) / "sums.so"
    source.write_text(CODE % globals())
    options = ["-O3", "-fPIC", "-shared", "-std=c11", "-Wno-psabi", f"-I{CORE}"]
    subprocess.run(["cc", *options, str(source), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library)).sums


def main():
    random = np.random.default_rng(0)
    x = random.normal(size=(N, D)).astype(np.float32)
    bins = random.integers(0, 255, (N, D)).astype(np.uint8)
    origin, gap = x.mean(axis=0).astype(float), np.zeros(D)
    steps = np.full(D, 2.0**35)
    ids = np.arange(N, dtype=np.int32)
    sums, counts = np.zeros((D * BINS, D + 8)), np.zeros(D * BINS, dtype=np.int64)
    seconds = {0: [], 1: []}

    def at(array):
        return array.ctypes.data_as(ctypes.c_void_p)

    with tempfile.TemporaryDirectory() as folder:
        run = compiled(folder)
        for rows, what in ((ids, "all rows"), (np.sort(random.permutation(ids)[: N // 8]), "some")):
            for _ in range(TURNS):
                for exact in (0, 1):
                    sums[:] = 0
                    start = time.process_time()
                    run(exact, at(x), at(bins), at(rows), ctypes.c_ssize_t(len(rows)), at(origin),
                        at(gap), at(steps), at(sums), at(counts))  # fmt: skip
                    seconds[exact].append(time.process_time() - start)
            plain, whole = (statistics.median(seconds[exact]) for exact in (0, 1))
            print(
                f"{what}: doubles {plain:.3f} s, whole numbers {whole:.3f} s, {whole / plain:.3f}"
            )
            seconds = {0: [], 1: []}


if __name__ == "__main__":
    main()
