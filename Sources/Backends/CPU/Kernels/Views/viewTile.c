// SPDX-License-Identifier: Apache-2.0
//
// The picture seen from every point of the lens, averaged.
//
// For each lens point the slices of a tile, shifted by their own amounts, are
// composed from near to far; what is hidden from that point is hidden in that
// view, so partial occlusion comes out right. The near and the far group are
// summed apart: between them lies the group in focus, drawn elsewhere.

#include "lanes.h"

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
