// SPDX-License-Identifier: Apache-2.0
//
// Cells in reach of an edge, a row at a time.
#include "ShaderTypes.h"

/// Reach 1 where an edge cell lies within `radius` cells, else 0.
FOCAL_CLONES FOCAL_ENTRY_POINT(markReach) {
  FOCAL_BUFFERS(markReach)
  const int32_t w = p->width;
  for (uint32_t y = begin; y < end; y++) {
    uint8_t *row = reach + (size_t)y * w;
    for (int32_t x = 0; x < w; x++) row[x] = 0;
    for (int32_t j = -p->radius; j <= p->radius; j++) {
      const int32_t ny = (int32_t)y + j;
      if (ny < 0 || ny >= p->height) continue;
      const uint8_t *kinds = kind + (size_t)ny * w;
      for (int32_t k = -p->radius; k <= p->radius; k++) {
        const int32_t first = k < 0 ? -k : 0, last = k > 0 ? w - k : w;
        for (int32_t x = first; x < last; x++) row[x] |= kinds[x + k] != FocalCellFlat;
      }
    }
  }
}
