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


def at_desk(scene, **sizes):
    """Play a scene at a desk."""

    async def play():
        desk = RequestPool(**sizes)
        try:
            await scene(desk)
        finally:
            desk.close()

    asyncio.run(play())


async def later(desk, name, work, **named):
    """A question, asked and not yet answered."""
    asked = asyncio.ensure_future(desk.ask(name, work, **named))
    await asyncio.sleep(0)
    return asked


async def until(condition):
    while not condition():  # a test that waits in vain is ended from outside
        await asyncio.sleep(0.001)


def test_equal_questions_are_answered_once_and_kept():
    async def scene(desk):
        work = Slow()
        both = [await later(desk, "a", work) for _ in range(2)]
        work.go_on.set()
        assert await asyncio.gather(*both) == [b"done", b"done"]
        assert await desk.ask("a", work) == b"done"
        assert work.count == 1
        assert (desk.open, desk.size) == ({}, 4)

    at_desk(scene)


def test_some_answers_are_not_kept():
    async def scene(desk):
        work = Slow()
        work.go_on.set()
        for _ in range(2):
            assert await desk.ask("a", work, keep=False) == b"done"
        assert work.count == 2
        assert (len(desk.kept), desk.size) == (0, 0)

    at_desk(scene)


def test_what_was_asked_for_longest_ago_is_forgotten():
    async def scene(desk):
        for name in "abca":
            assert await desk.ask(name, lambda: b"1234") == b"1234"
        assert await desk.ask("d", lambda: b"1234") == b"1234"
        assert ("".join(desk.kept), desk.size) == ("cad", 12)
        assert await desk.ask("long", lambda: b"x" * 20) == b"x" * 20
        assert (len(desk.kept), desk.size) == (0, 0)  # not even that one

    at_desk(scene, kept=12)


def test_an_error_is_everybodys_and_not_kept():
    async def scene(desk):
        work = Slow(ValueError("no"))
        both = [await later(desk, "a", work) for _ in range(2)]
        work.go_on.set()
        found = await asyncio.gather(*both, return_exceptions=True)
        assert list(map(str, found)) == ["no", "no"]
        work.answer = b"yes"
        assert await desk.ask("a", work) == b"yes"

    at_desk(scene)


def test_what_nobody_waits_for_is_not_begun():
    async def scene(desk):
        first, second = Slow(), Slow()
        held = await later(desk, "first", first)
        both = [await later(desk, "second", second) for _ in range(2)]
        both[0].cancel()
        await until(both[0].done)
        assert "second" in desk.open  # the other one still waits
        both[1].cancel()
        await until(both[1].done)
        assert "second" not in desk.open
        again = await later(desk, "second", second)  # it can be asked anew at once
        first.go_on.set()
        second.go_on.set()
        assert await asyncio.gather(held, again) == [b"done", b"done"]
        assert second.count == 1

    at_desk(scene, workers=1)


def test_what_was_begun_is_ended_and_kept():
    async def scene(desk):
        work = Slow()
        asked = await later(desk, "a", work)
        await until(work.begun.is_set)
        asked.cancel()
        await until(asked.done)
        work.go_on.set()
        await until(lambda: "a" in desk.kept)
        assert await desk.ask("a", work) == b"done"
        assert work.count == 1

    at_desk(scene)


def test_too_many_at_a_time_are_refused():
    async def scene(desk):
        work = Slow()
        asked = [await later(desk, name, work) for name in "abc"]
        with pytest.raises(BusyError):
            await desk.ask("d", work)
        twin = await later(desk, "a", work)  # costs nothing more
        work.go_on.set()
        assert await asyncio.gather(*asked, twin) == [b"done"] * 4
        assert await desk.ask("d", work) == b"done"

    at_desk(scene, workers=2, waiting=3)
