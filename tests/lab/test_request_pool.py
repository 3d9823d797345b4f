"""Where the lab's questions are answered: equal ones once, and none that nobody waits for."""

import asyncio
import threading

import pytest

from novikoff.lab.server.request_pool import BusyError, RequestPool


class Slow:
    """Work that waits until it is let go on, and knows how often it was done."""

    def __init__(self, answer=b"done"):
        self.answer, self.count = answer, 0
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self):
        self.count += 1
        self.begun.set()
        assert self.go_on.wait(60)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def with_pool(scene, **sizes):
    """Play a scene with a pool."""

    async def play():
        pool = RequestPool(**sizes)
        try:
            await scene(pool)
        finally:
            pool.close()

    asyncio.run(play())


async def later(pool, name, work, **named):
    """A question, asked and not yet answered."""
    asked = asyncio.ensure_future(pool.ask(name, work, **named))
    await asyncio.sleep(0)
    return asked


async def until(condition):
    while not condition():  # a test that waits in vain is ended from outside
        await asyncio.sleep(0.001)


def test_equal_questions_are_answered_once_and_kept():
    async def scene(pool):
        work = Slow()
        both = [await later(pool, "a", work) for _ in range(2)]
        work.go_on.set()
        assert await asyncio.gather(*both) == [b"done", b"done"]
        assert await pool.ask("a", work) == b"done"
        assert work.count == 1
        assert (pool.open, pool.size) == ({}, len("'a'") + 4)

    with_pool(scene)


def test_some_answers_are_not_kept():
    async def scene(pool):
        work = Slow()
        work.go_on.set()
        for _ in range(2):
            assert await pool.ask("a", work, keep=False) == b"done"
        assert work.count == 2
        assert (len(pool.kept), pool.size) == (0, 0)

    with_pool(scene)


def test_what_was_asked_for_longest_ago_is_forgotten():
    async def scene(pool):
        for name in "abca":
            assert await pool.ask(name, lambda: b"1234") == b"1234"
        assert await pool.ask("d", lambda: b"1234") == b"1234"
        assert ("".join(pool.kept), pool.size) == ("cad", 21)
        assert await pool.ask("long", lambda: b"x" * 20) == b"x" * 20
        assert (len(pool.kept), pool.size) == (0, 0)  # not even that one

    with_pool(scene, kept=21)


def test_long_names_count_too():
    async def scene(pool):
        for k in range(100):
            await pool.ask(("scene", f"{k}" * 1000), lambda: b"1234")
        assert sum(len(name[1]) for name in pool.kept) < 20_000
        assert len(pool.kept) > 5

    with_pool(scene, kept=20_000)


def test_an_error_is_everybodys_and_not_kept():
    async def scene(pool):
        work = Slow(ValueError("no"))
        both = [await later(pool, "a", work) for _ in range(2)]
        work.go_on.set()
        found = await asyncio.gather(*both, return_exceptions=True)
        assert list(map(str, found)) == ["no", "no"]
        work.answer = b"yes"
        assert await pool.ask("a", work) == b"yes"

    with_pool(scene)


def test_what_nobody_waits_for_is_not_begun():
    async def scene(pool):
        first, second = Slow(), Slow()
        held = await later(pool, "first", first)
        both = [await later(pool, "second", second) for _ in range(2)]
        both[0].cancel()
        await until(both[0].done)
        assert "second" in pool.open  # the other one still waits
        both[1].cancel()
        await until(both[1].done)
        assert "second" not in pool.open
        again = await later(pool, "second", second)  # it can be asked anew at once
        first.go_on.set()
        second.go_on.set()
        assert await asyncio.gather(held, again) == [b"done", b"done"]
        assert second.count == 1

    with_pool(scene, workers=1)


def test_what_was_begun_is_ended_and_kept():
    async def scene(pool):
        work = Slow()
        asked = await later(pool, "a", work)
        await until(work.begun.is_set)
        asked.cancel()
        await until(asked.done)
        work.go_on.set()
        await until(lambda: "a" in pool.kept)
        assert await pool.ask("a", work) == b"done"
        assert work.count == 1

    with_pool(scene)


def test_too_many_at_a_time_are_refused():
    async def scene(pool):
        work = Slow()
        asked = [await later(pool, name, work) for name in "abc"]
        with pytest.raises(BusyError):
            await pool.ask("d", work)
        twin = await later(pool, "a", work)  # costs nothing more
        work.go_on.set()
        assert await asyncio.gather(*asked, twin) == [b"done"] * 4
        assert await pool.ask("d", work) == b"done"

    with_pool(scene, workers=2, waiting=3)
