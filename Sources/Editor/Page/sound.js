// SPDX-License-Identifier: Apache-2.0

// The movie's sound in pieces of two seconds, exact to the sample, and its clock.

import { model } from "./model.js";

const pieceLength = 2;
let context = null;
let gain = null;
let playing = null;
/** The number of the last start or stop: a start that was overtaken plays nothing. */
let attempt = 0;
const pieces = new Map();

async function piece(number) {
  if (!pieces.has(number)) {
    const movie = model.document.movie;
    pieces.set(number, fetch(`/sound?movie=${movie}&piece=${number}`)
      .then((response) => (response.ok ? response.arrayBuffer() : null))
      .then((buffer) => (buffer ? context.decodeAudioData(buffer) : null))
      .catch(() => null));
    // Half a minute is held.
    if (pieces.size > 15) pieces.delete(pieces.keys().next().value);
  }
  return pieces.get(number);
}

export function forget() {
  stop();
  pieces.clear();
}

export function setMuted(isMuted) {
  if (gain) gain.gain.value = isMuted ? 0 : 1;
  playing && (playing.isMuted = isMuted);
}

/**
 * Plays from a time on, and resolves with the clock: a function that gives the time of the movie that is
 * heard now. `null` where there is no sound to follow.
 */
export async function start(seconds, rate, isMuted) {
  stop();
  const own = attempt;
  if (!model.document?.hasSound || rate <= 0 || rate > 2) return null;
  try {
    context ??= new AudioContext({ latencyHint: "interactive" });
    if (context.state !== "running") {
      await Promise.race([context.resume(), new Promise((done) => setTimeout(done, 400))]);
    }
    if (context.state !== "running") return null;
    gain ??= new GainNode(context);
    gain.connect(context.destination);
    gain.gain.value = isMuted ? 0 : 1;
    const first = Math.floor(seconds / pieceLength);
    await Promise.all([piece(first), piece(first + 1)]);
  } catch {
    return null;
  }
  if (own !== attempt) return null;
  const run = {
    rate, from: seconds, begin: context.currentTime + 0.05, next: Math.floor(seconds / pieceLength),
    nodes: new Set(), timer: 0, isScheduling: false,
  };
  playing = run;
  await schedule(run);
  if (run !== playing) return null;
  run.timer = setInterval(() => schedule(run), 250);
  const latency = () => context.outputLatency || context.baseLatency || 0;
  return () => run.from + Math.max(context.currentTime - latency() - run.begin, 0) * run.rate;
}

async function schedule(run) {
  if (run.isScheduling) return;
  run.isScheduling = true;
  const heard = run.from + (context.currentTime - run.begin) * run.rate;
  while (run.next * pieceLength < heard + 5 * run.rate && run === playing) {
    const number = run.next;
    const buffer = await piece(number);
    if (run !== playing) break;
    run.next += 1;
    if (!buffer) continue;
    const start = number * pieceLength;
    const offset = Math.max(run.from - start, 0);
    let when = run.begin + (start + offset - run.from) / run.rate;
    // A piece that came late begins where it would be by now.
    const late = Math.max(context.currentTime - when, 0);
    when += late;
    if (offset + late * run.rate >= buffer.duration) continue;
    const node = new AudioBufferSourceNode(context, { buffer, playbackRate: run.rate });
    node.connect(gain);
    node.onended = () => run.nodes.delete(node);
    node.start(when, offset + late * run.rate);
    run.nodes.add(node);
  }
  run.isScheduling = false;
}

/** How many pieces are to be heard, for tests. */
export const scheduled = () => playing?.nodes.size ?? 0;

export function stop() {
  attempt += 1;
  if (!playing) return;
  clearInterval(playing.timer);
  for (const node of playing.nodes) { try { node.stop(); } catch { /* it has ended */ } }
  playing = null;
}
