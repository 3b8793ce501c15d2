// SPDX-License-Identifier: Apache-2.0
//
// A row of radii is copied; then the pixels of blocks beside marked ones are looked at.
#include "ShaderTypes.h"

#define FOCAL_TAKES \
  const float4 *restrict source, const float *restrict radius, const FocalLinesParameters p,
#define FOCAL_PASSES source, radius, p,
#include <Layers/line_across.h>

FOCAL_CLONES FOCAL_ENTRY_POINT(joinLines) {
  FOCAL_BUFFERS(joinLines)
  const int32_t width = p->width;
  const int32_t across = (width + FOCAL_LINE_BLOCK - 1) / FOCAL_LINE_BLOCK;
  const int32_t down = (p->height + FOCAL_LINE_BLOCK - 1) / FOCAL_LINE_BLOCK;
  for (int32_t y = (int32_t)begin; y < (int32_t)end; y++) {
    const size_t row = (size_t)y * (size_t)width;
    memcpy(joined + row, radius + row, (size_t)width * sizeof(float));
    const int32_t line = y / FOCAL_LINE_BLOCK;
    const int32_t top = line > 0 ? line - 1 : 0, bottom = line + 1 < down ? line + 1 : line;
    for (int32_t column = 0; column < across; column++) {
      const int32_t left = column > 0 ? column - 1 : 0;
      const int32_t right = column + 1 < across ? column + 1 : column;
      int32_t any = 0;
      for (int32_t j = top; j <= bottom; j++) {
        for (int32_t i = left; i <= right; i++) any |= marks[(size_t)j * (size_t)across + (size_t)i];
      }
      if (!any) continue;
      const int32_t first = column * FOCAL_LINE_BLOCK;
      const int32_t last = focal_min_int(first + FOCAL_LINE_BLOCK, width);
      for (int32_t x = first; x < last; x++)
        joined[row + (size_t)x] = radiusWithLines(source, radius, *p, x, y);
    }
  }
}
