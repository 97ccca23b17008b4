"""The cache of compiled objects: a folder of another user's is not used, and what it cannot keep still runs."""

import errno
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from warpath.device.simulated.compile import find_compiler, load
from warpath.system import kernel_caches
from warpath.system.kernel_caches import cache_folder

TEXT = 'extern "C" __attribute__((visibility("default"))) int value() { return VALUE; }\n'
LOAD = """
import sys
from warpath.device.simulated.compile import load
print(load(sys.argv[1], "the text").value())
"""


@pytest.fixture
def compiler(tmp_path, monkeypatch):
    """A compiler that logs its calls; $CXX names it."""
    path = tmp_path / "compiler"
    path.write_text(f'#!/bin/sh\necho call >> "{tmp_path}/calls"\nexec {shlex.join(find_compiler())} "$@" -O0\n')
    path.chmod(0o755)
    monkeypatch.setenv("CXX", str(path))
    return path


@pytest.fixture
def cache(tmp_path, monkeypatch, compiler):
    """The cache, with the object of ``text(7)`` in it, compiled by one call."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("WARPATH_CACHE", str(folder))
    assert value_in_new_process(7) == (7, "")
    return folder


def text(value):
    return TEXT.replace("VALUE", str(value))


def value_in_new_process(value):
    """What a new process finds, and what it says: objects stay loaded, and a wrong one ends the process."""
    done = subprocess.run([sys.executable, "-c", LOAD, text(value)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return int(done.stdout), done.stderr


def calls(tmp_path):
    return len((tmp_path / "calls").read_text().splitlines())


def the_object(cache):
    (path,) = cache.iterdir()
    return path


def test_the_folder_is_the_users_own(cache):
    assert cache.stat().st_mode & 0o777 == 0o700


def _empty(path):
    os.truncate(path, 0)


def _text(path):
    path.write_bytes(b"not an object")


def _a_folder(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(("damage", "compiled"), [(_empty, 1), (_text, 1), (_a_folder, 2)])
def test_an_object_that_cannot_be_loaded_is_compiled_anew(tmp_path, cache, damage, compiled):
    damage(the_object(cache))
    assert value_in_new_process(7)[0] == 7
    assert value_in_new_process(7)[0] == 7
    assert calls(tmp_path) == 1 + compiled


def _missing_parent(cache):
    (cache.parent / "file").touch()
    return cache.parent / "file" / "cache"


def _file_in_its_place(cache):
    (cache.parent / "file").touch()
    return cache.parent / "file"


def _a_system_that_takes_no_files(_cache):
    return Path("/proc/cache")


UNUSABLE = {
    _missing_parent: "File exists",
    _file_in_its_place: "File exists",
    _a_system_that_takes_no_files: "No such file",
}


@pytest.mark.parametrize("make", UNUSABLE)
def test_a_cache_that_cannot_be_used_is_named_once_and_left_alone(tmp_path, cache, monkeypatch, make):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    before = sorted(tmp_path.rglob("*"))
    folder = make(cache)
    monkeypatch.setenv("WARPATH_CACHE", str(folder))
    monkeypatch.setenv("TMPDIR", str(temporary))
    found, said = value_in_new_process(7)
    assert found == 7
    assert said.count("\n") == 1
    assert str(folder) in said
    assert UNUSABLE[make] in said
    made = set(tmp_path.rglob("*")) - set(before)
    assert made <= {tmp_path / "file"}


def test_a_cache_behind_a_link_of_one_s_own(tmp_path, cache, monkeypatch):
    (tmp_path / "link").symlink_to(cache)
    monkeypatch.setenv("WARPATH_CACHE", str(tmp_path / "link"))
    assert value_in_new_process(7) == (7, "")
    assert calls(tmp_path) == 1


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_a_cache_that_takes_no_object(compiler, tmp_path, monkeypatch, capsys, number):
    """A read-only folder, a full disk: what the system answers, since tests may run as root, whom no mode stops."""
    really_open = os.open

    def refuse(path, flags, *mode, **where):
        if str(path).startswith(str(tmp_path / "cache")) and flags & os.O_CREAT:
            raise OSError(number, "refused", str(path))
        return really_open(path, flags, *mode, **where)

    monkeypatch.setenv("WARPATH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(os, "open", refuse)
    for value in (1, 2):
        assert load(text(value), "the text").value() == value
    assert calls(tmp_path) == 2  # what was compiled is used: not once for the cache and once without
    said = capsys.readouterr().err
    assert (said.count("\n"), said.count(str(tmp_path / "cache") + " cannot be used")) == (1, 1)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_cache_without_execution(compiler, tmp_path, monkeypatch, capsys):
    really_load = kernel_caches.ctypes.CDLL

    def refuse(path, mode):
        if path.startswith(str(tmp_path / "cache")):
            raise OSError(f"{path}: failed to map segment from shared object")
        return really_load(path, mode)

    monkeypatch.setenv("WARPATH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kernel_caches.ctypes, "CDLL", refuse)
    assert load(text(3), "the text").value() == 3
    assert load(text(3), "the text").value() == 3
    assert capsys.readouterr().err.count("failed to map segment") == 1


def test_an_object_that_another_node_has_kept_meanwhile_is_not_replaced(tmp_path, cache):
    """Where a file system is on a network, a program may lose the pages of a file that another machine replaces."""
    path = the_object(cache)
    copy = tmp_path / "compiled.so"
    copy.write_bytes(path.read_bytes())
    before = path.stat()
    assert kernel_caches.store_and_load(copy, path.stem, os.RTLD_NOW).value() == 7
    assert os.path.samestat(before, path.stat())


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", "/home/someone")
    monkeypatch.delenv("WARPATH_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == Path("/home/someone/.cache/warpath")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_folder() == Path("/caches/warpath")
    monkeypatch.setenv("WARPATH_CACHE", "/mine")
    assert cache_folder() == Path("/mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WARPATH_CACHE", ".")  # the loader looks for a name without a folder elsewhere
    assert cache_folder() == tmp_path


def test_a_user_without_a_home_has_a_cache_of_this_process_alone(monkeypatch):
    monkeypatch.delenv("WARPATH_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert cache_folder() == cache_folder()
    assert cache_folder().is_dir() and cache_folder().stat().st_mode & 0o777 == 0o700
