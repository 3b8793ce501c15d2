// SPDX-License-Identifier: Apache-2.0

// Playback: pictures follow the clock of the sound, or the computer's where there is none.

import { $, clock, frameAt, model, playedRange, timeOf } from "./model.js";
import * as sound from "./sound.js";
import { decoded, draw, fetchCoded, levels, setPaused, show, tellLive } from "./viewer.js";

let run = null;
/** How the pictures are rendered while it plays; what was held last is where the next time begins. */
export const playing = { level: 2 };
/** Seconds without a dropped frame before a better picture is tried; longer after each try that failed. */
let patience = 4;
/** For measurements: what happened since playback began. */
export const count = { shown: 0, dropped: 0 };

/** Frames that are there ahead of the clock at the most: a second, coded, so that little memory holds them. */
const mostAhead = 30;
/** Frames that are decoded ahead of the clock. */
const decodedAhead = 3;
/** Frames ahead of the clock that stay as they are when the focus changes: others would come too late. */
const keptAhead = 4;

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
  clearTimeout(run.timer);
  for (const frame of run.ready.keys()) forget(run, frame);
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
    rate, from: timeOf(model.frame), clock: null, request: 0, timer: 0, ready: new Map(), asked: null,
    inFlight: 0, generation: 0, kept: null, shown: null, interval: 0.03, done: null, isAlone: false,
    perSecond: model.document.frameCount / Math.max(model.document.end - model.document.start, 1e-3),
    window: { shown: 0, dropped: 0, since: performance.now(), busy: 0, busySince: 0, calm: 0, bad: 0 },
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
  const pace = Math.max(1, Math.floor(Math.abs(own.rate)));
  while (run === own && own.inFlight < 3) {
    const now = own.clock();
    // When it comes, behind those that are on their way. One that would come too late is passed over.
    const comes = now + own.rate * own.interval * Math.max(own.inFlight + 1, 2);
    let next = own.asked === null ? frameAt(now) : own.asked + step * pace;
    const isLate = (comes - timeOf(next)) * step > (1.5 * Math.abs(own.rate)) / own.perSecond;
    if (isLate) next = step > 0 ? Math.max(next, frameAt(comes)) : Math.min(next, frameAt(comes));
    if (next < start || next >= end) return;
    if (Math.abs(next - frameAt(now)) > mostAhead * pace) return;
    // The first one and one behind a wide gap travel alone: decoding that is overtaken would begin anew.
    const isNext = own.asked !== null && Math.abs(next - own.asked) <= Math.max(2, pace);
    if (own.isAlone || (!isNext && own.inFlight > 0)) return;
    own.isAlone = !isNext;
    own.asked = next;
    if (own.inFlight === 0) own.window.busySince = performance.now();
    own.inFlight += 1;
    const { generation } = own;
    fetchCoded(next, { ...levels[playing.level], purpose: "playback" })
      .then((got) => {
        if (!got || run !== own) return;
        const isNew = generation === own.generation || got.head.revision >= model.state.revision;
        if (isNew || (step > 0 ? next <= own.kept : next >= own.kept)) own.ready.set(next, got);
      })
      .catch(() => {})
      .finally(() => {
        const done = performance.now();
        own.inFlight -= 1;
        own.isAlone = false;
        if (own.done !== null) own.interval += 0.1 * (Math.min((done - own.done) / 1000, 1) - own.interval);
        // How often one comes is known while others are on their way.
        own.done = own.inFlight > 0 ? done : null;
        if (own.inFlight === 0) own.window.busy += done - own.window.busySince;
        if (run === own) ask(own);
      });
  }
}

function forget(own, frame) {
  const got = own.ready.get(frame);
  own.ready.delete(frame);
  got.isGone = true;
  got.bitmap?.close();
}

/** Decodes the pictures that are due next. */
function decode(own, due) {
  const forward = own.rate > 0;
  const last = due + Math.sign(own.rate) * decodedAhead * Math.max(1, Math.abs(own.rate));
  for (const [frame, got] of own.ready) {
    if (got.isDecoding || (forward ? frame > last : frame < last)) continue;
    got.isDecoding = true;
    decoded(got).then((bitmap) => {
      if (got.isGone) return bitmap.close();
      got.bitmap = bitmap;
      got.bytes = null;
    }, () => {});
  }
}

/** The focus was changed while it plays: what was rendered ahead is rendered anew. */
export function renew() {
  const own = run;
  if (!own?.clock) return;
  own.generation += 1;
  const forward = own.rate > 0;
  const kept = frameAt(own.clock()) + Math.sign(own.rate) * keptAhead * Math.max(1, Math.floor(Math.abs(own.rate)));
  for (const frame of [...own.ready.keys()]) {
    if (forward ? frame > kept : frame < kept) forget(own, frame);
  }
  own.kept = kept;
  if (own.asked !== null) own.asked = forward ? Math.min(own.asked, kept) : Math.max(own.asked, kept);
  ask(own);
}

/** Looks again when the next picture is due: at the screen's own rate the page would be laid out twice for each. */
function wait(own) {
  const next = own.shown === null ? null : own.shown + Math.sign(own.rate);
  const rest = next === null ? 0 : ((timeOf(own.rate > 0 ? next : own.shown) - own.clock()) / own.rate) * 1000;
  const look = () => { own.request = requestAnimationFrame(() => tick(own)); };
  if (rest > 20 && rest < 1000) own.timer = setTimeout(look, rest - 12);
  else look();
}

function tick(own) {
  if (run !== own) return;
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
  decode(own, due);
  let best = null;
  for (const [frame, got] of own.ready) {
    if (!got.bitmap || (forward ? frame > due : frame < due)) continue;
    if (best === null || (forward ? frame > best : frame < best)) best = frame;
  }
  if (best !== null) {
    const got = own.ready.get(best);
    own.ready.delete(best);
    for (const frame of [...own.ready.keys()]) {
      if (forward ? frame < best : frame > best) forget(own, frame);
    }
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
  wait(own);
}

/** A faster picture where frames are dropped, a better one where there is time for it. */
function adapt(own) {
  const window = own.window;
  const now = performance.now();
  const passed = now - window.since;
  if (passed < 500) return;
  const share = window.dropped / Math.max(window.dropped + window.shown, 1);
  if (own.inFlight > 0) window.busy += now - Math.max(window.busySince, window.since);
  const busy = window.busy / passed;
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
    const better = levels[playing.level - 1];
    const isEasy = better && busy * better.cost < 0.85;
    window.calm = isEasy ? window.calm + passed / 1000 : 0;
    if (window.calm >= patience) {
      playing.level -= 1;
      window.calm = 0;
    }
  }
  tellLive(levels[playing.level], count.dropped);
  Object.assign(window, { shown: 0, dropped: 0, since: now, busy: 0, busySince: now });
}

/** The frame changed: clock, position and playhead follow. */
export function moved() {
  const movie = model.document;
  if (!movie) return;
  $("clock").textContent = `${clock(timeOf(model.frame) - movie.start)} · ${model.frame}`;
  document.dispatchEvent(new CustomEvent("moved"));
}
