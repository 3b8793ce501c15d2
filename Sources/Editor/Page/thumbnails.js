// SPDX-License-Identifier: Apache-2.0

// Small pictures of the movie along the timeline.

import { $, model } from "./model.js";
import { frameAtPlace, frames, lanes, x } from "./scale.js";
import { isGraded } from "./viewer.js";

const thumbnailWidth = 76;

export function layOutThumbnails() {
  const lane = $("thumbnails");
  if (!model.document) return;
  const step = Math.max(Math.round(frameAtPlace(thumbnailWidth)), 1);
  const first = Math.max(Math.floor(frameAtPlace(lanes.scrollLeft) / step), 0);
  const last = Math.ceil(frameAtPlace(lanes.scrollLeft + lanes.clientWidth) / step);
  const known = new Map([...lane.children].map((image) => [image.dataset.key, image]));
  for (let index = first; index < last; index += 1) {
    const frame = index * step;
    if (frame >= frames()) break;
    const graded = isGraded() ? 1 : 0;
    const key = `${model.document.movie}/${frame}/${step}/${graded}`;
    let image = known.get(key);
    known.delete(key);
    if (!image) {
      image = new Image();
      image.dataset.key = key;
      image.alt = "";
      image.src = `/thumbnail?movie=${model.document.movie}&frame=${frame}&distance=${step >> 1}&graded=${graded}&line=thumbnails`;
      // Where there is none, the timeline stays empty.
      image.addEventListener("error", () => { image.style.visibility = "hidden"; });
      lane.append(image);
    }
    image.style.left = `${x(frame)}px`;
    // They come in the movie's own pixels: cut to their place as it would be in those, then widened to it.
    const aspect = model.document.pixelAspect ?? 1;
    image.style.width = `${(Math.min(x(step), x(frames() - frame)) - 1) / aspect}px`;
    image.style.transform = aspect === 1 ? "" : `scaleX(${aspect})`;
  }
  for (const image of known.values()) image.remove();
}

export function forget() { $("thumbnails").replaceChildren(); }
