// SPDX-License-Identifier: Apache-2.0

// The timeline: its zoom, the playhead, the range, and what lies in it.

import * as curve from "./curve.js";
import { layOutDecisions } from "./decisions.js";
import { $, clock, model, playedRange, timeOf } from "./model.js";
import { seek } from "./player.js";
import { content, frameAtPlace, frames, lanes, prepared, setPerFrame, timeAtPlace, x, xOfTime } from "./scale.js";
import * as thumbnails from "./thumbnails.js";
import { layOutTracks } from "./tracks.js";
import * as wave from "./wave.js";

let thumbnailTimer = 0;
let curveTimer = 0;

/** The part of the state that the timeline shows, to see whether it changed. */
let known = "";
/** Thumbnails and sound wait for the first picture: they would take time from it. */
let waits = true;

/** From the whole movie in the window to 24 pixels a frame, or four times as wide. */
function setZoom(share, anchor = model.frame) {
  const whole = Math.max(lanes.clientWidth - 2, 100) / frames();
  const most = Math.max(24, whole * 4);
  const before = x(anchor) - lanes.scrollLeft;
  setPerFrame(whole * (most / whole) ** share);
  content.style.width = `${Math.max(x(frames()), lanes.clientWidth)}px`;
  lanes.scrollLeft = x(anchor) - before;
  measure();
  layOut();
}

function layOut() {
  if (!model.document) return;
  layOutDecisions();
  layOutTracks();
  layOutRange();
  movePlayhead();
  redraw();
  layOutThumbnails();
}

/** Another state is there: what is under a slider mostly leaves the timeline as it is. */
export function showEdits() {
  const { decisions, removed, racks, tracks, range } = model.state;
  const now = JSON.stringify([model.document.movie, decisions, removed, racks, tracks, range]);
  if (now === known) return curve.keep();
  known = now;
  layOut();
}

function layOutThumbnails() {
  clearTimeout(thumbnailTimer);
  if (!waits) thumbnailTimer = setTimeout(thumbnails.layOutThumbnails, 120);
}

/** Draws the part that is seen. */
function redraw() {
  drawRuler();
  wave.drawWave();
  clearTimeout(curveTimer);
  curveTimer = setTimeout(curve.askForCurve, 60);
  curve.drawCurve();
}

function drawRuler() {
  const { context, width, height, color } = prepared($("ruler"));
  const { start, end } = model.document;
  const from = timeAtPlace(lanes.scrollLeft);
  const perSecond = width / Math.max(timeAtPlace(lanes.scrollLeft + width) - from, 1e-6);
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200].find((s) => s * perSecond > 64) ?? 3600;
  context.fillStyle = color("--faint");
  context.font = "11px system-ui, sans-serif";
  // Frames are as wide whatever they last: ticks come closer where they last long, and not all have room for their time.
  let free = -Infinity;
  for (let index = Math.floor((from - start) / step); start + index * step <= end; index += 1) {
    const place = xOfTime(start + index * step) - lanes.scrollLeft;
    if (place > width) break;
    context.fillRect(place, height - 6, 1, 6);
    if (place < free) continue;
    free = place + 60;
    context.fillText(clock(index * step).replace(/\.00$/, ""), place + 3, height - 7);
  }
}

function layOutRange() {
  const [start, end] = playedRange();
  const before = $("range-shade-before");
  const after = $("range-shade-after");
  before.style.left = "0";
  before.style.width = `${x(start)}px`;
  after.style.left = `${x(end)}px`;
  after.style.width = `${Math.max(x(frames()) - x(end), 0)}px`;
}

function movePlayhead() {
  // Moved, not laid out: it goes with every picture.
  $("playhead").style.transform = `translateX(${x(model.frame + 0.5)}px)`;
  // The position that is read out follows at the end of playback.
  if (document.body.classList.contains("playing")) return;
  const ruler = $("ruler");
  ruler.setAttribute("aria-valuemax", frames() - 1);
  ruler.setAttribute("aria-valuenow", model.frame);
  ruler.setAttribute("aria-valuetext", `Frame ${model.frame}, ${clock(timeOf(model.frame))}`);
}

/** The part that is seen: asking the page for it would lay it out for each picture. */
const shown = { left: 0, width: 1 };
function measure() {
  shown.left = lanes.scrollLeft;
  shown.width = lanes.clientWidth;
}

document.addEventListener("moved", () => {
  movePlayhead();
  // While it plays, the playhead stays in the window.
  const place = x(model.frame) - shown.left;
  if (place < 0 || place > shown.width) lanes.scrollLeft = x(model.frame) - shown.width * 0.1;
});

function scrub(event) {
  const rect = content.getBoundingClientRect();
  seek(Math.floor(frameAtPlace(event.clientX - rect.left)));
}

let isScrubbing = false;
lanes.addEventListener("pointerdown", (event) => {
  if (event.button !== 0 || !model.document || event.target.closest("button")) return;
  if (event.target === lanes) return;
  isScrubbing = true;
  lanes.setPointerCapture(event.pointerId);
  scrub(event);
});
lanes.addEventListener("pointermove", (event) => { if (isScrubbing) scrub(event); });
for (const type of ["pointerup", "pointercancel"]) {
  lanes.addEventListener(type, () => { isScrubbing = false; });
}
lanes.addEventListener("scroll", () => {
  measure();
  if (!model.document) return;
  redraw();
  layOutThumbnails();
});
lanes.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  const zoom = $("zoom");
  zoom.value = Number(zoom.value) - Math.sign(event.deltaY) * 4;
  const rect = content.getBoundingClientRect();
  setZoom(zoom.value / 100, frameAtPlace(event.clientX - rect.left));
}, { passive: false });
$("zoom").addEventListener("input", (event) => setZoom(event.target.value / 100));
new ResizeObserver(() => {
  measure();
  if (model.document) setZoom($("zoom").value / 100);
}).observe(lanes);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (model.document) redraw(); });

document.addEventListener("graded", layOutThumbnails);

/** Another movie is there. */
export function begin() {
  curve.forget();
  wave.forget();
  thumbnails.forget();
  known = "";
  waits = true;
  setZoom($("zoom").value / 100, 0);
  const { movie, hasSound } = model.document;
  const goOn = () => {
    if (!waits || model.document?.movie !== movie) return;
    waits = false;
    layOutThumbnails();
    if (hasSound) wave.askForPeaks(movie);
  };
  $("picture").addEventListener("shown", () => setTimeout(goOn, 300), { once: true });
  setTimeout(goOn, 5000);
}
