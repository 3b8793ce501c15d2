// SPDX-License-Identifier: Apache-2.0
//
// The picture seen from every point of the lens, averaged.
//
// For each lens point the slices of a tile, shifted by their own amounts, are
// composed from near to far; what is hidden from that point is hidden in that
// view, so partial occlusion comes out right. The near and the far group are
// summed apart: between them lies the group in focus, drawn elsewhere.

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

FOCAL_CLONES FOCAL_WIDE
void focal_viewTile(const struct TileWork *work, const struct FocalViewsParameters *p,
                    float *views) {
  const struct FocalTile *t = work->tile;
  const float *pool = work->pool;
  const size_t plane = (size_t)p->width * (size_t)focal_rows(p->rows, p->height);
  const size_t size = focal_tilePlane(t);
  const int32_t *extents = (const int32_t *)(pool + focal_tileExtents(t));
  const int32_t *shifts = (const int32_t *)(pool + focal_tileShifts(t));
  const int32_t lensCount = p->lensCount[t->lensSet];
  const float share = focal_reciprocal((float)lensCount);
  for (int32_t y = 0; y < t->height; y++) {
    for (int32_t x = 0; x < t->width; x += FOCAL_VIEW_LANES) {
      const Lanes zero = {0};
      struct Group near = {zero, zero, zero, zero}, far = near;
      Lanes nearAlpha = zero, farWeight = zero;
      for (int32_t v = 0; t->slots > 0 && v < lensCount; v++) {
        const int32_t *shift = shifts + 2 * v * t->slots;
        near.through = zero + 1.0f;
        compose(&near, pool, size, t->stride, shift, extents, t->rows, x + t->reach, y + t->reach,
                0, t->nearSlots);
        nearAlpha += 1.0f - near.through;
        if (t->nearSlots < t->slots) {
          if (t->nearSlots > 0 && !anyOpen(&near.through)) continue;
          far.through = near.through;
          compose(&far, pool, size, t->stride, shift, extents, t->rows, x + t->reach,
                  y + t->reach, t->nearSlots, t->slots);
          farWeight += near.through - far.through;
        }
      }
      const int32_t count = t->width - x < FOCAL_VIEW_LANES ? t->width - x : FOCAL_VIEW_LANES;
      float *o = views + (size_t)(t->y + y - p->originY) * (size_t)p->width + (size_t)(t->x + x);
      if (lensCount > 1) {
        near.r *= share;
        near.g *= share;
        near.b *= share;
        nearAlpha *= share;
        far.r *= share;
        far.g *= share;
        far.b *= share;
        farWeight *= share;
      }
      store(o + FocalViewNearR * plane, &near.r, count);
      store(o + FocalViewNearG * plane, &near.g, count);
      store(o + FocalViewNearB * plane, &near.b, count);
      store(o + FocalViewNearAlpha * plane, &nearAlpha, count);
      store(o + FocalViewFarR * plane, &far.r, count);
      store(o + FocalViewFarG * plane, &far.g, count);
      store(o + FocalViewFarB * plane, &far.b, count);
      store(o + FocalViewFarWeight * plane, &farWeight, count);
    }
  }
}
