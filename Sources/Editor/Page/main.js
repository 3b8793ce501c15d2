// SPDX-License-Identifier: Apache-2.0

// Ties the parts together: what is open, the dialogs, the keys.

import { followSelection, select } from "./decisions.js";
import { connect, on, send } from "./link.js";
import { $, clock, model, playedRange, say, sentence, timeOf } from "./model.js";
import { count, isPlaying, moved, pause, play, playing, renew, seek } from "./player.js";
import { showState } from "./settings.js";
import * as sound from "./sound.js";
import { begin, showEdits } from "./timeline.js";
import { forget, layOut, live, refresh, tellLive, toggleAim } from "./viewer.js";

let shownRevision = -1;

// MARK: Messages

on("lists", (lists) => {
  // Entries keep their numbers: what is new stands behind the others.
  const known = model.lists.movies.length;
  const made = lists.movies.findIndex((movie, index) =>
    index >= known && model.jobs.some((job) => job.state === "done" && job.title === movie.name));
  model.lists = lists;
  fillLists();
  if (model.document) return;
  if (made >= 0) return open(made);
  // One that could not be opened is not tried again and again.
  if (hasFailed) return;
  if (lists.movies.length > 0) open(Number(sessionStorage.getItem("movie") ?? 0) % lists.movies.length);
  else chooseMovie();
});

/** Whether a movie was refused and none is open. */
let hasFailed = false;

/** Without a movie one is chosen. */
function chooseMovie() {
  tellEmpty(true);
  if (!$("open-dialog").open) $("open-dialog").showModal();
}

/** Without a movie there is nothing to set, to play or to save. */
function tellEmpty(isEmpty) {
  $("empty").hidden = !isEmpty;
  for (const part of document.querySelectorAll("aside, #transport, #timeline")) part.inert = isEmpty;
  for (const id of ["undo", "redo", "save", "more", "export"]) $(id).disabled = isEmpty;
}
tellEmpty(true);
$("empty").hidden = true;

on("document", (movie) => {
  shownRevision = -1;
  // A file that was replaced is opened anew, as another movie.
  const isNew = model.document?.movie !== movie.movie || model.document.opening !== movie.opening;
  if (!model.document) {
    $("open-dialog").close();
    say("");
  }
  hasFailed = false;
  model.document = movie;
  // One that was refused is not asked for when the page is loaded again.
  sessionStorage.setItem("movie", movie.movie);
  // The next message of one that goes on shows it again; that of its end may have come to nobody.
  $("following").hidden = true;
  $("movie-name").textContent = movie.name;
  document.title = `${movie.name} — Focal`;
  $("movie-name").title = movie.name;
  tellEmpty(false);
  if (isNew) {
    pause(false);
    sound.forget();
    forget();
    model.frame = 0;
    model.selected = null;
    $("export-name").value = "";
    $("mute-label").hidden = !movie.hasSound;
    $("graded-label").hidden = !movie.logCurve;
    layOut();
    begin();
    moved();
    tellLive();
  }
  if (movie.notes.length > 0) say(movie.notes.join(". "));
});

on("state", (state) => {
  if (state.movie !== model.document?.movie || state.revision < shownRevision) return;
  model.state = state;
  for (const decision of state.removed) decision.isRemoved = true;
  followSelection();
  showState();
  showEdits();
  if (state.revision !== shownRevision) {
    if (isPlaying()) renew();
    else refresh();
  }
  shownRevision = state.revision;
});

on("failure", ({ message, remedy }) => {
  writing = null;
  if (!model.document) {
    hasFailed = true;
    chooseMovie();
  }
  // Without a movie the reason stays.
  say(sentence(remedy ? `${message}: ${remedy}` : message), true, !model.document);
});
on("notice", ({ message }) => say(sentence(message)));
on("closed", () => say("The editor's program does not answer; trying again.", true));
on("refused", () => say("Another editor runs here now: open the address that it printed.", true, true));

