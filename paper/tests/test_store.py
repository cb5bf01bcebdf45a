"""Rows that are kept: what was written is there again, whatever ended the process."""

import json

import pytest

from paper.experiments.store import KEY, NAME, Store, key_of


def row(number):
    return dict(zip(KEY, ("small", "iris", "linear", number, 0.0, "kauri"), strict=True)) | {
        "ari": number / 3
    }


@pytest.fixture
def kept(tmp_path):
    with Store(tmp_path / "deep" / "folder") as store:
        for number in range(5):
            store.append(row(number))
    return store


def test_rows_come_back_as_they_were(kept):
    assert list(kept.rows()) == [row(number) for number in range(5)]
    assert key_of(row(3)) == ("small", "iris", "linear", 3, 0.0, "kauri")


def test_a_folder_without_rows_has_none(tmp_path):
    assert list(Store(tmp_path).rows()) == []
    assert not list(tmp_path.iterdir())


def test_rows_are_on_disk_before_the_next(tmp_path):
    with Store(tmp_path) as store:
        store.append(row(0))
        assert list(Store(tmp_path).rows()) == [row(0)]


def test_wherever_a_write_was_cut_whole_rows_stay(kept):
    whole = kept.path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole)):
        kept.path.write_bytes(whole[:cut])
        lines = sum(end <= cut for end in ends)
        with Store(kept.path.parent) as again:
            assert list(again.rows()) == [row(number) for number in range(max(0, lines - 1))]
            again.append(row(7))
        assert list(again.rows())[-1] == row(7)
        assert len(list(again.rows())) == max(0, lines - 1) + 1


def test_two_runs_do_not_write_to_one_file(kept):
    pytest.importorskip("fcntl")
    with Store(kept.path.parent) as first:
        with (
            pytest.raises(RuntimeError, match="another run is writing to"),
            Store(kept.path.parent),
        ):
            pass
        first.append(row(5))
    assert len(list(kept.rows())) == 6


def test_a_full_disk_is_told_and_what_was_kept_stays(kept):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Store(kept.path.parent) as again:
        resource.setrlimit(resource.RLIMIT_FSIZE, (kept.path.stat().st_size + 20, hard))
        try:
            with pytest.raises(OSError, match=f"too large: .*{NAME}"):
                again.append(row(5))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    with Store(kept.path.parent) as again:
        again.append(row(6))
    assert [each["run"] for each in again.rows()] == [0, 1, 2, 3, 4, 6]


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (['{"format": "something else"}'], "is no file of agathis-experiments"),
        (['{"format": "agathis-experiments", "protocol": 0}'], "rows of protocol 0"),
        (["[]"], "line 1: it is no object"),
        (["{"], "line 1: "),
        (['{"format": "agathis-experiments", "protocol": 1}', "{}"], "line 2: it lacks some of"),
        (['{"format": "agathis-experiments", "protocol": 1}', "x"], "line 2: "),
    ],
)
def test_a_file_of_something_else_is_told_and_left_alone(tmp_path, lines, says):
    text = "\n".join(lines) + "\n"
    (tmp_path / NAME).write_text(text)
    with pytest.raises(ValueError, match=says), Store(tmp_path):
        pass
    assert (tmp_path / NAME).read_text() == text


def test_a_file_of_something_else_without_an_end_of_line_is_left_alone(tmp_path):
    (tmp_path / NAME).write_bytes(b"mine")
    with pytest.raises(ValueError, match="is no file of agathis-experiments"), Store(tmp_path):
        pass
    assert (tmp_path / NAME).read_bytes() == b"mine"


def test_a_file_that_is_no_text_is_told_by_its_name(tmp_path):
    (tmp_path / NAME).write_bytes(b"\xff\xfe\n")
    with pytest.raises(ValueError, match=rf"{NAME}, line 1: "), Store(tmp_path):
        pass


def test_a_line_is_json_for_other_tools_too(kept):
    lines = kept.path.read_text().splitlines()
    assert [json.loads(line)["run"] for line in lines[1:]] == list(range(5))
