# SPDX-License-Identifier: Apache-2.0
"""Drives the editor's page in a real browser, and looks at what it saves and exports.

usage: editor.py FOCAL FOLDER [--browser CHROMIUM] [--only NAME] [--pictures DIR]

Makes a sample movie in FOLDER, starts `focal edit open`, and does with the page what a person does. Each function is a
check; a check that fails is named, with the reason. The exit code is the number of them.
"""

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

from playwright.sync_api import expect, sync_playwright

SIZE = (320, 180)
FRAMES = 60


class Studio:
    """A folder with a sample movie, an editor that serves it, and a browser."""

    def __init__(self, focal, folder, browser, pictures):
        self.focal, self.folder, self.pictures = focal, folder, pictures
        self.make()
        self.process = None
        self.playwright = sync_playwright().start()
        self.browser = self.playwright.chromium.launch(
            executable_path=browser,
            args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--disable-gpu"])
        self.context = self.browser.new_context(viewport={"width": 1280, "height": 800})
        # Machines with much other work take their time.
        self.context.set_default_timeout(60_000)
        expect.set_options(timeout=60_000)
        self.start()

    def run(self, *arguments):
        return subprocess.run(
            [self.focal, *arguments], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def make(self):
        if os.path.exists(f"{self.folder}/movie.mov"):
            return
        self.run("sample", "-o", "s", "--size", f"{SIZE[0]}x{SIZE[1]}", "--frames", str(FRAMES), "--samples", "1")
        clip = "s/clip.mp4"
        if shutil.which("ffmpeg"):
            subprocess.run(
                ["ffmpeg", "-v", "error", "-y", "-i", clip, "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000",
                 "-map", "0:v", "-map", "1:a", "-shortest", "-c:v", "copy", "-c:a", "aac", "s/sound.mp4"],
                cwd=self.folder, check=True)
            clip = "s/sound.mp4"
        self.run("import", clip, "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
                 "--blur-scale", "0.2", "-o", "movie.mov")
        os.makedirs(f"{self.folder}/clips", exist_ok=True)
        shutil.copy(f"{self.folder}/s/clip.mp4", f"{self.folder}/clips/clip.mp4")
        shutil.copytree(f"{self.folder}/s/disparity", f"{self.folder}/clips/maps", dirs_exist_ok=True)

    def start(self):
        os.makedirs(f"{self.folder}/scratch", exist_ok=True)
        self.process = subprocess.Popen(
            [self.focal, "edit", "open", "movie.mov", "--folder", "clips", "--no-browser"], cwd=self.folder,
            env={**os.environ, "TMPDIR": f"{self.folder}/scratch"},
            stdout=subprocess.PIPE, stderr=sys.stderr, text=True)
        self.address = self.process.stdout.readline().split()[-1]

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        self.process.communicate()
        return self.process.returncode

    def page(self, alter=None):
        """A page that shows the first movie; what it is told passes through a function, if one is given."""
        page = self.context.new_page()
        if alter:
            page.route_web_socket(re.compile("/socket$"), lambda socket: relay(page, socket, alter))
        page.failures, page.sent = [], []
        page.on("pageerror", lambda error: page.failures.append(str(error)))
        page.on("console", lambda message: message.type == "error" and page.failures.append(message.text))
        page.goto(self.address)
        self.settled(page)
        return page

    def settled(self, page, frame=None):
        """Waits until the picture is the present state's, at export quality."""
        page.wait_for_function(
            """frame => { const { model } = globalThis.focal ?? {}; const c = document.getElementById('picture').dataset;
            return model?.state && c.quality === 'export' && Number(c.revision) === model.state.revision
              && Number(c.frame) === model.frame && (frame === null || model.frame === frame); }""", arg=frame)

    def state(self, page):
        return page.evaluate("focal.model.state")

    def wait(self, page, condition):
        page.wait_for_function(f"() => {{ const s = focal.model.state; return s && ({condition}); }}")

    def shown(self, changes="movie.focus", at=None):
        """The program's description of the saved changes."""
        arguments = ["edit", "movie.mov", "show", "--changes", changes, "--json"]
        if at is not None:
            arguments += ["--at", f"{at}f"]
        return json.loads(self.run(*arguments))

    def clean(self):
        """Back to the recorded movie, without changes."""
        for name in os.listdir(self.folder):
            if name.endswith((".focus", ".focus.journal")):
                os.remove(f"{self.folder}/{name}")

    def close(self):
        self.browser.close()
        self.playwright.stop()
        if self.process.poll() is None:
            self.end()


def relay(page, socket, alter):
    """Joins a page with the program by a connection through which a check sees and sends messages."""
    page.socket = socket
    server = socket.connect_to_server()

    def pass_on(text):
        page.sent.append(json.loads(text))
        server.send(text)

    socket.on_message(pass_on)
    server.on_message(lambda text: socket.send(json.dumps(alter(json.loads(text)))))


def seek(studio, page, frame):
    page.evaluate("frame => focal.seek(frame)", frame)
    studio.settled(page, frame)


def box(page, identity):
    return page.locator(f'.box[data-id="{identity}"]')


def someone(studio, page, in_focus=False):
    """The id of a detection on the screen that is in focus or is not."""
    found = page.eval_on_selector_all(
        ".box", "(all, focus) => all.filter(b => b.classList.contains('focus') === focus).map(b => b.dataset.id)", in_focus)
    assert found, "nobody is there"
    return found[-1]


def box_inside(page):
    """Left, top, width and height, on the page, of a detection that lies in the picture as a whole."""
    return page.evaluate("""() => {
      const whole = document.getElementById('picture').getBoundingClientRect();
      const rects = [...document.querySelectorAll('.box')].map(box => box.getBoundingClientRect());
      const inside = rects.find(r => r.left > whole.left && r.top > whole.top && r.right < whole.right && r.bottom < whole.bottom);
      return [inside.left, inside.top, inside.width, inside.height]; }""")


def choose(page, name):
    """Opens a movie of the list."""
    page.locator("#open").click()
    page.locator("#movie-list button", has_text=name).click()


def sample_movie(studio, name, *options):
    """The path of a movie among the clips, made of the sample clip with other colours."""
    path = f"{studio.folder}/clips/{name}"
    if not os.path.exists(path):
        studio.run("import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/script.json",
                   "--blur-scale", "0.2", *options, "-o", path)
    return path


# The checks


def taps(studio):
    """A click is weak, once more strong; the saved changes hold what was tapped, and the export shows it."""
    page = studio.page()
    seek(studio, page, 20)
    who = someone(studio, page)
    box(page, who).click()
    expect(box(page, who)).to_have_class(re.compile(r"\bfocus\b"))
    expect(box(page, who)).not_to_have_class(re.compile(r"\bstrong\b"))
    # The timeline shows who is in focus when.
    assert page.evaluate("who => focal.model.state.focus.some(f => f.tracks.includes(Number(who)) && f.start === 20)", who)
    assert page.evaluate("document.querySelectorAll('.track b').length") >= 2
    expect(box(page, who)).to_have_attribute("aria-label", re.compile("in focus, weak"))
    assert box(page, who).evaluate("b => getComputedStyle(b).borderTopStyle") == "dashed"
    page.wait_for_timeout(600)  # not a double click
    box(page, who).click()
    expect(box(page, who)).to_have_class(re.compile(r"\bstrong\b"))
    assert box(page, who).evaluate("b => getComputedStyle(b).borderTopStyle") == "solid"
    page.keyboard.press("Control+s")
    studio.wait(page, "!s.isUnsaved")
    frame = studio.shown(at=20)["frames"][0]
    assert str(frame["focusDetection"]) == who, (frame, who)
    # The picture at rest is the frame that an export with the saved changes renders.
    studio.settled(page)
    same_as_export(studio, page, [20])
    page.close()


PICTURE_OF = """async frame => {
  const movie = focal.model.document.movie;
  const r = await fetch(`/frame?movie=${movie}&frame=${frame}&width=320&height=180&quality=export&purpose=scrub&line=t`);
  const b = await r.arrayBuffer(); const n = new DataView(b).getUint32(0, true);
  return [...new Uint8Array(b, 4 + n)]; }"""


def same_as_export(studio, page, frames, movie="movie.mov", changes=("--changes", "movie.focus"), options=()):
    """Compares pictures of the page with the frames that an export writes, by their coded pixels."""
    for name in os.listdir(studio.folder):
        if re.fullmatch(r"one\d+\.jpg", name):
            os.remove(f"{studio.folder}/{name}")
    part = options or ("--frames", f"{min(frames)}-{max(frames)}")
    studio.run("export", movie, *changes, *part, "-o", "one%02d.jpg", "--picture-quality", "92")
    names = sorted(name for name in os.listdir(studio.folder) if re.fullmatch(r"one\d+\.jpg", name))
    assert len(names) == max(frames) - min(frames) + 1, names
    for frame in frames:
        shown = page.evaluate(PICTURE_OF, frame)
        exported = open(f"{studio.folder}/{names[frame - min(frames)]}", "rb").read()
        assert scan(bytes(shown)) == scan(exported), f"the page's frame {frame} is not the export's"


def scan(jpeg):
    """A JPEG's coded pixels, without what else its file says."""
    return jpeg[jpeg.index(b"\xff\xda"):]


def double_click(studio):
    page = studio.page()
    seek(studio, page, 10)
    who = someone(studio, page)
    box(page, who).dblclick()
    studio.wait(page, "s.decisions.some(d => d.isUser && d.isStrong && d.frame === 10)")
    page.close()


def fixed_focus(studio):
    """A press of 0.3 s holds the distance, also where a second finger touches the picture meanwhile."""
    page = studio.page()
    seek(studio, page, 5)
    rect = page.locator("#picture").bounding_box()
    page.mouse.move(rect["x"] + rect["width"] * 0.9, rect["y"] + rect["height"] * 0.1)
    page.mouse.down()
    studio.wait(page, "s.tracks.some(t => t.isFixed && t.isAdded)")
    page.mouse.up()
    studio.wait(page, "s.decisions.filter(d => d.isUser && d.frame === 5 && d.isStrong).length === 1")
    seek(studio, page, 10)
    page.evaluate("""async () => {
      const canvas = document.getElementById('picture');
      const rect = canvas.getBoundingClientRect();
      const at = (share, pointerId) => ({ clientX: rect.left + rect.width * share, clientY: rect.top + rect.height * 0.1,
        button: 0, pointerType: 'touch', pointerId, isPrimary: pointerId === 1, bubbles: true });
      canvas.dispatchEvent(new PointerEvent('pointerdown', at(0.9, 1)));
      canvas.dispatchEvent(new PointerEvent('pointerdown', at(0.5, 2)));
      dispatchEvent(new PointerEvent('pointerup', at(0.5, 2)));
      await new Promise(done => setTimeout(done, 400));
      dispatchEvent(new PointerEvent('pointerup', at(0.9, 1))); }""")
    studio.wait(page, "s.decisions.filter(d => d.isUser && d.frame === 10 && d.isStrong).length === 1")
    assert page.evaluate("focal.model.state.tracks.filter(t => t.isFixed && t.isAdded).length") == 2
    assert not page.failures, page.failures
    expect(page.locator(".ring")).to_have_count(0)
    page.close()


def exported_edits(studio):
    """A strong decision, a rack of another length, a fixed focus, a followed object and the f-number: the saved changes hold
    them, and an export renders each frame as the page shows it."""
    page = studio.page()
    seek(studio, page, 20)
    box(page, someone(studio, page)).dblclick()
    studio.wait(page, "s.decisions.some(d => d.isUser && d.isStrong && d.frame === 20) && s.racks.length > 0")
    page.locator(".rack-handle").last.focus()
    page.keyboard.press("ArrowLeft")
    studio.wait(page, "s.racks.some(r => r.wanted > 0)")
    seek(studio, page, 35)
    rect = page.locator("#picture").bounding_box()
    page.mouse.move(rect["x"] + rect["width"] * 0.9, rect["y"] + rect["height"] * 0.1)
    page.mouse.down()
    studio.wait(page, "s.tracks.some(t => t.isFixed && t.isAdded)")
    page.mouse.up()
    seek(studio, page, 45)
    x, y, width, height = box_inside(page)
    page.mouse.move(x + width * 0.1, y + height * 0.1)
    page.mouse.down()
    page.mouse.move(x + width * 0.9, y + height * 0.9, steps=4)
    page.mouse.up()
    studio.wait(page, "s.tracks.some(t => t.isAdded && !t.isFixed) && s.decisions.some(d => d.isUser && d.frame === 45)")
    page.locator("#aperture").fill("0")
    studio.wait(page, "s.fNumber === 2")
    page.keyboard.press("Control+s")
    studio.wait(page, "!s.isUnsaved")
    same_as_export(studio, page, [15, 18, 20, 30, 35, 38, 44, 46, 59])
    page.close()


def exported_look(studio):
    """The look alone can be saved, in and out too: an export with the saved changes renders both as the page shows them."""
    page = studio.page()
    expect(page.locator("#save")).to_be_disabled()
    before = page.evaluate(PICTURE_OF, 12)
    page.locator("#blades").select_option("6")
    studio.wait(page, "s.look.blades === 6 && s.isUnsaved")
    page.locator("#blur-scale").fill("0.3")
    page.locator("#blur-scale").press("Tab")
    page.locator("#squeeze").fill("1.4")
    page.locator("#squeeze").press("Tab")
    studio.wait(page, "Math.abs(s.look.blurScale - 0.3) < 1e-6 && Math.abs(s.look.squeeze - 1.4) < 1e-6")
    page.locator("#aperture").fill("0")
    studio.wait(page, "s.fNumber === 2")
    studio.settled(page)
    expect(page.locator("#save")).to_be_enabled()
    page.locator("#save").click()
    studio.wait(page, "!s.isUnsaved")
    expect(page.locator("#save")).to_be_disabled()
    assert page.evaluate(PICTURE_OF, 12) != before
    same_as_export(studio, page, [0, 5, 12])
    # A part of it, exported by the page: the frames, and no others.
    page.evaluate("focal.seek(10)")
    page.locator("#lanes").focus()
    page.keyboard.press("i")
    studio.wait(page, "s.range && s.range[0] === 10 && s.isUnsaved")
    page.evaluate("focal.seek(16)")
    page.keyboard.press("o")
    studio.wait(page, "s.range[1] === 17")
    page.keyboard.press("Control+s")
    expect(page.locator("#status")).to_contain_text("cannot hold in and out")
    studio.wait(page, "!s.isUnsaved")
    page.locator("#export").click()
    page.locator("#preset").select_option("prores-422-hq")
    page.locator("#export-name").fill("look.mov")
    page.locator("#export-start").click()
    page.wait_for_function("() => focal.model.jobs.some(j => j.title === 'look.mov' && j.state !== 'running')")
    jobs = page.evaluate("focal.model.jobs")
    assert [job["state"] for job in jobs] == ["done"], jobs
    same_as_export(studio, page, list(range(10, 17)), options=("--range", "10f-17f"))
    studio.run("export", "movie.mov", "--changes", "movie.focus", "--range", "10f-17f", "--preset", "prores-422-hq", "-o",
               "look2.mov", "--force")
    if shutil.which("ffmpeg"):
        sums = [subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-map", "0:v", "-f", "framemd5", "-"], cwd=studio.folder,
                               check=True, capture_output=True, text=True).stdout for name in ("look.mov", "look2.mov")]
        frames = [line for line in sums[0].splitlines() if not line.startswith("#")]
        assert len(frames) == 7 and sums[0] == sums[1], sums
    page.close()
    # The look is there again; in and out, too.
    studio.end()
    studio.start()
    page = studio.page()
    studio.wait(page, "s.look.blades === 6 && s.range && s.range[1] === 17 && !s.isUnsaved")
    page.close()


def undetected(studio):
    """Where nothing is detected an object is followed, or the page says why not; it can be cancelled."""
    page = studio.page()
    seek(studio, page, 0)
    rect = page.locator("#picture").bounding_box()
    page.mouse.click(rect["x"] + rect["width"] * 0.5, rect["y"] + rect["height"] * 0.93)
    expect(page.locator("#status")).to_contain_text(re.compile("followed in|no object|cancelled"))
    page.close()


def drawn_box(studio):
    """A drag draws a box, and so do keys: the object in it is followed and in focus. A small one is refused, and Undo takes it back."""
    page = studio.page()
    seek(studio, page, 20)
    x, y, width, height = box_inside(page)
    page.mouse.move(x + width * 0.1, y + height * 0.1)
    page.mouse.down()
    page.mouse.move(x + width * 0.5, y + height * 0.5)
    page.mouse.move(x + width * 0.9, y + height * 0.9)
    drawn = page.locator(".drawn").bounding_box()
    assert abs(drawn["width"] - width * 0.8) < 6 and abs(drawn["height"] - height * 0.8) < 6, drawn
    page.mouse.up()
    expect(page.locator(".drawn")).to_have_count(0)
    expect(page.locator("#status")).to_contain_text("followed in")
    studio.wait(page, "s.tracks.some(t => t.isAdded && !t.isFixed) && s.decisions.some(d => d.isUser && d.frame === 20)")
    page.keyboard.press("Control+z")
    studio.wait(page, "!s.tracks.some(t => t.isAdded)")
    # The same by keys.
    rect = page.locator("#picture").bounding_box()
    page.locator("#lanes").focus()
    page.keyboard.press("a")
    across = (x + width * 0.1 - rect["x"]) / rect["width"]
    for _ in range(round(abs(across - 0.5) / 0.01)):
        page.keyboard.press("ArrowRight" if across > 0.5 else "ArrowLeft")
    up = (y + height * 0.1 - rect["y"]) / rect["height"]
    for _ in range(round(abs(up - 0.5) / 0.01)):
        page.keyboard.press("ArrowDown" if up > 0.5 else "ArrowUp")
    page.keyboard.press("b")
    for _ in range(round(width * 0.8 / rect["width"] / 0.01)):
        page.keyboard.press("ArrowRight")
    for _ in range(round(height * 0.8 / rect["height"] / 0.01)):
        page.keyboard.press("ArrowDown")
    expect(page.locator(".drawn")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".drawn")).to_have_count(0)
    studio.wait(page, "s.tracks.some(t => t.isAdded && !t.isFixed)")
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    expect(page.locator("#status.bad")).to_contain_text("larger")
    page.keyboard.press("Escape")
    expect(page.locator("#aim")).to_be_hidden()
    page.close()


