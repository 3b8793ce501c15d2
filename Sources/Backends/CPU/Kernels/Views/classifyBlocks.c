// SPDX-License-Identifier: Apache-2.0
//
// The slices of every block of 8 x 8 pixels as a set of bits.
#include "ShaderTypes.h"

/// The set of the slices of a surface, see focal_slicesOf.
FOCAL_FUNCTION uint64_t bitsOf(float s, float lowest, int32_t firstSlice) {
  const FocalSliceRange range = focal_slicesOf(s, lowest, firstSlice);
  return (~(uint64_t)0 >> (uint64_t)(uint32_t)(63 - range.top)) &
         (~(uint64_t)0 << (uint64_t)(uint32_t)range.bottom);
}

/// Columns that are looked at together.
#define RUN 64

/// Adds the slices of `count` neighbouring pixels to their columns' sets.
FOCAL_FUNCTION void addSlices(const float *restrict alpha, const float *restrict front,
                              const float *restrict back, const float *restrict lowest,
                              int32_t count, struct FocalSlicing slicing, struct FocalGroups groups,
                              int32_t firstSlice, uint64_t *restrict sets) {
  for (int32_t x = 0; x < count; x++) {
    const int32_t seen = (alpha[x] > 0.0f) & focal_isDrawn(groups, front[x]);
    const uint64_t own = bitsOf(focal_sliceOf(slicing, front[x]), lowest[x], firstSlice);
    const float s = focal_sliceOf(slicing, back[x]);
    const uint64_t hidden = bitsOf(s, focal_floor(s), firstSlice);
    sets[x] |= (seen ? own : 0) | (focal_isDrawn(groups, back[x]) ? hidden : 0);
  }
}

/// Rows of blocks: slices of each block, one 64-bit set.
FOCAL_CLONES FOCAL_ENTRY_POINT(classifyBlocks) {
  FOCAL_BUFFERS(classifyBlocks)
  const int32_t height = focal_rows(p->rows, p->height);
  const size_t count = (size_t)p->width * (size_t)height;
  const float *alpha = layers + FocalLayerAlpha * count;
  const float *front = layers + FocalLayerFrontRadius * count;
  const float *back = layers + FocalLayerBackRadius * count;
  const float *lowest = layers + FocalLayerReach * count;
  uint64_t *known = (uint64_t *)blocks;
  const int32_t across = (p->width + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  for (uint32_t row = begin; row < end; row++) {
    const int32_t top = (int32_t)row * FOCAL_BLOCK;
    const int32_t bottom = focal_min_int(top + FOCAL_BLOCK, height);
    for (int32_t x = 0; x < p->width; x += RUN) {
      const int32_t columns = focal_min_int(RUN, p->width - x);
      uint64_t sets[RUN] = {0};
      for (int32_t y = top; y < bottom; y++) {
        const size_t o = (size_t)y * (size_t)p->width + (size_t)x;
        addSlices(alpha + o, front + o, back + o, lowest + o, columns, p->slicing, p->groups,
                  p->firstSlice, sets);
      }
      for (int32_t first = 0; first < columns; first += FOCAL_BLOCK) {
        uint64_t bits = 0;
        for (int32_t i = 0; i < FOCAL_BLOCK; i++) bits |= sets[first + i];
        known[(int32_t)row * across + (x + first) / FOCAL_BLOCK] = bits;
      }
    }
  }
}
