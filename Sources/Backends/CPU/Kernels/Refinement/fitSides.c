// SPDX-License-Identifier: Apache-2.0
//
// Colour models of the two or three sides of each edge cell: a Gaussian from the sums of all
// neighbours whose side lies at about the same disparity.
#include "ShaderTypes.h"
#include "cells.h"

/// Weighted sums of one side over a neighbourhood. The disparity is a mean over less than the
/// colours are: only over labels within the edge threshold of the cell's own, lest two surfaces of
/// like depth give a third between them.
struct SideTotal {
  float sums[8], disparity, disparityCount;
};

FOCAL_FUNCTION void addScaled(struct SideTotal *total, const struct FocalSideSums *sums,
                              float weight, float disparity, float own, float threshold) {
  const float *v = (const float *)sums;
  FOCAL_LANE_LOOP
  for (int32_t k = 0; k < 8; k++) total->sums[k] += weight * v[k];
  if (focal_abs(disparity - own) < threshold) {
    total->disparity += weight * sums->count * disparity;
    total->disparityCount += weight * sums->count;
  }
}

FOCAL_FUNCTION struct FocalSideModel finishModel(const struct SideTotal *side, float ownDisparity) {
  const float *v = side->sums;
  const struct FocalSideSums total = {v[0], v[1], v[2], v[3], v[4], 0, 0, 0};
  return focal_sideModel(total, side->disparity, side->disparityCount, ownDisparity);
}

FOCAL_CLONES FOCAL_ENTRY_POINT(fitSides) {
  FOCAL_BUFFERS(fitSides)
  const int32_t w = p->width,
                r = p->radius < FOCAL_MOST_FIT_RADIUS ? p->radius : FOCAL_MOST_FIT_RADIUS;
  float weights[(FOCAL_MOST_FIT_RADIUS + 1) * (FOCAL_MOST_FIT_RADIUS + 1)];
  for (int32_t j = 0; j <= r; j++) {
    for (int32_t k = 0; k <= r; k++)
      weights[j * (r + 1) + k] =
          focal_reciprocal(1.0f + FOCAL_FIT_FALLOFF * (float)(j * j + k * k));
  }
  const int32_t first = p->originY, past = first + focal_rows(p->rows, p->height);
  for (uint32_t line = begin; line < end; line++) {
    const int32_t y = (int32_t)line + first;
    for (int32_t x = 0; x < w; x++) {
      const size_t i = (size_t)y * w + x;
      if (kind[i] == FocalCellFlat) continue;
      const struct FocalCellSides own = focal_cell_sides(map, front, back, kind, i);
      const float threshold = p->edgeThreshold;
      const float reach = FOCAL_SAME_SURFACE * (own.front - own.back);
      const float middleReach =
          FOCAL_SAME_SURFACE * focal_min(own.front - own.middle, own.middle - own.back);
      struct SideTotal total[FocalSideCount] = {{{0}, 0, 0}};
      for (int32_t j = -r; j <= r; j++) {
        for (int32_t k = -r; k <= r; k++) {
          const int32_t nx = x + k, ny = y + j;
          if (nx < 0 || ny < first || nx >= w || ny >= past) continue;
          const size_t o = (size_t)ny * w + nx;
          const float weight = weights[(j < 0 ? -j : j) * (r + 1) + (k < 0 ? -k : k)];
          const float disparity[FocalSideCount] = {front[o], back[o], map[o]};
          for (int32_t n = 0; n < FocalSideCount; n++) {
            const struct FocalSideSums *s =
                &sums[(o - (size_t)first * w) * FocalSideCount + (size_t)n];
            const float d = disparity[n];
            if (s->count <= 0) continue;
            if (own.hasMiddle && focal_abs(d - own.middle) < middleReach)
              addScaled(&total[FocalSideMiddle], s, weight, d, own.middle, threshold);
            else if (focal_abs(d - own.front) < reach)
              addScaled(&total[FocalSideFront], s, weight, d, own.front, threshold);
            else if (focal_abs(d - own.back) < reach)
              addScaled(&total[FocalSideBack], s, weight, d, own.back, threshold);
          }
        }
      }
      const float disparity[FocalSideCount] = {own.front, own.back, own.middle};
      for (int32_t n = 0; n < FocalSideCount; n++)
        models[((size_t)line * w + x) * FocalSideCount + n] = finishModel(&total[n], disparity[n]);
    }
  }
}
