"""The roles of columns: what the user says, what rows tell, and what is wrong with either."""

import copy
import pickle

import numpy as np
import pytest

from agathis._checks.one_hot import check_one_hot
from agathis._checks.roles import EncodedRows, FeatureRoles, roles_of

NAMES = ["age", "red", "green", "blue", "month", "sine"]


def told() -> FeatureRoles:
    split, kernel = np.ones(6, dtype=bool), np.ones(6, dtype=bool)
    split[5] = kernel[4] = False
    return FeatureRoles((np.array([1, 2, 3]),), split, kernel)


def plain_groups(roles):
    return [columns.tolist() for columns in roles.one_hot]


class TestRows:
    @pytest.fixture
    def rows(self):
        return EncodedRows.of(np.arange(36.0).reshape(6, 6), told())

    @pytest.mark.parametrize(
        "key",
        [
            slice(2),
            [0, 2, 4],
            np.array([True, False] * 3),
            (slice(None), slice(None)),
            (slice(2), Ellipsis),
            Ellipsis,
            (np.array([1, 0]), slice(None)),
        ],
    )
    def test_rows_keep_roles(self, rows, key):
        assert rows[key].roles is rows.roles

    @pytest.mark.parametrize(
        "key",
        [
            (slice(None), slice(3)),
            (slice(None), slice(None, None, -1)),
            (Ellipsis, [1, 0, 2, 3, 4, 5]),
            (slice(None), [0, 0, 1, 2, 3, 4]),
            0,
            (None, slice(None)),
            None,
        ],
    )
    def test_other_columns_have_none(self, rows, key):
        assert rows[key].roles is None

    def test_arithmetic_copies_and_pickles_keep_them(self, rows):
        for same in (rows * 2, rows.copy(), copy.deepcopy(rows), pickle.loads(pickle.dumps(rows))):
            assert isinstance(same, EncodedRows)
            assert plain_groups(same.roles) == [[1, 2, 3]]
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(rows)), rows)

    def test_sums_and_other_shapes_have_none(self, rows):
        for other in (rows.sum(axis=0), rows.reshape(4, 9), np.hstack([rows, rows])):
            assert getattr(other, "roles", None) is None

    def test_not_copied(self):
        X = np.zeros((2, 6))
        rows = EncodedRows.of(X, told())
        rows[0, 0] = 3.0
        assert X[0, 0] == 3.0

    def test_wrong_width(self):
        with pytest.raises(ValueError, match=r"roles have 6 columns, but X has shape \(2, 3"):
            EncodedRows.of(np.zeros((2, 3)), told())


