// SPDX-License-Identifier: Apache-2.0
//
// lensViews where lens points weigh differently: by what of the light comes through them, in front of the focus
// and behind it, channel by channel, and by what the barrel leaves open at the pixel's place. Grid: as there.
//
// The slices in front of the focus and those behind it are summed apart, each with its weights, also where the
// two make one group.

#define FOCAL_WEIGHTED 1
#include "seen_slots.h"

/// Adds what a view holds of a side, with its weights from `w` on in `lens`.
FOCAL_FUNCTION FocalLensSum added(FOCAL_TAKES FocalLensSum s, float4 view, int32_t w, float open) {
  const float r = open * lens[w], g = open * lens[w + 1], b = open * lens[w + 2];
  s.weightR += r;
  s.weightG += g;
  s.weightB += b;
  s.alphaR += r * view.w;
  s.alphaG += g * view.w;
  s.alphaB += b * view.w;
  s.r += r * view.x;
  s.g += g * view.y;
  s.b += b * view.z;
  return s;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t tile = p.firstTile + z;
  const int32_t width = tiles[tile].width, height = tiles[tile].height;
  const int32_t reach = tiles[tile].reach;
  const int32_t stride = tiles[tile].stride, rows = tiles[tile].rows;
  const int32_t set = tiles[tile].lensSet;
  const int32_t lensCount = p.lensCount[set];
  const int32_t lane = FOCAL_LOCAL_Y() * FOCAL_CELL_WIDTH + FOCAL_LOCAL_X();
  listSlots(FOCAL_PASSES x, y, z);

  const bool isInside = x < width && y < height;
  const int32_t nearCount = slotCounts[0], count = slotCounts[1];
  const int32_t q = z * p.tileCapacity + (y + reach) * stride + x + reach;
  const float4 zero = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  FocalLensSum near = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
  FocalLensSum far = near;
  const bool isPlaced = p.barrel.isThere != 0 && lensCount > 1;
  const float px = focal_place(p.barrel, tiles[tile].x + x, p.barrel.pictureWidth);
  const float py = focal_place(p.barrel, tiles[tile].y + y, p.barrel.pictureHeight);
  const float perCell = focal_reciprocal(p.cell[set]);
  const int32_t left = x - FOCAL_LOCAL_X() + reach, top = y - FOCAL_LOCAL_Y() + reach;
  const int32_t portion = FOCAL_VIEW_OFFSETS / focal_max_int(count, 1);
  for (int32_t first = 0; count > 0 && first < lensCount; first += portion) {
    const int32_t offsets = focal_min_int(portion, lensCount - first) * count;
    for (int32_t i = lane; i < offsets; i += FOCAL_CELL_PIXELS) {
      const int32_t point = 2 * (p.lensStart[set] + first + i / count), slot = i % count;
      slotOffsets[i] = slotOffset(
          FOCAL_PASSES slot, focal_roundedAway(lens[point] * slotMoved[slot]),
          focal_roundedAway(lens[point + 1] * slotMovedDown[slot]), left, top, stride, rows, z);
    }
    FOCAL_BARRIER();
    for (int32_t view = 0; isInside && view < offsets; view += count) {
      const int32_t point = p.lensStart[set] + first + view / count;
      const float open =
          isPlaced ? focal_openness(focal_withinBarrel(p.barrel, lens[2 * point],
                                                       lens[2 * point + 1], px, py),
                                    perCell)
                   : 1.0f;
      const int32_t weights = p.weightStart + FOCAL_LENS_WEIGHTS * point;
      // The share that the slots before let through.
      float through = 1.0f;
      float4 sum = zero;
      for (int32_t i = 0; i < nearCount && through > 0.0f; i++) {
        const int32_t offset = slotOffsets[view + i];
        if (offset == FOCAL_NO_SLOT) continue;
        const float4 c = pool[q + offset];
        sum = sum + through * c;
        const float rest = through - through * c.w;
        through = rest > FOCAL_NO_LIGHT ? rest : 0.0f;
      }
      sum.w = 1.0f - through;
      near = added(FOCAL_PASSES near, sum, weights + 3, open);
      const float before = through;
      sum = zero;
      for (int32_t i = nearCount; i < count && through > 0.0f; i++) {
        const int32_t offset = slotOffsets[view + i];
        if (offset == FOCAL_NO_SLOT) continue;
        const float4 c = pool[q + offset];
        sum = sum + through * c;
        const float rest = through - through * c.w;
        through = rest > FOCAL_NO_LIGHT ? rest : 0.0f;
      }
      sum.w = before - through;
      far = added(FOCAL_PASSES far, sum, weights, open);
    }
    FOCAL_BARRIER();
  }
  if (!isInside) return;
  if (lensCount > 1 && count > 0) {
    near = focal_lensMean(near);
    far = focal_lensMean(far);
  }
  // One group holds both sides.
  const float4 front = focal_lensColour(p.groups.split != 0 ? near : focal_lensJoin(near, far));
  const float4 back = p.groups.split != 0 ? focal_lensColour(far) : zero;
  const int32_t plane = p.width * focal_rows(p.rows, p.height);
  const int32_t o = (tiles[tile].y + y - p.originY) * p.width + tiles[tile].x + x;
  views[FocalViewNearR * plane + o] = front.x;
  views[FocalViewNearG * plane + o] = front.y;
  views[FocalViewNearB * plane + o] = front.z;
  views[FocalViewNearAlpha * plane + o] = front.w;
  views[FocalViewFarR * plane + o] = back.x;
  views[FocalViewFarG * plane + o] = back.y;
  views[FocalViewFarB * plane + o] = back.z;
  views[FocalViewFarWeight * plane + o] = back.w;
}

FOCAL_ENTRY(weightedViews)
