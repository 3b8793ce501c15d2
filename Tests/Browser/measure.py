# SPDX-License-Identifier: Apache-2.0
"""Measures the editor with a movie, in a browser that is open already.

usage: measure.py FOCAL MOVIE [--seconds N] [--scrubs N] [--browser CHROMIUM]
       measure.py FOCAL MOVIE --soak SECONDS [--rate STEPS] [--browser CHROMIUM]

Prints a line a figure: the time from the command to the first picture, a scrub step, a tap, the aperture slider,
playback at 960x540, and memory. With --soak it scrubs that long, so many steps a second, and prints the server's memory
once a minute: mostly near steps as a finger makes them, jumps, pictures at rest, now and then a tap, the slider,
playback, and the timeline's zoom.
"""

import argparse
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

from playwright.sync_api import sync_playwright

SHOWN = """({ frame }) => new Promise(done => {
  const begun = performance.now();
  document.getElementById('picture').addEventListener('shown', function shown({ detail }) {
    if (detail.frame !== frame) return;
    this.removeEventListener('shown', shown);
    done(performance.now() - begun);
  });
  focal.seek(frame); })"""

# The same, though nothing be drawn because another picture took its place.
STEP = SHOWN.replace("focal.seek(frame);", "setTimeout(() => done(null), 5000); focal.seek(frame);")

TAP = """({ x, y }) => new Promise(done => {
  const canvas = document.getElementById('picture');
  const before = focal.model.state.revision;
  const rect = canvas.getBoundingClientRect();
  const at = { clientX: rect.left + x * rect.width, clientY: rect.top + y * rect.height, button: 0, pointerId: 1, isPrimary: true, bubbles: true };
  canvas.addEventListener('shown', function shown({ detail }) {
    if (detail.revision <= before) return;
    canvas.removeEventListener('shown', shown);
    done(performance.now() - begun);
  });
  canvas.dispatchEvent(new PointerEvent('pointerdown', at));
  const begun = performance.now();
  dispatchEvent(new PointerEvent('pointerup', at));
  setTimeout(() => done(null), 5000); })"""

SLIDE = """seconds => new Promise(done => {
  const slider = document.getElementById('aperture');
  const canvas = document.getElementById('picture');
  const begun = performance.now();
  let shown = 0;
  let last = -1;
  canvas.addEventListener('shown', ({ detail }) => { if (detail.revision !== last) { last = detail.revision; shown += 1; } });
  slider.dispatchEvent(new PointerEvent('pointerdown'));
  let step = 0;
  const move = () => {
    const passed = (performance.now() - begun) / 1000;
    if (passed > seconds) return done(shown / passed);
    step += 1;
    const place = step % 36;
    slider.value = place < 18 ? place : 36 - place;
    slider.dispatchEvent(new Event('input'));
    setTimeout(move, 33);
  };
  move(); })"""

PLAY = """({ seconds, settle, from }) => new Promise(async done => {
  const { count, playing } = focal;
  focal.seek(from);
  await focal.play(1);
  // The first seconds settle the size.
  setTimeout(() => {
    const before = { ...count };
    const lags = [];
    const timer = setInterval(() => { if (count.lag !== undefined) lags.push(count.lag * 1000); }, 50);
    setTimeout(() => {
      clearInterval(timer);
      const result = { shown: count.shown - before.shown, dropped: count.dropped - before.dropped, lags,
        level: playing.level, width: document.getElementById('picture').width };
      focal.pause();
      done(result);
    }, seconds * 1000);
  }, settle * 1000); })"""


def memory(process):
    text = open(f"/proc/{process}/status").read()
    return [int(re.search(rf"{name}:\s+(\d+)", text)[1]) / 1024 for name in ("VmRSS", "VmHWM")]


def spread(values):
    values = sorted(values)
    return f"median {statistics.median(values):.0f} ms, 95 % below {values[int(len(values) * 0.95) - 1]:.0f} ms"


