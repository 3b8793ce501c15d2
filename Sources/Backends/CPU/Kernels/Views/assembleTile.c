// SPDX-License-Identifier: Apache-2.0
//
// Cuts the layers around a tile into slices of one shift each, ready to be read by viewTile with
// contiguous loads.

#include "lanes.h"

/// Columns [0, count) of one row of a slice, from the layers' row at `o`.
FOCAL_FUNCTION void sliceRow(const float *restrict layers, size_t plane, size_t o, int32_t count,
                             float k, int32_t isNear, const struct FocalViewsParameters *p,
                             float *restrict r, float *restrict g, float *restrict b,
                             float *restrict a) {
  const float *restrict fr = layers + FocalLayerFrontR * plane + o;
  const float *restrict fg = layers + FocalLayerFrontG * plane + o;
  const float *restrict fb = layers + FocalLayerFrontB * plane + o;
  const float *restrict alpha = layers + FocalLayerAlpha * plane + o;
  const float *restrict front = layers + FocalLayerFrontRadius * plane + o;
  const float *restrict br = layers + FocalLayerBackR * plane + o;
  const float *restrict bg = layers + FocalLayerBackG * plane + o;
  const float *restrict bb = layers + FocalLayerBackB * plane + o;
  const float *restrict back = layers + FocalLayerBackRadius * plane + o;
  const float *restrict lowest = layers + FocalLayerReach * plane + o;
  const struct FocalSlicing slicing = p->slicing;
  const struct FocalGroups groups = p->groups;
  for (int32_t x = 0; x < count; x++) {
    const float share = focal_groupShare(groups, isNear, front[x]);
    const float own = focal_sliceOf(slicing, front[x]);
    const float f = focal_sliceCoverage(alpha[x] * share, own, lowest[x], k);
    const float hidden = focal_groupShare(groups, isNear, back[x]);
    // A missing back lies at no slice at all; keep its index in range.
    const float s = focal_sliceOf(slicing, focal_max(back[x], -1.0e6f));
    // Where both lie between the same two slices, the nearer one has only a part of the front, and
    // a part of the back there would lie before the rest of the front.
    const float c = k > own ? 0.0f : hidden * focal_sliceCoverage(hidden, s, 1.0e9f, k);
    // Alpha of a visible pixel is never 0; colours are premultiplied by it.
    const float u = f * focal_reciprocal(focal_max(alpha[x], 1.0e-3f));
    const float unscaled = alpha[x] >= 1.0f ? f : u;
    const float w = (1.0f - f) * c;
    r[x] = unscaled * fr[x] + w * br[x];
    g[x] = unscaled * fg[x] + w * bg[x];
    b[x] = unscaled * fb[x] + w * bb[x];
    a[x] = f + w;
  }
}

/// The part of a plane that is not zero.
struct Covered {
  int32_t firstRow, endRow, firstColumn, endColumn;
};

/// Box of fractional `width` over rows then columns of one plane, which is
/// zero outside `covered`.
FOCAL_FUNCTION void boxFilter(float *restrict plane, float *restrict temporary, int32_t stride,
                              int32_t rows, struct Covered covered, float width) {
  const float half = 0.5f * (width - 1.0f);
  const int32_t whole = (int32_t)half;
  const int32_t taps = whole + 1;
  const float scale = focal_reciprocal(width), edge = (half - (float)whole) * scale;
  // Everything farther outside is zero and stays so.
  const int32_t firstRow = focal_clamp_int(covered.firstRow - taps, 0, rows);
  const int32_t endRow = focal_clamp_int(covered.endRow + taps, 0, rows);
  const int32_t first = focal_clamp_int(covered.firstColumn - taps, taps, stride - taps);
  const int32_t end = focal_clamp_int(covered.endColumn + taps, taps, stride - taps);
  for (int32_t y = firstRow; y < endRow; y++) {
    float *restrict out = temporary + (size_t)y * (size_t)stride;
    const float *row = plane + (size_t)y * (size_t)stride;
    if (y < taps || y >= rows - taps) {
      for (int32_t x = first - taps; x < end + taps; x++) out[x] = row[x];
      continue;
    }
    for (int32_t x = first - taps; x < end + taps; x++) out[x] = row[x] * scale;
    for (int32_t j = 1; j <= taps; j++) {
      const float w = j == taps ? edge : scale;
      const float *restrict up = row - (size_t)j * (size_t)stride;
      const float *restrict down = row + (size_t)j * (size_t)stride;
      for (int32_t x = first - taps; x < end + taps; x++) out[x] += w * (up[x] + down[x]);
    }
  }
  for (int32_t y = firstRow; y < endRow; y++) {
    const float *restrict in = temporary + (size_t)y * (size_t)stride;
    float *restrict out = plane + (size_t)y * (size_t)stride;
    for (int32_t x = first; x < end; x++) out[x] = in[x] * scale;
    for (int32_t j = 1; j <= taps; j++) {
      const float w = j == taps ? edge : scale;
      for (int32_t x = first; x < end; x++) out[x] += w * (in[x - j] + in[x + j]);
    }
  }
}

