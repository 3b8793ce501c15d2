// SPDX-License-Identifier: Apache-2.0

// Decisions and racks along the timeline: chosen, moved, taken back, stretched.

import { on, send } from "./link.js";
import { $, clock, model, sameKey, say } from "./model.js";
import { seek } from "./player.js";
import { frameAtPlace, frames, lanes, x, xOfTime } from "./scale.js";

const kindOf = (decision) => {
  if (isRemoved(decision)) return "Automatic decision that was removed or moved";
  const strength = decision.isStrong ? "Strong" : "Weak";
  if (decision.isUser) return `${strength} decision`;
  return `${strength} automatic decision${decision.isMoved ? " that was moved" : ""}`;
};

export const describe = (decision) =>
  `${kindOf(decision)}: ${decision.label}${decision.tracks.length ? ` ${decision.tracks[0]}` : ""}`
  + `, at ${clock(decision.seconds)}`;

/** Whether an automatic decision is no longer where it was recorded; it can be put back. */
export const isRemoved = (decision) => decision.isRemoved === true;

export const selected = () => shown().find((decision) => sameKey(decision.key, model.selected)) ?? null;

/** All that are in the timeline: where one stands, none that was removed is seen. */
function shown() {
  if (!model.state) return [];
  const { decisions, removed } = model.state;
  const taken = new Set(decisions.map((decision) => decision.key.time));
  return [...removed.filter((decision) => !taken.has(decision.key.time)), ...decisions];
}

export function select(decision) {
  model.selected = decision?.key ?? null;
  for (const chip of $("decisions").querySelectorAll(".decision")) {
    chip.classList.toggle("selected", sameKey(chip.decision?.key, model.selected));
  }
  document.dispatchEvent(new CustomEvent("selected"));
}

const nameOf = (key) => JSON.stringify([key.time, key.detection ?? null, key.group ?? null]);

export function layOutDecisions() {
  const lane = $("decisions");
  const state = model.state;
  if (!state) return;
  if (drag) return void (drag.isLate = true);
  const focused = lane.contains(document.activeElement) ? document.activeElement.dataset.key : null;
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
    handle.dataset.key = `rack ${nameOf(rack.to)}`;
    handle.setAttribute("aria-label", `Rack of ${(rack.end - rack.start).toFixed(2)} seconds, ending at ${clock(rack.end)}; arrows change it`);
    handle.addEventListener("pointerdown", (event) => dragRack(event, rack, bar, handle));
    handle.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: 0.05, ArrowRight: -0.05 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      stepRack(rack, step);
    });
    lane.append(handle);
  }
  for (const decision of shown()) {
    const chip = document.createElement("button");
    chip.className = "decision";
    chip.decision = decision;
    chip.dataset.key = nameOf(decision.key);
    const removed = isRemoved(decision);
    chip.classList.toggle("base", !decision.isUser && !removed);
    chip.classList.toggle("removed", removed);
    chip.classList.toggle("strong", decision.isStrong && !removed);
    chip.classList.toggle("selected", sameKey(decision.key, model.selected));
    // Whole at the very start, too.
    chip.style.left = `${Math.max(x(decision.frame), 12)}px`;
    chip.setAttribute("aria-label", describe(decision));
    chip.title = describe(decision);
    chip.addEventListener("pointerdown", (event) => dragDecision(event, chip));
    chip.addEventListener("focus", () => select(decision));
    chip.addEventListener("dblclick", () => toggle(decision));
    chip.addEventListener("keydown", (event) => decisionKey(event, decision));
    lane.append(chip);
  }
  if (!focused) return;
  // A decision that was moved has another key, and is still chosen; at its old place may be the mark of what was recorded.
  const chips = [...lane.children];
  const same = chips.find((chip) => chip.dataset.key === focused);
  const chosen = chips.find((chip) => chip.classList.contains("selected"));
  const next = same?.classList.contains("removed") ? chosen ?? same : same ?? chosen;
  (next ?? lanes).focus({ preventScroll: true });
}

/** Strong or weak; one that was removed is put back. */
export function toggle(decision) {
  if (isRemoved(decision)) send("restore", { decision: decision.key });
  else send("strength", { decision: decision.key, strong: !decision.isStrong });
}

