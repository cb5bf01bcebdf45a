"""Files that are whole or not there."""

import os

import pytest

from agathis._utils.files import atomic_file, write_atomic


def test_text_is_utf8_and_keeps_its_lines(tmp_path):
    path = tmp_path / "a.txt"
    write_atomic(path, "χ²\r\n\n")
    assert path.read_bytes() == "χ²\r\n\n".encode()
    write_atomic(str(path), b"\x00")
    assert path.read_bytes() == b"\x00"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_failed_write_keeps_the_file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("before")

    def half():
        with atomic_file(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links here")
def test_links_stay_and_others_can_read(tmp_path):
    (tmp_path / "real.txt").write_text("before")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_atomic(tmp_path / "link.txt", "after")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "after"
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "real.txt").stat().st_mode & 0o777 == 0o666 & ~umask


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no such device here")
def test_a_device_stays_what_it_is():
    write_atomic("/dev/null", b"gone")
    assert not os.path.isfile("/dev/null")


def test_invalid_paths(tmp_path):
    with pytest.raises(IsADirectoryError, match="path is a directory"):
        write_atomic(tmp_path, b"")
    with pytest.raises(FileNotFoundError, match="the directory of path is missing"):
        write_atomic(tmp_path / "none" / "a.txt", b"")
    with pytest.raises(TypeError, match="path must be a str or a PathLike; it is 3"):
        write_atomic(3, b"")


def test_two_writes_at_a_time(tmp_path):
    path = tmp_path / "a.txt"
    with atomic_file(path) as file:
        write_atomic(path, "another")
        file.write(b"this one")
    assert path.read_text() == "this one"
    assert os.listdir(tmp_path) == ["a.txt"]
