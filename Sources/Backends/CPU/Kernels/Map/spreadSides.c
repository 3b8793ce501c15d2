// SPDX-License-Identifier: Apache-2.0
//
// One pass of spreading plateaus into the edges between them, a row at a time.
#include "ShaderTypes.h"

struct Labels {
  const float *front[3], *back[3];
};

/// Labels of one cell after one pass, from its own and its eight neighbours' (columns l, x, r of
/// three rows).
FOCAL_FUNCTION void spreadCell(struct Labels in, float d, float slack, int32_t l, int32_t x,
                               int32_t r, float *front, float *back) {
  const float least = d - slack, most = d + slack;
  float f = FOCAL_NO_LABEL, b = -FOCAL_NO_LABEL;
  for (int32_t k = 0; k < 3; k++) {
    const float f0 = in.front[k][l], f1 = in.front[k][x], f2 = in.front[k][r];
    const float b0 = in.back[k][l], b1 = in.back[k][x], b2 = in.back[k][r];
    f = focal_min(f, focal_min(f0 >= least ? f0 : FOCAL_NO_LABEL,
                               focal_min(f1 >= least ? f1 : FOCAL_NO_LABEL,
                                         f2 >= least ? f2 : FOCAL_NO_LABEL)));
    b = focal_max(b, focal_max(b0 <= most ? b0 : -FOCAL_NO_LABEL,
                               focal_max(b1 <= most ? b1 : -FOCAL_NO_LABEL,
                                         b2 <= most ? b2 : -FOCAL_NO_LABEL)));
  }
  *front = in.front[1][x] < FOCAL_NO_LABEL ? in.front[1][x] : f;
  *back = in.back[1][x] > -FOCAL_NO_LABEL ? in.back[1][x] : b;
}

/// One pass: a cell without a front takes the smallest front of its neighbours that is not below
/// it, a cell without a back the largest back that is not above it. At the border the outermost
/// cells stand in for the missing ones.
FOCAL_CLONES FOCAL_ENTRY_POINT(spreadSides) {
  FOCAL_BUFFERS(spreadSides)
  const float slack = FOCAL_LABEL_SLACK * p->edgeThreshold;
  const int32_t w = p->width;
  for (uint32_t y = begin; y < end; y++) {
    const size_t i = (size_t)y * w;
    struct Labels in;
    for (int32_t k = 0; k < 3; k++) {
      int32_t row = (int32_t)y + k - 1;
      row = row < 0 ? 0 : row < p->height ? row : p->height - 1;
      in.front[k] = frontIn + (size_t)row * w;
      in.back[k] = backIn + (size_t)row * w;
    }
    spreadCell(in, map[i], slack, 0, 0, w > 1 ? 1 : 0, &front[i], &back[i]);
    for (int32_t x = 1; x < w - 1; x++)
      spreadCell(in, map[i + x], slack, x - 1, x, x + 1, &front[i + x], &back[i + x]);
    if (w > 1)
      spreadCell(in, map[i + w - 1], slack, w - 2, w - 1, w - 1, &front[i + w - 1],
                 &back[i + w - 1]);
  }
}
