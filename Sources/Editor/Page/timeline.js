// SPDX-License-Identifier: Apache-2.0

// Thumbnails, the way of focus, decisions, tracks and sound over time.

import { on, send, taken } from "./link.js";
import { $, clock, model, playedRange, sameKey, say, timeOf } from "./model.js";
import { seek } from "./player.js";

const lanes = $("lanes");
const content = $("content");
let perFrame = 1;
let curve = null;
let peaks = null;
let thumbnailTimer = 0;
let curveTimer = 0;

const x = (frame) => frame * perFrame;
const frames = () => model.document?.frameCount ?? 1;
/** The place of a time, between frames too. */
function xOfTime(seconds) {
  const movie = model.document;
  if (!movie.times) return x((seconds - movie.start) / movie.frameDuration);
  let frame = 0;
  while (frame + 1 < movie.frameCount && movie.times[frame + 1] <= seconds) frame += 1;
  const length = timeOf(frame + 1) - timeOf(frame);
  return x(frame + Math.min((seconds - timeOf(frame)) / length, 1));
}

// MARK: Zoom and layout

/** From the whole movie in the window to 24 pixels a frame, or four times as wide. */
function setZoom(share, anchor = model.frame) {
  const whole = Math.max(lanes.clientWidth - 2, 100) / frames();
  const most = Math.max(24, whole * 4);
  const before = x(anchor) - lanes.scrollLeft;
  perFrame = whole * (most / whole) ** share;
  content.style.width = `${Math.max(x(frames()), lanes.clientWidth)}px`;
  lanes.scrollLeft = x(anchor) - before;
  layOut();
}

export function layOut() {
  if (!model.document) return;
  layOutDecisions();
  layOutTracks();
  layOutRange();
  movePlayhead();
  redraw();
  clearTimeout(thumbnailTimer);
  thumbnailTimer = setTimeout(layOutThumbnails, 120);
}

/** What is drawn for the part that is seen. */
function redraw() {
  drawRuler();
  drawWave();
  clearTimeout(curveTimer);
  curveTimer = setTimeout(askForCurve, 60);
  drawCurve();
}

function prepared(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [lanes.clientWidth, canvas.clientHeight || 22];
  canvas.style.width = `${width}px`;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const style = getComputedStyle(document.body);
  return { context, width, height, color: (name) => resolved(style, name) };
}

/** A colour of the style sheet as it is in the light or the dark. */
function resolved(style, name) {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color || style.color;
}
const probe = document.createElement("i");
probe.hidden = true;
document.body.append(probe);

function drawRuler() {
  const { context, width, height, color } = prepared($("ruler"));
  const perSecond = x(frames()) / Math.max(model.document.end - model.document.start, 1e-6);
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200].find((s) => s * perSecond > 64) ?? 3600;
  context.fillStyle = color("--faint");
  context.font = "11px system-ui, sans-serif";
  const first = Math.floor(lanes.scrollLeft / perSecond / step);
  for (let index = first; ; index += 1) {
    const place = index * step * perSecond - lanes.scrollLeft;
    if (place > width) break;
    context.fillRect(place, height - 6, 1, 6);
    context.fillText(clock(index * step).replace(/\.00$/, ""), place + 3, height - 7);
  }
}

// MARK: Thumbnails

const thumbnailWidth = 76;

function layOutThumbnails() {
  const lane = $("thumbnails");
  if (!model.document) return;
  const step = Math.max(Math.round(thumbnailWidth / perFrame), 1);
  const first = Math.max(Math.floor(lanes.scrollLeft / perFrame / step), 0);
  const last = Math.ceil((lanes.scrollLeft + lanes.clientWidth) / perFrame / step);
  const known = new Map([...lane.children].map((image) => [image.dataset.key, image]));
  for (let index = first; index < last; index += 1) {
    const frame = index * step;
    if (frame >= frames()) break;
    const key = `${model.document.movie}/${frame}/${step}`;
    let image = known.get(key);
    known.delete(key);
    if (!image) {
      image = new Image();
      image.dataset.key = key;
      image.alt = "";
      image.src = `/thumbnail?movie=${model.document.movie}&frame=${frame}&line=thumbnails`;
      lane.append(image);
    }
    image.style.left = `${x(frame)}px`;
    image.style.width = `${Math.min(step * perFrame, x(frames() - frame)) - 1}px`;
  }
  for (const image of known.values()) image.remove();
}

// MARK: The way of focus

