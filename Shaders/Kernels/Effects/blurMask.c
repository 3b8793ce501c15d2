// SPDX-License-Identifier: Apache-2.0
//
// Means of boxes along the lines of a mask. Grid: lines, by runs of FocalMaskRun places.
//
// Within a run the sum of a box is that of the one before, with a place more and one less. Each run begins with a sum of
// its own: runs are worked on side by side, and rounding does not grow along a line.

#define FOCAL_BODY blurMask
#include "kernel.h"
#include "focal_effects.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t line, int32_t run, int32_t z) {
  const int32_t first = run * FocalMaskRun;
  if (line >= p.lines || first >= p.count) return;
  const int32_t start = line * p.lineStep;
  const int32_t end = focal_min_int(first + FocalMaskRun, p.count);
  float sum = 0.0f;
  const int32_t begun = focal_min_int(first + p.reach, p.count);
  for (int32_t k = focal_max_int(first - p.reach, 0); k < begun; k++) {
    sum = sum + mask[start + k * p.step];
  }
  for (int32_t k = first; k < end; k++) {
    if (k + p.reach < p.count) sum = sum + mask[start + (k + p.reach) * p.step];
    blurred[start + k * p.step] = focal_unit(sum * p.share);
    if (k >= p.reach) sum = sum - mask[start + (k - p.reach) * p.step];
  }
}

FOCAL_ENTRY(blurMask)