/// The first and one past the last column of each row of a slot that hold something, and the states of its cells.
///
/// Cells at the right may be narrower, those at the bottom lower.
FOCAL_FUNCTION void findContents(const float *alpha, int32_t stride, int32_t rows,
                                 int32_t *restrict extents, uint8_t *restrict states) {
  const int32_t across = tileCells(stride, FOCAL_CELL_WIDTH);
  for (int32_t y0 = 0; y0 < rows; y0 += FOCAL_CELL_HEIGHT) {
    const int32_t y1 = focal_min_int(y0 + FOCAL_CELL_HEIGHT, rows);
    int32_t first = across, last = -1;
    for (int32_t c = 0; c < across; c++) {
      const int32_t x = c * FOCAL_CELL_WIDTH, count = focal_min_int(FOCAL_CELL_WIDTH, stride - x);
      LaneMask holds = {0}, thin = {0};
      for (int32_t y = y0; y < y1; y++) {
        const float *row = alpha + (size_t)y * (size_t)stride + x;
        Lanes a = (Lanes){0} + 1.0f;
        memcpy(&a, row, (size_t)count * sizeof *row);
        thin |= a < FOCAL_OPAQUE;
        if (count < FOCAL_CELL_WIDTH) {
          a = (Lanes){0};
          memcpy(&a, row, (size_t)count * sizeof *row);
        }
        holds |= a != 0.0f;
      }
      const int32_t any = anyOf(&holds);
      states[(y0 / FOCAL_CELL_HEIGHT) * across + c] =
          (uint8_t)((any ? CellHolds : 0) | (anyOf(&thin) ? 0 : CellIsOpaque));
      if (any) {
        first = focal_min_int(first, c);
        last = c;
      }
    }
    for (int32_t y = y0; y < y1; y++) {
      const float *a = alpha + (size_t)y * (size_t)stride;
      int32_t lo = focal_min_int(first * FOCAL_CELL_WIDTH, stride);
      int32_t hi = focal_clamp_int((last + 1) * FOCAL_CELL_WIDTH, lo, stride);
      while (lo < hi && a[lo] == 0.0f) lo++;
      while (hi > lo && a[hi - 1] == 0.0f) hi--;
      extents[2 * y] = lo;
      extents[2 * y + 1] = hi;
    }
  }
}

