// SPDX-License-Identifier: Apache-2.0
//
// Spreads plateaus into the edges between them, FOCAL_LABEL_STEPS times by a cell: a cell without a front takes the
// smallest front of its neighbours that is not below it, a cell without a back the largest back that is not
// above it; a front comes over cells that are not below it either, a back over none above it: a valley is no way. Grid: cells, in workgroups of FOCAL_LABEL_WIDTH x FOCAL_LABEL_HEIGHT.
//
// A workgroup keeps its cells and as many around them as there are steps in its own memory, twice; each step
// is exact for one cell less on each side.

#define ACROSS (FOCAL_LABEL_WIDTH + 2 * FOCAL_LABEL_STEPS)
#define DOWN (FOCAL_LABEL_HEIGHT + 2 * FOCAL_LABEL_STEPS)
#define LANES (FOCAL_LABEL_WIDTH * FOCAL_LABEL_HEIGHT)

/// A cell's labels after a step, from the labels before it from `from` on in the workgroup's memory, whose first cell is
/// (left, top) of the map.
FOCAL_FUNCTION void stepCell(FOCAL_TAKES int32_t x, int32_t y, int32_t left, int32_t top,
                             int32_t from, int32_t to) {
  const float slack = FOCAL_LABEL_SLACK * p.edgeThreshold;
  const float own = map[y * p.width + x], least = own - slack, most = own + slack;
  float f = FOCAL_NO_LABEL, b = -FOCAL_NO_LABEL;
  for (int32_t j = -1; j <= 1; j++) {
    const int32_t line = focal_clamp_int(y + j, 0, p.height - 1);
    for (int32_t k = -1; k <= 1; k++) {
      const int32_t column = focal_clamp_int(x + k, 0, p.width - 1);
      const int32_t o = from + (line - top) * ACROSS + column - left;
      const float there = fronts[o], behind = backs[o], value = map[line * p.width + column];
      f = focal_min(f, focal_min(there, value) >= least ? there : FOCAL_NO_LABEL);
      b = focal_max(b, focal_max(behind, value) <= most ? behind : -FOCAL_NO_LABEL);
    }
  }
  const int32_t i = (y - top) * ACROSS + x - left;
  fronts[to + i] = fronts[from + i] < FOCAL_NO_LABEL ? fronts[from + i] : f;
  backs[to + i] = backs[from + i] > -FOCAL_NO_LABEL ? backs[from + i] : b;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t lane = FOCAL_LOCAL_Y() * FOCAL_LABEL_WIDTH + FOCAL_LOCAL_X();
  const int32_t left = x - FOCAL_LOCAL_X() - FOCAL_LABEL_STEPS;
  const int32_t top = y - FOCAL_LOCAL_Y() - FOCAL_LABEL_STEPS;
  for (int32_t i = lane; i < ACROSS * DOWN; i += LANES) {
    const int32_t cx = focal_clamp_int(left + i % ACROSS, 0, p.width - 1);
    const int32_t cy = focal_clamp_int(top + i / ACROSS, 0, p.height - 1);
    fronts[i] = frontIn[cy * p.width + cx];
    backs[i] = backIn[cy * p.width + cx];
  }
  FOCAL_BARRIER();
  for (int32_t step = 1; step <= FOCAL_LABEL_STEPS; step++) {
    const int32_t to = (step & 1) * ACROSS * DOWN, from = ACROSS * DOWN - to;
    for (int32_t i = lane; i < ACROSS * DOWN; i += LANES) {
      const int32_t lx = i % ACROSS, ly = i / ACROSS;
      const bool isExact = lx >= step && lx < ACROSS - step && ly >= step && ly < DOWN - step;
      const int32_t cx = left + lx, cy = top + ly;
      if (!isExact || cx < 0 || cx >= p.width || cy < 0 || cy >= p.height) continue;
      stepCell(FOCAL_PASSES cx, cy, left, top, from, to);
    }
    FOCAL_BARRIER();
  }
  if (x >= p.width || y >= p.height) return;
  const int32_t i = (y - top) * ACROSS + x - left + (FOCAL_LABEL_STEPS & 1) * ACROSS * DOWN;
  front[y * p.width + x] = fronts[i];
  back[y * p.width + x] = backs[i];
}

FOCAL_ENTRY(spreadSides)
