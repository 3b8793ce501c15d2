// SPDX-License-Identifier: Apache-2.0
//
// Spreading plateaus into the edges between them, block by block: the steps that follow each other are made while a
// block and its surroundings are in the cache.
#include "ShaderTypes.h"

#define STEPS FOCAL_LABEL_STEPS
/// Cells of a block, and of what is around it as well.
#define WIDTH 128
#define HEIGHT 16
#define ACROSS (WIDTH + 2 * STEPS)
#define DOWN (HEIGHT + 2 * STEPS)

/// Labels of a block and its surroundings.
struct Labels {
  float front[DOWN][ACROSS], back[DOWN][ACROSS];
};

/// A cell's labels after one step, from its own and its eight neighbours' (columns l, x, r of three rows); `lines` are the
/// map's rows, whose column `left` is the block's first.
FOCAL_FUNCTION void stepCell(const struct Labels *restrict in, const int32_t *rows,
                             const float *const *lines, float slack, int32_t left, int32_t l,
                             int32_t x, int32_t r, float *restrict front, float *restrict back) {
  const float d = lines[1][left + x], least = d - slack, most = d + slack;
  float f = FOCAL_NO_LABEL, b = -FOCAL_NO_LABEL;
  for (int32_t k = 0; k < 3; k++) {
    const float *fronts = in->front[rows[k]], *backs = in->back[rows[k]];
    const float f0 = fronts[l], f1 = fronts[x], f2 = fronts[r];
    const float b0 = backs[l], b1 = backs[x], b2 = backs[r];
    const float d0 = lines[k][left + l], d1 = lines[k][left + x], d2 = lines[k][left + r];
    f = focal_min(f, focal_min(focal_min(f0, d0) >= least ? f0 : FOCAL_NO_LABEL,
                               focal_min(focal_min(f1, d1) >= least ? f1 : FOCAL_NO_LABEL,
                                         focal_min(f2, d2) >= least ? f2 : FOCAL_NO_LABEL)));
    b = focal_max(b, focal_max(focal_max(b0, d0) <= most ? b0 : -FOCAL_NO_LABEL,
                               focal_max(focal_max(b1, d1) <= most ? b1 : -FOCAL_NO_LABEL,
                                         focal_max(b2, d2) <= most ? b2 : -FOCAL_NO_LABEL)));
  }
  const float ownFront = in->front[rows[1]][x], ownBack = in->back[rows[1]][x];
  front[x] = ownFront < FOCAL_NO_LABEL ? ownFront : f;
  back[x] = ownBack > -FOCAL_NO_LABEL ? ownBack : b;
}

/// One step of a block whose surroundings begin at (left, top) of the map, for cells from x0, y0 to before x1, y1. At the
/// map's border the outermost cells stand in for the missing ones.
FOCAL_FUNCTION void step(const struct FocalFindSidesParameters *p, const float *restrict map,
                         const struct Labels *restrict in, struct Labels *restrict out,
                         int32_t left, int32_t top, int32_t x0, int32_t y0, int32_t x1,
                         int32_t y1) {
  const float slack = FOCAL_LABEL_SLACK * p->edgeThreshold;
  for (int32_t y = y0; y < y1; y++) {
    const int32_t rows[3] = {focal_max_int(y - 1, 0) - top, y - top,
                             focal_min_int(y + 1, p->height - 1) - top};
    const float *lines[3];
    for (int32_t k = 0; k < 3; k++) {
      lines[k] = map + (size_t)(rows[k] + top) * (size_t)p->width;
    }
    float *restrict front = out->front[y - top], *restrict back = out->back[y - top];
    // Columns that have both neighbours; the others are the map's first and last.
    const int32_t first = focal_max_int(x0, 1), end = focal_min_int(x1, p->width - 1);
    for (int32_t x = x0; x < x1; x++) {
      if (x == first && end > first) x = end;
      if (x >= x1) break;
      const int32_t l = focal_max_int(x - 1, 0) - left;
      const int32_t r = focal_min_int(x + 1, p->width - 1) - left;
      stepCell(in, rows, lines, slack, left, l, x - left, r, front, back);
    }
    for (int32_t x = first; x < end; x++) {
      stepCell(in, rows, lines, slack, left, x - left - 1, x - left, x - left + 1, front, back);
    }
  }
}

/// FOCAL_LABEL_STEPS steps: a cell without a front takes the smallest front of its neighbours that is not below it, a
/// cell without a back the largest back that is not above it; a front comes over cells that are not below it
/// either, a back over none above it: a valley is no way.
FOCAL_CLONES FOCAL_ENTRY_POINT(spreadSides) {
  FOCAL_BUFFERS(spreadSides)
  struct Labels labels[2];
  for (int32_t y = (int32_t)begin; y < (int32_t)end; y += HEIGHT) {
    const int32_t endY = focal_min_int(y + HEIGHT, (int32_t)end);
    for (int32_t x = 0; x < p->width; x += WIDTH) {
      const int32_t endX = focal_min_int(x + WIDTH, p->width);
      const int32_t left = x - STEPS, top = y - STEPS;
      const int32_t x0 = focal_max_int(left, 0), x1 = focal_min_int(endX + STEPS, p->width);
      const int32_t y0 = focal_max_int(top, 0), y1 = focal_min_int(endY + STEPS, p->height);
      const size_t bytes = (size_t)(x1 - x0) * sizeof(float);
      for (int32_t row = y0; row < y1; row++) {
        const size_t o = (size_t)row * (size_t)p->width + (size_t)x0;
        memcpy(&labels[0].front[row - top][x0 - left], frontIn + o, bytes);
        memcpy(&labels[0].back[row - top][x0 - left], backIn + o, bytes);
      }
      for (int32_t n = 1; n <= STEPS; n++) {
        // Exact for one cell less on each side, except at the map's border.
        step(p, map, &labels[(n - 1) & 1], &labels[n & 1], left, top,
             focal_max_int(x - STEPS + n, 0), focal_max_int(y - STEPS + n, 0),
             focal_min_int(endX + STEPS - n, p->width), focal_min_int(endY + STEPS - n, p->height));
      }
      const struct Labels *spread = &labels[STEPS & 1];
      for (int32_t row = y; row < endY; row++) {
        const size_t o = (size_t)row * (size_t)p->width + (size_t)x;
        memcpy(front + o, spread->front[row - top] + STEPS, (size_t)(endX - x) * sizeof(float));
        memcpy(back + o, spread->back[row - top] + STEPS, (size_t)(endX - x) * sizeof(float));
      }
    }
  }
}
