// SPDX-License-Identifier: Apache-2.0

// The way of focus over time.

import { on, send } from "./link.js";
import { $, model } from "./model.js";
import { frameAtPlace, frames, lanes, prepared, x } from "./scale.js";

let curve = null;

export function askForCurve() {
  if (!model.document) return;
  const start = Math.max(Math.floor(frameAtPlace(lanes.scrollLeft)), 0);
  const end = Math.min(Math.ceil(frameAtPlace(lanes.scrollLeft + lanes.clientWidth)) + 1, frames());
  if (curve && curve.revision === model.state?.revision && curve.start === start && curve.end === end
    && curve.movie === model.document.movie) return;
  send("curve", { start, end });
}

on("curve", (message) => {
  if (message.movie !== model.document?.movie) return;
  curve = message;
  drawCurve();
});

export function drawCurve() {
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

/** Steps that change neither decisions nor tracks leave the focus as it is. */
export function keep() {
  if (curve && model.state) curve.revision = model.state.revision;
}

export function forget() { curve = null; }