function askForCurve() {
  if (!model.document) return;
  const start = Math.max(Math.floor(lanes.scrollLeft / perFrame), 0);
  const end = Math.min(Math.ceil((lanes.scrollLeft + lanes.clientWidth) / perFrame) + 1, frames());
  if (curve && curve.revision === model.state?.revision && curve.start === start && curve.end === end
    && curve.movie === model.document.movie) return;
  send("curve", { start, end });
}

on("curve", (message) => {
  if (message.movie !== model.document?.movie) return;
  curve = message;
  drawCurve();
});

function drawCurve() {
  const { context, height, color } = prepared($("curve"));
  if (!curve || curve.movie !== model.document.movie) return;
  context.strokeStyle = color("--accent");
  context.lineWidth = 1.5;
  context.beginPath();
  const extent = Math.max(curve.high - curve.low, 1e-6);
  let isDown = false;
  curve.focus.forEach((value, index) => {
    const frame = curve.start + (index * (curve.end - curve.start)) / curve.focus.length;
    const place = x(frame) - lanes.scrollLeft;
    if (typeof value !== "number") { isDown = false; return; }
    const y = height - 4 - (height - 8) * Math.min(Math.max((value - curve.low) / extent, 0), 1);
    if (isDown) context.lineTo(place, y);
    else context.moveTo(place, y);
    isDown = true;
  });
  context.stroke();
  context.fillStyle = color("--faint");
  context.font = "10px system-ui, sans-serif";
  context.fillText("near", 4, 11);
  context.fillText("far", 4, height - 4);
}

// MARK: Decisions and racks

export const describe = (decision) =>
  `${decision.isStrong ? "Strong" : "Weak"} ${decision.isUser ? "decision" : "automatic decision"}: `
  + `${decision.label}${decision.tracks.length ? ` ${decision.tracks[0]}` : ""}`
  + `, at ${clock(decision.seconds)}`;

export const selected = () =>
  model.state?.decisions.find((decision) => sameKey(decision.key, model.selected)) ?? null;

export function select(decision) {
  model.selected = decision?.key ?? null;
  for (const chip of $("decisions").querySelectorAll(".decision")) {
    chip.classList.toggle("selected", sameKey(chip.decision?.key, model.selected));
  }
  document.dispatchEvent(new CustomEvent("selected"));
}

const nameOf = (key) => JSON.stringify([key.time, key.detection ?? null, key.group ?? null]);

function layOutDecisions() {
  const lane = $("decisions");
  const state = model.state;
  if (!state) return;
  const focused = document.activeElement?.dataset?.key;
  lane.replaceChildren();
  for (const rack of state.racks) {
    const bar = document.createElement("div");
    bar.className = "rack";
    bar.style.left = `${xOfTime(rack.start)}px`;
    bar.style.width = `${Math.max(xOfTime(rack.end) - xOfTime(rack.start), 1)}px`;
    lane.append(bar);
    const handle = document.createElement("button");
    handle.className = "rack-handle";
    handle.style.left = bar.style.left;
    handle.setAttribute("aria-label", `Rack of ${(rack.end - rack.start).toFixed(2)} seconds, ending at ${clock(rack.end)}; arrows change it`);
    handle.addEventListener("pointerdown", (event) => dragRack(event, rack, bar, handle));
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: 0.05, ArrowRight: -0.05 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      setRack(rack, Math.max((rack.wanted ?? rack.end - rack.start) + step, 0));
    });
    lane.append(handle);
  }
  for (const decision of state.decisions) {
    const chip = document.createElement("button");
    chip.className = "decision";
    chip.decision = decision;
    chip.dataset.key = nameOf(decision.key);
    chip.classList.toggle("base", !decision.isUser);
    chip.classList.toggle("strong", decision.isStrong);
    chip.classList.toggle("selected", sameKey(decision.key, model.selected));
    // Whole at the very start, too.
    chip.style.left = `${Math.max(x(decision.frame), 12)}px`;
    chip.setAttribute("aria-label", describe(decision));
    chip.title = describe(decision);
    chip.addEventListener("pointerdown", (event) => dragDecision(event, chip));
    chip.addEventListener("focus", () => select(decision));
    chip.addEventListener("dblclick", () => send("strength", { decision: decision.key, strong: !decision.isStrong }));
    chip.addEventListener("keydown", (event) => decisionKey(event, decision));
    lane.append(chip);
    if (chip.dataset.key === focused) chip.focus();
  }
}