function decisionKey(event, decision) {
  if (event.key === "Enter") toggle(decision);
  else if (event.key === "Delete" || event.key === "Backspace") takeBack(decision);
  else if (event.altKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
    step(decision, event.key === "ArrowLeft" ? -1 : 1);
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Takes a decision back: an automatic one is removed, and put back once it was. */
export function takeBack(decision) {
  send(isRemoved(decision) ? "restore" : "takeBack", { decision: decision.key });
}

function move(decision, frame) {
  if (isRemoved(decision)) return say("This decision was removed. Put it back first: Enter does.", true);
  // It will have another key: what is chosen moves along by its place.
  pendingMove = { from: decision.key, frame, steps: 0 };
  send("move", { decision: decision.key, frame });
}
/** A move that the program has not done yet, and the steps by keys since. */
let pendingMove = null;
for (const type of ["failure", "closed", "document"]) on(type, () => { pendingMove = pendingRack = null; });

/** Moves a decision by frames; those at which others stand are passed: it would take their place. */
function step(decision, steps) {
  // Until the move before is done, the key that the decision will have is unknown.
  if (pendingMove) return void (pendingMove.steps += steps);
  const taken = new Set(model.state.decisions.filter((other) => !sameKey(other.key, decision.key)).map((other) => other.frame));
  const way = Math.sign(steps);
  let frame = decision.frame;
  for (let left = Math.abs(steps); left > 0; left -= 1) {
    let next = frame + way;
    while (taken.has(next)) next += way;
    if (next < 0 || next >= frames()) break;
    frame = next;
  }
  if (frame !== decision.frame) move(decision, frame);
}

/** After each state: a decision that was moved is still chosen, and goes on by the steps that came meanwhile. */
export function followSelection() {
  followRack();
  if (!pendingMove) return;
  const { from, frame, steps } = pendingMove;
  const { decisions } = model.state;
  const found = decisions.find((decision) => decision.frame === frame
    && decision.key.detection === from.detection && decision.key.group === from.group);
  // The state may be of a command before.
  if (!found && decisions.some((decision) => sameKey(decision.key, from))) return;
  pendingMove = null;
  if (!found) return;
  model.selected = found.key;
  if (steps !== 0) step(found, steps);
}

/** What a pointer holds; while it does, the lane stays as it is, whatever another window edits. */
let drag = null;

/** Follows a pointer until it is let go, and tells whether that counts: not where it was taken away, or the movie was. */
function follow(event, element, moved, ended) {
  const { movie } = model.document;
  element.setPointerCapture(event.pointerId);
  drag = { isLate: false };
  element.onpointermove = moved;
  element.onpointerup = element.onlostpointercapture = ({ type }) => {
    element.onpointermove = element.onpointerup = element.onlostpointercapture = null;
    const counts = type === "pointerup" && model.document.movie === movie;
    const isLate = drag.isLate || !counts;
    drag = null;
    ended(counts);
    if (isLate) layOutDecisions();
  };
}

function dragDecision(event, chip) {
  if (event.button !== 0 || drag) return;
  const decision = chip.decision;
  select(decision);
  const from = event.clientX;
  let frame = decision.frame;
  let isMoving = false;
  follow(event, chip, (moving) => {
    if (isRemoved(decision)) return;
    if (!isMoving && Math.abs(moving.clientX - from) < 4) return;
    isMoving = true;
    frame = Math.round(decision.frame + frameAtPlace(moving.clientX - from));
    frame = Math.min(Math.max(frame, 0), frames() - 1);
    chip.style.left = `${x(frame)}px`;
  }, (counts) => {
    if (!counts) return;
    if (!isMoving) return seek(decision.frame);
    chip.style.left = `${x(decision.frame)}px`;
    if (frame !== decision.frame) move(decision, frame);
  });
}

/** A rack's duration that was asked for by keys, until the program has it. */
let pendingRack = null;

function stepRack(rack, step) {
  const name = nameOf(rack.to);
  const known = pendingRack?.name === name ? pendingRack.seconds : rack.wanted ?? rack.end - rack.start;
  pendingRack = { name, seconds: Math.round(Math.max(known + step, 0) * 1000) / 1000 };
  setRack(rack, pendingRack.seconds);
}

/** After each state: what was asked for is there. */
function followRack() {
  if (!pendingRack) return;
  const rack = model.state.racks.find((rack) => nameOf(rack.to) === pendingRack.name);
  if (!rack || Math.abs((rack.wanted ?? -1) - pendingRack.seconds) < 0.0006) pendingRack = null;
}

function setRack(rack, seconds) {
  send("rack", { decision: rack.to, seconds: Math.round(seconds * 1000) / 1000, curve: rack.curve });
}

function dragRack(event, rack, bar, handle) {
  if (event.button !== 0 || drag) return;
  event.preventDefault();
  const end = xOfTime(rack.end);
  const perSecond = (xOfTime(rack.end) - xOfTime(rack.start)) / Math.max(rack.end - rack.start, 1e-6);
  const origin = bar.getBoundingClientRect().left - xOfTime(rack.start);
  let seconds = null;
  follow(event, handle, (moving) => {
    const place = Math.min(moving.clientX - origin, end);
    seconds = (end - place) / perSecond;
    bar.style.left = handle.style.left = `${place}px`;
    bar.style.width = `${end - place}px`;
  }, (counts) => { if (counts && seconds !== null) setRack(rack, seconds); });
}
