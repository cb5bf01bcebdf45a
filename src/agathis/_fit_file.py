"""Out-of-core fits from files.

The steps of :func:`fit_file`: open a file (``table_reader``), select its columns
(``file_columns``), copy its rows block by block into a memory-mapped temporary file
(``memory_mapped``) or read them again each time (``file_rows``), fit a :class:`~agathis.Kauri`, and
write the labels (``labels``). pyarrow is imported when a file is opened.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from agathis._columns.errors import BadTable
from agathis._encoding.file_columns import choose_columns
from agathis._encoding.memory_mapped import (
    can_be_read_again,
    check_disk_space,
    read_weights,
    rows_again,
    spill_rows,
)
from agathis._io.labels import check_labels_path, write_labels
from agathis._io.table_reader import open_table
from agathis._utils.progress import Progress

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
    """Fit a tree to the rows of a file, which need not fit in memory.

    The rows are read once, in blocks, and copied as numbers into a temporary file of 4 or 8 bytes
    per value, which is always removed. During growth they are read from there leaf by leaf. Parquet
    files need no copy (``copy``). Memory holds about 13 bytes per row, 8 more with weights, one
    block of rows, the ``subsample`` rows used for bins, and the sums of the leaves: a few times
    ``n_leaves * d**2 * max_bins * 8`` bytes for d columns.

    Parameters
    ----------
    path : str or PathLike
        A Parquet (``.parquet``, ``.pq``), Arrow IPC or Feather (``.arrow``, ``.feather``, ``.ipc``;
        file or stream), CSV (``.csv``, ``.csv.gz``) or TSV (``.tsv``, ``.tab``, ``.tsv.gz``) file;
        the first line of text files has the column names. Or a directory of Parquet files, or a
        pattern such as ``"visits/2024-*.parquet"``, read in the order of their names.
    n_clusters : int, default=8
        The maximum number of clusters.
    columns : list of str, default=None
        The columns to use. If None, all numeric columns (integers, floats, booleans, decimals, and
        strings such as ``1.264,40`` or ``€ 5``), except identifiers, codes (postal codes, phone
        numbers), datetime parts (years, months), unnamed columns and a stored pandas index; a
        warning lists the columns left out.
    weight : str, default=None
        The column with the sample weights, which is then not a feature.
    labels : str or PathLike, default=None
        The file for the cluster of each row, in the order of the input: ``.npy`` (int32), ``.csv``
        or ``.parquet`` (one column, ``cluster``). An existing file is replaced only on success.
    format : {"parquet", "arrow", "csv", "tsv"}, default=None
        The format, if it does not follow from the name.
    delimiter : str, default=None
        The column separator of text files. If None, a tab for TSV, and inferred from the first rows
        for CSV: a comma, a semicolon, a tab or a bar.
    decimal : {".", ","}, default=None
        The decimal point of text files. If None, inferred from the first rows; ambiguous numbers
        such as 1.200 cause a warning.
    encoding : str, default=None
        The encoding of text files. If None, UTF-8.
    block_rows : int, default=65536
        The maximum number of rows per block; a block has at most 64 MiB. CSV is parsed 4 MiB at a
        time, and a compressed batch of an Arrow file is unpacked at once.
    temp_dir : str or PathLike, default=None
        The directory for the temporary file. If None, that of the system.
    copy : bool or "auto", default="auto"
        Whether to copy the rows into a temporary file. If False, Parquet files are read again for
        each leaf, which takes longer and no disk space. ``"auto"`` copies if there is enough space.
    progress : callable, default=None
        Called after each block with the number of rows read and the total number of rows, or
        ``None`` if unknown; replaces the progress output of ``verbose=1``.
    **params
        Parameters of :class:`~agathis.Kauri`; ``engine`` defaults to ``"binned"``. With
        ``keep_training_data=True`` or another engine the rows are loaded into memory.

    Returns
    -------
    model : Kauri
        The fitted model, with the column names as ``feature_names_in_``.

    Notes
    -----
    Missing values become NaN; infinite values are an error. Values are stored as float32 if every
    column fits exactly (floats of up to 32 bits, integers of up to 16, booleans), else as float64.
    CSV columns are numeric if they are in the first 4 MiB, and must remain so in the same notation.
    An identifier is a column of integers that increase by one in the first rows, or of integers
    with many distinct values and a name such as ``id`` or ``customer_id``.

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
    reader = open_table(path, format, delimiter, decimal=decimal, encoding=encoding, many=True)
    target = None if labels is None else check_labels_path(labels, reader.path)

    directory = tempfile.gettempdir() if temp_dir is None else os.fsdecode(temp_dir)
    if reader.n_rows is not None and (copy is True or not can_be_read_again(reader)):
        # The minimum space of one column, as some files claim more rows than they have.
        check_disk_space(directory, 4 * reader.n_rows, reader.path)
    names = choose_columns(reader, columns, weight)
    X: Any = None
    if copy is not True:
        X = rows_again(reader, names, weight, directory, required=not copy)
    with Progress(model.verbose, None, model.n_clusters) as default_progress:
        report = progress or (lambda done, total: default_progress.rows(done, total, "rows read"))
        if X is None:
            X, sample_weight = spill_rows(reader, names, weight, directory, int(block_rows), report)
        else:
            sample_weight = read_weights(reader, weight, int(block_rows))
    if model.keep_training_data:
        X = np.array(X[:])  # the model outlives the file
    try:
        model.fit(X, sample_weight=sample_weight)
    except BadTable:  # of rows that are read again: it names the file
        raise
    except ValueError as error:
        raise ValueError(f"file {reader.path!r}: {error}") from error
    model.feature_names_in_ = np.array(names, dtype=object)
    if target is not None:
        write_labels(target, model.labels_)
    return model


def _new_model(n_clusters: int, params: dict[str, Any]) -> Kauri:
    """A Kauri with validated parameters, so that errors are raised before reading the file."""
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
