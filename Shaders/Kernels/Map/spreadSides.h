// SPDX-License-Identifier: Apache-2.0
//
// One pass of spreading plateaus into the edges between them: a cell without a front takes the
// smallest front of its neighbours that is not below it, a cell without a back the largest back
// that is not above it. Grid: cells.

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const int32_t i = y * p.width + x;
  const float slack = FOCAL_LABEL_SLACK * p.edgeThreshold;
  const float least = map[i] - slack, most = map[i] + slack;
  float f = FOCAL_NO_LABEL, b = -FOCAL_NO_LABEL;
  for (int32_t j = -1; j <= 1; j++) {
    const int32_t row = focal_clamp_int(y + j, 0, p.height - 1) * p.width;
    for (int32_t k = -1; k <= 1; k++) {
      const int32_t o = row + focal_clamp_int(x + k, 0, p.width - 1);
      const float there = frontIn[o], behind = backIn[o];
      f = focal_min(f, there >= least ? there : FOCAL_NO_LABEL);
      b = focal_max(b, behind <= most ? behind : -FOCAL_NO_LABEL);
    }
  }
  front[i] = frontIn[i] < FOCAL_NO_LABEL ? frontIn[i] : f;
  back[i] = backIn[i] > -FOCAL_NO_LABEL ? backIn[i] : b;
}

FOCAL_ENTRY(spreadSides)
