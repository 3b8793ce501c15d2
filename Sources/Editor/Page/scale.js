// SPDX-License-Identifier: Apache-2.0

// Frames and seconds as places on the timeline, and canvases that are drawn for the part that is seen.

import { $, frameAt, model, timeOf } from "./model.js";

export const lanes = $("lanes");
export const content = $("content");

/** Pixels of the page a frame. */
let perFrame = 1;
export function setPerFrame(value) { perFrame = value; }

export const x = (frame) => frame * perFrame;
/** The frame, with its part, at a place. */
export const frameAtPlace = (place) => place / perFrame;
export const frames = () => model.document?.frameCount ?? 1;

/** The place of a time, between frames too. */
export function xOfTime(seconds) {
  const movie = model.document;
  if (!movie.times) return x((seconds - movie.start) / movie.frameDuration);
  const frame = frameAt(seconds);
  const length = Math.max(timeOf(frame + 1) - timeOf(frame), 1e-6);
  return x(frame + Math.min((seconds - timeOf(frame)) / length, 1));
}

/** The time at a place, between frames too. */
export function timeAtPlace(place) {
  const frame = Math.min(Math.max(Math.floor(frameAtPlace(place)), 0), frames() - 1);
  const length = timeOf(frame + 1) - timeOf(frame);
  return timeOf(frame) + (frameAtPlace(place) - frame) * length;
}

/** A canvas as wide as the window on the timeline, cleared. */
export function prepared(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [lanes.clientWidth, canvas.clientHeight || 22];
  canvas.style.width = `${width}px`;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const style = getComputedStyle(document.body);
  return { context, width, height, color: (name) => resolved(style, name) };
}

/** A colour of the style sheet as it is in the light or the dark. */
function resolved(style, name) {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color || style.color;
}
const probe = document.createElement("i");
probe.hidden = true;
document.body.append(probe);
