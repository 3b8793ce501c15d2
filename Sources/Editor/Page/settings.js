// SPDX-License-Identifier: Apache-2.0

// The settings beside the picture: aperture, views, the decision that is chosen, jobs.

import { describe, isRemoved, select, selected, takeBack, toggle } from "./decisions.js";
import { on, send } from "./link.js";
import { $, model, sameKey, say } from "./model.js";
import { lanes } from "./scale.js";
import { line, refresh, setView, toggleAim } from "./viewer.js";

/** Third stops as they are written on lenses. */
export const stops = [2, 2.2, 2.5, 2.8, 3.2, 3.5, 4, 4.5, 5, 5.6, 6.3, 7.1, 8, 9, 10, 11, 13, 14, 16];

const aperture = $("aperture");
let gesture = 0;
/** Movements are counted anew when the page is loaded, and in other windows: those are others. */
const nameOfGesture = (kind) => `${kind} ${line} ${gesture}`;
/** The slider's newest value, which is still to be sent, and the one that the program has not done yet. */
let waiting = null;
let sent = null;

/** Sends values of a slider, one at a time: the next is the newest, once the program has done the one before. */
function sendValue(value) {
  waiting = { value, gesture: nameOfGesture("aperture") };
  if (!sent) sendWaiting();
}

function sendWaiting() {
  sent = waiting;
  waiting = null;
  if (sent && !send("fNumber", sent)) sent = null;
}
for (const type of ["state", "failure"]) on(type, () => { if (sent) sendWaiting(); });
for (const type of ["closed", "document"]) on(type, () => { waiting = sent = null; });

aperture.addEventListener("pointerdown", () => { gesture += 1; });
aperture.addEventListener("keydown", () => { gesture += 1; });
aperture.addEventListener("input", () => {
  const value = stops[Number(aperture.value)];
  showNumber(value);
  sendValue(value);
});

function showNumber(value) {
  $("f-number").textContent = `f/${Number(value.toFixed(2))}`;
  aperture.setAttribute("aria-valuetext", `f ${Number(value.toFixed(2))}`);
}

// Blur scale and shape: beyond what the movie carries.

const lookFields = { "blur-scale": "blurScale", blades: "blades", roundness: "roundness", squeeze: "squeeze" };

/** Sends the field that was changed, with the others as they are in force. */
function sendLook(id) {
  const look = { ...model.state.look, [lookFields[id]]: $(id).value === "" ? undefined : Number($(id).value) };
  if (id === "blades" && !(look.blades >= 3)) delete look.roundness;
  send("look", { look, gesture: nameOfGesture("look") });
}
for (const id of Object.keys(lookFields)) {
  $(id).addEventListener("change", () => { gesture += 1; sendLook(id); });
}
// What was refused is not in force: the fields show what is.
on("failure", () => { if (model.state) showState(true); });

// Views

function changeView(id, name, other) {
  $(id).addEventListener("change", () => {
    if ($(id).checked) $(other).checked = false;
    setView($(id).checked ? name : "");
  });
}
changeView("show-peaking", "peaking", "show-disparity");
changeView("show-disparity", "refined", "show-peaking");
$("show-boxes").addEventListener("change", refresh);
$("show-graded").addEventListener("change", () => {
  refresh();
  document.dispatchEvent(new CustomEvent("graded"));
});
$("aim-button").addEventListener("click", toggleAim);

// The decision

const rackTo = (decision) => model.state.racks.find((rack) => sameKey(rack.to, decision?.key));

function showDecision() {
  const decision = selected();
  $("decision").hidden = !decision;
  if (!decision) return;
  $("decision-text").textContent = describe(decision);
  $("decision-strength").textContent = decision.isStrong ? "Make weak" : "Make strong";
  const removed = isRemoved(decision);
  $("decision-strength").hidden = removed;
  $("decision-delete").textContent = removed ? "Put back" : decision.isUser ? "Take back" : "Remove";
  const rack = rackTo(decision);
  // One of no seconds is not among the racks, but can be made longer.
  const wanted = rack?.wanted ?? decision.wanted;
  $("rack-seconds").disabled = $("rack-curve").disabled = !rack && wanted === undefined;
  $("rack-seconds").value = wanted ?? "";
  $("rack-seconds").placeholder = rack ? `auto: ${(rack.end - rack.start).toFixed(2)}` : "no rack";
  $("rack-curve").value = rack?.curve ?? decision.curve ?? "minimumJerk";
}
document.addEventListener("selected", showDecision);
$("decision-strength").addEventListener("click", () => {
  const decision = selected();
  if (decision) toggle(decision);
});
$("decision-delete").addEventListener("click", () => {
  const decision = selected();
  if (decision) takeBack(decision);
});
function sendRack() {
  const decision = selected();
  const text = $("rack-seconds").value;
  if (decision) {
    send("rack", {
      decision: decision.key, seconds: text === "" ? undefined : Number(text), curve: $("rack-curve").value,
    });
  }
}
$("rack-seconds").addEventListener("change", sendRack);
$("rack-curve").addEventListener("change", () => {
  const rack = rackTo(selected());
  if ($("rack-seconds").value === "" && rack) $("rack-seconds").value = (rack.end - rack.start).toFixed(3);
  sendRack();
});