class TestResolved:
    def test_auto_without_roles_is_plain(self):
        assert roles_of(np.zeros((2, 6)), n_features=6).is_plain

    def test_auto_takes_what_rows_tell(self):
        roles = roles_of(EncodedRows.of(np.zeros((2, 6)), told()), n_features=6)
        assert plain_groups(roles) == [[1, 2, 3]]
        assert roles.searched.tolist() == [0, 4]
        assert roles.kernel_columns.tolist() == [0, 1, 2, 3, 5]

    def test_none_is_none_all_all(self):
        rows = EncodedRows.of(np.zeros((2, 6)), told())
        roles = roles_of(
            rows, n_features=6, one_hot=None, split_features=None, kernel_features=None
        )
        assert roles.is_plain
        assert roles.kernel_columns is None

    @pytest.mark.parametrize(
        "one_hot",
        [
            [[3, 1, 2]],
            [["blue", "red", "green"]],
            {"colour": ["red", "green", "blue"]},
            {"colour": {"red": "r", "green": "g", "blue": "b"}},
            ([False, True, True, True, False, False],),
            (np.array([1, 2, 3]),),
            [np.array([0, 1, 1, 1, 0, 0], dtype=bool)],
        ],
    )
    def test_groups(self, one_hot):
        roles = roles_of(None, n_features=6, names=NAMES, one_hot=one_hot)
        assert plain_groups(roles) == [[1, 2, 3]]

    @pytest.mark.parametrize("columns", [[0, 4], ["age", "month"], [True, 0, 0, 0, True, 0]])
    def test_columns(self, columns):
        if columns[0] is True:
            columns = [bool(value) for value in columns]
        roles = roles_of(None, n_features=6, names=NAMES, kernel_features=columns)
        assert roles.kernel_columns.tolist() == [0, 4]
        assert roles.split.all()

    def test_a_source_that_is_not_split_on(self):
        roles = roles_of(None, n_features=6, one_hot=[[1, 2, 3]], split_features=[0, 4])
        assert roles.groups == ()
        assert roles.searched.tolist() == [0, 4]

    def test_groups_come_by_their_first_column(self):
        roles = roles_of(None, n_features=6, one_hot=[[4, 5], [1, 2]])
        assert [columns[0] for columns in roles.groups] == [1, 4]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"one_hot": "all"}, r"one_hot must be 'auto', None, or groups .*; it is 'all'"),
            ({"one_hot": 3}, r"one_hot must be .*; it is 3"),
            ({"one_hot": [1, 2]}, r"one_hot\[0\] is 1"),
            ({"one_hot": [[1, 6]]}, r"one_hot\[0\] has 6; columns are indices from 0 to 5, or nam"),
            ({"one_hot": [[1, -1]]}, r"one_hot\[0\] has -1; columns are indices from 0 to 5"),
            ({"one_hot": [[1, 1.5]]}, r"one_hot\[0\] has 1.5"),
            ({"one_hot": [[1, 2], [2, 3]]}, r"one_hot has column 'green' twice, in one_hot\[0\]"),
            ({"one_hot": [[]]}, r"one_hot\[0\]=\[\] has no column"),
            ({"one_hot": {"c": ["red", "pink"]}}, r"one_hot\['c'\] has 'pink', which is no col"),
            ({"split_features": []}, r"split_features=\[\] has no column"),
            ({"split_features": "age"}, r"split_features must be 'auto', None.*; it is 'age'"),
            ({"split_features": [True, False]}, r"split_features is a mask of 2 values, but X has"),
            ({"kernel_features": [7]}, r"kernel_features has 7; columns are indices from 0 to 5"),
            (
                {"one_hot": [[1, 2, 3]], "split_features": ["age", "red"]},
                r"split_features=\['age', 'red'\] has column 'red' and not column 'green'",
            ),
        ],
    )
    def test_errors(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            roles_of(None, n_features=6, names=NAMES, **arguments)

    def test_names_without_names(self):
        with pytest.raises(ValueError, match=r"has the name 'age', but X has no column names"):
            roles_of(None, n_features=6, split_features=["age"])


class TestOneHot:
    GROUPS = (np.array([1, 2, 3]),)

    @pytest.fixture
    def X(self):
        X = np.zeros((5, 4))
        X[:, 0] = np.arange(5)
        X[[0, 1, 3], [1, 3, 2]] = 0.5
        return X

    def test_value(self, X):
        assert check_one_hot(X, self.GROUPS).tolist() == [0.5]
        assert check_one_hot(X[[2, 4]], self.GROUPS).tolist() == [1.0]

    def test_missing(self, X):
        X[4, 1:] = np.nan
        assert check_one_hot(X, self.GROUPS).tolist() == [0.5]
        X[4, 2] = 0.0
        with pytest.raises(ValueError, match=r"row 4 of X has \[nan, 0.0, nan\] there"):
            check_one_hot(X, self.GROUPS, NAMES)

    def test_two_on(self, X):
        X[1, 1] = 0.5
        with pytest.raises(
            ValueError, match=r"column 'red', .*row 1 of X has \[0.5, 0.0, 0.5\] there"
        ):
            check_one_hot(X, self.GROUPS, NAMES)

    def test_other_value(self, X):
        X[4, 1] = 0.75
        with pytest.raises(ValueError, match=r"X has \[0.75, 0.0, 0.0\] there.* all rows \(0.5\)"):
            check_one_hot(X, self.GROUPS)

    def test_negative(self, X):
        with pytest.raises(ValueError, match=r"X has \[-0.5, -?0.0, -?0.0\] there"):
            check_one_hot(-X, self.GROUPS)

    def test_some_rows_at_a_time(self, X, monkeypatch):
        monkeypatch.setattr("agathis._checks.one_hot._VALUES_AT_ONCE", 6)
        assert check_one_hot(X, self.GROUPS).tolist() == [0.5]
        X[4, 1] = 0.75
        with pytest.raises(ValueError, match=r"X has \[0.75, 0.0, 0.0\] there"):
            check_one_hot(X, self.GROUPS)
