// SPDX-License-Identifier: Apache-2.0
#include "ShaderTypes.h"

/// `value` where it is below `lowest` and of the same surface, else `lowest`.
FOCAL_FUNCTION float connected(float lowest, float limit, float value) {
  return focal_min(lowest, value > limit ? value : lowest);
}

/// Columns [first, end), none of them at a border. `front` and `back` are the
/// rows above, here and below.
FOCAL_FUNCTION void connectColumns(const float *restrict front0, const float *restrict front1,
                                   const float *restrict front2, const float *restrict back0,
                                   const float *restrict back1, const float *restrict back2,
                                   int32_t first, int32_t end, float edge,
                                   struct FocalSlicing slicing, float *restrict out) {
  for (int32_t x = first; x < end; x++) {
    const float limit = front1[x] - focal_edgeStep(edge, front1[x], front1[x]);
    float lowest = front1[x];
    FOCAL_TAP_LOOP
    for (int32_t i = -1; i <= 1; i++) {
      lowest = connected(lowest, limit, front0[x + i]);
      lowest = connected(lowest, limit, front1[x + i]);
      lowest = connected(lowest, limit, front2[x + i]);
      lowest = connected(lowest, limit, back0[x + i]);
      lowest = connected(lowest, limit, back1[x + i]);
      lowest = connected(lowest, limit, back2[x + i]);
    }
    out[x] = focal_floor(focal_sliceOf(slicing, lowest));
  }
}

/// The same for a column at a border, whose outer neighbours are left out.
FOCAL_FUNCTION void connectBorder(const float *const *rows, int32_t x, int32_t width, float edge,
                                  const struct FocalSlicing *slicing, float *out) {
  const float own = rows[1][x];
  float lowest = own;
  for (int32_t i = x > 0 ? x - 1 : x; i <= x + 1 && i < width; i++) {
    for (size_t j = 0; j < 6; j++)
      lowest = connected(lowest, own - focal_edgeStep(edge, own, own), rows[j][i]);
  }
  out[x] = focal_floor(focal_sliceOf(*slicing, lowest));
}

/// Rows of the layers: the lowest slice that a connected surface touches.
///
/// A slanted surface is cut into slices that the lens views shift by
/// different amounts, and cracks would open between them. So each pixel also
/// stands, hidden, in the slices below its own down to the lowest one of its
/// 3 x 3 neighbours on the same surface (no step above `edge`).
FOCAL_CLONES FOCAL_ENTRY_POINT(connectSlices) {
  FOCAL_BUFFERS(connectSlices)
  const int32_t width = p->width, height = p->height;
  const size_t count = (size_t)width * (size_t)height;
  const struct FocalSlicing slicing = p->slicing;
  const float *front = layers + FocalLayerFrontRadius * count;
  const float *back = layers + FocalLayerBackRadius * count;
  for (uint32_t row = begin; row < end; row++) {
    float *out = layers + FocalLayerReach * count + (size_t)row * (size_t)width;
    const float *rows[6];
    for (int32_t j = 0; j < 3; j++) {
      const size_t line =
          (size_t)focal_clamp_int((int32_t)row + j - 1, 0, height - 1) * (size_t)width;
      rows[j] = front + line;
      rows[j + 3] = back + line;
    }
    connectBorder(rows, 0, width, p->edge, &slicing, out);
    connectColumns(rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], 1, width - 1, p->edge,
                   slicing, out);
    connectBorder(rows, width - 1, width, p->edge, &slicing, out);
  }
}
