// SPDX-License-Identifier: Apache-2.0
//
// A stored picture to linear RGBA, and to half its size. Range: rows of the half.

#include <unpackRows.h>

// Rows of the half that are made at once, of pixels that are still in the cache.
#define HALF_ROWS 4

// As `halve` adds them: in pairs, so that a mirrored picture gives mirrored means.
FOCAL_FUNCTION void halve_row(const float4 *restrict upper, const float4 *restrict lower,
                              int32_t width, float4 *restrict out) {
  const int32_t pairs = width >> 1;
  for (int32_t x = 0; x < pairs; x++) {
    out[x] =
        0.25f * ((upper[2 * x] + lower[2 * x]) + (upper[2 * x + 1] + lower[2 * x + 1]));
  }
  if (width & 1) {
    const float4 last = upper[width - 1] + lower[width - 1];
    out[pairs] = 0.25f * (last + last);
  }
}

FOCAL_CLONES FOCAL_ENTRY_POINT(unpackHalved) {
  FOCAL_BUFFERS(unpackHalved)
  const uint32_t rows = (uint32_t)focal_rows(p->rows, p->height);
  const int64_t width = p->width, halfWidth = (width + 1) >> 1;
  for (uint32_t first = begin; first < end; first += HALF_ROWS) {
    const uint32_t past = end - first < HALF_ROWS ? end : first + HALF_ROWS;
    unpack_rows(p, bytes, chromaBytes, linear, 2 * first, 2 * past < rows ? 2 * past : rows);
    for (uint32_t y = first; y < past; y++) {
      const uint32_t below = 2 * y + 1 < rows ? 2 * y + 1 : rows - 1;
      halve_row(linear + 2 * y * width, linear + below * width, p->width, halved + y * halfWidth);
    }
  }
}
