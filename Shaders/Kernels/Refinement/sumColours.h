// SPDX-License-Identifier: Apache-2.0
//
// Colour sums of the sides of each cell. Grid: cells.
//
// The processor keeps a sum for each of the FOCAL_CELL_LANES columns of a cell and adds them in a
// tree. Here one invocation goes through the cell column by column, in the order in which the tree
// takes them, and so needs only the sums of the branches that are open.

#include "cell_pixels.h"

FOCAL_STRUCT(SideSum) {
  float4 colour;  // weight, then red, green, blue by weight
  float squares;
};
FOCAL_STRUCT(CellSums) { SideSum front, back, middle; };

FOCAL_FUNCTION SideSum plus(SideSum a, SideSum b) {
  const SideSum sum = {a.colour + b.colour, a.squares + b.squares};
  return sum;
}

FOCAL_FUNCTION CellSums bothOf(CellSums a, CellSums b) {
  const CellSums both = {plus(a.front, b.front), plus(a.back, b.back), plus(a.middle, b.middle)};
  return both;
}

FOCAL_FUNCTION SideSum withPixel(SideSum s, float weight, float r, float g, float b, float q) {
  const SideSum sum = {s.colour + FOCAL_FLOAT4(weight, weight * r, weight * g, weight * b),
                       s.squares + weight * q};
  return sum;
}

// Sums over the pixels x0 + lane, x0 + lane + FOCAL_CELL_LANES... of all rows of cell (c, cy).
FOCAL_FUNCTION CellSums sumLane(FOCAL_TAKES int32_t c, int32_t cy, int32_t lane) {
  const FocalRefineSize s = p.size;
  const int32_t i = cy * s.mapWidth + c;
  const int32_t x0 = focal_cell_begin(c, s.mapWidth, s.width);
  const int32_t x1 = focal_cell_begin(c + 1, s.mapWidth, s.width);
  const int32_t y0 = focal_max_int(focal_cell_begin(cy, s.mapHeight, s.height), s.originY);
  const int32_t y1 =
      focal_min_int(focal_cell_begin(cy + 1, s.mapHeight, s.height), focal_window_end(s));
  const bool flatCell = FOCAL_INT(kind[i]) == FocalCellFlat;
  const FocalCellSides sides = sidesOf(FOCAL_PASSES i);
  const SideSum none = {FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), 0.0f};
  CellSums lanes = {none, none, none};
  for (int32_t y = y0; y < y1; y++) {
    const FocalCellSlope slope = slopeOf(FOCAL_PASSES focal_row_pair(s, FOCAL_UINT(y)), c);
    for (int32_t x = x0 + lane; x < x1; x += FOCAL_CELL_LANES) {
      const int32_t at = (y - s.originY) * s.width + x;
      const uint32_t code = guide[at];
      const float r = guideRed(code), g = guideGreen(code), b = guideBlue(code);
      const float q = r * r + g * g + b * b;
      if (flatCell) {
        lanes.front = withPixel(lanes.front, 1.0f, r, g, b, q);
        continue;
      }
      const float v = mapAt(s, slope, c, x0, x);
      float inFront, behind;
      if (p.decided != 0) {
        const float f = focal_unit(0.5f + FOCAL_DECIDED_SLOPE * decision[at]);
        inFront = f * f;
        behind = (1.0f - f) * (1.0f - f);
      } else {
        const float t = edgeShare(sides, v);
        inFront = focal_unit((t - FOCAL_PURE_FROM) * FOCAL_PER_PURITY);
        behind = focal_unit((1.0f - FOCAL_PURE_FROM - t) * FOCAL_PER_PURITY);
      }
      if (sides.hasMiddle != 0) {
        const bool above = v > sides.middle;
        lanes.middle = withPixel(lanes.middle, above ? behind : inFront, r, g, b, q);
        inFront = above ? inFront : 0.0f;
        behind = above ? 0.0f : behind;
      }
      lanes.front = withPixel(lanes.front, inFront, r, g, b, q);
      lanes.back = withPixel(lanes.back, behind, r, g, b, q);
    }
  }
  return lanes;
}

FOCAL_FUNCTION CellSums sumPair(FOCAL_TAKES int32_t c, int32_t cy, int32_t lane) {
  const CellSums first = sumLane(FOCAL_PASSES c, cy, lane);
  return bothOf(first, sumLane(FOCAL_PASSES c, cy, lane + 4));
}

FOCAL_FUNCTION FocalSideSums record(SideSum s) {
  const FocalSideSums all = {s.colour.x, s.colour.y, s.colour.z, s.colour.w,
                             s.squares,  0.0f,       0.0f,       0.0f};
  return all;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t line, int32_t z) {
  const int32_t y = line + p.size.mapOriginY;
  if (x >= p.size.mapWidth || line >= focal_rows(p.size.mapRows, p.size.mapHeight)) return;
  const int32_t i = y * p.size.mapWidth + x;
  if (FOCAL_INT(reach[i]) == 0) return;
  const int32_t own = (line * p.size.mapWidth + x) * FocalSideCount;
  const CellSums first = sumPair(FOCAL_PASSES x, y, 0);
  const CellSums evens = bothOf(first, sumPair(FOCAL_PASSES x, y, 2));
  const CellSums second = sumPair(FOCAL_PASSES x, y, 1);
  const CellSums total = bothOf(evens, bothOf(second, sumPair(FOCAL_PASSES x, y, 3)));
  sums[own + FocalSideFront] = record(total.front);
  sums[own + FocalSideBack] = record(total.back);
  sums[own + FocalSideMiddle] = record(total.middle);
}

FOCAL_ENTRY(sumColours)
