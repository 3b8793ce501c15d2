// SPDX-License-Identifier: Apache-2.0
//
// The least, the greatest and the mean light of each block; the meaning stands with the graphics devices'
// kernel.

#include "ShaderTypes.h"

#define SIDE FOCAL_LIGHT_BLOCK

/// Columns of a block; `count` of them are the picture's.
struct Columns {
  float least[SIDE], most[SIDE], sum[SIDE];
};

FOCAL_FUNCTION void measureRow(const float *restrict light, const float *restrict radius,
                               float limit, int32_t count, struct Columns *restrict c) {
  for (int32_t i = 0; i < count; i++) {
    const float value =
        focal_max(light[4 * i], focal_max(light[4 * i + 1], light[4 * i + 2]));
    c->least[i] = radius[i] <= limit ? focal_min(c->least[i], value) : c->least[i];
    c->most[i] = focal_max(c->most[i], value);
    c->sum[i] += value;
  }
}

/// Rows of blocks.
FOCAL_CLONES FOCAL_ENTRY_POINT(measureLights) {
  FOCAL_BUFFERS(measureLights)
  for (uint32_t line = begin; line < end; line++) {
    const int32_t top = (int32_t)line * SIDE, rows = focal_min_int(p->height - top, SIDE);
    for (int32_t x = 0; x < p->blocksAcross; x++) {
      const int32_t left = x * SIDE, columns = focal_min_int(p->width - left, SIDE);
      const size_t o = (size_t)top * (size_t)p->width + (size_t)left;
      float low[SIDE], lowest = 1.0e30f;
      for (int32_t i = 0; i < SIDE; i++) low[i] = 1.0e30f;
      for (int32_t j = 0; j < rows; j++) {
        const float *restrict r = radius + o + (size_t)j * (size_t)p->width;
        if (columns == SIDE) {
          for (int32_t i = 0; i < SIDE; i++) low[i] = focal_min(low[i], r[i]);
        } else {
          for (int32_t i = 0; i < columns; i++) low[i] = focal_min(low[i], r[i]);
        }
      }
      for (int32_t i = 0; i < columns; i++) lowest = focal_min(lowest, low[i]);
      const float limit = lowest + focal_edgeStep(p->edge, lowest, lowest);
      struct Columns c;
      for (int32_t i = 0; i < SIDE; i++) {
        c.least[i] = 1.0e30f;
        c.most[i] = c.sum[i] = 0.0f;
      }
      for (int32_t j = 0; j < rows; j++) {
        const size_t q = o + (size_t)j * (size_t)p->width;
        const float *light = (const float *)(source + q);
        if (columns == SIDE) {
          measureRow(light, radius + q, limit, SIDE, &c);
        } else {
          measureRow(light, radius + q, limit, columns, &c);
        }
      }
      float least = 1.0e30f, most = 0.0f, total = 0.0f;
      for (int32_t i = 0; i < columns; i++) {
        least = focal_min(least, c.least[i]);
        most = focal_max(most, c.most[i]);
        total += c.sum[i];
      }
      const float share = focal_reciprocal((float)(columns * rows));
      const float4 record = {focal_max(least, 0.0f), most, total * share, 0.0f};
      blocks[(int32_t)line * p->blocksAcross + x] = record;
    }
  }
}
