// SPDX-License-Identifier: Apache-2.0
//
// The picture seen from every point of the lens, where these weigh differently; the method stands with the graphics
// devices' weightedViews.

#include "lanes.h"

/// Sums over the lens points of what lies on one side of the focus, as FocalLensSum.
struct LaneSum {
  Lanes r, g, b, alpha[3], weight[3];
};

/// Adds what a view holds of a side, `before` being what was open. Where `channels` is 1, all weigh the same.
FOCAL_FUNCTION void add(struct LaneSum *s, const struct Group *view, const Lanes *before,
                        const float *weights, const Lanes *open, int32_t channels) {
  const Lanes alpha = *before - view->through;
  Lanes w[3];
  for (int32_t c = 0; c < 3; c++) {
    w[c] = c < channels ? *open * weights[c] : w[0];
    if (c >= channels) continue;
    s->weight[c] += w[c];
    s->alpha[c] += w[c] * alpha;
  }
  s->r += w[0] * view->r;
  s->g += w[1] * view->g;
  s->b += w[2] * view->b;
}

/// Lane `i` of a sum; of a mean where there are several lens points.
FOCAL_FUNCTION FocalLensSum laneOf(const struct LaneSum *s, int32_t i, int32_t channels,
                                   int32_t isMean) {
  const int32_t green = channels > 1 ? 1 : 0, blue = channels > 1 ? 2 : 0;
  const FocalLensSum sum = {s->r[i],         s->g[i],             s->b[i],
                            s->alpha[0][i],  s->alpha[green][i],  s->alpha[blue][i],
                            s->weight[0][i], s->weight[green][i], s->weight[blue][i]};
  return isMean ? focal_lensMean(sum) : sum;
}

/// The share of a lens point that the barrel leaves open for sixteen pixels, whose columns' places are `px`.
FOCAL_FUNCTION void findOpenness(const struct FocalViewsParameters *p, const float *point,
                                 const float *px, float py, float perCell, Lanes *result) {
  const struct FocalBarrel barrel = p->barrel;
  const float ux = point[0], uy = point[1];
  float open[FOCAL_VIEW_LANES];
  FOCAL_LANE_LOOP
  for (int32_t i = 0; i < FOCAL_VIEW_LANES; i++) {
    open[i] = focal_openness(focal_withinBarrel(barrel, ux, uy, px[i], py), perCell);
  }
  memcpy(result, open, sizeof *result);
}

/// Views a tile; `channels` is a constant.
FOCAL_FUNCTION void viewTile(const struct TileWork *work, const struct FocalViewsParameters *p,
                             int32_t channels, float *views) {
  const struct FocalTile *t = work->tile;
  const size_t plane = (size_t)p->width * (size_t)focal_rows(p->rows, p->height);
  const int32_t lensCount = p->lensCount[t->lensSet];
  const float *points = work->lens + 2 * p->lensStart[t->lensSet];
  const float *weights =
      work->lens + p->weightStart + FOCAL_LENS_WEIGHTS * p->lensStart[t->lensSet];
  const float perCell = focal_reciprocal(p->cell[t->lensSet]);
  const int32_t isPlaced = p->barrel.isThere && lensCount > 1;
  int32_t lastNear = 0;
  while (lastNear < t->slots && t->slice[lastNear] > 0) lastNear++;
  struct SlotWindow window;
  openWindow(work, lensCount, lastNear, &window);
  const Lanes zero = {0};
  for (int32_t y = 0; y < t->height; y++) {
    const float py = focal_place(p->barrel, t->y + y, p->barrel.pictureHeight);
    for (int32_t x = 0; x < t->width; x += FOCAL_VIEW_LANES) {
      float px[FOCAL_VIEW_LANES];
      for (int32_t i = 0; i < FOCAL_VIEW_LANES; i++) {
        px[i] = focal_place(p->barrel, t->x + x + i, p->barrel.pictureWidth);
      }
      struct SeenSlots seen;
      findSeenSlots(&window, x, y, y + 1, &seen);
      struct LaneSum near = {0}, far = {0};
      for (int32_t v = 0; t->slots > 0 && v < lensCount; v++) {
        const int32_t *shifts = window.shifts + 2 * v * t->slots;
        const float *weight = weights + FOCAL_LENS_WEIGHTS * v;
        const Lanes all = zero + 1.0f;
        Lanes open = all;
        if (isPlaced) findOpenness(p, points + 2 * v, px, py, perCell, &open);
        struct Group view = {zero, zero, zero, all};
        compose(&view, &window, &seen, shifts, x + t->reach, y + t->reach, 0, seen.near, 1);
        add(&near, &view, &all, weight + 3, &open, channels);
        const Lanes before = view.through;
        view.r = view.g = view.b = zero;
        if (anyOpen(&before)) {
          compose(&view, &window, &seen, shifts, x + t->reach, y + t->reach, seen.near, seen.count,
                  seen.near == 0);
        }
        add(&far, &view, &before, weight, &open, channels);
      }
      const int32_t count = t->width - x < FOCAL_VIEW_LANES ? t->width - x : FOCAL_VIEW_LANES;
      float *o = views + (size_t)(t->y + y - p->originY) * (size_t)p->width + (size_t)(t->x + x);
      const int32_t isMean = lensCount > 1 && t->slots > 0;
      for (int32_t i = 0; i < count; i++) {
        const FocalLensSum a = laneOf(&near, i, channels, isMean);
        const FocalLensSum c = laneOf(&far, i, channels, isMean);
        // One group holds both sides.
        const float4 front = focal_lensColour(p->groups.split ? a : focal_lensJoin(a, c));
        const float4 none = {0}, back = p->groups.split ? focal_lensColour(c) : none;
        o[FocalViewNearR * plane + (size_t)i] = front.x;
        o[FocalViewNearG * plane + (size_t)i] = front.y;
        o[FocalViewNearB * plane + (size_t)i] = front.z;
        o[FocalViewNearAlpha * plane + (size_t)i] = front.w;
        o[FocalViewFarR * plane + (size_t)i] = back.x;
        o[FocalViewFarG * plane + (size_t)i] = back.y;
        o[FocalViewFarB * plane + (size_t)i] = back.z;
        o[FocalViewFarWeight * plane + (size_t)i] = back.w;
      }
    }
  }
}

FOCAL_CLONES FOCAL_WIDE
void focal_viewWeighted(const struct TileWork *work, const struct FocalViewsParameters *p,
                        float *views) {
  if (p->isColoured) {
    viewTile(work, p, 3, views);
  } else {
    viewTile(work, p, 1, views);
  }
}
