// SPDX-License-Identifier: Apache-2.0

// The open movie and its edits, as the server told them last, and where the page is in the movie.

export const model = {
  lists: { movies: [], clips: [], maps: [], presets: [] },
  document: null,
  state: null,
  frame: 0,
  selected: null,
  jobs: [],
};

/** Seconds at which a frame appears. */
export function timeOf(frame) {
  const movie = model.document;
  if (!movie) return 0;
  if (frame >= movie.frameCount) return movie.end;
  return movie.times ? movie.times[frame] : movie.start + frame * movie.frameDuration;
}

/** The frame that is on the screen at a time, within the movie. */
export function frameAt(seconds) {
  const movie = model.document;
  if (!movie) return 0;
  if (!movie.times) {
    // A little late rather than early: times are sums of rounded durations.
    const frame = Math.floor((seconds - movie.start) / movie.frameDuration + 1e-6);
    return Math.min(Math.max(frame, 0), movie.frameCount - 1);
  }
  let low = 0;
  let high = movie.times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (movie.times[middle] <= seconds + 1e-6) low = middle + 1;
    else high = middle;
  }
  return Math.max(low - 1, 0);
}

/** The frames that are played: the first one and the one behind the last. */
export function playedRange() {
  return model.state?.range ?? [0, model.document?.frameCount ?? 0];
}

export function clock(seconds) {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${(seconds - minutes * 60).toFixed(2).padStart(5, "0")}`;
}

export const sameKey = (a, b) =>
  a && b && a.time === b.time && a.detection === b.detection && a.group === b.group;

export const $ = (id) => document.getElementById(id);

let statusTimer = 0;

/** A message with a capital at its beginning, unless that is a name. */
export const sentence = (text) => text.replace(/^[a-z]+(?=[ ,:])/, (word) => word[0].toUpperCase() + word.slice(1));

/** Says something, to be read and to be heard: in the dialog that is open, since all else is out of reach then. */
export function say(message, isBad = false, stays = false) {
  const status = $("status");
  const host = document.querySelector("dialog[open]") ?? document.body;
  if (status.parentNode !== host) host.append(status);
  status.textContent = message;
  status.classList.toggle("bad", isBad);
  clearTimeout(statusTimer);
  if (!stays) statusTimer = setTimeout(() => { status.textContent = ""; }, isBad ? 9000 : 4000);
}