function decisionKey(event, decision) {
  if (event.key === "Enter") send("strength", { decision: decision.key, strong: !decision.isStrong });
  else if (event.key === "Delete" || event.key === "Backspace") takeBack(decision);
  else if (event.altKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
    const frame = decision.frame + (event.key === "ArrowLeft" ? -1 : 1);
    if (frame >= 0 && frame < frames()) move(decision, frame);
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

export function takeBack(decision) {
  if (!decision.isUser) return say("This decision is the recording's own: decide anew at its time, which hides it.", true);
  send("takeBack", { decision: decision.key });
}

function move(decision, frame) {
  if (!decision.isUser) return say("This decision is the recording's own, and stays: decide anew at its time, which hides it.", true);
  // It will have another key: what is chosen moves along by its place.
  pendingSelection = { frame, detection: decision.key.detection, group: decision.key.group };
  send("move", { decision: decision.key, frame });
}
let pendingSelection = null;

/** After each state: a decision that was moved is still chosen. */
export function followSelection() {
  if (!pendingSelection) return;
  const wanted = pendingSelection;
  const found = model.state.decisions.find((decision) => decision.frame === wanted.frame
    && decision.key.detection === wanted.detection && decision.key.group === wanted.group);
  if (!found) return;
  pendingSelection = null;
  model.selected = found.key;
}

function dragDecision(event, chip) {
  if (event.button !== 0) return;
  const decision = chip.decision;
  select(decision);
  const from = event.clientX;
  let frame = decision.frame;
  let isMoving = false;
  chip.setPointerCapture(event.pointerId);
  chip.onpointermove = (moving) => {
    if (!isMoving && Math.abs(moving.clientX - from) < 4) return;
    isMoving = true;
    frame = Math.round(decision.frame + (moving.clientX - from) / perFrame);
    frame = Math.min(Math.max(frame, 0), frames() - 1);
    chip.style.left = `${x(frame)}px`;
  };
  chip.onpointerup = () => {
    chip.onpointermove = chip.onpointerup = chip.onpointercancel = null;
    if (!isMoving) return seek(decision.frame);
    chip.style.left = `${x(decision.frame)}px`;
    if (frame !== decision.frame) move(decision, frame);
  };
  chip.onpointercancel = () => {
    chip.onpointermove = chip.onpointerup = chip.onpointercancel = null;
    chip.style.left = `${x(decision.frame)}px`;
  };
}

function setRack(rack, seconds) {
  send("rack", { decision: rack.to, seconds: Math.round(seconds * 1000) / 1000, curve: rack.curve });
}

function dragRack(event, rack, bar, handle) {
  if (event.button !== 0) return;
  event.preventDefault();
  const end = xOfTime(rack.end);
  const perSecond = (xOfTime(rack.end) - xOfTime(rack.start)) / Math.max(rack.end - rack.start, 1e-6);
  const origin = bar.getBoundingClientRect().left - xOfTime(rack.start);
  let seconds = null;
  handle.setPointerCapture(event.pointerId);
  handle.onpointermove = (moving) => {
    const place = Math.min(moving.clientX - origin, end);
    seconds = (end - place) / perSecond;
    bar.style.left = handle.style.left = `${place}px`;
    bar.style.width = `${end - place}px`;
  };
  handle.onpointerup = handle.onpointercancel = () => {
    handle.onpointermove = handle.onpointerup = handle.onpointercancel = null;
    if (seconds !== null) setRack(rack, seconds);
  };
}

// MARK: Tracks

function layOutTracks() {
  const list = $("tracks");
  const state = model.state;
  if (!state) return;
  list.replaceChildren();
  const decided = new Set(state.decisions.flatMap((decision) => decision.tracks));
  // A person's face, head and torso are one row.
  const rows = new Map();
  for (const track of state.tracks) {
    if (track.isFixed && !decided.has(track.id)) continue;
    const key = track.group === undefined ? `track ${track.id}` : `group ${track.group}`;
    if (!rows.has(key)) rows.set(key, []);
    rows.get(key).push(track);
  }
  for (const tracks of rows.values()) list.append(trackRow(tracks, decided));
}

function trackRow(tracks, decided) {
  const [first] = tracks;
  const row = document.createElement("div");
  row.className = "track";
  row.dataset.id = first.id;
  row.classList.toggle("focused", tracks.some((track) => decided.has(track.id)));
  const name = document.createElement("span");
  name.className = "name";
  name.append(`${first.label} ${first.id}`);
  const focus = document.createElement("button");
  focus.textContent = "Focus";
  focus.title = "In focus from this frame on";
  focus.setAttribute("aria-label", `Focus on ${first.label} ${first.id} from this frame on`);
  focus.addEventListener("click", () => send("decide", {
    ...(first.group === undefined ? { track: first.id } : { group: first.group }), frame: model.frame, strong: false,
  }));
  name.append(focus);
  if (first.isAdded) {
    const remove = document.createElement("button");
    remove.textContent = "Remove";
    remove.setAttribute("aria-label", `Remove ${first.label} ${first.id} and its decisions`);
    remove.addEventListener("click", () => send("removeTrack", { track: first.id }));
    name.append(remove);
  }
  row.append(name);
  for (const track of tracks) {
    // A track that flickers has many spans: those that would touch are drawn as one.
    let last = null;
    for (let index = 0; index + 1 < track.spans.length; index += 2) {
      const [from, to] = [x(track.spans[index]), x(track.spans[index + 1])];
      if (last && from - last.to < 2) {
        last.to = to;
        last.bar.style.width = `${to - last.from}px`;
        continue;
      }
      const bar = document.createElement("i");
      bar.style.left = `${from}px`;
      bar.style.width = `${Math.max(to - from, 1)}px`;
      row.append(bar);
      last = { bar, from, to };
    }
  }
  return row;
}

// MARK: Sound

async function askForPeaks(movie) {
  while (model.document?.movie === movie) {
    const response = await fetch(`/outline?movie=${movie}`).catch(() => null);
    if (!response?.ok) return;
    const { head, bytes } = taken(await response.arrayBuffer());
    if (model.document?.movie !== movie) return;
    peaks = { rate: head.rate, values: bytes };
    drawWave();
    if (head.isComplete) return;
    await new Promise((done) => setTimeout(done, 700));
  }
}

function drawWave() {
  const lane = $("wave");
  lane.hidden = !model.document?.hasSound;
  if (lane.hidden) return;
  const { context, width, height, color } = prepared(lane);
  if (!peaks) return;
  context.fillStyle = color("--wave");
  const movie = model.document;
  const perSecond = x(frames()) / Math.max(movie.end - movie.start, 1e-6);
  for (let column = 0; column < width; column += 1) {
    const from = movie.start + (lanes.scrollLeft + column) / perSecond;
    const to = from + 1 / perSecond;
    let loudest = 0;
    const last = Math.max(Math.ceil(to * peaks.rate), Math.floor(from * peaks.rate) + 1);
    for (let index = Math.floor(from * peaks.rate); index < last; index += 1) {
      loudest = Math.max(loudest, peaks.values[index] ?? 0);
    }
    const bar = (loudest / 255) * (height - 4);
    context.fillRect(column, (height - bar) / 2, 1, Math.max(bar, 0.5));
  }
}

// MARK: The playhead and the range

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
  $("playhead").style.left = `${x(model.frame + 0.5)}px`;
  lanes.setAttribute("aria-valuemax", frames() - 1);
  lanes.setAttribute("aria-valuenow", model.frame);
  lanes.setAttribute("aria-valuetext", `Frame ${model.frame}, ${clock(timeOf(model.frame))}`);
}

document.addEventListener("moved", () => {
  movePlayhead();
  // While it plays, the playhead stays in the window.
  const place = x(model.frame) - lanes.scrollLeft;
  if (place < 0 || place > lanes.clientWidth) lanes.scrollLeft = x(model.frame) - lanes.clientWidth * 0.1;
});

function scrub(event) {
  const rect = content.getBoundingClientRect();
  seek(Math.floor((event.clientX - rect.left) / perFrame));
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
  if (!model.document) return;
  redraw();
  clearTimeout(thumbnailTimer);
  thumbnailTimer = setTimeout(layOutThumbnails, 120);
});
lanes.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  const zoom = $("zoom");
  zoom.value = Number(zoom.value) - Math.sign(event.deltaY) * 4;
  const rect = content.getBoundingClientRect();
  setZoom(zoom.value / 100, (event.clientX - rect.left) / perFrame);
}, { passive: false });
$("zoom").addEventListener("input", (event) => setZoom(event.target.value / 100));
new ResizeObserver(() => { if (model.document) setZoom($("zoom").value / 100); }).observe(lanes);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (model.document) redraw(); });

/** Another movie is there. */
export function begin() {
  curve = null;
  peaks = null;
  $("thumbnails").replaceChildren();
  setZoom($("zoom").value / 100, 0);
  if (model.document.hasSound) askForPeaks(model.document.movie);
}
