// SPDX-License-Identifier: Apache-2.0

// The subjects that were detected or followed, a row each.

import { send } from "./link.js";
import { $, model } from "./model.js";
import { lanes, x } from "./scale.js";

export function layOutTracks() {
  const list = $("tracks");
  const state = model.state;
  if (!state) return;
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.key : null;
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
  for (const tracks of rows.values()) list.append(trackRow(tracks));
  if (!focused) return;
  const next = [...list.querySelectorAll("button")].find((button) => button.dataset.key === focused);
  (next ?? lanes).focus({ preventScroll: true });
}

function trackRow(tracks) {
  const [first] = tracks;
  const row = document.createElement("div");
  row.className = "track";
  row.dataset.id = first.id;
  const name = document.createElement("span");
  name.className = "name";
  name.append(`${first.label} ${first.id}`);
  const focus = document.createElement("button");
  focus.textContent = "Focus";
  focus.dataset.key = `focus ${first.id}`;
  focus.title = "In focus from this frame on";
  focus.setAttribute("aria-label", `Focus on ${first.label} ${first.id} from this frame on`);
  focus.addEventListener("click", () => send("decide", {
    ...(first.group === undefined ? { track: first.id } : { group: first.group }), frame: model.frame, strong: false,
  }));
  name.append(focus);
  if (first.isAdded) {
    const remove = document.createElement("button");
    remove.textContent = "Remove";
    remove.dataset.key = `remove ${first.id}`;
    remove.setAttribute("aria-label", `Remove ${first.label} ${first.id} and its decisions`);
    remove.addEventListener("click", () => send("removeTrack", { track: first.id }));
    name.append(remove);
  }
  row.append(name);
  // Where one of them is in focus.
  for (const part of model.state.focus) {
    if (!part.tracks.some((id) => tracks.some((track) => track.id === id))) continue;
    const bar = document.createElement("b");
    bar.style.left = `${x(part.start)}px`;
    bar.style.width = `${Math.max(x(part.end) - x(part.start), 1)}px`;
    row.append(bar);
  }
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