def soak(page, process, frames, options):
    """Scrubs for a long time, and tells how much memory the server has."""
    chance = random.Random(1)
    begun = time.monotonic()
    told, at, steps, samples = begun, 0, 0, []
    while time.monotonic() - begun < options.soak:
        started = time.monotonic()
        kind = chance.random()
        if kind < 0.04:
            at = chance.randrange(frames)
        elif kind < 0.05:
            page.wait_for_timeout(600)  # the picture at rest
        elif kind < 0.055:
            page.evaluate(TAP, {"x": chance.random(), "y": chance.random()})
            page.evaluate("document.getElementById('following-cancel').click()")
        elif kind < 0.06:
            page.evaluate(SLIDE, 1)
        elif kind < 0.063:
            page.evaluate(PLAY, {"seconds": 3, "settle": 1, "from": at})
        elif kind < 0.066:
            page.locator("#zoom").fill(str(chance.randrange(101)))
        else:
            at = min(max(at + chance.choice([-7, -3, -1, 1, 1, 2, 3, 5, 9, 20]), 0), frames - 1)
        page.evaluate(STEP, {"frame": at})
        steps += 1
        if time.monotonic() - told >= 60:
            told = time.monotonic()
            samples.append(memory(process.pid)[0])
            print(f"{told - begun:.0f} s: {samples[-1]:.0f} MB after {steps} steps", flush=True)
        time.sleep(max(1 / options.rate - (time.monotonic() - started), 0))
    now, most = memory(process.pid)
    print(f"soak: {now:.0f} MB after {time.monotonic() - begun:.0f} s and {steps} steps, {most:.0f} MB at most")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("focal")
    parser.add_argument("movie")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--settle", type=float, default=8, help="seconds of playback before counting")
    parser.add_argument("--scrubs", type=int, default=300)
    parser.add_argument("--soak", type=float, help="seconds of scrubbing, instead of everything else")
    parser.add_argument("--rate", type=float, default=4, help="steps a second of --soak")
    parser.add_argument("--browser", default=shutil.which("chromium") or shutil.which("chromium-browser"))
    options = parser.parse_args()
    changes = os.path.join(tempfile.mkdtemp(), "measure.focus")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=options.browser,
            args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--disable-gpu"])
        # The picture is 960x540 beside the settings.
        page = browser.new_page(viewport={"width": 960 + 250 + 20, "height": 930})
        page.set_default_timeout(120_000)
        page.goto("about:blank")
        begun = time.monotonic()
        process = subprocess.Popen(
            [options.focal, "edit", "open", options.movie, "--changes", changes, "--no-browser"],
            stdout=subprocess.PIPE, text=True)
        try:
            address = process.stdout.readline().split()[-1]
            listening = time.monotonic()
            page.goto(address, wait_until="commit")
            page.wait_for_function("() => document.getElementById('picture')?.dataset.frame !== undefined", polling=10)
            done = time.monotonic()
            print(f"first picture: {done - begun:.2f} s, the address after {listening - begun:.2f} s")
            size = page.evaluate("(() => { const r = document.getElementById('picture').getBoundingClientRect(); return `${Math.round(r.width)}x${Math.round(r.height)}`; })()")
            frames = page.evaluate("focal.model.document.frameCount")
            page.wait_for_timeout(1500)
            if options.soak:
                soak(page, process, frames, options)
                return
            near = [page.evaluate(SHOWN, {"frame": 3 + (i * 2) % max(frames - 5, 1)}) for i in range(40)]
            print(f"scrub, frame by frame at {size}: {spread(near)}")
            far = [page.evaluate(SHOWN, {"frame": (i * 7919 + 11) % frames}) for i in range(40)]
            print(f"scrub, anywhere at {size}: {spread(far)}")
            taps = []
            for i in range(20):
                page.evaluate("frame => focal.seek(frame)", (i * 37) % frames)
                page.wait_for_timeout(700)
                boxes = page.eval_on_selector_all(
                    ".box:not(.focus)", "all => all.map(b => [parseFloat(b.style.left) + parseFloat(b.style.width) / 2, parseFloat(b.style.top) + parseFloat(b.style.height) / 2])")
                # Those that leave the picture have their middle outside.
                boxes = [box for box in boxes if 2 < box[0] < 98 and 2 < box[1] < 98]
                if not boxes:
                    continue
                x, y = boxes[i % len(boxes)]
                took = page.evaluate(TAP, {"x": x / 100, "y": y / 100})
                if took is not None:
                    taps.append(took)
            print(f"tap to changed picture: {spread(taps)} ({len(taps)} taps)" if taps else "tap: nobody to tap")
            print(f"aperture slider: {page.evaluate(SLIDE, 5):.1f} pictures a second")
            page.wait_for_timeout(800)
            played = page.evaluate(PLAY, {"seconds": options.seconds, "settle": options.settle, "from": 0})
            total = played["shown"] + played["dropped"]
            print(f"playback: {100 * played['dropped'] / max(total, 1):.1f} % of {total} frames dropped at width {played['width']}"
                  f" (level {played['level']}), picture behind what is heard by {spread(played['lags'])}")
            for i in range(options.scrubs):
                page.evaluate(SHOWN, {"frame": (i * 6151 + 5) % frames})
            now, most = memory(process.pid)
            print(f"memory: {now:.0f} MB after {options.scrubs} more scrubs, {most:.0f} MB at most")
        finally:
            process.send_signal(signal.SIGINT)
            process.wait()
            browser.close()


if __name__ == "__main__":
    main()
