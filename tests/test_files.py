"""Files that are written whole or not at all."""

import os

import pytest

from novikoff.errors import ModelError, WriteError
from novikoff.files import atomic_open, atomic_write


def test_a_file_is_replaced_whole_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(b"old")
    path.chmod(0o640)
    with atomic_open(path, text=True) as file:
        file.write("new\r\n")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new\r\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert [*tmp_path.iterdir()] == [path]


def test_a_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), atomic_open(path) as file:
        file.writelines([b"half of it", "not bytes"])
    assert path.read_bytes() == b"old"
    assert [*tmp_path.iterdir()] == [path]


def test_the_error_is_of_the_kind_asked_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WriteError, match="pipe: not a regular file; nothing was written"):
        atomic_write(tmp_path / "pipe", b"")
    with pytest.raises(ModelError, match=r"cannot be written: No such file.*nothing was changed"):
        atomic_write(tmp_path / "none" / "m", b"", error=ModelError)


def test_one_writer_at_a_time_where_that_is_wanted(tmp_path):
    path = tmp_path / "run.nkckpt"
    (tmp_path / ".run.nkckpt.part").write_bytes(b"what a killed process left, longer than the next")
    with atomic_open(path, exclusive=True) as file:
        file.write(b"first")
        with pytest.raises(WriteError, match="another process is writing it"):
            atomic_write(path, b"second", exclusive=True)
    assert path.read_bytes() == b"first"
    assert [*tmp_path.iterdir()] == [path]