FOCAL_CLONES
void focal_assembleTile(const struct TileWork *work, const struct FocalViewsParameters *p) {
  const struct FocalTile *t = work->tile;
  const float *layers = work->layers, *lens = work->lens;
  const uint64_t *blocks = work->blocks;
  float *pool = work->pool;
  const int32_t blocksAcross = (p->width + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  const size_t plane = (size_t)p->width * (size_t)focal_rows(p->rows, p->height);
  const size_t size = focal_tilePlane(t);
  int32_t *extents = (int32_t *)(pool + focal_tileExtents(t));
  int32_t *shifts = (int32_t *)(pool + focal_tileShifts(t));
  const int32_t left = t->x - t->reach, top = t->y - t->reach;
  const int32_t firstColumn = left < 0 ? -left : 0;
  const int32_t endColumn = left + t->stride > p->width ? p->width - left : t->stride;
  const int32_t lensCount = p->lensCount[t->lensSet];
  const float *points = lens + 2 * p->lensStart[t->lensSet];
  for (int32_t j = 0; j < t->slots; j++) {
    float *slot = pool + (size_t)j * 4 * size;
    const float k = (float)t->slice[j], radius = focal_radiusOf(p->slicing, k);
    const uint64_t bit = (uint64_t)1 << (t->slice[j] - p->firstSlice);
    struct Covered covered = {t->rows, 0, t->stride, 0};
    for (int32_t y = 0; y < t->rows; y++) {
      float *row = slot + (size_t)y * (size_t)t->stride;
      const int32_t sy = focal_mirrored(top + y, p->height) - p->originY;
      // Only the blocks that have something in this slice.
      const uint64_t *line = blocks + (size_t)(sy / FOCAL_BLOCK) * (size_t)blocksAcross;
      int32_t from = (left + firstColumn) / FOCAL_BLOCK;
      int32_t to = (left + endColumn - 1) / FOCAL_BLOCK + 1;
      while (from < to && !(line[from] & bit)) from++;
      while (to > from && !(line[to - 1] & bit)) to--;
      int32_t begins = from * FOCAL_BLOCK - left, ends = to * FOCAL_BLOCK - left;
      if (begins < firstColumn) begins = firstColumn;
      if (ends > endColumn) ends = endColumn;
      if (ends <= begins) begins = ends = firstColumn;
      for (size_t c = 0; c < 4; c++) {
        memset(row + c * size, 0, (size_t)begins * 4);
        memset(row + c * size + ends, 0, (size_t)(t->stride - ends) * 4);
      }
      if (ends <= begins) continue;
      covered.firstRow = focal_min_int(covered.firstRow, y);
      covered.endRow = y + 1;
      covered.firstColumn = focal_min_int(covered.firstColumn, begins);
      covered.endColumn = focal_max_int(covered.endColumn, ends);
      const size_t o = (size_t)sy * (size_t)p->width + (size_t)(left + begins);
      sliceRow(layers, plane, o, ends - begins, k, j < t->nearSlots, p, row + begins,
               row + size + begins, row + 2 * size + begins, row + 3 * size + begins);
      for (int32_t x = 0; x < t->stride; x++) {
        if (x == firstColumn) x = endColumn;
        if (x >= t->stride) break;
        const int32_t source =
            focal_clamp_int(focal_mirrored(left + x, p->width) - left, firstColumn, endColumn - 1);
        for (size_t c = 0; c < 4; c++) row[c * size + (size_t)x] = row[c * size + (size_t)source];
      }
    }
    // Beyond the picture's border lie mirrored columns.
    if (firstColumn > 0) covered.firstColumn = 0;
    if (endColumn < t->stride) covered.endColumn = t->stride;
    const float width = focal_spreadWidth(radius, lensCount, p->cell[t->lensSet]);
    if (width > 1.0f) {
      // Twice, a triangle: it spreads each source over its lens cell and its neighbours', so that
      // few lens points suffice for a clean disc (one box leaves twice the ripple);
      // premultiplied, it does not carry colour over depth edges.
      const int32_t spread = focal_spreadTaps(width);
      const struct Covered wider = {covered.firstRow - spread, covered.endRow + spread,
                                    covered.firstColumn - spread, covered.endColumn + spread};
      for (size_t c = 0; c < 4; c++) {
        float *temporary = pool + 4 * (size_t)t->slots * size;
        boxFilter(slot + c * size, temporary, t->stride, t->rows, covered, width);
        boxFilter(slot + c * size, temporary, t->stride, t->rows, wider, width);
      }
    }
    const float across = focal_movedRadius(radius, width, p->extraVariance, p->narrowX);
    const float down = focal_movedRadius(radius, width, p->extraVariance, p->narrowY);
    for (int32_t v = 0; v < lensCount; v++) {
      int32_t *shift = shifts + 2 * (v * t->slots + j);
      shift[0] = focal_roundedAway(points[2 * v] * across);
      shift[1] = focal_roundedAway(points[2 * v + 1] * down);
    }
  }
  for (int32_t j = 0; j < t->slots; j++) {
    const float *alpha = pool + (size_t)j * 4 * size + 3 * size;
    const int32_t cells =
        tileCells(t->stride, FOCAL_CELL_WIDTH) * tileCells(t->rows, FOCAL_CELL_HEIGHT);
    findContents(alpha, t->stride, t->rows, extents + 2 * j * t->rows,
                 tileCellStates(pool, t->slots, size) + (size_t)j * (size_t)cells);
  }
}
