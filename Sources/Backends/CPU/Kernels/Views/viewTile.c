// SPDX-License-Identifier: Apache-2.0
//
// The picture seen from every point of the lens, averaged.
//
// For each lens point the slices of a tile, shifted by their own amounts, are
// composed from near to far; what is hidden from that point is hidden in that
// view, so partial occlusion comes out right. The near and the far group are
// summed apart: between them lies the group in focus, drawn elsewhere.

#include "lanes.h"

/// Sixteen pixels of a row.
FOCAL_FUNCTION void viewLanes(const struct SlotWindow *window, const struct SeenSlots *seen,
                              int32_t lensCount, float share, int32_t x, int32_t y,
                              const struct FocalViewsParameters *p, const struct FocalTile *t,
                              size_t plane, float *views) {
  const Lanes zero = {0};
  struct Group near = {zero, zero, zero, zero}, far = near;
  Lanes nearAlpha = zero, farWeight = zero;
  for (int32_t v = 0; seen->count > 0 && v < lensCount; v++) {
    const int32_t *shifts = window->shifts + 2 * v * window->count;
    near.through = zero + 1.0f;
    compose(&near, window, seen, shifts, x + t->reach, y + t->reach, 0, seen->near, 1);
    nearAlpha += 1.0f - near.through;
    if (seen->near < seen->count) {
      if (seen->near > 0 && !anyOpen(&near.through)) continue;
      far.through = near.through;
      compose(&far, window, seen, shifts, x + t->reach, y + t->reach, seen->near, seen->count,
              seen->near == 0);
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

FOCAL_CLONES FOCAL_WIDE
void focal_viewTile(const struct TileWork *work, const struct FocalViewsParameters *p,
                    float *views) {
  const struct FocalTile *t = work->tile;
  const size_t plane = (size_t)p->width * (size_t)focal_rows(p->rows, p->height);
  const int32_t lensCount = p->lensCount[t->lensSet];
  const float share = focal_reciprocal((float)lensCount);
  struct SlotWindow window;
  openWindow(work, lensCount, t->nearSlots, &window);
  for (int32_t y0 = 0; y0 < t->height; y0 += FOCAL_CELL_HEIGHT) {
    const int32_t y1 = focal_min_int(y0 + FOCAL_CELL_HEIGHT, t->height);
    for (int32_t x = 0; x < t->width; x += FOCAL_VIEW_LANES) {
      struct SeenSlots seen;
      findSeenSlots(&window, x, y0, y1, &seen);
      for (int32_t y = y0; y < y1; y++) {
        viewLanes(&window, &seen, lensCount, share, x, y, p, t, plane, views);
      }
    }
  }
}