def cancelled_following(studio):
    """An object that is being followed through a long movie: a second one is refused, and Cancel leaves no trace."""
    if not shutil.which("ffmpeg"):
        return print("skipped cancelled_following: there is no ffmpeg that makes a long clip", flush=True)
    times = 12
    if not os.path.exists(f"{studio.folder}/clips/long.mov"):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-stream_loop", str(times - 1), "-i", "s/clip.mp4", "-c", "copy",
                        "s/long.mp4"], cwd=studio.folder, check=True)
        maps = sorted(os.listdir(f"{studio.folder}/s/disparity"))
        os.makedirs(f"{studio.folder}/s/longmaps", exist_ok=True)
        for number in range(times * len(maps)):
            os.link(f"{studio.folder}/s/disparity/{maps[number % len(maps)]}", f"{studio.folder}/s/longmaps/{number:05d}.png")
        studio.run("import", "s/long.mp4", "--disparity", "s/longmaps/%05d.png", "-o", "clips/long.mov")
    page = studio.page()
    choose(page, "long.mov")
    page.wait_for_function(f"() => focal.model.document.frameCount === {times * FRAMES}")
    studio.settled(page)
    before = page.evaluate("[focal.model.state.tracks, focal.model.state.decisions]")
    # By the page itself, as soon as the card is there: a following that is over cannot be cancelled.
    page.evaluate("""() => {
      const card = document.getElementById('following');
      const rect = document.getElementById('picture').getBoundingClientRect();
      globalThis.seen = [];
      new MutationObserver(() => globalThis.seen.push(document.getElementById('status').textContent)).observe(
        document.getElementById('status'), { childList: true, characterData: true, subtree: true });
      const tap = (share = 0.5) => {
        const at = { clientX: rect.left + rect.width * share, clientY: rect.top + rect.height * 0.93, button: 0, pointerId: 1, isPrimary: true, bubbles: true };
        document.getElementById('picture').dispatchEvent(new PointerEvent('pointerdown', at));
        dispatchEvent(new PointerEvent('pointerup', at));
      };
      new MutationObserver((_, observer) => {
        if (card.hidden) return;
        observer.disconnect();
        tap(0.2);
        document.getElementById('following-cancel').click();
      }).observe(card, { attributes: true });
      tap(); }""")
    expect(page.locator("#status")).to_contain_text("cancelled")
    expect(page.locator("#following")).to_be_hidden()
    assert any("nother object is being followed" in text for text in page.evaluate("globalThis.seen"))
    assert page.evaluate("[focal.model.state.tracks, focal.model.state.decisions]") == before
    assert not page.evaluate("focal.model.state.canUndo")
    page.close()