on("following", (message) => {
  if (message.movie !== model.document?.movie) return;
  const card = $("following");
  if (message.outcome !== undefined) {
    card.hidden = true;
    const isGood = message.outcome.startsWith("followed");
    return say(`Object ${message.outcome}`, !isGood && message.outcome !== "cancelled");
  }
  card.hidden = false;
  $("following-text").textContent = `Following the object: ${message.done} of ${message.total} frames`;
  $("following-bar").max = message.total;
  $("following-bar").value = message.done;
});
$("following-cancel").addEventListener("click", () => send("cancelFollowing"));

document.addEventListener("job", ({ detail }) => {
  const last = detail.notes.at(-1);
  say(`${detail.title}: ${detail.state}${detail.state === "failed" && last ? `: ${last}` : ""}`, detail.state === "failed");
});

const open = (movie) => send("open", { movie });

// MARK: Dialogs

/** Fills a field anew; what is chosen in it stays. */
function fill(id, options) {
  const { value } = $(id);
  $(id).replaceChildren(...options);
  if (options.some((option) => option.value === value)) $(id).value = value;
}

function fillLists() {
  const { movies, clips, maps, presets } = model.lists;
  $("movie-list").replaceChildren(...movies.map((movie, index) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.textContent = movie.name;
    const folder = document.createElement("span");
    folder.className = "faint";
    folder.textContent = `  ${movie.folder}`;
    button.append(folder);
    button.addEventListener("click", () => { open(index); $("open-dialog").close(); });
    item.append(button);
    return item;
  }));
  const options = (list, first) => [
    ...first,
    ...list.map((item, index) => new Option(`${item.name} (${item.folder})`, index)),
  ];
  $("no-movies").hidden = movies.length > 0;
  $("no-movies").textContent = clips.length > 0
    ? "There is no Cinematic movie here yet. Import a clip with its map:"
    : "There is no Cinematic movie and no clip here. Put one into the folder, or start the editor with another.";
  $("import-part").hidden = clips.length === 0;
  if (movies.length === 0) $("import-part").open = true;
  fill("import-clip", options(clips, []));
  fill("import-map", options(maps, [new Option("found in it or estimated", "")]));
  fill("preset", presets.map((preset) => new Option(preset.name, preset.name)));
  tellPreset();
}

const preset = () => model.lists.presets.find((preset) => preset.name === $("preset").value);
/** What the names of results may end in; any other dot belongs to a name. */
const endings = /\.(mp4|mov|png)$/i;
const stem = () => $("export-name").value.replace(endings, "");
const tellPreset = () => {
  $("preset-summary").textContent = preset()?.summary ?? "";
  const ending = endings.exec($("export-name").value)?.[1].toLowerCase();
  const fits = preset()?.endings.includes(ending);
  if (ending && preset() && !fits) $("export-name").value = `${stem()}.${preset().endings[0]}`;
};
$("preset").addEventListener("change", tellPreset);
$("open").addEventListener("click", () => $("open-dialog").showModal());
$("more").addEventListener("click", () => $("more-dialog").showModal());
$("export").addEventListener("click", () => {
  if (!model.document) return;
  const [start, end] = playedRange();
  const isWhole = !model.state.range;
  $("export-range").textContent = isWhole
    ? "The whole movie."
    : `From ${clock(timeOf(start))} to ${clock(timeOf(end))}: frames ${start} to ${end - 1}. A movie with the changes has all frames.`;
  // What no name of a result may have is left out.
  const stem = model.document.name.replace(/\.[^.]*$/, "").replace(/[%\\]/g, "").replace(/^[.-]+/, "");
  if ($("export-name").value === "") $("export-name").value = `${stem}-film.${preset()?.endings[0] ?? "mp4"}`;
  $("replace-file").checked = false;
  $("export-dialog").showModal();
});
/** A dialog that closes when what it asks for has begun, or is done: until then a refusal is read in it. */
let writing = null;
/** For one that asks for a job: closes with a job that was not there before. Those that run go on telling how far they are. */
function awaitJob(dialog) {
  const known = new Set(model.jobs.map((job) => job.task));
  writing = { dialog, isAnswer: (type, message) => type === "jobs" && message.jobs.some((job) => !known.has(job.task)) };
}
/** For one that saves under a name: closes when the changes have it. */
function awaitChanges(dialog, name) {
  writing = { dialog, isAnswer: (type, message) => type === "document" && [name, `${name}.focus`].includes(message.changes) };
}
for (const type of ["jobs", "document"]) {
  on(type, (message) => {
    if (!writing?.isAnswer(type, message)) return;
    writing.dialog.close();
    writing = null;
  });
}
function write(name, values) {
  if ($("export-name").value.trim() === "") return say("Give a name first.", true);
  const replace = $("replace-file").checked || undefined;
  if (send(name, { file: $("export-name").value, replace, ...values })) awaitJob($("export-dialog"));
}
for (const [field, button] of [["export-name", "export-start"], ["import-name", "import-start"], ["save-as-name", "save-as"]]) {
  $(field).addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    $(button).click();
  });
}
$("export-start").addEventListener("click", () => write("export", { preset: $("preset").value }));
$("apply-start").addEventListener("click", () => write("apply", { file: `${stem()}.mov` }));
$("still-start").addEventListener("click", () => write("still", { file: `${stem()}-${model.frame}.png`, frame: model.frame }));
$("import-start").addEventListener("click", () => {
  const map = $("import-map").value;
  if (send("importClip", {
    clip: Number($("import-clip").value), map: map === "" ? undefined : Number(map), file: $("import-name").value,
  })) awaitJob($("open-dialog"));
});
$("save-as").addEventListener("click", () => {
  const file = $("save-as-name").value;
  if (file.trim() === "") return say("Give a name first.", true);
  if (send("saveAs", { file })) awaitChanges($("more-dialog"), file);
});
for (const [id, name, values] of [["direct", "direct"], ["revert", "revert"], ["replace", "save", { replace: true }]]) {
  $(id).addEventListener("click", () => { send(name, values); $("more-dialog").close(); });
}

