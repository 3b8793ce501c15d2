// SPDX-License-Identifier: Apache-2.0

// The picture: asked for, drawn, and tapped.

import { send, taken } from "./link.js";
import { $, model, say } from "./model.js";

const canvas = $("picture");
const context = canvas.getContext("2d", { alpha: false });
const boxes = $("boxes");
const line = crypto.getRandomValues(new Uint32Array(1))[0].toString(36);

/**
 * How live pictures are rendered, from good to fast: a share of the size on the page, and a quality. They are made of a
 * source that is smaller by a whole number, so that their size is the movie's half, third, quarter and so on.
 */
export const levels = [
  { share: 1, quality: "preview" },
  { share: 1, quality: "thumbnail" },
  { share: 0.75, quality: "thumbnail" },
  { share: 0.5, quality: "thumbnail" },
  { share: 0.36, quality: "thumbnail" },
  { share: 0.25, quality: "thumbnail" },
];
export const live = { level: 1, milliseconds: 0 };

let drawn = null;
let view = "";

/** The picture's size on the page, in pixels of the screen, at most the movie's. */
function pageSize() {
  const stage = $("stage").getBoundingClientRect();
  const movie = model.document;
  const ratio = window.devicePixelRatio || 1;
  const scale = Math.min(
    (stage.width * ratio) / movie.width, (stage.height * ratio) / movie.height, 1);
  return { width: movie.width * scale, height: movie.height * scale };
}

/** Fetches a frame; `null` where another one took its place. */
export async function fetchFrame(frame, { purpose, share, quality }) {
  const size = pageSize();
  const query = new URLSearchParams({
    movie: model.document.movie, frame, purpose, quality, line,
    width: Math.max(Math.round(size.width * share), 16),
    height: Math.max(Math.round(size.height * share), 16),
  });
  if (view) query.set("view", view);
  const response = await fetch(`/frame?${query}`);
  if (response.status === 409 || response.status === 429) return null;
  if (!response.ok) throw new Error((await response.text()).trim());
  const { head, bytes } = taken(await response.arrayBuffer());
  const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
  return { head, bitmap };
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

/** Makes the canvas as large as fits, whatever the size of the picture in it. */
export function layOut() {
  const stage = $("stage").getBoundingClientRect();
  const movie = model.document;
  if (!movie) return;
  const scale = Math.min(stage.width / movie.width, stage.height / movie.height);
  const [width, height] = [movie.width * scale, movie.height * scale];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  boxes.style.left = `${(stage.width - width) / 2}px`;
  boxes.style.top = `${(stage.height - height) / 2}px`;
  boxes.style.width = `${width}px`;
  boxes.style.height = `${height}px`;
}

/** The boxes that are drawn: while it plays they mostly stay as they are. */
let boxesDrawn = "";

function drawBoxes(head) {
  boxes.hidden = !$("show-boxes").checked;
  const now = JSON.stringify(head.boxes);
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
    box.classList.toggle("strong", item.isStrong);
    const state = item.isInFocus ? (item.isStrong ? "in focus, strong" : "in focus, weak") : "not in focus";
    box.setAttribute("aria-label", `${item.label} ${item.id}, ${state}`);
    box.setAttribute("aria-pressed", item.isInFocus);
    box.firstChild.textContent = `${item.label} ${item.id}`;
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
  const rate = dropped === undefined ? "" : `, ${dropped} dropped`;
  const size = drawn ? `${drawn.width}×${drawn.height}` : "";
  $("live").textContent =
    `Live: up to ${Math.round(level.share * 100)} % of the page's size, ${level.quality} quality${rate}. `
    + `Paused: export quality. ${size} on ${model.document?.device ?? ""}.`
    + (model.document?.isToneMapped ? " High dynamic range is shown as standard." : "");
}

export function setView(name) {
  view = name;
  refresh();
}

// Taps. A press of 0.3 s holds the distance at that place.

const holdTime = 300;
let press = null;

function place(event) {
  const rect = canvas.getBoundingClientRect();
  const x = (event.clientX - rect.left) / rect.width;
  const y = (event.clientY - rect.top) / rect.height;
  return x >= 0 && x <= 1 && y >= 0 && y <= 1 ? { x, y } : null;
}

function tap(spot, strong) {
  send("tap", { frame: model.frame, ...spot, ...(strong ? { strong } : {}) });
}

export function hold(spot) {
  send("fix", { frame: model.frame, ...spot, strong: true });
}

function pressed(event) {
  if (event.button !== 0 || !model.document) return;
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
  const { spot, isHeld } = press;
  press = null;
  if (isHeld || event.type !== "pointerup") return;
  tap(spot, event.shiftKey);
}

function moved(event) {
  if (!press || event.pointerId !== press.id) return;
  const far = Math.hypot(event.clientX - press.from[0], event.clientY - press.from[1]) > 12;
  if (far) { clearTimeout(press.timer); press.ring.remove(); press = null; }
}

for (const surface of [canvas, boxes]) {
  surface.addEventListener("pointerdown", pressed);
  surface.addEventListener("contextmenu", (event) => event.preventDefault());
}
addEventListener("pointerup", released);
addEventListener("pointercancel", released);
addEventListener("pointermove", moved);

// A box by the keyboard, or by what speaks for a screen reader: its middle is tapped.
boxes.addEventListener("click", (event) => {
  const box = event.target.closest(".box");
  if (!box || event.detail !== 0) return;
  const rect = box.getBoundingClientRect();
  const spot = place({
    clientX: rect.left + rect.width / 2, clientY: rect.top + rect.height / 2,
  });
  if (spot) tap(spot, event.shiftKey);
});

// Aiming by keys: any place of the picture.

const aim = $("aim");
const spot = { x: 0.5, y: 0.5 };

export function toggleAim() {
  aim.hidden = !aim.hidden;
  if (!aim.hidden) { moveAim(0, 0); aim.focus(); }
}

function moveAim(dx, dy) {
  spot.x = Math.min(Math.max(spot.x + dx, 0), 1);
  spot.y = Math.min(Math.max(spot.y + dy, 0), 1);
  const frame = $("stage").getBoundingClientRect();
  const rect = canvas.getBoundingClientRect();
  aim.style.left = `${rect.left - frame.left + spot.x * rect.width}px`;
  aim.style.top = `${rect.top - frame.top + spot.y * rect.height}px`;
}

aim.addEventListener("keydown", (event) => {
  const step = event.shiftKey ? 0.05 : 0.01;
  const steps = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
  if (steps[event.key]) moveAim(...steps[event.key]);
  else if (event.key === "Enter") tap({ ...spot }, event.shiftKey);
  else if (event.key === "h" || event.key === "H") hold({ ...spot });
  else if (event.key === "Escape") aim.hidden = true;
  else return;
  event.preventDefault();
  event.stopPropagation();
});

new ResizeObserver(() => { if (model.document) { layOut(); refresh(); } }).observe($("stage"));
