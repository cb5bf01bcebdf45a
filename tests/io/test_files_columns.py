"""Trees of files: which columns are used, and what text files may hold."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest
from helpers import table_files
from helpers.invariants import equal_trees
from helpers.table_files import (
    FORMATS,
    NAMES,
    TableFiles,
    in_memory,
    pa,
    rows_of,
    table_of,
    text,
    write,
)

from agathis import TableEncoder


class TestColumns(TableFiles):
    def test_others_are_left_out_and_named(self, fit, tmp_path, X):
        table = table_of(X).append_column("city", pa.array(["x"] * 120))
        table = table.add_column(0, "day", pa.array([0] * 120, pa.date32()))
        path = write(table, tmp_path, "parquet")
        with pytest.warns(UserWarning, match=r"'day' \(date32.*'city' \(string\)") as caught:
            model = fit(path)
        assert len(caught) == 1
        assert "table.parquet" in str(caught[0].message)
        assert caught[0].filename == table_files.__file__
        equal_trees(model.tree_, in_memory(X).tree_)

    def test_the_index_of_pandas_is_no_feature(self, fit, tmp_path, X):
        frame = pd.DataFrame(X, columns=NAMES, index=np.arange(120)[::-1])
        frame.to_parquet(tmp_path / "table.parquet")
        with pytest.warns(UserWarning, match=r"'__index_level_0__' \(index of pandas\)"):
            model = fit(tmp_path / "table.parquet")
        assert model.feature_names_in_.tolist() == NAMES
        frame.to_csv(tmp_path / "table.csv")
        with pytest.warns(UserWarning, match=r"'' \(no name\)"):
            model = fit(tmp_path / "table.csv")
        assert model.feature_names_in_.tolist() == NAMES

    @pytest.mark.parametrize("kind", FORMATS)
    def test_identifiers_are_left_out(self, fit, tmp_path, X, kind):
        table = table_of(X).add_column(0, "row", pa.array(range(7, 127)))
        table = table.append_column("same", pa.array([3] * 120))
        path = write(table, tmp_path, kind)
        with pytest.warns(UserWarning, match=r"'row' \(it looks like an identifier\)"):
            model = fit(path)
        assert model.feature_names_in_.tolist() == [*NAMES, "same"]
        everything = fit(path, columns=["row", *NAMES])
        assert everything.feature_names_in_.tolist() == ["row", *NAMES]

    @pytest.mark.parametrize("kind", FORMATS)
    def test_what_is_no_quantity_is_left_out_as_in_tables(self, fit, tmp_path, X, kind):
        table = table_of(X)
        for name, values in {
            "year": [2000 + i % 20 for i in range(120)],
            "zip": [10_115 + 37 * i for i in range(120)],
            "store_id": [i % 5 for i in range(120)],
        }.items():
            table = table.append_column(name, pa.array(values))
        with pytest.warns(UserWarning, match=r"'year' \(it is part of.*'zip' \(it holds codes"):
            model = fit(write(table, tmp_path, kind))
        encoder = TableEncoder().fit(table.to_pandas())
        numbers = [
            name
            for name, what in zip(
                encoder.columns_["column"], encoder.columns_["became"], strict=True
            )
            if what == "number"
        ]
        assert model.feature_names_in_.tolist() == numbers == NAMES

    def test_in_the_order_given(self, fit, tmp_path, X):
        path = write(table_of(X), tmp_path, "parquet")
        model = fit(path, columns=("age", "height"))
        assert model.feature_names_in_.tolist() == ["age", "height"]
        equal_trees(model.tree_, in_memory(X[:, [2, 0]]).tree_)

    def test_names_with_dots_and_prefixes(self, fit, tmp_path, X):
        names = ["a", "a.b", "é 1"]
        path = write(table_of(X, names), tmp_path, "parquet")
        assert fit(path, columns=names).feature_names_in_.tolist() == names
        equal_trees(fit(path, columns=["a"]).tree_, in_memory(X[:, :1]).tree_)

    @pytest.mark.parametrize("kind", FORMATS)
    def test_weight(self, fit, tmp_path, X, kind):
        weight = np.arange(120) % 4
        path = write(table_of(X).append_column("w", pa.array(weight)), tmp_path, kind)
        model = fit(path, weight="w", block_rows=11)
        assert model.feature_names_in_.tolist() == NAMES
        equal_trees(model.tree_, in_memory(X, sample_weight=weight).tree_)

    @pytest.mark.parametrize(
        ("params", "match"),
        [
            ({"columns": ["heigth"]}, "'heigth', which .* Did you mean 'height'.*'girth', 'age'"),
            ({"columns": ["AGE "]}, "Did you mean 'age'"),
            ({"columns": ["x1"]}, r"does not have\. Its columns are 'height'"),
            ({"columns": ["height", "city"]}, "columns names 'city'.*type string.*'height', 'g"),
            ({"weight": "city"}, "weight names 'city', which is not a column of numbers"),
            ({"weight": "mass"}, "weight names 'mass', which .* does not have"),
        ],
    )
    def test_wrong_names(self, fails, tmp_path, X, params, match):
        path = write(table_of(X).append_column("city", pa.array(["x"] * 120)), tmp_path, "csv")
        fails(ValueError, match, path, **params)

    @pytest.mark.parametrize(
        ("params", "error", "match"),
        [
            ({"columns": "height"}, TypeError, "columns must be a list of names; it is 'height'"),
            ({"columns": 3}, TypeError, "columns must be a list of names; it is 3"),
            ({"columns": [3]}, TypeError, "columns takes names .* it has 3"),
            ({"columns": []}, ValueError, "columns is empty"),
            ({"columns": ["age", "age"]}, ValueError, "columns names 'age' twice"),
            ({"columns": ["age"], "weight": "age"}, ValueError, "weight='age' is among columns"),
        ],
    )
    def test_wrong_arguments(self, fit, tmp_path, X, params, error, match):
        path = write(table_of(X), tmp_path, "parquet")
        with pytest.raises(error, match=match):
            fit(path, **params)

    @pytest.mark.parametrize("kind", ["parquet", "arrow", "stream", "csv"])
    def test_two_of_one_name(self, fit, fails, tmp_path, X, kind):
        table = table_of(X).rename_columns(["a", "b", "a"])
        path = write(table, tmp_path, kind)
        fails(ValueError, "2 columns of the name 'a'", path)
        fails(ValueError, "2 columns of the name 'a'", path, columns=["b", "a"])
        equal_trees(fit(path, columns=["b"]).tree_, in_memory(X[:, [1]]).tree_)

    def test_many_names_are_cut(self, fails, tmp_path):
        path = text(tmp_path, ",".join(f"c{i}" for i in range(400)) + "\n" + "x," * 399 + "x\n")
        fails(ValueError, r"'c11' \(string\) and 388 more", path)


class TestCsv(TableFiles):
    # Longer than a block of the parser, so that rows after it are in a later one.
    FILL = "1,2,{}\n".format("x" * 9000) * 500

    def test_bom_and_windows_lines(self, fit, tmp_path, X):
        body = "".join("{},{},{}\r\n".format(*map(repr, row)) for row in X.tolist())
        path = text(tmp_path, "\ufeffheight,girth,age\r\n" + body)
        model = fit(path)
        assert model.feature_names_in_.tolist() == NAMES
        equal_trees(model.tree_, in_memory(X).tree_)

    def test_delimiter(self, fit, tmp_path, X):
        path = write(table_of(X), tmp_path, "tsv").rename(tmp_path / "table.csv")
        equal_trees(fit(path, delimiter="\t").tree_, in_memory(X).tree_)

    def test_whole_numbers_may_become_fractions_later(self, tmp_path):
        path = text(tmp_path, "a,b,c\n" + self.FILL + "1.5,2.5,x\n")
        rows, _ = rows_of(path, ["a", "b"], tmp_path / "t", block_rows=400)
        assert rows.shape == (501, 2)
        assert rows[-1].tolist() == [1.5, 2.5]

    def test_gaps_may_become_numbers_later(self, tmp_path):
        path = text(tmp_path, "a,b,c\n" + self.FILL.replace("2", "") + "1,2.5,x\n")
        rows, _ = rows_of(path, ["a", "b"], tmp_path / "t")
        assert np.isnan(rows[:-1, 1]).all()
        assert rows[-1].tolist() == [1, 2.5]

    def test_lines_in_quotes_across_blocks(self, tmp_path):
        fill = self.FILL.replace("x" * 9000, '"' + "x\n" * 4500 + '"')
        path = text(tmp_path, "a,b,c\n" + fill + "7,8,x\n")
        rows, _ = rows_of(path, ["b"], tmp_path / "t")
        assert rows.shape == (501, 1)
        assert rows[-1] == 8

    def test_text_in_a_later_block(self, fails, tmp_path):
        path = text(tmp_path, "a,b,c\n" + self.FILL + "1,ash,x\n")
        match = "in column 'b', which .* Row #502: .* 'ash'.*left out by columns="
        fails(ValueError, match, path, columns=["b", "a"])

    @pytest.mark.parametrize("fill", ["", FILL], ids=["first block", "later block"])
    def test_ragged(self, fails, tmp_path, fill):
        path = text(tmp_path, "a,b,c\n" + fill + "1,2,3\n4,5\n6,7,8\n")
        row = fill.count("\n") + 3
        match = rf"row {row} \(the header is row 1\) has 2 cells, and the header has 3: 4,5\."
        fails(ValueError, match, path, columns=["a"])

    def test_open_quote(self, fails, tmp_path):
        path = text(tmp_path, 'a,b,c\n1,2,"x\n' + self.FILL + self.FILL)
        fails(ValueError, "a quote is never closed", path, columns=["a"])

    @pytest.mark.parametrize(
        "content", ["a;b\n1;2\n3;4\n", "a;b\n1,5;2,5\n"], ids=["points", "commas"]
    )
    def test_semicolons_where_a_comma_was_asked_for(self, fails, tmp_path, content):
        path = text(tmp_path, content)
        match = "has ';' and no ',': delimiter=';' may be meant"
        fails(ValueError, match, path, delimiter=",")
        fails(ValueError, match, path, delimiter=",", columns=["b"])

    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    @pytest.mark.parametrize("first", ["", "sep=;"])
    def test_layout_is_found(self, fit, tmp_path, X, mark, end, first):
        rows = [";".join(map(repr, row)).replace(".", ",") for row in X.tolist()]
        lines = [*([first] if first else []), ";".join(NAMES), *rows, ""]
        model = fit(text(tmp_path, mark + end.join(lines)))
        assert model.feature_names_in_.tolist() == NAMES
        equal_trees(model.tree_, in_memory(X).tree_)

    def test_numbers_as_people_write_them(self, fit, tmp_path, X):
        cells = [[f"{1000 + v:,.4f} €" for v in row] for row in X.tolist()]
        path = text(tmp_path, "height;girth;age\n" + "".join(";".join(c) + "\n" for c in cells))
        expected = np.array([[float(c[:-2].replace(",", "")) for c in row] for row in cells])
        equal_trees(fit(path).tree_, in_memory(expected).tree_)

    def test_numbers_as_people_write_them_in_later_blocks(self, fails, tmp_path):
        fill = self.FILL.replace("1,2,", '"1,000 €",2,')
        path = text(tmp_path, "a,b,c\n" + fill + '"2,500 €",7,x\n,8,x\n')
        rows, _ = rows_of(path, ["a", "b"], tmp_path / "t")
        np.testing.assert_array_equal(rows[-3:], [[1000, 2], [2500, 7], [np.nan, 8]])
        path = text(tmp_path, "a,b,c\n" + fill + "5 $,7,x\n")
        match = r"in column 'a', which .* Row #502: '5 \$' has another number format"
        fails(ValueError, match, path, columns=["a", "b"])

    def test_thousands_or_decimals(self, fit, tmp_path):
        path = text(tmp_path, "a;b\n1.200;5\n2.300;6\n9.100;6\n")
        with pytest.warns(UserWarning, match=r"in 'a' 1\.200 is read as 1200; decimal='\.' takes"):
            model = fit(path, 2)
        assert model.tree_.threshold[0] > 1000
        assert fit(path, 2, decimal=".").tree_.threshold[0] < 10
        with pytest.raises(ValueError, match="decimal=';' must be"):
            fit(path, decimal=";")

    @pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
    def test_encoding(self, fit, tmp_path, X, encoding):
        rows = "".join(",".join(map(repr, row)) + "\n" for row in X.tolist())
        path = text(tmp_path, f"größe,b,c\n{rows}".encode(encoding))
        model = fit(path, encoding=encoding)
        assert model.feature_names_in_.tolist() == ["größe", "b", "c"]
        equal_trees(model.tree_, in_memory(X).tree_)
        with pytest.raises(ValueError, match="encoding='klingon' is unknown"):
            fit(path, encoding="klingon")

    def test_names_that_are_not_utf8(self, fails, tmp_path):
        path = text(tmp_path, "größe,b\n1,2\n".encode("latin-1"))
        fails(ValueError, "is not text in UTF-8: byte 0xf6 in line 1.*encoding='cp1252'", path)

    def test_values_that_are_not_utf8(self, fails, tmp_path):
        path = text(tmp_path, b"a,b,c\n" + self.FILL.encode() + "1,é,x\n".encode("latin-1"))
        fails(ValueError, "in column 'b'", path, columns=["a", "b"])

    def test_text_that_is_not_used_has_to_be_utf8_too(self, fails, tmp_path):
        path = text(tmp_path, "a,b\n1,é\n2,é\n".encode("latin-1"))
        fails(ValueError, "is not text in UTF-8: byte 0xe9 in line 2", path)

    def test_utf16(self, fit, tmp_path, X):
        """A mark at the beginning says what it is."""
        plain = text(tmp_path, "a,größe\n1,2\n5,3\n9,1\n8,8\n".encode())
        marked = tmp_path / "marked.csv"
        marked.write_bytes(plain.read_text(encoding="utf-8").encode("utf-16"))
        assert fit(marked).feature_names_in_.tolist() == ["a", "größe"]
        equal_trees(fit(marked).tree_, fit(plain).tree_)

    @pytest.mark.parametrize("delimiter", ["ab", "", '"', "\n", "§", 3])
    def test_wrong_delimiter(self, fit, tmp_path, delimiter):
        with pytest.raises(ValueError, match=re.escape(f"delimiter={delimiter!r} must be one")):
            fit(text(tmp_path, "a,b\n1,2\n"), delimiter=delimiter)

    def test_delimiter_of_another_format(self, fit, tmp_path, X):
        with pytest.raises(ValueError, match="delimiter=';' goes with CSV and TSV, not Parquet"):
            fit(write(table_of(X), tmp_path, "parquet"), delimiter=";")

    @pytest.mark.parametrize("share", [0.0001, 0.5, 0.9999])
    def test_gzip_that_is_cut(self, fails, tmp_path, share):
        values = np.random.default_rng(0).normal(size=(20_000, 3))
        data = write(table_of(values), tmp_path, "csv.gz").read_bytes()
        path = text(tmp_path, data[: max(12, int(len(data) * share))], "cut.csv.gz")
        fails(ValueError, "Truncated compressed stream", path)

    @pytest.mark.parametrize("suffix", ["csv", "csv.gz"])
    @pytest.mark.parametrize("packed", [False, True])
    def test_gzip_is_told_by_its_content(self, fit, tmp_path, suffix, packed):
        data = b"a,b\n1,2\n5,7\n"
        path = text(tmp_path, gzip.compress(data) if packed else data, f"table.{suffix}")
        assert fit(path, 2).n_clusters_ == 2

    def test_gzip_in_gzip(self, fails, tmp_path):
        path = text(tmp_path, gzip.compress(gzip.compress(b"a,b\n1,2\n")))
        fails(ValueError, r"begins as a file compressed by gzip", path)