/** Shows the edits, made here or in another window; also in the field that is being written in, if all are `forced`. */
export function showState(forced = false) {
  const { state } = model;
  // The slider is ahead of the program while a value is on its way.
  const number = sent?.value ?? state.fNumber;
  showNumber(number);
  let nearest = 0;
  stops.forEach((stop, index) => {
    if (Math.abs(Math.log(stop / number)) < Math.abs(Math.log(stops[nearest] / number))) nearest = index;
  });
  aperture.value = nearest;
  const recorded = model.document.look;
  const fill = (id, value, known) => {
    if (forced || document.activeElement !== $(id)) $(id).value = value ?? "";
    if (known !== undefined) $(id).placeholder = known;
  };
  fill("blur-scale", state.look.blurScale === undefined ? undefined : Number(state.look.blurScale.toFixed(4)), recorded.blurScale?.toFixed(3) ?? "");
  fill("blades", state.look.blades);
  fill("squeeze", state.look.squeeze, recorded.squeeze ?? 1);
  // Recorded blades have a roundness, too.
  $("roundness").disabled = !((state.look.blades ?? recorded.blades) >= 3);
  $("roundness").value = state.look.roundness ?? recorded.roundness ?? 0;
  $("undo").disabled = !state.canUndo;
  $("redo").disabled = !state.canRedo;
  $("save").disabled = !state.isUnsaved;
  showKeeping();
  if (model.selected && !selected()) select(null);
  showDecision();
}

/** Why edits were not kept when that was said last, and in which movie. */
let toldFailure = "";

/** Says where the changes are and, for as long as nothing else is said, why they are not kept. */
function showKeeping() {
  const { state } = model;
  const reason = state.journalFailure;
  $("changes-name").textContent =
    `${model.document.changes}${state.isUnsaved ? ", not saved" : ""}${reason ? ", not kept" : ""}`;
  $("changes-name").title = $("changes-name").textContent + (reason ? ` if the program ends: ${reason}` : "");
  const now = reason ? `${model.document.opening} ${reason}` : "";
  if (now === toldFailure) return;
  if (reason) say(`What is edited is not kept if the program ends: ${reason}`, true, true);
  else if (toldFailure.startsWith(model.document.opening)) say("What is edited is kept again.");
  toldFailure = now;
}

// Jobs

const ended = new Set(["done", "failed", "cancelled"]);
let lastStates = new Map();

on("jobs", ({ jobs }) => {
  model.jobs = jobs;
  $("jobs-section").hidden = jobs.length === 0;
  showJobs(jobs);
  for (const job of jobs) {
    const before = lastStates.get(job.task);
    if (before && before !== job.state && ended.has(job.state)) {
      document.dispatchEvent(new CustomEvent("job", { detail: job }));
    }
  }
  lastStates = new Map(jobs.map((job) => [job.task, job.state]));
});

/** Shows the jobs, those that run first. An item that stays keeps the keyboard's focus, and a press that is under way. */
function showJobs(jobs) {
  const list = $("jobs");
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  const isOver = (job) => Number(ended.has(job.state));
  const known = new Map([...list.children].map((item) => [item.dataset.task, item]));
  let place = null;
  for (const job of jobs.toSorted((a, b) => isOver(a) - isOver(b) || b.task - a.task)) {
    const item = known.get(String(job.task)) ?? jobItem(job);
    known.delete(String(job.task));
    showJob(item, job);
    if (place ? place.nextSibling !== item : list.firstChild !== item) {
      place ? place.after(item) : list.prepend(item);
    }
    place = item;
  }
  for (const item of known.values()) item.remove();
  if (!focused || document.activeElement === focused) return;
  // It went with its job, or its item was moved.
  (focused.isConnected ? focused : list.querySelector("button") ?? lanes).focus({ preventScroll: true });
}

function jobItem(job) {
  const item = document.createElement("li");
  item.dataset.task = job.task;
  const bar = document.createElement("progress");
  bar.setAttribute("aria-label", `Progress of ${job.title}`);
  const cancel = document.createElement("button");
  cancel.textContent = "Cancel";
  cancel.setAttribute("aria-label", `Cancel ${job.title}`);
  cancel.addEventListener("click", () => send("cancelJob", { task: job.task }));
  item.append(job.title, bar, document.createElement("span"), cancel);
  return item;
}

function showJob(item, job) {
  item.dataset.state = job.state;
  const bar = item.querySelector("progress");
  const text = item.querySelector("span");
  if (job.state === "running") {
    if (job.total) { bar.max = job.total; bar.value = job.done; }
    const left = job.secondsLeft === undefined ? "" : `, ${Math.ceil(job.secondsLeft)} s left`;
    text.textContent = job.total ? `${job.done} of ${job.total}${left} ` : "… ";
  } else {
    bar?.remove();
    item.querySelector("button")?.remove();
    text.textContent = `: ${job.state}`;
  }
  // Notes are only added.
  for (const note of job.notes.slice(item.querySelectorAll("div").length)) {
    const line = document.createElement("div");
    line.className = "faint";
    line.textContent = note;
    item.append(line);
  }
}
