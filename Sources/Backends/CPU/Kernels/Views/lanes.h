// SPDX-License-Identifier: Apache-2.0
//
// Sixteen pixels of a tile at once, seen from one point of the lens: what viewTile and viewWeighted share.
#pragma once

#include "tile.h"

/// Sixteen neighbouring destination pixels. An extension of GCC and clang; on
/// a GPU one lane is one invocation.
typedef float Lanes __attribute__((vector_size(64), aligned(4)));
typedef int32_t LaneMask __attribute__((vector_size(64)));

/// Whether any lane still lets light through.
FOCAL_FUNCTION int anyOpen(const Lanes *through) {
  const LaneMask open = *through > 0.0f;
  return __builtin_reduce_or(open) != 0;
}

FOCAL_FUNCTION void store(float *p, const Lanes *v, int32_t count) {
  if (count == FOCAL_VIEW_LANES) {
    memcpy(p, v, sizeof *v);
    return;
  }
  for (int32_t i = 0; i < count; i++) p[i] = (*v)[i];
}

struct Group {
  Lanes r, g, b, through;
};

/// Composes slices [from, to) under what `through` lets pass.
FOCAL_FUNCTION void compose(struct Group *sum, const float *slices, size_t size, int32_t stride,
                            const int32_t *shifts, const int32_t *extents, int32_t rows, int32_t x,
                            int32_t y, int32_t from, int32_t to) {
  for (int32_t j = from; j < to; j++) {
    const int32_t column = x - shifts[2 * j], row = y - shifts[2 * j + 1];
    const int32_t *extent = extents + 2 * (j * rows + row);
    if (column >= extent[1] || column + FOCAL_VIEW_LANES <= extent[0]) continue;
    const float *q = slices + (size_t)j * 4 * size + (size_t)row * (size_t)stride + (size_t)column;
    Lanes r, g, b, a;
    memcpy(&r, q, sizeof r);
    memcpy(&g, q + size, sizeof g);
    memcpy(&b, q + 2 * size, sizeof b);
    memcpy(&a, q + 3 * size, sizeof a);
    sum->r += sum->through * r;
    sum->g += sum->through * g;
    sum->b += sum->through * b;
    const Lanes left = sum->through - sum->through * a;
    // Cut to nothing lane by lane, so that a pixel does not depend on
    // whether its neighbours go on.
    sum->through = (Lanes)((LaneMask)left & (LaneMask)(left > FOCAL_NO_LIGHT));
    if (j + 1 < to && !anyOpen(&sum->through)) return;
  }
}
