"""The pool of page-locked memory: what it locks for answers that a caller keeps, drops, or keeps a few of."""

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from fake_locking import fake_locking

from warpath.device import pinned
from warpath.device.pinned import pinned_answer, pinned_array
from warpath.errors import OutOfMemoryError

LARGE = 17 << 20
SMALL = 15 << 20


@pytest.fixture
def locking(monkeypatch):
    return fake_locking(monkeypatch)


def answer(size=LARGE, blocks=2):
    return pinned_answer((size // 4,), np.int32, blocks)


def weights(size=LARGE):
    return pinned_array((size // 4,), np.int32, pooled=True)


def test_a_few_of_the_large_answers_that_a_caller_keeps_are_in_page_locked_memory(locking):
    kept = [answer() for _ in range(6)]
    assert [array is None for array in kept] == [False, False, True, True, True, True]
    assert len(locking.places) == 2
    more = [answer(blocks=3) for _ in range(3)]
    assert [array is None for array in more] == [False, True, True]
    for number, array in enumerate(kept[:2]):
        array.fill(number)
    assert [set(array.tolist()[::1000]) for array in kept[:2]] == [{0}, {1}]


def test_what_a_caller_drops_is_lent_again(locking):
    kept = [answer(), answer()]
    begin = kept.pop().ctypes.data
    again = answer()
    assert again.ctypes.data == begin and answer() is None
    del kept, again
    for _ in range(5):
        assert answer() is not None
    assert len(locking.places) == 2


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_what_a_forked_process_keeps_does_not_change(locking):
    kept = [weights(), answer()]
    kept[0].fill(1)
    kept[1].fill(1)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(reading, 1)
        os._exit(0 if all((array == 1).all() for array in kept) else 1)
    kept.clear()
    for _ in range(3):
        weights().fill(2)
        answer().fill(2)
    os.write(writing, b"x")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(locking.places) == 1  # what was lent at the fork is no longer locked


def test_a_caller_who_keeps_the_last_answer_alone_needs_two(locking):
    last = None
    for _ in range(6):
        last = answer()
        assert last is not None
    assert len(locking.places) == 2


def test_answers_of_nearly_the_same_size_count_together_and_those_of_other_sizes_do_not(locking):
    kept = [answer(size << 20) for size in (17, 18, 20, 21, 24, 33, 40)]
    assert [array is None for array in kept] == [False, False, True, False, False, False, False]
    assert len({size for _, size in locking.places}) == 3


def test_small_answers_are_in_page_locked_memory_whatever_a_caller_keeps(locking):
    kept = [answer(size) for size in (SMALL, 0, 4) * 3]
    assert all(array is not None for array in kept) and not locking.places
    assert pinned_answer((16 << 20,), np.uint8, 0) is None
    assert pinned_answer(((16 << 20) - 1,), np.uint8, 0) is not None


def test_other_memory_takes_nothing_from_answers(locking):
    """Each solver keeps the weights of its last update."""
    of_solvers = [weights() for _ in range(3)]
    kept = [answer(), answer()]
    assert all(array is not None for array in kept) and answer() is None
    of_solvers.append(weights())  # whatever answers have
    del kept
    of_solvers += [weights(), weights()]  # in what was locked for answers
    assert len(locking.places) == 6
    kept = [answer(), answer()]
    assert all(array is not None for array in kept) and answer() is None
    of_solvers.clear()
    more = [answer() for _ in range(6)]  # in what was locked for weights
    assert all(array is not None for array in more) and answer() is None
    assert len(locking.places) == 8


def test_where_another_thread_has_taken_what_was_free_new_memory_is_locked(locking):
    class Taken(list):
        def __bool__(self):
            return True

    pinned._free[20 << 20] = Taken()
    kept = [answer() for _ in range(4)]
    assert all(array is not None for array in kept) and len(locking.places) == 4


def test_memory_that_cannot_be_locked_is_no_answers(locking):
    locking.is_failing = True
    for _ in range(4):
        with pytest.raises(OutOfMemoryError, match="cannot lock"):
            answer()
    locking.is_failing = False
    kept = [answer() for _ in range(3)]
    assert [array is None for array in kept] == [False, False, True]


def test_threads_leave_the_count_right(locking):
    def work(number):
        for _ in range(50):
            array = answer(blocks=4)
            if array is not None:
                array[:: 1 << 16] = number
                assert (array[:: 1 << 16] == number).all()
            del array

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert 1 <= len(locking.places) <= 8
    taken = [weights() for _ in locking.places]
    kept = [answer() for _ in range(3)]
    assert [array is None for array in kept] == [False, False, True]
    assert len({array.ctypes.data for array in [*taken, *kept[:2]]}) == len(taken) + 2
