// SPDX-License-Identifier: Apache-2.0

// The picture: asked for, drawn, and tapped.

import { send, taken } from "./link.js";
import { $, model, say } from "./model.js";

const canvas = $("picture");
const context = canvas.getContext("2d", { alpha: false });
const boxes = $("boxes");
/** A name of this page, which no other one has. */
export const line = crypto.getRandomValues(new Uint32Array(1))[0].toString(36);

/**
 * How live pictures are rendered, from good to fast: a share of the size on the page, a quality, and about how much
 * longer each takes than the next. Quality goes before size: the blur of a draft is worked out at half its size, what is
 * in focus is not. Pictures are made of a source that is smaller by a whole number, so that their size is the movie's
 * half, third, quarter and so on.
 */
export const levels = [
  { share: 1, quality: "preview", cost: 1.2 },
  { share: 1, quality: "thumbnail", cost: 1.6 },
  { share: 1, quality: "draft", cost: 1.5 },
  { share: 0.75, quality: "draft", cost: 1.3 },
  { share: 0.5, quality: "draft", cost: 1.3 },
  { share: 0.36, quality: "thumbnail", cost: 1.2 },
  { share: 0.25, quality: "thumbnail", cost: 1 },
];
export const live = { level: 2, milliseconds: 0 };

let drawn = null;
let view = "";

/** The movie's width in pixels as wide as they are high. */
const widthShown = (movie) => movie.width * (movie.pixelAspect ?? 1);

/** The picture's size on the page, in pixels of the screen, at most the movie's. */
function pageSize() {
  const stage = $("stage").getBoundingClientRect();
  const movie = model.document;
  const ratio = window.devicePixelRatio || 1;
  const scale = Math.min(
    (stage.width * ratio) / widthShown(movie), (stage.height * ratio) / movie.height, 1);
  // Pictures come in the movie's own pixels: where those are narrow, in as many lines as are seen.
  return { width: Math.max(widthShown(movie), movie.width) * scale, height: movie.height * scale };
}

/** Whether a camera's curve is shown as a screen shows it. */
export const isGraded = () => Boolean(model.document?.logCurve) && $("show-graded").checked;

/** Fetches a frame, still coded; `null` where another one took its place. */
export async function fetchCoded(frame, { purpose, share, quality }) {
  const size = pageSize();
  const movie = model.document.movie, graded = isGraded();
  const query = new URLSearchParams({
    movie, frame, purpose, quality, line,
    width: Math.max(Math.round(size.width * share), 16),
    height: Math.max(Math.round(size.height * share), 16),
  });
  if (view) query.set("view", view);
  if (graded) query.set("graded", 1);
  const response = await fetch(`/frame?${query}`);
  if (model.document.movie !== movie || isGraded() !== graded) return null;
  if (response.status === 409 || response.status === 429) return null;
  if (!response.ok) throw new Error((await response.text()).trim());
  return taken(await response.arrayBuffer());
}

/** Decodes what was fetched. */
export const decoded = ({ bytes }) => createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));

/** Fetches and decodes a frame. */
async function fetchFrame(frame, wish) {
  const got = await fetchCoded(frame, wish);
  return got && { head: got.head, bitmap: await decoded(got) };
}

/** Draws a frame that was fetched, with its boxes. */
export function draw({ head, bitmap }) {
  if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
    canvas.width = bitmap.width;
    canvas.height = bitmap.height;
  }
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  drawn = head;
  canvas.dataset.frame = head.frame;
  canvas.dataset.revision = head.revision;
  canvas.dataset.quality = head.quality;
  drawBoxes(head);
}

/** Another movie: what is drawn is none of its pictures. */
export function forget() {
  drawn = null;
  for (const key of ["frame", "revision", "quality"]) delete canvas.dataset[key];
}

/** Makes the canvas as large as fits, whatever the size of the picture in it. */
export function layOut() {
  const stage = $("stage").getBoundingClientRect();
  const movie = model.document;
  if (!movie) return;
  const scale = Math.min(stage.width / widthShown(movie), stage.height / movie.height);
  const [width, height] = [widthShown(movie) * scale, movie.height * scale];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  boxes.style.left = `${(stage.width - width) / 2}px`;
  boxes.style.top = `${(stage.height - height) / 2}px`;
  boxes.style.width = `${width}px`;
  boxes.style.height = `${height}px`;
}

/** The boxes that are drawn: while it plays they mostly stay as they are. */
let boxesDrawn = "";

/** A subject's name, as its row in the timeline has it, and which part of it a box is. */
function nameOf(item) {
  const row = item.group === undefined ? undefined : model.state?.tracks.find((track) => track.group === item.group);
  return `${row?.label ?? item.label} ${row?.id ?? item.id}${item.part ? `, ${item.part}` : ""}`;
}

