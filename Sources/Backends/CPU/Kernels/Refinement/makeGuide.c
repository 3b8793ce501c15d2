// SPDX-License-Identifier: Apache-2.0
//
// Guide picture: 8 bits a channel, packed as red | green << 8 | blue << 16 | alpha << 24. The
// square root of linear light is near enough to equal steps of lightness for colours to be
// compared; a float picture would cost four times the memory traffic. Codes 0...255 stand for 0...2
// times display white, so that a lamp still differs from a wall.
#include "ShaderTypes.h"
#include "cells.h"

FOCAL_FUNCTION uint8_t codeOf(float linear) {
  return (uint8_t)(int32_t)(focal_sqrt(focal_clamp(linear, 0.0f, 2.0f)) * FOCAL_GUIDE_SCALE + 0.5f);
}

FOCAL_FUNCTION void convertRun(const float *restrict source, uint8_t *restrict result, size_t first,
                               size_t last) {
  for (size_t i = first; i < last; i++) result[i] = codeOf(source[i]);
}

/// Means of 2x2 pixels; past an odd border the last pixel stands in for the missing one.
FOCAL_FUNCTION void halveRun(const float *restrict upper, const float *restrict lower,
                             uint8_t *restrict result, int32_t first, int32_t last,
                             int32_t sourceWidth) {
  const int32_t whole = last < sourceWidth / 2 ? last : sourceWidth / 2;
  for (int32_t x = first; x < whole; x++) {
    FOCAL_TAP_LOOP
    for (int32_t k = 0; k < 4; k++) {
      const int32_t i = 8 * x + k;
      result[4 * x + k] = codeOf(0.25f * ((upper[i] + upper[i + 4]) + (lower[i] + lower[i + 4])));
    }
  }
  for (int32_t x = whole > first ? whole : first; x < last; x++) {
    for (int32_t k = 0; k < 4; k++)
      result[4 * x + k] = codeOf(0.5f * (upper[8 * x + k] + lower[8 * x + k]));
  }
}

/// The bilinear map along one row at pixels [x0, x1) of cell c.
FOCAL_FUNCTION void readMap(struct FocalCellSlope slope, const struct FocalRefineSize *s, int32_t c,
                            int32_t x0, int32_t x1, float *restrict values) {
  for (int32_t x = x0; x < x1; x += FOCAL_CELL_LANES) {
    const float origin = ((float)x + 0.5f) * s->cellsPerPixelX - ((float)c + 0.5f);
    const int32_t n = x1 - x < FOCAL_CELL_LANES ? x1 - x : FOCAL_CELL_LANES;
    for (int32_t k = 0; k < n; k++)
      values[x + k] = focal_slope_at(slope, origin + (float)k * s->cellsPerPixelX);
  }
}

FOCAL_CLONES FOCAL_ENTRY_POINT(makeGuide) {
  FOCAL_BUFFERS(makeGuide)
  const float *light = (const float *)source;
  uint8_t *result = (uint8_t *)guide;
  const struct FocalRefineSize *s = &p->size;
  const int32_t w = s->mapWidth;
  for (uint32_t line = begin; line < end; line++) {
    const int32_t y = (int32_t)line + p->firstRow;
    const uint8_t *cells = reach + (size_t)focal_cell_of(y, s->mapHeight, s->height) * w;
    const size_t row = (size_t)(y - s->originY) * s->width;
    // Rows of the source's buffer.
    const int32_t upper = (p->halve ? 2 * y : y) - p->sourceOriginY;
    const int32_t lower = 2 * y + 1 < p->sourceHeight ? upper + 1 : upper;
    const struct FocalRowPair rows = focal_row_pair(*s, (uint32_t)y);
    struct FocalCellWalk walk = focal_cell_walk(w, s->width);
    // The first pixel of the cells in reach that are being gone through.
    int32_t first = 0;
    for (int32_t c = 0; c < w; c++) {
      const int32_t x0 = walk.end;
      focal_cell_next(&walk);
      const int32_t x1 = walk.end;
      if (!cells[c]) {
        for (int32_t x = x0; x < x1; x++) values[row + (size_t)x] = FOCAL_NO_LABEL;
        first = x1;
        continue;
      }
      readMap(focal_cell_slope(map, w, &rows, c), s, c, x0, x1, values + row);
      if (c + 1 < w && cells[c + 1]) continue;
      if (p->halve) {
        halveRun(light + 4 * (size_t)upper * p->sourceWidth,
                 light + 4 * (size_t)lower * p->sourceWidth, result + 4 * row, first, x1,
                 p->sourceWidth);
      } else {
        convertRun(light + 4 * (size_t)upper * p->sourceWidth, result + 4 * row, 4 * (size_t)first,
                   4 * (size_t)x1);
      }
    }
  }
}
