// SPDX-License-Identifier: Apache-2.0
//
// The least, the greatest and the mean light of each block; the meaning stands with the graphics devices'
// kernel.

#include "ShaderTypes.h"

#define SIDE FOCAL_LIGHT_BLOCK

/// Blocks that are measured together, so that rows are read on in one piece: a block's own are too short for the
/// processor to fetch the next in time.
#define RUN 16
#define COLUMNS (RUN * SIDE)

/// Columns of a run of blocks.
struct Columns {
  float low[COLUMNS], limit[COLUMNS], least[COLUMNS], most[COLUMNS], sum[COLUMNS];
};

FOCAL_FUNCTION void measureRow(const float *restrict light, const float *restrict radius,
                               int32_t count, struct Columns *restrict c) {
  for (int32_t i = 0; i < count; i++) {
    const float value =
        focal_max(light[4 * i], focal_max(light[4 * i + 1], light[4 * i + 2]));
    c->least[i] = radius[i] <= c->limit[i] ? focal_min(c->least[i], value) : c->least[i];
    c->most[i] = focal_max(c->most[i], value);
    c->sum[i] += value;
  }
}

/// The farthest radius of each block of the run, with an edge's step, into its columns' limits.
FOCAL_FUNCTION void findLimits(float edge, int32_t columns, struct Columns *c) {
  for (int32_t x = 0; x < columns; x += SIDE) {
    const int32_t end = focal_min_int(x + SIDE, columns);
    float lowest = 1.0e30f;
    for (int32_t i = x; i < end; i++) lowest = focal_min(lowest, c->low[i]);
    const float limit = lowest + focal_edgeStep(edge, lowest, lowest);
    for (int32_t i = x; i < end; i++) c->limit[i] = limit;
  }
}

/// Rows of blocks.
FOCAL_CLONES FOCAL_ENTRY_POINT(measureLights) {
  FOCAL_BUFFERS(measureLights)
  struct Columns c;
  for (uint32_t line = begin; line < end; line++) {
    const int32_t top = (int32_t)line * SIDE, rows = focal_min_int(p->height - top, SIDE);
    for (int32_t left = 0; left < p->width; left += COLUMNS) {
      const int32_t columns = focal_min_int(p->width - left, COLUMNS);
      const size_t o = (size_t)top * (size_t)p->width + (size_t)left;
      for (int32_t i = 0; i < columns; i++) {
        c.low[i] = c.least[i] = 1.0e30f;
        c.most[i] = c.sum[i] = 0.0f;
      }
      for (int32_t j = 0; j < rows; j++) {
        const float *restrict r = radius + o + (size_t)j * (size_t)p->width;
        for (int32_t i = 0; i < columns; i++) c.low[i] = focal_min(c.low[i], r[i]);
      }
      findLimits(p->edge, columns, &c);
      for (int32_t j = 0; j < rows; j++) {
        const size_t q = o + (size_t)j * (size_t)p->width;
        measureRow((const float *)(source + q), radius + q, columns, &c);
      }
      for (int32_t x = 0; x < columns; x += SIDE) {
        const int32_t across = focal_min_int(columns - x, SIDE);
        float least = 1.0e30f, most = 0.0f, total = 0.0f;
        for (int32_t i = x; i < x + across; i++) {
          least = focal_min(least, c.least[i]);
          most = focal_max(most, c.most[i]);
          total += c.sum[i];
        }
        const float share = focal_reciprocal((float)(across * rows));
        const float4 record = {focal_max(least, 0.0f), most, total * share, 0.0f};
        blocks[(int32_t)line * p->blocksAcross + (left + x) / SIDE] = record;
      }
    }
  }
}