function drawBoxes(head) {
  // What is drawn there by hand is seen all the same.
  boxes.classList.toggle("bare", !$("show-boxes").checked);
  const now = JSON.stringify([head.boxes, head.boxes.map(nameOf)]);
  if (now === boxesDrawn) return;
  boxesDrawn = now;
  // Large ones first, so that small ones lie above them; buttons that stay keep the keyboard's focus.
  const sorted = [...head.boxes].sort((a, b) => b.rect[2] * b.rect[3] - a.rect[2] * a.rect[3]);
  const known = new Map([...boxes.querySelectorAll(".box")].map((box) => [box.dataset.id, box]));
  let place = null;
  for (const item of sorted) {
    let box = known.get(String(item.id));
    if (box) {
      known.delete(String(item.id));
    } else {
      box = document.createElement("button");
      box.className = "box";
      box.dataset.id = item.id;
      box.append(document.createElement("span"));
    }
    const [x, y, width, height] = item.rect;
    Object.assign(box.style, {
      left: `${x * 100}%`, top: `${y * 100}%`, width: `${width * 100}%`, height: `${height * 100}%`,
    });
    box.classList.toggle("focus", item.isInFocus);
    box.classList.toggle("strong", item.isInFocus && item.isStrong);
    const state = item.isSubject ? (item.isStrong ? "in focus, strong" : "in focus, weak") : "not in focus";
    box.setAttribute("aria-label", `${nameOf(item)}, ${state}`);
    box.setAttribute("aria-pressed", item.isSubject);
    box.firstChild.textContent = nameOf(item);
    if (place ? place.nextSibling !== box : boxes.firstChild !== box) {
      place ? place.after(box) : boxes.prepend(box);
    }
    place = box;
  }
  for (const box of known.values()) box.remove();
}

// Showing one frame while nothing plays: at once as good as is quick, then as an export has it.

let wanted = null;
let isFetching = false;
let settle = 0;

/** Shows a frame, live first. */
export function show(frame) {
  if (!model.document) return;
  wanted = { frame, ...levels[live.level], purpose: "scrub" };
  clearTimeout(settle);
  pump();
}

/** Shows the frame that is there once more, since what is decided changed. */
export function refresh() {
  show(model.frame);
}

async function pump() {
  if (isFetching) return;
  isFetching = true;
  while (wanted) {
    const wish = wanted;
    wanted = null;
    try {
      const started = performance.now();
      const got = await fetchFrame(wish.frame, wish);
      if (got && !paused()) { got.bitmap.close(); continue; }
      if (got) draw(got);
      if (got && wish.quality === "export") tellLive();
      if (got && wish.quality !== "export") {
        adapt(performance.now() - started);
        canvas.dispatchEvent(new CustomEvent("shown", { detail: got.head }));
        settle = setTimeout(() => {
          if (wanted || !paused()) return;
          wanted = { frame: wish.frame, share: 1, quality: "export", purpose: "scrub" };
          pump();
        }, 180);
      }
    } catch (error) {
      say(error.message, true);
    }
  }
  isFetching = false;
}

let paused = () => true;
/** The player says whether it plays. */
export function setPaused(test) { paused = test; }

/** A slider or a finger wants ten pictures a second and more. */
function adapt(milliseconds) {
  live.milliseconds = milliseconds;
  if (milliseconds > 100 && live.level < levels.length - 1) live.level += 1;
  else if (milliseconds < 40 && live.level > 1) live.level -= 1;
  tellLive(levels[live.level]);
}

/** Says how live pictures are rendered, and what was dropped. */
export function tellLive(level = levels[live.level], dropped) {
  const rate = dropped === undefined ? "" : `, ${dropped} frames dropped`;
  const share = level.share < 1 ? ` at ${Math.round(level.share * 100)} % of its size` : "";
  const now = drawn ? ` Now ${drawn.quality}, ${drawn.width}×${drawn.height}, on ${model.document?.device ?? ""}.` : "";
  $("live").textContent =
    `Moving pictures: ${level.quality} quality${share}${rate}. At rest: export quality.${now}`
    + (model.document?.isToneMapped ? " High dynamic range is shown as standard." : "")
    + (isGraded() ? ` ${model.document.logCurve} is shown as a screen shows its light; exports keep it.` : "");
}

export function setView(name) {
  view = name;
  refresh();
}

// Taps. A press of 0.3 s holds the distance at that place.

const holdTime = 300;
let press = null;

/** Where an event is in the picture; outside it nowhere, or at the border. */
function place(event, isBound = false) {
  const rect = canvas.getBoundingClientRect();
  const x = (event.clientX - rect.left) / rect.width;
  const y = (event.clientY - rect.top) / rect.height;
  if (isBound) return { x: Math.min(Math.max(x, 0), 1), y: Math.min(Math.max(y, 0), 1) };
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { x, y } : null;
}

function tap(spot, strong) {
  send("tap", { frame: model.frame, ...spot, ...(strong ? { strong } : {}) });
}

export function hold(spot) {
  send("fix", { frame: model.frame, ...spot, strong: true });
}

