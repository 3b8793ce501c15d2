// SPDX-License-Identifier: Apache-2.0

// How loud the sound is over time.

import { taken } from "./link.js";
import { $, model } from "./model.js";
import { lanes, prepared, timeAtPlace } from "./scale.js";

let peaks = null;

export async function askForPeaks(movie) {
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

export function drawWave() {
  const lane = $("wave");
  lane.hidden = !model.document?.hasSound;
  if (lane.hidden) return;
  const { context, width, height, color } = prepared(lane);
  if (!peaks) return;
  context.fillStyle = color("--wave");
  let to = timeAtPlace(lanes.scrollLeft);
  for (let column = 0; column < width; column += 1) {
    const from = to;
    to = timeAtPlace(lanes.scrollLeft + column + 1);
    let loudest = 0;
    const last = Math.max(Math.ceil(to * peaks.rate), Math.floor(from * peaks.rate) + 1);
    for (let index = Math.floor(from * peaks.rate); index < last; index += 1) {
      loudest = Math.max(loudest, peaks.values[index] ?? 0);
    }
    const bar = (loudest / 255) * (height - 4);
    context.fillRect(column, (height - bar) / 2, 1, Math.max(bar, 0.5));
  }
}

export function forget() { peaks = null; }