// MARK: Controls and keys

const last = () => (model.document?.frameCount ?? 1) - 1;
const toggle = () => (isPlaying() ? pause() : play(1));
let shuttle = 0;

/** J and L: each press twice as fast, up to four times; K ends it. */
function shuttleTo(direction) {
  if (!isPlaying()) shuttle = 0;
  const same = Math.sign(shuttle) === direction;
  shuttle = same ? Math.max(-4, Math.min(shuttle * 2, 4)) : direction;
  play(shuttle);
}

function jump(direction) {
  const places = (model.state?.decisions ?? []).map((decision) => decision.frame);
  const found = direction > 0
    ? places.find((frame) => frame > model.frame)
    : places.findLast((frame) => frame < model.frame);
  if (found !== undefined) seek(found);
}

function setRange(start, end) {
  if (!model.document) return;
  if (start <= 0 && end > last()) send("range", {});
  else if (end > start) send("range", { start, end });
  else say("The end must lie behind the start.", true);
}
const setIn = () => setRange(model.frame, playedRange()[1] > model.frame ? playedRange()[1] : last() + 1);
const setOut = () => setRange(playedRange()[0] <= model.frame ? playedRange()[0] : 0, model.frame + 1);
const fullScreen = () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
const flip = (id) => { $(id).checked = !$(id).checked; $(id).dispatchEvent(new Event("change")); };