function pressed(event) {
  // A second finger is no press of its own.
  if (press || !event.isPrimary || event.button !== 0 || !model.document) return;
  const spot = place(event);
  if (!spot) return;
  const ring = document.createElement("div");
  ring.className = "ring";
  ring.style.left = `${spot.x * 100}%`;
  ring.style.top = `${spot.y * 100}%`;
  press = {
    spot, from: [event.clientX, event.clientY], id: event.pointerId, ring,
    timer: setTimeout(() => { hold(press.spot); press.isHeld = true; ring.remove(); }, holdTime),
  };
  boxes.append(ring);
}

function released(event) {
  if (!press || event.pointerId !== press.id) return;
  clearTimeout(press.timer);
  press.ring.remove();
  const { spot, isHeld, box, rect } = press;
  press = null;
  box?.remove();
  if (isHeld || event.type !== "pointerup") return;
  if (box) follow(rect, event.shiftKey);
  else tap(spot, event.shiftKey);
}

function moved(event) {
  if (!press || press.isHeld || event.pointerId !== press.id) return;
  const far = Math.hypot(event.clientX - press.from[0], event.clientY - press.from[1]) > 12;
  if (far && !press.box) {
    clearTimeout(press.timer);
    press.ring.remove();
    press.box = drawnBox();
  }
  if (press.box) press.rect = spread(press.box, press.spot, place(event, true));
}

// A box that is drawn around an object, by a drag or by keys: the object in it is followed.

function drawnBox() {
  const box = document.createElement("div");
  box.className = "drawn";
  boxes.append(box);
  return box;
}

/** Puts a box between two corners. */
function spread(box, a, b) {
  const rect = {
    x: Math.min(a.x, b.x), y: Math.min(a.y, b.y), width: Math.abs(a.x - b.x), height: Math.abs(a.y - b.y),
  };
  for (const [side, name] of [["left", "x"], ["top", "y"], ["width", "width"], ["height", "height"]]) {
    box.style[side] = `${rect[name] * 100}%`;
  }
  return rect;
}

function follow(rect, strong) {
  const isLarge = rect && rect.width * model.document.width >= 4 && rect.height * model.document.height >= 4;
  if (!isLarge) return say("A box around an object is larger than that.", true);
  send("follow", { frame: model.frame, ...rect, ...(strong ? { strong } : {}) });
}

for (const surface of [canvas, boxes]) {
  surface.addEventListener("pointerdown", pressed);
  surface.addEventListener("contextmenu", (event) => event.preventDefault());
}
addEventListener("pointerup", released);
addEventListener("pointercancel", released);
addEventListener("pointermove", moved);

// A box by the keyboard, or by what speaks for a screen reader: that one, also where another one lies above its middle.
boxes.addEventListener("click", (event) => {
  const box = event.target.closest(".box");
  if (box && event.detail === 0) tap({ track: Number(box.dataset.id) }, event.shiftKey);
});

// Aiming by keys: any place of the picture.

const aim = $("aim");
const spot = { x: 0.5, y: 0.5 };
/** A box that was begun at a corner. */
let begunBox = null;

export function toggleAim() {
  aim.hidden = !aim.hidden;
  endBox();
  if (!aim.hidden) { moveAim(0, 0); aim.focus(); }
}

function endBox() {
  begunBox?.box.remove();
  begunBox = null;
}

function toggleBox() {
  if (begunBox) return endBox();
  begunBox = { box: drawnBox(), corner: { ...spot }, rect: null };
  say("A box begins here: the arrows draw it, Enter follows the object in it.");
}

function moveAim(dx, dy) {
  spot.x = Math.min(Math.max(spot.x + dx, 0), 1);
  spot.y = Math.min(Math.max(spot.y + dy, 0), 1);
  const frame = $("stage").getBoundingClientRect();
  const rect = canvas.getBoundingClientRect();
  aim.style.left = `${rect.left - frame.left + spot.x * rect.width}px`;
  aim.style.top = `${rect.top - frame.top + spot.y * rect.height}px`;
  if (begunBox) begunBox.rect = spread(begunBox.box, begunBox.corner, spot);
}

aim.addEventListener("keydown", (event) => {
  const step = event.shiftKey ? 0.05 : 0.01;
  const steps = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
  if (steps[event.key]) moveAim(...steps[event.key]);
  else if (event.key === "Enter" && begunBox) {
    follow(begunBox.rect, event.shiftKey);
    endBox();
  } else if (event.key === "Enter") tap({ ...spot }, event.shiftKey);
  else if (event.key === "b" || event.key === "B") toggleBox();
  else if (event.key === "h" || event.key === "H") hold({ ...spot });
  else if (event.key === "Escape") begunBox ? endBox() : toggleAim();
  else return;
  event.preventDefault();
  event.stopPropagation();
});

new ResizeObserver(() => { if (model.document) { layOut(); refresh(); } }).observe($("stage"));