def tone_mapped_movie(studio):
    """A movie of high dynamic range is shown as a standard picture, the one that a JPEG of the same frame holds; the page says so."""
    path = sample_movie(studio, "hdr.mov", "--transfer", "hlg")
    page = studio.page()
    choose(page, "hdr.mov")
    page.wait_for_function("() => focal.model.document.name === 'hdr.mov'")
    studio.settled(page)
    expect(page.locator("#live")).to_contain_text("High dynamic range is shown as standard")
    same_as_export(studio, page, [20], path, ())
    if studio.pictures:
        page.screenshot(path=f"{studio.pictures}/hdr.png")
    page.close()


def space_plays(studio):
    """The space bar plays, whatever was clicked before, and changes nothing; a pause at once leaves no sound."""
    page = studio.page()
    seek(studio, page, 20)
    who = someone(studio, page)
    box(page, who).click()
    studio.wait(page, "s.decisions.some(d => d.isUser && !d.isStrong && d.frame === 20)")
    for id in ("set-in", "loop"):
        page.locator(f"#{id}").click()
    studio.wait(page, "s.range && s.range[0] === 20")
    box(page, who).hover()
    for _ in range(2):
        page.keyboard.press(" ")
        page.wait_for_function("() => focal.isPlaying()")
        page.keyboard.press(" ")
        page.wait_for_function("() => !focal.isPlaying()")
    state = studio.state(page)
    assert state["range"][0] == 20 and page.locator("#loop").is_checked()
    assert [d["isStrong"] for d in state["decisions"] if d["isUser"]] == [False], state["decisions"]
    page.evaluate("() => { focal.play(1); focal.pause(); }")
    page.wait_for_timeout(1500)
    assert page.evaluate("focal.scheduled()") == 0
    page.close()


def finger(studio):
    """A finger on the timeline scrubs as far as it goes."""
    context = studio.browser.new_context(viewport={"width": 820, "height": 1180}, has_touch=True)
    page = context.new_page()
    page.goto(studio.address)
    studio.settled(page)
    devtools = context.new_cdp_session(page)
    for lane in ("#ruler", "#thumbnails", "#curve"):
        rect = page.locator(lane).bounding_box()
        y = rect["y"] + rect["height"] / 2
        last = rect["x"] + 600
        devtools.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": rect["x"] + 40, "y": y}]})
        for x in range(60, 601, 20):
            devtools.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": rect["x"] + x, "y": y}]})
        devtools.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        frame = page.evaluate("x => Math.floor((x - document.getElementById('content').getBoundingClientRect().left)"
                              " / document.getElementById('content').clientWidth * focal.model.document.frameCount)", last)
        page.wait_for_function("frame => Math.abs(focal.model.frame - frame) <= 1", arg=frame)
        page.evaluate("focal.seek(0)")
    assert page.url.endswith("/"), page.url
    context.close()


def keys_again(studio):
    """A decision that was moved by a key is moved by the next one, and so is a rack's handle; the panel shows the rack."""
    page = studio.page()
    seek(studio, page, 30)
    who = someone(studio, page)
    box(page, who).click()
    studio.wait(page, "s.decisions.some(d => d.isUser && d.frame === 30) && s.racks.length > 0")
    page.locator(".decision:not(.base)").focus()
    for frame in (31, 32, 33):
        page.keyboard.press("Alt+ArrowRight")
        studio.wait(page, f"s.decisions.some(d => d.isUser && d.frame === {frame})")
    expect(page.locator("#rack-seconds")).to_be_enabled()
    page.locator("#rack-seconds").fill("0.4")
    page.locator("#rack-seconds").press("Tab")
    studio.wait(page, "s.racks.some(r => Math.abs(r.wanted - 0.4) < 1e-6)")
    page.locator("#rack-curve").select_option("linear")
    studio.wait(page, "s.racks.some(r => r.curve === 'linear')")
    handle = page.locator(".rack-handle").last
    handle.focus()
    for seconds in (0.45, 0.5, 0.55):
        page.keyboard.press("ArrowLeft")
        studio.wait(page, f"s.racks.some(r => Math.abs(r.wanted - {seconds}) < 1e-3)")
    # One of no seconds can be made longer in the panel, though the timeline has none.
    for text, condition in (("0", "s.racks.every(r => r.wanted === undefined)"),
                            ("0.55", "s.racks.some(r => Math.abs(r.wanted - 0.55) < 1e-6)")):
        page.locator(".decision:not(.base)").focus()
        page.locator("#rack-seconds").fill(text)
        page.locator("#rack-seconds").press("Tab")
        studio.wait(page, condition)
        expect(page.locator("#rack-seconds")).to_be_enabled()
        expect(page.locator("#rack-seconds")).to_have_value(text)
        expect(page.locator("#rack-curve")).to_have_value("linear")
    # By the pointer, also where a decision is near.
    rect = handle.bounding_box()
    page.mouse.move(rect["x"] + rect["width"] / 2, rect["y"] + rect["height"] / 2)
    page.mouse.down()
    page.mouse.move(rect["x"] + rect["width"] / 2 - 80, rect["y"] + rect["height"] / 2, steps=3)
    page.mouse.up()
    studio.wait(page, "s.racks.some(r => r.wanted > 0.6)")
    # Where the chosen one went, the keys still have a place.
    page.locator(".decision:not(.base)").focus()
    page.keyboard.press("Delete")
    studio.wait(page, "!s.decisions.some(d => d.isUser)")
    assert page.evaluate("document.activeElement !== document.body")
    page.close()


def refused_values(studio):
    """A value that is refused is not shown as if it were in force, and does not keep others from being set."""
    page = studio.page()
    before = page.locator("#blur-scale").input_value()
    page.locator("#blur-scale").fill("99")
    page.locator("#blur-scale").press("Enter")
    expect(page.locator("#status.bad")).to_contain_text("blur scale")
    expect(page.locator("#blur-scale")).to_have_value(before)
    page.locator("#blades").select_option("6")
    studio.wait(page, "s.look.blades === 6")
    page.locator("#export").click()
    # Keys in a dialog reach nothing behind it.
    page.locator("#replace-file").focus()
    for key in ("i", "ArrowRight", "b"):
        page.keyboard.press(key)
    assert page.evaluate("focal.model.frame") == 0 and page.locator("#show-boxes").is_checked()
    page.locator("#export-name").fill("movie.mov")
    page.locator("#apply-start").click()
    # Said where it can be read.
    expect(page.locator("dialog[open] #status.bad")).to_contain_text("there already")
    page.locator("#export-name").fill("s.mp4")
    page.locator("#preset").select_option("prores-422-hq")
    expect(page.locator("#export-name")).to_have_value("s.mov")
    lists = ("preset", "import-clip", "import-map")
    page.evaluate("lists => lists.slice(1).forEach(id => { document.getElementById(id).lastChild.selected = true; })", lists)
    chosen = page.evaluate("lists => lists.map(id => document.getElementById(id).value)", lists)
    for replaced in (False, True):
        page.evaluate("() => { globalThis.before = focal.model.lists; }")
        page.locator("#export-name").fill("still.png")
        page.locator("#replace-file").set_checked(replaced)
        page.locator("#still-start").click()
        expect(page.locator("#export-dialog")).to_be_hidden()
        page.wait_for_function(f"() => focal.model.jobs.filter(j => j.state === 'done').length === {1 + int(replaced)}")
        # What is chosen in dialogs stays when the lists come anew.
        page.wait_for_function("() => focal.model.lists !== globalThis.before")
        assert page.evaluate("lists => lists.map(id => document.getElementById(id).value)", lists) == chosen
        page.locator("#export").click()
    assert studio.state(page).get("range") is None
    page.close()