const keys = [
  [" ", "Space", "play and pause", toggle],
  ["j", "J", "backwards, faster each time", () => shuttleTo(-1)],
  ["k", "K", "pause", () => pause()],
  ["l", "L", "forwards, faster each time", () => shuttleTo(1)],
  ["ArrowLeft", "←", "a frame back", () => seek(model.frame - 1)],
  ["ArrowRight", "→", "a frame on", () => seek(model.frame + 1)],
  ["ArrowUp", "↑", "to the decision before", () => jump(-1)],
  ["ArrowDown", "↓", "to the next decision", () => jump(1)],
  ["Home", "Home", "to the start of what is played", () => seek(playedRange()[0])],
  ["End", "End", "to its last frame", () => seek(playedRange()[1] - 1)],
  ["i", "I", "begin here", setIn],
  ["o", "O", "end here", setOut],
  ["x", "X", "play the whole movie", () => send("range", {})],
  ["f", "F", "full screen", fullScreen],
  ["b", "B", "subjects shown or hidden", () => flip("show-boxes")],
  ["p", "P", "focus peaking", () => flip("show-peaking")],
  ["d", "D", "disparity", () => flip("show-disparity")],
  ["g", "G", "a camera's curve as on a screen, or as it is", () => model.document?.logCurve && flip("show-graded")],
  ["a", "A", "aim by keys: arrows, Enter, H; B draws a box to follow", toggleAim],
];
const told = [
  ["Tab, Enter", "a subject: weak focus, once more strong; with Shift strong at once"],
  ["Delete", "take the chosen decision back; an automatic one is removed"],
  ["Enter", "the chosen decision strong or weak; one that was removed is put back"],
  ["Alt ← →", "move the chosen decision by a frame, past others"],
  ["Ctrl Z", "undo; with Shift redo"],
  ["Ctrl S", "save"],
];
for (const [name, meaning] of [...keys.map(([, name, meaning]) => [name, meaning]), ...told]) {
  const term = document.createElement("dt");
  const description = document.createElement("dd");
  term.textContent = name;
  description.textContent = meaning;
  $("keys").append(term, description);
}

addEventListener("keydown", (event) => {
  // What lies behind a dialog is out of reach.
  if (document.querySelector("dialog[open]")) return;
  const field = event.target.closest("input, select, textarea");
  if (event.ctrlKey || event.metaKey) {
    const name = event.key.toLowerCase();
    if (name === "z" && !(field?.type === "text")) send(event.shiftKey ? "redo" : "undo");
    else if (name === "y") send("redo");
    else if (name === "s") send("save");
    else return;
    return event.preventDefault();
  }
  if (event.altKey || field?.matches("select, [type=text], [type=number]")) return;
  if (field?.type === "range" && event.key.startsWith("Arrow")) return;
  if (field?.type === "range" && (event.key === "Home" || event.key === "End")) return;
  // A button that was reached by keys is pressed by the space bar; what is dragged is chosen by Enter.
  if (event.key === " " && event.target.closest("button:not(.decision, .rack-handle), [type=checkbox], summary")) return;
  if (event.key.length === 1 && event.shiftKey) return;
  const found = keys.find(([key]) => key === event.key || key === event.key.toLowerCase());
  if (!found) return;
  event.preventDefault();
  found[3]();
});

// A click leaves the keyboard's focus where it is, so that the space bar plays. Chips of the timeline keep it for their keys.
addEventListener("mousedown", (event) => {
  const pressed = event.target.closest("button, label.check, [type=checkbox]");
  if (!pressed || pressed.closest("dialog") || pressed.matches(".decision, .rack-handle")) return;
  event.preventDefault();
  // A field's value counts when it is left.
  if (document.activeElement?.matches("input, select")) document.activeElement.blur();
});

// In full screen the controls step back while nothing is touched.
let untouched = 0;
for (const type of ["pointermove", "pointerdown", "keydown"]) {
  addEventListener(type, () => {
    clearTimeout(untouched);
    document.body.classList.remove("untouched");
    untouched = setTimeout(() => document.body.classList.add("untouched"), 2500);
  }, { passive: true });
}

const press = (id, action) => $(id).addEventListener("click", action);
press("play", toggle);
press("step-back", () => seek(model.frame - 1));
press("step-on", () => seek(model.frame + 1));
press("to-start", () => seek(playedRange()[0]));
press("to-end", () => seek(playedRange()[1] - 1));
press("set-in", setIn);
press("set-out", setOut);
press("clear-range", () => send("range", {}));
press("full-screen", fullScreen);
press("undo", () => send("undo"));
press("redo", () => send("redo"));
press("save", () => send("save"));
$("mute").addEventListener("change", () => sound.setMuted($("mute").checked));
document.addEventListener("moved", () => { if (model.selected && isPlaying()) select(null); });

// For tests and measurements from outside.
globalThis.focal = { model, count, live, playing, seek, play, pause, isPlaying, scheduled: sound.scheduled };

// After a break the same movie is asked for again; what another window did meanwhile is told with it.
connect(() => { if (model.document) open(model.document.movie); });
