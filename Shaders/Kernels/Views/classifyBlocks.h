// SPDX-License-Identifier: Apache-2.0
//
// Slices of each block of FOCAL_BLOCK x FOCAL_BLOCK pixels, a set of 64 bits: two words, the lower
// first. Grid: columns of the layers by rows of blocks, in workgroups of FOCAL_GROUP_WIDTH x
// FOCAL_GROUP_HEIGHT. An invocation joins the pixels of a column, the block's first joins its
// columns: bits, so in any order.

#include "focal_slices.h"

/// A set of slices.
FOCAL_STRUCT(SliceSet) { uint32_t low, high; };

/// Word `index` of the bits `bottom` to `top` (0...63, bottom not above top) of a set.
FOCAL_FUNCTION uint32_t wordOfRange(int32_t bottom, int32_t top, int32_t index) {
  const int32_t first = focal_max_int(bottom - 32 * index, 0);
  const int32_t last = focal_min_int(top - 32 * index, 31);
  if (first > 31 || last < first) return 0u;
  return (0xFFFFFFFFu >> FOCAL_UINT(31 - last)) & (0xFFFFFFFFu << FOCAL_UINT(first));
}

/// Adds the slices from `lowest` up to those that a surface at `s` lies in.
FOCAL_FUNCTION SliceSet addRange(SliceSet set, float s, float lowest, int32_t firstSlice) {
  const FocalSliceRange range = focal_slicesOf(s, lowest, firstSlice);
  set.low |= wordOfRange(range.bottom, range.top, 0);
  set.high |= wordOfRange(range.bottom, range.top, 1);
  return set;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t lane = FOCAL_LOCAL_Y() * FOCAL_GROUP_WIDTH + FOCAL_LOCAL_X();
  const int32_t height = focal_rows(p.rows, p.height), count = p.width * height;
  const int32_t across = (p.width + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  const bool isInside = x < p.width && y * FOCAL_BLOCK < height;
  SliceSet set = {0u, 0u};
  if (isInside) {
    const int32_t end = focal_min_int((y + 1) * FOCAL_BLOCK, height);
    for (int32_t row = y * FOCAL_BLOCK; row < end; row++) {
      const int32_t o = row * p.width + x;
      const float front = layers[FocalLayerFrontRadius * count + o];
      const float back = layers[FocalLayerBackRadius * count + o];
      if (layers[FocalLayerAlpha * count + o] > 0.0f && focal_isDrawn(p.groups, front)) {
        set = addRange(set, focal_sliceOf(p.slicing, front), layers[FocalLayerReach * count + o],
                       p.firstSlice);
      }
      if (focal_isDrawn(p.groups, back)) {
        const float s = focal_sliceOf(p.slicing, back);
        set = addRange(set, s, focal_floor(s), p.firstSlice);
      }
    }
  }
  columnLow[lane] = set.low;
  columnHigh[lane] = set.high;
  FOCAL_BARRIER();
  if (isInside && x % FOCAL_BLOCK == 0) {
    for (int32_t i = 1; i < FOCAL_BLOCK; i++) {
      set.low |= columnLow[lane + i];
      set.high |= columnHigh[lane + i];
    }
    const int32_t block = 2 * (y * across + x / FOCAL_BLOCK);
    blocks[block] = set.low;
    blocks[block + 1] = set.high;
  }
}

FOCAL_ENTRY(classifyBlocks)