def log_movie(studio):
    """A movie in a camera's curve is shown as a screen shows its light, or flat; what is exported stays in the curve."""
    path = sample_movie(studio, "log.mov", "--log", "slog3")
    page = studio.page()
    expect(page.locator("#graded-label")).to_be_hidden()
    choose(page, "log.mov")
    page.wait_for_function("() => focal.model.document.logCurve === 'S-Log3'")
    studio.settled(page)
    pixels = "() => [...document.getElementById('picture').getContext('2d').getImageData(0, 0, 60, 60).data].join()"
    graded = page.evaluate(pixels)
    expect(page.locator("#live")).to_contain_text("S-Log3 is shown as a screen shows its light")
    page.locator("#lanes").focus()
    page.keyboard.press("g")
    expect(page.locator("#show-graded")).not_to_be_checked()
    page.wait_for_function(
        f"before => ({pixels})() !== before && document.getElementById('picture').dataset.quality === 'export'",
        arg=graded)
    # Flat it is what the program renders; a PNG holds the curve.
    flat = page.evaluate("""() => { const c = document.getElementById('picture');
      return [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]; }""")
    studio.run("thumbnail", path, "--at", "0f", "--quality", "export", "-o", "flat.png", "--force")
    raw = subprocess.run(["ffmpeg", "-v", "error", "-i", "flat.png", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                         cwd=studio.folder, check=True, capture_output=True).stdout if shutil.which("ffmpeg") else None
    if raw:
        difference = sum(abs(flat[4 * i + c] - raw[3 * i + c]) for i in range(len(raw) // 3) for c in range(3)) / len(raw)
        assert difference < 4, difference  # what JPEG takes away
    page.locator("#show-graded").check()
    studio.settled(page)
    page.wait_for_function(f"before => ({pixels})() === before", arg=graded)
    if studio.pictures:
        page.screenshot(path=f"{studio.pictures}/log.png")
    page.close()


def edits_while_playing(studio):
    """What is changed while it plays is seen while it plays."""
    page = studio.page()
    page.locator("#loop").check()
    page.locator("#lanes").focus()
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    page.wait_for_function("() => focal.isPlaying() && focal.count.shown > 5")
    page.locator("#aperture").fill("0")
    studio.wait(page, "s.fNumber === 2")
    page.wait_for_function(
        "() => focal.isPlaying() && Number(document.getElementById('picture').dataset.revision) === focal.model.state.revision")
    page.keyboard.press("k")
    studio.settled(page)
    page.locator("#loop").uncheck()
    page.close()


def keyboard(studio):
    """Everything without a pointer: boxes, aiming, decisions, playback."""
    page = studio.page()
    seek(studio, page, 12)
    who = someone(studio, page)
    box(page, who).focus()
    page.keyboard.press("Enter")
    studio.wait(page, f"s.decisions.some(d => d.isUser && !d.isStrong && d.frame === 12)")
    studio.settled(page)
    assert box(page, who).evaluate("b => b === document.activeElement"), "the focus went away"
    page.keyboard.press("Shift+Enter")
    studio.wait(page, "s.decisions.some(d => d.isUser && d.isStrong && d.frame === 12)")
    # The box that has the focus counts, also one whose middle lies under another one.
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    studio.wait(page, "!s.decisions.some(d => d.isUser)")
    studio.settled(page)
    for subject in page.locator(".box").all():
        number = int(subject.get_attribute("data-id"))
        subject.focus()
        page.keyboard.press("Enter")
        studio.wait(page, f"s.decisions.some(d => d.isUser && d.tracks.includes({number}))")
        # A person's face, head and body are called as their row is, and pressed together.
        expect(box(page, number)).to_have_attribute("aria-pressed", "true")
        name = page.evaluate(
            """id => { const tracks = focal.model.state.tracks, own = tracks.find(t => t.id === id);
            const first = own.group === undefined ? own : tracks.find(t => t.group === own.group);
            return `${first.label} ${first.id}`; }""", number)
        expect(box(page, number)).to_have_attribute("aria-label", re.compile(f"^{name}(, [a-z]+)?, in focus, weak$"))
        page.keyboard.press("Control+z")
        studio.wait(page, "!s.decisions.some(d => d.isUser)")
        studio.settled(page)
    box(page, who).focus()
    page.keyboard.press("Shift+Enter")
    studio.wait(page, "s.decisions.some(d => d.isUser && d.isStrong && d.frame === 12)")
    chip = page.locator(".decision:not(.base)").first
    chip.focus()
    page.keyboard.press("Alt+ArrowRight")
    studio.wait(page, "s.decisions.some(d => d.isUser && d.frame === 13)")
    page.locator(".decision:not(.base)").first.focus()
    page.keyboard.press("Delete")
    studio.wait(page, "!s.decisions.some(d => d.isUser)")
    page.locator("#lanes").focus()
    page.keyboard.press("a")
    expect(page.locator("#aim")).to_be_focused()
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("h")
    studio.wait(page, "s.tracks.some(t => t.isFixed)")
    page.keyboard.press("Escape")
    expect(page.locator("#aim")).to_be_hidden()
    page.locator("#lanes").focus()
    for key, frame in (("Home", 0), ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", FRAMES - 1)):
        page.keyboard.press(key)
        assert page.evaluate("focal.model.frame") == frame, (key, page.evaluate("focal.model.frame"))
    for control in page.locator("button, input, select").all():
        name = control.evaluate(
            "c => c.getAttribute('aria-label') || c.textContent.trim() || [...(c.labels ?? [])].map(l => l.textContent).join()")
        assert name, control.evaluate("c => c.outerHTML")
    page.close()


def aperture(studio):
    page = studio.page()
    slider = page.locator("#aperture")
    slider.focus()
    page.keyboard.press("Home")
    studio.wait(page, "s.fNumber === 2")
    expect(page.locator("#f-number")).to_have_text("f/2")
    page.keyboard.press("End")
    studio.wait(page, "s.fNumber === 16")
    page.keyboard.press("ArrowLeft")
    studio.wait(page, "s.fNumber === 14")
    assert slider.get_attribute("aria-valuetext") == "f 14"
    # A drag is one step.
    before = studio.state(page)["revision"]
    rect = slider.bounding_box()
    page.mouse.move(rect["x"] + rect["width"] - 12, rect["y"] + rect["height"] / 2)
    page.mouse.down()
    for share in (0.8, 0.6, 0.4, 0.2):
        page.mouse.move(rect["x"] + rect["width"] * share, rect["y"] + rect["height"] / 2)
        page.wait_for_timeout(120)
    page.mouse.up()
    studio.wait(page, "s.fNumber < 4")
    assert studio.state(page)["revision"] >= before + 2
    page.keyboard.press("Control+z")
    studio.wait(page, "s.fNumber === 14")
    page.locator("#blades").select_option("6")
    studio.wait(page, "s.look.blades === 6")
    page.locator("#blur-scale").fill("0.3")
    page.keyboard.press("Tab")
    studio.wait(page, "Math.abs(s.look.blurScale - 0.3) < 1e-6")
    studio.settled(page)
    # A movement after the page was loaded again is a step of its own.
    for key, number in (("Home", 2), ("End", 16)):
        page.reload()
        studio.settled(page)
        slider.focus()
        page.keyboard.press(key)
        studio.wait(page, f"s.fNumber === {number}")
    page.keyboard.press("Control+z")
    studio.wait(page, "s.fNumber === 2")
    page.close()


def views(studio):
    page = studio.page()
    studio.settled(page)
    pixel = "() => [...document.getElementById('picture').getContext('2d').getImageData(5, 5, 60, 60).data].join()"
    plain = page.evaluate(pixel)
    for name in ("peaking", "disparity"):
        page.locator(f"#show-{name}").check()
        page.wait_for_function(f"before => ({pixel})() !== before", arg=plain) if name == "disparity" else None
        page.locator(f"#show-{name}").uncheck()
        page.wait_for_function(f"before => ({pixel})() === before", arg=plain)
    page.locator("#show-boxes").uncheck()
    expect(page.locator(".box").first).to_be_hidden()
    # A press and a box that is drawn are seen all the same. In one go: a press that lasts is another thing.
    widths = page.evaluate("""() => {
      const canvas = document.getElementById('picture');
      const rect = canvas.getBoundingClientRect();
      const at = (share) => ({ clientX: rect.left + rect.width * share, clientY: rect.top + rect.height * share,
        button: 0, pointerId: 1, isPrimary: true, bubbles: true });
      const width = (name) => document.querySelector(name).getBoundingClientRect().width;
      canvas.dispatchEvent(new PointerEvent('pointerdown', at(0.4)));
      const ring = width('.ring');
      canvas.dispatchEvent(new PointerEvent('pointermove', at(0.6)));
      const drawn = width('.drawn');
      canvas.dispatchEvent(new PointerEvent('pointercancel', at(0.6)));
      return [ring, drawn]; }""")
    assert all(width > 0 for width in widths), widths
    page.close()


def timeline(studio):
    """Decisions are dragged, toggled and deleted; racks get longer; a position is chosen; it zooms."""
    page = studio.page()
    seek(studio, page, 20)
    box(page, someone(studio, page)).click()
    studio.wait(page, "s.decisions.some(d => d.isUser && d.frame === 20)")
    chip = page.locator(".decision:not(.base)")
    rect = chip.bounding_box()
    per_frame = page.locator("#content").bounding_box()["width"] / FRAMES
    x, y = rect["x"] + rect["width"] / 2, rect["y"] + rect["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + per_frame * 3, y)
    page.mouse.move(x + per_frame * 10, y)
    page.mouse.up()
    studio.wait(page, "s.decisions.filter(d => d.isUser).map(d => d.frame).join() === '30'")
    # Steps of a slider leave it alone.
    kept = page.locator(".decision:not(.base)").element_handle()
    for number in (0, 18, 0):
        page.locator("#aperture").fill(str(number))
        studio.wait(page, f"s.fNumber === {16 if number else 2}")
    assert kept.evaluate("chip => chip.isConnected"), "the timeline was laid out anew"
    page.locator(".decision:not(.base)").dblclick()
    studio.wait(page, "s.decisions.some(d => d.isUser && d.isStrong)")
    expect(page.locator("#decision-text")).to_contain_text("Strong decision")
    if studio.state(page)["racks"]:
        handle = page.locator(".rack-handle").last
        handle.focus()
        page.keyboard.press("ArrowLeft")
        studio.wait(page, "s.racks.some(r => r.wanted > 0)")
    page.locator(".decision:not(.base)").focus()
    page.locator("#decision-delete").click()
    studio.wait(page, "!s.decisions.some(d => d.isUser)")
    ruler = page.locator("#ruler").bounding_box()
    page.mouse.click(ruler["x"] + per_frame * 40.5, ruler["y"] + 8)
    studio.settled(page, 40)
    page.locator("#zoom").fill("60")
    page.wait_for_function("() => document.getElementById('content').offsetWidth > document.getElementById('lanes').clientWidth * 2")
    expect(page.locator("#thumbnails img").first).to_be_visible()
    page.wait_for_function("() => [...document.querySelectorAll('#thumbnails img')].every(i => i.complete && i.naturalWidth > 0)")
    page.close()


def base_decisions(studio):
    """The automatic decisions are dragged, removed and put back, by pointer and by keys; exports with the saved changes show it."""
    script = json.load(open(f"{studio.folder}/s/script.json"))
    step = script["timescale"] // 30
    people = [track["id"] for track in script["tracks"] if track["type"] == "humanFace"][:2]
    script["decisions"] = [{"time": frame * step, "detection": people[place % 2]} for place, frame in enumerate((0, 18, 40))]
    json.dump(script, open(f"{studio.folder}/s/based.json", "w"))
    movie = "clips/based.mov"
    if not os.path.exists(f"{studio.folder}/{movie}"):
        studio.run("import", "s/clip.mp4", "--disparity", "s/disparity/%04d.png", "--script", "s/based.json",
                   "--blur-scale", "0.2", "-o", movie)

    def opened():
        page = studio.page()
        choose(page, "based.mov")
        page.wait_for_function("() => focal.model.document.name === 'based.mov'")
        studio.settled(page)
        return page

    changes = ("--changes", "clips/based.focus")
    page = opened()
    last, others, shown = 40, "0,18", "s.decisions.map(d => d.frame).join()"
    studio.wait(page, f"{shown} === '{others},{last}' && s.decisions.every(d => !d.isUser)")
    per_frame = page.locator("#content").bounding_box()["width"] / FRAMES
    to = last - 6

    def drag(chip, frames):
        rect = chip.bounding_box()
        x, y = rect["x"] + rect["width"] / 2, rect["y"] + rect["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + per_frame * frames / 2, y)
        page.mouse.move(x + per_frame * frames, y)
        page.mouse.up()

    drag(page.locator(".decision.base").last, -6)
    studio.wait(page, f"{shown} === '{others},{to}' && s.removed.length === 1 && s.isUnsaved")
    assert not any(d["isUser"] for d in studio.state(page)["decisions"])
    expect(page.locator("#decision-text")).to_contain_text("automatic decision that was moved")
    expect(page.locator(".decision.removed")).to_have_attribute("aria-label", re.compile("was removed or moved"))
    page.keyboard.press("Control+s")
    studio.wait(page, "!s.isUnsaved")
    same_as_export(studio, page, [to - 4, to, last - 1, last], movie, changes)
    if studio.pictures:
        page.screenshot(path=f"{studio.pictures}/base-moved.png")
    # A key moves it on, another one removes it; what was recorded can be put back.
    page.locator(".decision.base").last.focus()
    page.keyboard.press("Alt+ArrowLeft")
    studio.wait(page, f"{shown} === '{others},{to - 1}'")
    page.keyboard.press("Delete")
    studio.wait(page, f"{shown} === '{others}' && s.removed.length === 1")
    page.keyboard.press("Control+s")
    studio.wait(page, "!s.isUnsaved")
    same_as_export(studio, page, [to - 1, last, FRAMES - 1], movie, changes)
    if studio.pictures:
        page.screenshot(path=f"{studio.pictures}/base-removed.png")
    page.locator(".decision.removed").focus()
    expect(page.locator("#decision-delete")).to_have_text("Put back")
    page.keyboard.press("Enter")
    studio.wait(page, f"{shown} === '{others},{last}' && s.removed.length === 0")
    # A step that leaves the timeline alone, as saving does, is no reason to take a removed one for another.
    page.locator(".decision.base").last.focus()
    page.keyboard.press("Delete")
    studio.wait(page, f"{shown} === '{others}' && s.removed.length === 1")
    page.locator("#aperture").fill("0")
    studio.wait(page, "s.fNumber === 2")
    page.locator(".decision.removed").focus()
    page.keyboard.press("Enter")
    studio.wait(page, f"{shown} === '{others},{last}' && s.removed.length === 0")
    # The same by the pointer, and back by undo.
    page.locator(".decision.base").last.click()
    expect(page.locator("#decision-delete")).to_have_text("Remove")
    page.locator("#decision-delete").click()
    studio.wait(page, f"{shown} === '{others}'")
    page.keyboard.press("Control+z")
    studio.wait(page, f"{shown} === '{others},{last}'")
    page.keyboard.press("Control+y")
    page.locator(".decision.removed").dblclick()
    studio.wait(page, f"{shown} === '{others},{last}' && s.removed.length === 0")
    # Keys that repeat faster than the program answers: each counts, and other decisions are passed.
    repeat = """([key, times, altKey]) => {
      for (let i = 0; i < times; i += 1) {
        document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, altKey, bubbles: true, cancelable: true }));
      } }"""
    page.locator(".decision.base").last.focus()
    page.evaluate(repeat, ["ArrowLeft", 6, True])
    studio.wait(page, f"{shown} === '{others},{to}'")
    page.evaluate(repeat, ["ArrowLeft", 17, True])
    studio.wait(page, f"{shown} === '0,16,18'")
    assert "gone" not in page.locator("#status").text_content()
    for _ in range(4):
        page.keyboard.press("Control+z")
    studio.wait(page, f"{shown} === '{others},{last}'")
    handle = page.locator(".rack-handle").last
    handle.focus()
    automatic = page.evaluate("focal.model.state.racks.at(-1).end - focal.model.state.racks.at(-1).start")
    for times in (4, 2):
        page.evaluate(repeat, ["ArrowRight", times, False])
        automatic = max(automatic - 0.05 * times, 0)
        studio.wait(page, f"Math.abs(s.racks.at(-1).wanted - {automatic}) < 0.003")
    for _ in range(6):
        page.keyboard.press("Control+z")
    studio.wait(page, "s.racks.at(-1).wanted === undefined && s.racks.length === 2")
    # What is saved is there again.
    page.locator(".decision.base").last.click()
    page.keyboard.press("Delete")
    studio.wait(page, f"{shown} === '{others}'")
    page.keyboard.press("Control+s")
    studio.wait(page, "!s.isUnsaved")
    page.close()
    studio.end()
    studio.start()
    page = opened()
    studio.wait(page, f"{shown} === '{others}' && s.removed.length === 1 && !s.isUnsaved")
    page.locator("#more").click()
    page.locator("#revert").click()
    studio.wait(page, f"{shown} === '{others},{last}' && s.removed.length === 0")
    page.close()
    studio.end()
    for name in os.listdir(f"{studio.folder}/clips"):
        if name.startswith("based.focus"):
            os.remove(f"{studio.folder}/clips/{name}")
    studio.start()


def playback(studio):
    """It plays to the end of its range, forwards and backwards, and loops."""
    page = studio.page()
    page.locator("#lanes").focus()
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    page.wait_for_function("() => focal.model.frame > 5")
    page.keyboard.press("k")
    studio.settled(page)
    at = page.evaluate("focal.model.frame")
    assert at > 5
    seek(studio, page, 10)
    page.keyboard.press("i")
    studio.wait(page, "s.range && s.range[0] === 10")
    seek(studio, page, 30)
    page.keyboard.press("o")
    studio.wait(page, "s.range[1] === 31")
    page.keyboard.press("Home")
    page.keyboard.press("l")
    page.wait_for_function("() => !focal.isPlaying() && focal.model.frame === 30")
    page.keyboard.press("j")
    page.wait_for_function("() => !focal.isPlaying() && focal.model.frame === 10")
    page.locator("#loop").check()
    page.locator("#lanes").focus()
    page.keyboard.press("l")
    page.wait_for_function("() => focal.model.frame > 20")
    page.wait_for_function("() => focal.model.frame < 20 && focal.isPlaying()")
    page.keyboard.press("k")
    page.keyboard.press("x")
    studio.wait(page, "!s.range")
    page.close()


def two_windows(studio):
    one, two = studio.page(), studio.page()
    seek(studio, one, 15)
    box(one, someone(studio, one)).click()
    studio.wait(two, "s.decisions.some(d => d.isUser && d.frame === 15)")
    two.keyboard.press("Control+z")
    studio.wait(one, "!s.decisions.some(d => d.isUser)")
    two.keyboard.press("Control+Shift+z")
    studio.wait(one, "s.decisions.some(d => d.isUser && d.frame === 15)")
    # What is dragged in one window stays in the hand, whatever the other one edits.
    rect = one.locator(".decision:not(.base)").bounding_box()
    x, y = rect["x"] + rect["width"] / 2, rect["y"] + rect["height"] / 2
    per_frame = one.locator("#content").bounding_box()["width"] / FRAMES
    one.mouse.move(x, y)
    one.mouse.down()
    one.mouse.move(x + per_frame * 5, y)
    two.evaluate("focal.seek(45)")
    studio.settled(two, 45)
    box(two, someone(studio, two)).focus()
    two.keyboard.press("Enter")
    studio.wait(one, "s.decisions.some(d => d.isUser && d.frame === 45)")
    one.mouse.move(x + per_frame * 10, y)
    one.mouse.up()
    studio.wait(one, "s.decisions.filter(d => d.isUser).map(d => d.frame).join() === '25,45'")
    expect(one.locator(".decision:not(.base)")).to_have_count(2)
    # Movements of the slider in both are a step each.
    for page, key, number in ((one, "Home", 2), (two, "End", 16)):
        page.locator("#aperture").focus()
        page.keyboard.press(key)
        studio.wait(two, f"s.fNumber === {number}")
    two.keyboard.press("Control+z")
    studio.wait(two, "s.fNumber === 2")
    one.close()
    two.close()


def another_movie(studio):
    """What is sent before the other movie is shown does nothing to it; the object that is followed stays with its own."""
    sample_movie(studio, "second.mov")
    page = studio.page(lambda message: message)

    def opened(name):
        page.wait_for_function("name => focal.model.document.name === name", arg=name)
        studio.settled(page)

    def follow():
        movie = page.evaluate("focal.model.document.movie")
        page.socket.send(json.dumps({"type": "following", "movie": movie, "task": 1, "done": 1, "total": 9}))
        expect(page.locator("#following")).to_be_visible()

    follow()
    choose(page, "second.mov")
    opened("second.mov")
    expect(page.locator("#following")).to_be_hidden()
    # The end may come while there is no connection.
    follow()
    page.socket.close()
    expect(page.locator("#following")).to_be_hidden()
    page.locator("#aperture").fill("0")
    studio.wait(page, "s.fNumber === 2")
    choose(page, "movie.mov")
    opened("movie.mov")
    page.evaluate("""() => {
      document.getElementById('status').textContent = '';
      [...document.querySelectorAll('#movie-list button')].find(b => b.textContent.includes('second.mov')).click();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'z', ctrlKey: true, bubbles: true, cancelable: true })); }""")
    opened("second.mov")
    expect(page.locator("#status.bad")).not_to_be_empty()
    assert page.evaluate("focal.model.state.fNumber") == 2
    assert all("movie" in message for message in page.sent), page.sent
    page.keyboard.press("Control+z")
    studio.wait(page, "s.fNumber !== 2 && !s.isUnsaved")
    page.close()


def variable_rate(studio):
    """Where frames last differently, ruler and waveform are beside the frames that they belong to."""
    def alter(message):
        if message["type"] == "document":
            message.pop("frameDuration", None)
            message["times"] = [frame / 30 if frame < 30 else 1 + (frame - 30) / 10 for frame in range(FRAMES)]
            message["end"] = 4
        return message

    page = studio.page(alter)
    ticks = page.evaluate("""() => { const c = document.getElementById('ruler');
      const row = c.getContext('2d').getImageData(0, c.height - 1, c.width, 1).data;
      return [...Array(c.width).keys()].filter(x => row[4 * x + 3] > 0); }""")
    per_frame = (page.evaluate("document.getElementById('lanes').clientWidth") - 2) / FRAMES
    for seconds in (1, 2, 3):
        place = (20 + seconds * 10) * per_frame
        assert any(abs(tick - place) <= 1 for tick in ticks), (seconds, place, ticks)
    # The tone ends after two seconds, at the fortieth frame.
    if page.evaluate("focal.model.document.hasSound"):
        page.wait_for_function("""() => { const c = document.getElementById('wave');
          const height = share => { const d = c.getContext('2d').getImageData(Math.floor(c.width * share), 0, 1, c.height).data;
            return d.filter((value, index) => index % 4 === 3 && value > 0).length; };
          return height(0.6) > 2 && height(0.75) <= 2; }""")
    page.close()


def wide_pixels(studio):
    """A movie whose pixels are not square is as wide as it is shown, and so is the picture that is asked for."""
    def alter(message):
        return {**message, "pixelAspect": 2} if message["type"] == "document" else message

    page = studio.page(alter)
    asked = []
    page.on("request", lambda request: "/frame?" in request.url and asked.append(request.url))
    seek(studio, page, 10)
    size = [int(re.search(rf"{side}=(\d+)", asked[-1])[1]) for side in ("width", "height")]
    shape = 2 * SIZE[0] / SIZE[1]
    for name in ("#picture", "#boxes"):
        rect = page.locator(name).bounding_box()
        assert abs(rect["width"] / rect["height"] - shape) < 0.02, (name, rect)
    assert abs(size[0] / size[1] - shape) < 0.05, size
    page.close()


def survives(studio):
    """Unsaved changes survive a closed window and a killed program."""
    page = studio.page()
    seek(studio, page, 25)
    box(page, someone(studio, page)).click()
    studio.wait(page, "s.decisions.some(d => d.isUser && d.frame === 25) && s.isUnsaved")
    page.close()
    studio.end(signal.SIGKILL)
    studio.start()
    page = studio.page()
    studio.wait(page, "s.decisions.some(d => d.isUser && d.frame === 25) && s.isUnsaved && s.canUndo")
    page.keyboard.press("Control+z")
    studio.wait(page, "!s.decisions.some(d => d.isUser)")
    page.keyboard.press("Control+y")
    page.locator("#save").click()
    studio.wait(page, "!s.isUnsaved")
    page.close()


def unkept(studio):
    """Why edits are not kept is a message that stays; the bar at the top has two words of it, and the rest under the pointer."""
    reason = f"{'a long way to /' * 9}movie.focus.journal cannot be written: no space left on the device"

    def alter(message):
        if message["type"] == "state" and is_full:
            message["journalFailure"] = reason
        return message

    is_full = []
    page = studio.page(alter)
    is_full.append(True)
    page.locator("#aperture").fill("6")
    expect(page.locator("#status.bad")).to_contain_text(reason)
    # Longer than messages stay that go by themselves.
    page.wait_for_timeout(10_000)
    expect(page.locator("#status.bad")).to_contain_text(reason)
    name = page.locator("#changes-name")
    expect(name).to_have_text("movie.focus, not saved, not kept")
    assert name.evaluate("e => e.scrollWidth <= e.clientWidth && e.title.endsWith('no space left on the device')")
    assert page.locator("#open").evaluate("e => e.scrollWidth <= e.clientWidth"), "the movie's name is cut off"
    # Said once.
    page.locator("#open").click()
    page.keyboard.press("Escape")
    page.evaluate("document.getElementById('status').textContent = ''")
    page.locator("#aperture").fill("7")
    studio.wait(page, "s.fNumber === 4.5")
    expect(page.locator("#status")).to_be_empty()
    is_full.clear()
    page.locator("#aperture").fill("8")
    expect(page.locator("#status")).to_have_text("What is edited is kept again.")
    expect(name).to_have_text("movie.focus, not saved")
    page.close()


def killed(studio):
    """However the program ends among many steps, what a page was told of is there."""
    moment = random.Random(7)
    value = 2.0
    for _ in range(4):
        page = studio.page()
        page.evaluate("""value => {
          const socket = new WebSocket(`ws://${location.host}/socket`);
          socket.onopen = () => {
            socket.send(JSON.stringify({ name: 'open', movie: 0 }));
            setInterval(() => socket.send(JSON.stringify({ name: 'fNumber', value: value += 0.01 })), 7);
          }; }""", value)
        page.wait_for_timeout(moment.uniform(300, 1500))
        studio.end(signal.SIGKILL)
        told = studio.state(page)
        page.close()
        studio.start()
        page = studio.page()
        there = studio.state(page)
        assert there["revision"] == 0 and there["fNumber"] >= told["fNumber"] - 1e-6, (told["fNumber"], there["fNumber"])
        assert told["fNumber"] > value or told["revision"] == 0
        value = there["fNumber"]
        page.close()


def save_as_and_revert(studio):
    page = studio.page()
    slider = page.locator("#aperture")
    slider.focus()
    page.keyboard.press("End")
    studio.wait(page, "s.fNumber === 16")
    page.locator("#more").click()
    page.locator("#save-as-name").fill("other")
    page.locator("#save-as").click()
    studio.wait(page, "!s.isUnsaved")
    page.wait_for_function("() => document.getElementById('changes-name').textContent === 'other.focus'")
    assert "16" in studio.run("edit", "movie.mov", "show", "--changes", "other.focus", "--json")
    # A message names the changes for which a changes file has no place.
    page.keyboard.press("Escape")
    seek(studio, page, 5)
    page.keyboard.press("i")
    studio.wait(page, "s.range && s.range[0] === 5")
    page.keyboard.press("Control+s")
    expect(page.locator("#status")).to_contain_text("other.focus cannot hold in and out")
    page.locator("#more").click()
    page.locator("#revert").click()
    studio.wait(page, "s.fNumber !== 16")
    page.keyboard.press("Control+z")
    studio.wait(page, "s.fNumber === 16")
    page.keyboard.press("Control+s")
    studio.wait(page, "!s.isUnsaved")
    page.close()
    # What was saved last is there again, and the page says which file that is.
    studio.run("edit", "movie.mov", "set", "--f-number", "4", "-o", "older.focus")
    os.utime(f"{studio.folder}/older.focus", (0, 0))
    studio.end()
    studio.start()
    page = studio.page()
    studio.wait(page, "s.fNumber === 16 && s.range && s.range[0] === 5 && !s.isUnsaved")
    expect(page.locator("#changes-name")).to_have_text("other.focus")
    expect(page.locator("#status")).to_contain_text("older.focus can be opened with --changes")
    page.close()


def exports(studio):
    """An export of the range, a still, a movie with the changes, a job that is cancelled."""
    page = studio.page()
    seek(studio, page, 5)
    page.keyboard.press("i")
    studio.wait(page, "s.range && s.range[0] === 5")
    seek(studio, page, 8)
    page.keyboard.press("o")
    studio.wait(page, "s.range[1] === 9")
    page.locator("#aperture").focus()
    page.keyboard.press("Home")
    studio.wait(page, "s.fNumber === 2")

    def write(button, name, result):
        page.locator("#export").click()
        expect(page.locator("#export-range")).to_contain_text("frames 5 to 8. A movie with the changes has all frames.")
        page.locator("#preset").select_option("preview")
        page.locator("#export-name").fill(name)
        page.locator(button).click()
        page.wait_for_function(
            "name => focal.model.jobs.some(j => j.title === name && j.state !== 'running')", arg=result)
        job = page.evaluate("name => focal.model.jobs.find(j => j.title === name)", result)
        assert job["state"] == "done", job
        assert os.path.exists(f"{studio.folder}/{result}")

    write("#export-start", "part.mp4", "part.mp4")
    assert json.loads(studio.run("info", "part.mp4", "--json"))
    write("#still-start", "still.mp4", "still-8.png")
    write("#apply-start", "decided.mp4", "decided.mov")
    # A dot in a name is no ending.
    write("#still-start", "cue v1.2 b", "cue v1.2 b-8.png")
    write("#apply-start", "cue v1.2 b.MP4", "cue v1.2 b.mov")
    assert abs(json.loads(studio.run("edit", "decided.mov", "show", "--at", "0f", "--json"))["frames"][0]["fNumber"] - 2) < 1e-6
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    studio.wait(page, "!s.range")
    page.locator("#export").click()
    page.locator("#preset").select_option("hevc-highest-quality")
    page.locator("#export-name").fill("long.mp4")
    page.locator("#export-start").click()
    page.locator("#jobs button", has_text="Cancel").click()
    page.wait_for_function("() => focal.model.jobs.some(j => j.title === 'long.mp4' && j.state === 'cancelled')")
    left = [name for name in os.listdir(studio.folder) if "long" in name]
    assert not left, left
    page.close()


def refused_names(studio):
    """A dialog whose name is refused stays open with it, also where another job tells meanwhile how far it is. Enter in the
    field is its button."""
    def alter(message):
        # Messages of the job that runs, as long as the dialog is open.
        if message["type"] == "failure" and held:
            page.socket.send(json.dumps(held[-1]))
        if message["type"] == "jobs":
            held.append(message)
        return message

    held = []
    for name in ("taken.mp4", "taken.mov", "taken.focus", "clips/taken.mov"):
        open(f"{studio.folder}/{name}", "w").close()
    page = studio.page(alter)
    page.locator("#export").click()
    page.locator("#preset").select_option("hevc-highest-quality")
    page.locator("#export-name").fill("long.mp4")
    page.locator("#export-name").press("Enter")
    expect(page.locator("#export-dialog")).to_be_hidden()
    page.locator("#export").click()
    page.locator("#export-name").fill("taken.mp4")
    page.locator("#export-name").press("Enter")
    expect(page.locator("#export-dialog #status.bad")).to_contain_text("taken.mp4 is there already")
    page.wait_for_timeout(1500)
    expect(page.locator("#export-dialog")).to_be_visible()
    expect(page.locator("#export-name")).to_have_value("taken.mp4")
    page.keyboard.press("Escape")
    page.locator("#more").click()
    for name in ("", "taken"):
        page.locator("#save-as-name").fill(name)
        page.locator("#save-as-name").press("Enter")
        expect(page.locator("#more-dialog #status.bad")).to_contain_text(name or "Give a name")
        expect(page.locator("#more-dialog")).to_be_visible()
    page.locator("#save-as-name").fill("free")
    page.locator("#save-as-name").press("Enter")
    expect(page.locator("#more-dialog")).to_be_hidden()
    page.locator("#open").click()
    page.locator("#import-part summary").click()
    for name in ("", "taken"):
        page.locator("#import-name").fill(name)
        page.locator("#import-name").press("Enter")
        expect(page.locator("#open-dialog #status.bad")).to_contain_text("is there already" if name else "no name of a file")
        expect(page.locator("#open-dialog")).to_be_visible()
    page.wait_for_function("() => focal.model.jobs.every(j => j.state !== 'running')")
    page.close()
    for name in ("long.mp4", "taken.mp4", "taken.mov", "taken.focus", "clips/taken.mov"):
        os.remove(f"{studio.folder}/{name}")


def focus_on_jobs(studio):
    """The keyboard's focus stays on Cancel while a job goes on, and is in the page when the job is over. The program's messages are
    the check's own."""
    page = studio.page(lambda message: message)

    def job(task, done, state="running", notes=()):
        return {"task": task, "title": f"{task}.mp4", "done": done, "total": 9, "state": state, "notes": list(notes)}

    def tell(*jobs):
        page.socket.send(json.dumps({"type": "jobs", "jobs": list(jobs)}))
        page.wait_for_function(
            "text => document.getElementById('jobs').textContent.includes(text)",
            arg="over" if jobs[0]["notes"] else f"{jobs[0]['done']} of 9")

    name = "document.activeElement.getAttribute('aria-label')"
    tell(job(1, 1))
    page.locator("#jobs button").focus()
    for done in (2, 3):
        tell(job(1, done))
        assert page.evaluate(name) == "Cancel 1.mp4"
    tell(job(1, 4), job(2, 1))
    assert page.evaluate(name) == "Cancel 1.mp4"
    tell(job(1, 9, "done", ["over"]), job(2, 2))
    assert page.evaluate(name) == "Cancel 2.mp4"
    assert page.locator("#jobs li").all_inner_texts()[1].split("\n") == ["1.mp4: done", "over"]
    tell(job(1, 9, "done", ["over"]), job(2, 9, "cancelled"))
    page.wait_for_function("() => document.activeElement.id === 'lanes'")
    page.close()


def interrupted(studio):
    """Ctrl-C while a job runs: the job ends with the editor, and nothing half-written is left."""
    page = studio.page()
    page.locator("#export").click()
    page.locator("#preset").select_option("hevc-highest-quality")
    page.locator("#export-name").fill("cut.mp4")
    page.locator("#export-start").click()
    page.wait_for_function("() => focal.model.jobs.some(j => j.title === 'cut.mp4' && j.state === 'running' && j.total > 0)")
    assert os.listdir(f"{studio.folder}/scratch"), "the job has no changes to read"
    code = studio.end()
    page.close()
    left = [name for name in os.listdir(studio.folder) if "cut" in name]
    left += [name for name in os.listdir(f"{studio.folder}/scratch") if name.endswith(".focus")]
    running = [number for number in os.listdir("/proc") if number.isdigit() and says(number, "cut.mp4")]
    studio.start()
    assert code == 0 and not left and not running, (code, left, running)


def says(process, word):
    """Whether a process' arguments have a word."""
    try:
        with open(f"/proc/{process}/cmdline", "rb") as arguments:
            return any(word in argument for argument in arguments.read().decode(errors="replace").split("\0"))
    except OSError:
        return False


def confined(studio):
    """A link that is made later leads nowhere: the kernel was told at the start which folders belong to the command."""
    if "files of the command" not in studio.run("devices"):
        print("skipped confined: this kernel has no Landlock", flush=True)
        return
    outside = tempfile.mkdtemp(dir="/var/tmp")
    link = f"{studio.folder}/clips/later.mov"
    try:
        shutil.copy(f"{studio.folder}/movie.mov", f"{outside}/movie.mov")
        os.symlink(f"{outside}/movie.mov", link)
        page = studio.page()
        choose(page, "later.mov")
        expect(page.locator("#status.bad")).to_contain_text("later.mov")
        page.failures.clear()
        page.close()
    finally:
        if os.path.islink(link):
            os.unlink(link)
        shutil.rmtree(outside)


def imports(studio):
    page = studio.page()
    page.locator("#open").click()
    page.locator("#import-part summary").click()
    page.locator("#import-clip").select_option(label="clip.mp4 (clips)")
    page.locator("#import-map").select_option(label="%04d.png (maps)")
    page.locator("#import-name").fill("imported")
    page.locator("#import-start").click()
    page.wait_for_function("() => focal.model.jobs.some(j => j.title === 'imported.mov' && j.state === 'done')")
    choose(page, "imported.mov")
    page.wait_for_function("() => focal.model.document.name === 'imported.mov'")
    studio.settled(page)
    page.close()
    os.remove(f"{studio.folder}/clips/imported.mov")


def full_screen(studio):
    """The picture fills the screen, with the controls; they step back while it plays, and come when something is touched."""
    page = studio.page()
    before = page.locator("#picture").bounding_box()["width"]
    page.locator("#lanes").focus()
    page.keyboard.press("f")
    page.wait_for_function("() => document.fullscreenElement")
    expect(page.locator("header")).to_be_hidden()
    expect(page.locator("#timeline")).to_be_hidden()
    page.wait_for_function("before => document.getElementById('picture').getBoundingClientRect().width > before", arg=before)
    page.locator("#loop").check()
    page.locator("#play").click()
    page.evaluate("document.activeElement.blur()")
    page.wait_for_function("() => getComputedStyle(document.getElementById('transport')).opacity === '0'")
    page.mouse.move(300, 300)
    page.wait_for_function("() => getComputedStyle(document.getElementById('transport')).opacity === '1'")
    page.locator("#play").click()
    page.locator("#full-screen").click()
    page.wait_for_function("() => !document.fullscreenElement")
    expect(page.locator("header")).to_be_visible()
    page.close()


@contextlib.contextmanager
def folder_page(studio, folder):
    """The page of an editor of its own that shows a folder, which is removed afterwards."""
    process = subprocess.Popen(
        [studio.focal, "edit", "open", "--folder", folder, "--no-browser"], cwd=studio.folder,
        stdout=subprocess.PIPE, stderr=sys.stderr, text=True)
    try:
        page = studio.context.new_page()
        page.goto(process.stdout.readline().split()[-1])
        yield page
        page.close()
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()
        shutil.rmtree(folder)


def nothing_open(studio):
    """A folder without a movie: the page says what would help, and nothing that needs a movie can be pressed."""
    folder = tempfile.mkdtemp(dir=studio.folder)
    with folder_page(studio, folder) as page:
        expect(page.locator("#no-movies")).to_contain_text("no Cinematic movie")
        page.keyboard.press("Escape")
        expect(page.locator("#empty")).to_be_visible()
        assert page.evaluate("['aside', '#transport', '#timeline'].every(name => document.querySelector(name).inert)")
        expect(page.locator("#export")).to_be_disabled()


def refused_movies(studio):
    """A clip without maps, listed first: the list stays open with the reason, what is imported is opened, and a page that is
    loaded again shows the last movie that was open."""
    folder = tempfile.mkdtemp(dir=studio.folder)
    studio.run("sample", "-o", f"{folder}/s", "--size", "64x36", "--frames", "4", "--samples", "1")
    shutil.copy(f"{folder}/s/clip.mp4", f"{folder}/a.mov")
    shutil.copytree(f"{folder}/s/disparity", f"{folder}/maps")
    with folder_page(studio, folder) as page:
        expect(page.locator("#open-dialog #status.bad")).to_contain_text("a.mov")
        page.wait_for_timeout(10_000)
        expect(page.locator("#open-dialog #status.bad")).to_contain_text("a.mov")
        page.locator("#import-part summary").click()
        page.locator("#import-map").select_option(label="%04d.png (maps)")
        page.locator("#import-name").fill("z")
        page.locator("#import-start").click()
        page.wait_for_function("() => focal.model.document?.name === 'z.mov'")
        studio.settled(page)
        expect(page.locator("#open-dialog")).to_be_hidden()
        choose(page, "a.mov")
        expect(page.locator("#status.bad")).to_contain_text("a.mov")
        page.reload()
        studio.settled(page)
        assert page.evaluate("focal.model.document.name") == "z.mov"


def thumbnails(studio):
    """Zoomed in, the timeline shows each frame itself and not the nearest one at which decoding can begin."""
    page = studio.page()
    bytes_of = """frame => fetch(`/thumbnail?movie=0&frame=${frame}&distance=0&line=t`).then(r => r.arrayBuffer())
      .then(b => [...new Uint8Array(b)].join())"""
    assert len({page.evaluate(bytes_of, frame) for frame in (3, 13, 23, 33)}) == 4
    page.close()


def waveform(studio):
    """The sound's outline is drawn, a tone of equal loudness as high everywhere; the piece that is heard is a WAVE file."""
    page = studio.page()
    if not page.evaluate("focal.model.document.hasSound"):
        print("skipped waveform: without ffmpeg the sample has no sound", flush=True)
        return page.close()
    heights = """() => { const c = document.getElementById('wave');
      const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
      return [0.2, 0.4, 0.6].map(share => { const x = Math.floor(c.width * share); let height = 0;
        for (let y = 0; y < c.height; y += 1) height += d[4 * (y * c.width + x) + 3] > 0 ? 1 : 0; return height; }); }"""
    page.wait_for_function(f"() => ({heights})().every(height => height > 1)")
    low, *_, high = sorted(page.evaluate(heights))
    assert high - low <= 2, (low, high)
    head = page.evaluate("fetch('/sound?movie=0&piece=0').then(r => r.arrayBuffer()).then(b => [...new Uint8Array(b, 0, 12)])")
    assert bytes(head[:4]) == b"RIFF" and bytes(head[8:]) == b"WAVE", head
    page.close()


def layouts(studio):
    """Light and dark, from 1440 pixels to a phone and a page that is enlarged: nothing lies outside or under something else, and
    what is below can be scrolled to."""
    for name, width, height, scheme in (
        ("wide-dark", 1440, 900, "dark"), ("wide-light", 1440, 900, "light"), ("narrow-dark", 1100, 700, "dark"),
        ("tablet-light", 820, 1180, "light"), ("phone-dark", 390, 800, "dark"), ("phone-lying-dark", 844, 390, "dark"),
        ("enlarged-light", 640, 360, "light"), ("enlarged-dark", 683, 330, "dark"), ("low-light", 1280, 420, "light")):
        page = studio.page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        seek(studio, page, 20)
        page.evaluate("document.getElementById('status').textContent = ''")
        page.wait_for_function("() => [...document.querySelectorAll('#thumbnails img')].length > 3 && [...document.querySelectorAll('#thumbnails img')].every(i => i.complete)")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is too wide"
        outside = page.evaluate(
            """() => [...document.querySelectorAll('.bar button, .bar input, #picture, aside input')].filter(e => {
              const r = e.getBoundingClientRect();
              return r.width > 0 && (r.left < -1 || r.right > innerWidth + 1); }).map(e => e.id)""")
        assert not outside, (name, outside)
        picture = page.locator("#picture").bounding_box()
        assert picture["width"] > 300 and picture["height"] > 160, (name, picture)
        for part in ("#save", "#export", "#picture", "#play", "#lanes", "#aperture"):
            page.locator(part).scroll_into_view_if_needed()
            expect(page.locator(part)).to_be_in_viewport()
        page.evaluate("scrollTo(0, 0)")
        if studio.pictures:
            page.screenshot(path=f"{studio.pictures}/{name}.png")
        page.close()


CHECKS = [
    space_plays, finger, keys_again, refused_values,
    taps, double_click, fixed_focus, exported_edits, exported_look, undetected, drawn_box, cancelled_following, tone_mapped_movie, log_movie, another_movie, variable_rate, wide_pixels, edits_while_playing, keyboard, aperture, views, timeline, base_decisions, playback, two_windows, survives, unkept, killed,
    save_as_and_revert, exports, refused_names, focus_on_jobs, interrupted, confined, imports, full_screen, nothing_open, refused_movies, thumbnails, waveform, layouts,
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("focal")
    parser.add_argument("folder")
    parser.add_argument("--browser", default=shutil.which("chromium") or shutil.which("chromium-browser"))
    parser.add_argument("--only")
    parser.add_argument("--pictures")
    options = parser.parse_args()
    studio = Studio(options.focal, options.folder, options.browser, options.pictures)
    failed = 0
    try:
        for check in CHECKS:
            if options.only and check.__name__ not in options.only.split(","):
                continue
            began = time.monotonic()
            # Each begins with the movie as it was recorded.
            studio.end()
            studio.clean()
            studio.start()
            try:
                check(studio)
                print(f"ok {check.__name__} {time.monotonic() - began:.1f} s", flush=True)
            except Exception as error:  # noqa: BLE001: named, and the next check goes on
                failed += 1
                own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == __file__]
                print(f"FAILED {check.__name__} at line {own[-1].lineno}: {own[-1].line}: {error}", flush=True)
                for page in studio.context.pages:
                    if options.pictures:
                        page.screenshot(path=f"{options.pictures}/failed-{check.__name__}.png")
                    if getattr(page, "failures", None):
                        print(f"  the page said: {page.failures}", flush=True)
                    page.close()
        code = studio.end()
        if code != 0:
            failed += 1
            print(f"FAILED the editor ended with {code}", flush=True)
    finally:
        studio.close()
    sys.exit(failed)


if __name__ == "__main__":
    main()
