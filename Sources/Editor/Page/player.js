// SPDX-License-Identifier: Apache-2.0

// Playback: pictures follow the clock of the sound, or the computer's where there is none.

import { $, clock, frameAt, model, playedRange, timeOf } from "./model.js";
import * as sound from "./sound.js";
import { draw, fetchFrame, levels, setPaused, show, tellLive } from "./viewer.js";

let run = null;
/** How the pictures are rendered while it plays; what was held last is where the next time begins. */
export const playing = { level: 1 };
/** Seconds without a dropped frame before a larger picture is tried; longer after each try that failed. */
let patience = 4;
/** For measurements: what happened since playback began. */
export const count = { shown: 0, dropped: 0 };

setPaused(() => run === null);

export const isPlaying = () => run !== null;

/** Moves to a frame and shows it; playback goes on from there. */
export function seek(frame) {
  const last = (model.document?.frameCount ?? 1) - 1;
  const rate = run?.rate ?? 0;
  if (run) pause(false);
  model.frame = Math.min(Math.max(Math.round(frame), 0), last);
  moved();
  if (rate) play(rate);
  else show(model.frame);
}

export function pause(shows = true) {
  if (!run) return;
  cancelAnimationFrame(run.request);
  for (const got of run.ready.values()) got.bitmap.close();
  run.ready.clear();
  run = null;
  sound.stop();
  document.body.classList.remove("playing");
  $("play").textContent = "▶";
  $("play").setAttribute("aria-label", "Play");
  $("rate").textContent = "";
  if (!shows) return;
  moved();
  show(model.frame);
}

/** Plays at a rate: 1 as it was taken, 2 twice as fast, below 0 backwards. */
export async function play(rate = 1, isLoop = false) {
  if (!model.document) return;
  pause(false);
  const [start, end] = playedRange();
  if (rate > 0 && (model.frame >= end - 1 || model.frame < start)) model.frame = start;
  if (rate < 0 && (model.frame <= start || model.frame >= end)) model.frame = end - 1;
  const own = {
    rate, from: timeOf(model.frame), clock: null, request: 0, ready: new Map(), asked: null,
    inFlight: 0, shown: null, latency: 0.03, window: { shown: 0, dropped: 0, since: performance.now(), calm: 0, bad: 0 },
  };
  run = own;
  if (!isLoop) Object.assign(count, { shown: 0, dropped: 0 });
  document.body.classList.add("playing");
  $("play").textContent = "Ⅱ";
  $("play").setAttribute("aria-label", "Pause");
  $("rate").textContent = rate === 1 ? "" : `×${rate}`;
  const heard = await sound.start(own.from, rate, $("mute").checked);
  if (run !== own) return;
  if (heard) {
    own.clock = heard;
  } else {
    const began = performance.now();
    own.clock = () => own.from + ((performance.now() - began) / 1000) * rate;
  }
  ask(own);
  tick(own);
}

/** Frames ahead of the clock are asked for before they are due, a few at a time. */
function ask(own) {
  const [start, end] = playedRange();
  const step = own.rate < 0 ? -1 : 1;
  while (run === own && own.inFlight < 3) {
    const now = own.clock();
    // As far ahead as a picture takes: it comes when it is due, even where few come.
    const due = frameAt(now + own.rate * Math.min(own.latency, 1));
    let next = own.asked === null ? frameAt(now) : own.asked + step * Math.max(1, Math.floor(Math.abs(own.rate)));
    if (step > 0 ? next < due : next > due) next = due;
    if (next < start || next >= end) return;
    if (Math.abs(next - due) > 10 * Math.max(1, Math.abs(own.rate))) return;
    // Behind a gap the pictures before it come first: decoding that is overtaken would begin anew.
    const isNext = own.asked === null || Math.abs(next - own.asked) <= Math.max(1, Math.abs(own.rate));
    if (!isNext && own.inFlight > 0) return;
    own.asked = next;
    own.inFlight += 1;
    const begun = performance.now();
    fetchFrame(next, { ...levels[playing.level], purpose: "playback" })
      .then((got) => {
        if (!got) return;
        own.latency += 0.2 * ((performance.now() - begun) / 1000 - own.latency);
        if (run !== own) return got.bitmap.close();
        own.ready.set(next, got);
      })
      .catch(() => {})
      .finally(() => { own.inFlight -= 1; if (run === own) ask(own); });
  }
}

function tick(own) {
  if (run !== own) return;
  own.request = requestAnimationFrame(() => tick(own));
  const [start, end] = playedRange();
  const now = own.clock();
  const isOver = own.rate > 0 ? now >= timeOf(end) : now < timeOf(start);
  if (isOver) {
    if ($("loop").checked) {
      model.frame = own.rate > 0 ? start : end - 1;
      play(own.rate, true);
    } else {
      model.frame = own.rate > 0 ? end - 1 : start;
      moved();
      pause();
    }
    return;
  }
  const due = frameAt(now);
  const forward = own.rate > 0;
  let best = null;
  for (const frame of own.ready.keys()) {
    if (forward ? frame > due : frame < due) continue;
    if (best === null || (forward ? frame > best : frame < best)) best = frame;
  }
  if (best !== null) {
    for (const [frame, got] of own.ready) {
      if (frame === best || (forward ? frame > best : frame < best)) continue;
      got.bitmap.close();
      own.ready.delete(frame);
    }
    const got = own.ready.get(best);
    own.ready.delete(best);
    if (own.shown !== null && Math.abs(own.rate) === 1) {
      const missed = Math.abs(best - own.shown) - 1;
      own.window.dropped += Math.max(missed, 0);
      count.dropped += Math.max(missed, 0);
    }
    own.window.shown += 1;
    count.shown += 1;
    own.shown = best;
    draw(got);
    model.frame = best;
    // How far the picture is from what is heard, for measurements.
    count.lag = now - timeOf(best);
    moved();
  }
  adapt(own);
  ask(own);
}

/** A smaller picture where frames are dropped, a larger one where there is much time left. */
function adapt(own) {
  const window = own.window;
  const passed = performance.now() - window.since;
  if (passed < 500) return;
  const share = window.dropped / Math.max(window.dropped + window.shown, 1);
  if (share > 0.02) {
    window.calm = 0;
    window.bad += share > 0.3 ? 2 : 1;
    // One frame may be late for other reasons.
    if (window.bad > 1 && playing.level < levels.length - 1) {
      playing.level += 1;
      window.bad = 0;
      patience = Math.min(patience * 2, 120);
    }
  } else {
    window.bad = 0;
    window.calm += passed / 1000;
    if (window.calm >= patience && own.ready.size >= 3 && playing.level > 0) {
      playing.level -= 1;
      window.calm = 0;
    }
  }
  tellLive(levels[playing.level], count.dropped);
  Object.assign(window, { shown: 0, dropped: 0, since: performance.now() });
}

/** The frame changed: clock, position and playhead follow. */
export function moved() {
  const movie = model.document;
  if (!movie) return;
  $("clock").textContent = `${clock(timeOf(model.frame) - movie.start)} · ${model.frame}`;
  document.dispatchEvent(new CustomEvent("moved"));
}
