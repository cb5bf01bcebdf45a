"""Trees of tables that stay on disk.

The flow of :func:`fit_file`: a file is opened (``source``), its columns are chosen
(``file_columns``), its rows are copied block by block into a temporary file that NumPy can map
(``spill``), or are read again each time (``file_rows``), a :class:`~agathis.Kauri` is fitted to
that, and the labels are written (``labels``). pyarrow does the reading and is imported when a
file is opened.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from agathis._support.progress import Progress
from agathis._tables.errors import BadTable
from agathis._tables.file_columns import choose_columns
from agathis._tables.labels import check_labels_path, write_labels
from agathis._tables.source import open_source
from agathis._tables.spill import (
    can_be_read_again,
    check_room,
    read_weights,
    rows_again,
    spill_rows,
)

if TYPE_CHECKING:
    from agathis._kauri import Kauri

__all__ = ["fit_file"]


def fit_file(
    path: str | os.PathLike[str],
    n_clusters: int = 8,
    *,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    labels: str | os.PathLike[str] | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    block_rows: int = 65_536,
    temp_dir: str | os.PathLike[str] | None = None,
    copy: bool | str = "auto",
    progress: Callable[[int, int | None], object] | None = None,
    **params: Any,
) -> Kauri:
    """Grow a tree of the rows of a file, which need not fit in memory.

    The rows are read once, a block at a time, and copied as plain numbers into a temporary
    file, which needs 4 or 8 bytes a value on disk and is removed in any case. From there they
    are read again, leaf by leaf, as the tree grows. Parquet files need no copy (``copy``). In
    memory are some 13 bytes a row (its
    place, its leaf and its label), 8 more for weights, the rows of one block, the ``subsample``
    rows that bins are found from, and the sums of the leaves: a few times
    ``n_leaves * d**2 * max_bins * 8`` bytes, for d columns.

    Parameters
    ----------
    path : str or PathLike
        A file in Parquet (``.parquet``, ``.pq``), Arrow IPC or Feather (``.arrow``,
        ``.feather``, ``.ipc``; as a file or as a stream), CSV (``.csv``, ``.csv.gz``) or TSV
        (``.tsv``, ``.tab``, ``.tsv.gz``). Text has the column names in its first line. Or a folder
        of Parquet files, or a pattern such as ``"visits/2024-*.parquet"``: their rows in the
        order of their names; only the columns that are used are read.
    n_clusters : int, default=8
        The most clusters there may be.
    columns : list of str, default=None
        The columns that the tree may use. ``None`` is every column of numbers (integers,
        floats, booleans, decimals, and texts such as ``1.264,40`` or ``€ 5``), except identifiers,
        codes (postal codes, phone numbers), parts of a calendar (years, months), columns without
        a name and an index that pandas stored; a warning names those that are left out.
    weight : str, default=None
        The column with the sample weights; it is then no feature.
    labels : str or PathLike, default=None
        Where to write the cluster of each row, in the order of the file: ``.npy`` (int32),
        ``.csv`` or ``.parquet`` (one column, ``cluster``). A file that is already there is
        replaced at the very end, or stays as it is when anything fails.
    format : {"parquet", "arrow", "csv", "tsv"}, default=None
        The format, where the name does not tell it.
    delimiter : str, default=None
        What separates the columns of text; ``None`` is a tab for TSV, and for CSV what its first
        rows show: a comma, a semicolon, a tab or a bar.
    decimal : {".", ","}, default=None
        The decimal point of text; ``None`` is what its first rows show. Where these could be
        either, as 1.200 is, a warning says what they are taken for.
    encoding : str, default=None
        Of text; ``None`` is UTF-8.
    block_rows : int, default=65536
        The most rows that are read at a time. Fewer are where they would fill more than 64 MiB.
        CSV is parsed 4 MiB at a time, and a compressed batch of an Arrow file is unpacked whole.
    temp_dir : str or PathLike, default=None
        A directory for the temporary file; ``None`` is the system's.
    copy : bool or "auto", default="auto"
        Whether rows are copied into a temporary file. ``False`` reads Parquet files again for
        each leaf, which takes longer and no room on the disk; ``"auto"`` does so where a copy
        would not fit.
    progress : callable, default=None
        Called after each block with the number of rows read and the number of all rows, or
        ``None`` where the format does not tell it; in place of what ``verbose=1`` shows.
    **params
        Parameters of :class:`~agathis.Kauri`; ``engine`` is ``"binned"`` unless given.
        With ``keep_training_data=True``, and with engines other than ``"binned"``, the rows are
        in memory after all.

    Returns
    -------
    model : Kauri
        Fitted, with the column names as ``feature_names_in_``.

    Notes
    -----
    A missing value becomes NaN, and an infinite one is an error. Values are kept as float32 where
    every column fits exactly (floats of up to 32 bits, integers of up to 16, booleans), else as
    float64. CSV columns are numbers if they are in the first 4 MiB of text, and have to stay so,
    written in the same way.
    An identifier, by the first rows, is whole numbers that go up by one, or that have many values
    and a name such as ``id`` or ``customer_id``.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import pyarrow as pa
    >>> from pyarrow import parquet
    >>> from agathis import fit_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "trees.parquet")
    ...     table = pa.table({"height": [1.0, 2.0, 30.0, 31.0], "girth": [0.1, 0.2, 4.0, 4.1]})
    ...     parquet.write_table(table, path)
    ...     out = os.path.join(folder, "labels.npy")
    ...     model = fit_file(path, 2, max_leaf_nodes=2, labels=out)
    ...     np.load(out)
    array([0, 0, 1, 1], dtype=int32)
    >>> model.feature_names_in_
    array(['height', 'girth'], dtype=object)
    """
    model = _new_model(n_clusters, params)
    if not isinstance(block_rows, Integral) or block_rows < 1:
        raise ValueError(f"block_rows={block_rows!r} must be an int of at least 1.")
    if temp_dir is not None and not os.path.isdir(temp_dir):
        raise NotADirectoryError(f"temp_dir={os.fspath(temp_dir)!r} is not a directory.")
    if copy not in (True, False, "auto"):
        raise ValueError(f"copy={copy!r} must be True, False or 'auto'.")
    source = open_source(path, format, delimiter, decimal=decimal, encoding=encoding, many=True)
    target = None if labels is None else check_labels_path(labels, source.path)

    directory = tempfile.gettempdir() if temp_dir is None else os.fsdecode(temp_dir)
    if source.n_rows is not None and (copy is True or not can_be_read_again(source)):
        # A column takes that at least; some files claim more rows than they have.
        check_room(directory, 4 * source.n_rows, source.path)
    names = choose_columns(source, columns, weight)
    X: Any = None
    if copy is not True:
        X = rows_again(source, names, weight, directory, required=not copy)
    with Progress(model.verbose, None, model.n_clusters) as shown:
        tell = progress or (lambda done, total: shown.rows(done, total, "rows read"))
        if X is None:
            X, sample_weight = spill_rows(source, names, weight, directory, int(block_rows), tell)
        else:
            sample_weight = read_weights(source, weight, int(block_rows))
    if model.keep_training_data:
        X = np.array(X[:])  # the model outlives the file
    try:
        model.fit(X, sample_weight=sample_weight)
    except BadTable:  # of rows that are read again: it names the file
        raise
    except ValueError as error:
        raise ValueError(f"file {source.path!r}: {error}") from error
    model.feature_names_in_ = np.array(names, dtype=object)
    if target is not None:
        write_labels(target, model.labels_)
    return model


def _new_model(n_clusters: int, params: dict[str, Any]) -> Kauri:
    """A Kauri whose parameters are known to be good before hours of reading."""
    from agathis._checks.data import check_params, n_threads
    from agathis._checks.engines import BINNED
    from agathis._checks.kernels import check_engine, kernel_of
    from agathis._kauri import Kauri

    known = Kauri().get_params()
    for name in params:
        if name not in known:
            close = get_close_matches(name, known, 1)
            raise TypeError(
                f"{name!r} is a parameter neither of fit_file nor of Kauri"
                + (f"; did you mean {close[0]!r}?" if close else f", which takes {list(known)}.")
            )
    model = Kauri(n_clusters, **{"engine": BINNED, **params})
    check_params(model)
    if model.kernel == "precomputed":
        raise ValueError("kernel='precomputed' needs a matrix, and a file holds rows: use fit.")
    check_engine(model.engine, kernel_of(model), model.n_components)
    n_threads(model.n_jobs)
    return model
