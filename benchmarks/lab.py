"""How soon the lab's page shows something: in Chromium, against the times that a person waits.

A step is timed from the key to the frame after it, by the page's own clock, on films of 200 points
and of 20,000 updates; a turn is the time that 19 of 20 steps stay within. Each ratio is the time
allowed over the time taken, so that 1 is just in time. The machine must have nothing else to do.
"""

import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np

from harness import Line, report
from novikoff.lab.server.serve import serve
from novikoff.lab.state.url_values import Point, write_points

sys.path.append(str(Path(__file__).parents[1]))
from tests.helpers.browser import launched, until  # the tests' own browser

TURNS, STEPS = 7, 150
PAINT, STEP, FRAME = 1000.0, 50.0, 50.0  # milliseconds allowed
READY = "() => document.documentElement.dataset.charts !== undefined"

#: Times of so many steps: forward one at a time, or jumping along the slider.
TIMES = """async ([steps, jump]) => {
  const frame = () => new Promise(requestAnimationFrame);
  const after = () => new Promise(done => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  });
  const scrub = document.getElementById("scrub");
  const times = [];
  for (let i = 0; i < steps; i += 1) {
    const next = (Number(scrub.value) + jump) % Number(scrub.max);
    await frame(); await after();
    const began = performance.now();
    scrub.value = next;
    scrub.dispatchEvent(new Event("input"));
    await frame(); await after();
    times.push(performance.now() - began);
  }
  return times;
}"""


def crowd() -> str:
    """200 points that a line separates by little, so that the run is long."""
    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 2)).round(2)
    scores = X @ [1.0, 2.0] + 0.5
    kept = np.flatnonzero(np.abs(scores) > 0.04)[:200]
    labels = np.sign(scores[kept]).astype(int)
    points = [Point(x, y, label) for (x, y), label in zip(X[kept].tolist(), labels, strict=True)]
    return f"points={write_points(points)}"


def painted(browser: Any, url: str) -> float:
    """Milliseconds from the address to the first paint with something on it."""
    page = browser.new_page(viewport={"width": 1920, "height": 1080})
    page.goto(url)
    until(page, READY)
    first = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
    found: float = page.evaluate(first)
    page.close()
    return found


def stepped(browser: Any, url: str, jump: int) -> list[float]:
    """For each turn, the time that 95 % of the steps stay within."""
    page = browser.new_page(viewport={"width": 1920, "height": 1080})
    page.goto(url)
    until(page, READY)
    print(f"a film of {page.evaluate('Number(document.getElementById(`scrub`).max)'):,} updates")
    page.evaluate(TIMES, [STEPS, jump])  # to warm up
    turns = [page.evaluate(TIMES, [STEPS, jump]) for _ in range(TURNS)]
    page.close()
    for times in turns:
        print(f"  median {np.median(times):.0f} ms, 95 % within {np.percentile(times, 95):.0f} ms")
    return [float(np.percentile(times, 95)) for times in turns]


def main() -> None:
    started: dict[str, Any] = {}
    up = threading.Event()

    def ready(url: str, stop: Any) -> None:
        started.update(url=url, stop=stop)
        up.set()

    thread = threading.Thread(target=serve, args=("127.0.0.1", 0, ready))
    thread.start()
    up.wait()
    try:
        with launched() as browser:
            url = started["url"]
            painted(browser, url)
            paints = [painted(browser, url) for _ in range(TURNS)]
            print("first paints:", ", ".join(f"{each:.0f} ms" for each in paints))
            steps = stepped(browser, f"{url}?{crowd()}", 1)
            scrubs = stepped(browser, f"{url}?points=n1000000,1p1000000,2", 137)
    finally:
        started["stop"]()
        thread.join()
    lines = [
        Line("first paint", "a second", 1.0, [PAINT / each for each in paints]),
        Line("a step with 200 points", "50 ms", 1.0, [STEP / each for each in steps]),
        Line("scrubbing 20,000 updates", "50 ms", 1.0, [FRAME / each for each in scrubs]),
    ]
    report("lab", lines)


if __name__ == "__main__":
    main()
