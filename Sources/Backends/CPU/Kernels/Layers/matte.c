// SPDX-License-Identifier: Apache-2.0
#include "ShaderTypes.h"

#define FOCAL_TAKES \
  const float4 *restrict source, const float *restrict radius, const FocalMatteParameters p,
#define FOCAL_PASSES source, radius, p,
#include <Layers/back_across.h>

/// Smallest and largest radius in the 3 x 3 neighbourhood of (x, y).
FOCAL_FUNCTION void neighbourhood(const float *radius, int32_t width, int32_t height, int32_t x,
                                  int32_t y, float *low, float *high) {
  float lo = 1.0e30f, hi = -1.0e30f;
  const int32_t first = x > 0 ? x - 1 : x, last = x + 1 < width ? x + 1 : x;
  for (int32_t j = -1; j <= 1; j++) {
    const float *row = radius + (size_t)focal_clamp_int(y + j, 0, height - 1) * (size_t)width;
    for (int32_t i = first; i <= last; i++) {
      const float v = row[i];
      lo = focal_min(lo, v);
      hi = focal_max(hi, v);
    }
  }
  *low = lo;
  *high = hi;
}

/// The largest window with a rim of one.
#define RIM (FOCAL_LARGEST_MATTE_WINDOW + 1)
/// Columns that are made ready together, and those that are worked on together: with rims, 64 pieces.
#define PIECE 8
#define CHUNK (64 * PIECE - 2 * RIM)
/// Taps of a window's row that are weighed together, as a vector; a narrow window's and the largest one's.
#define NARROW 8
#define WIDE 16

/// A row of a chunk and its windows, columns past the border repeated: radii, and how the pixels count in a front's mean.
struct MatteRow {
  int32_t y;
  uint64_t ready;  ///< a bit a piece
  float radius[CHUNK + 2 * RIM + WIDE], front[CHUNK + 2 * RIM + WIDE];
};

/// The rows around the one that is worked on, each made once for the windows of all edge pixels that see it.
struct MatteRows {
  struct MatteRow rows[2 * RIM + 1];
  /// From the window's first row and its rim on.
  const struct MatteRow *around[2 * RIM + 1];
};

/// Weights of a window's taps, by distance from its middle row.
struct MatteWeights {
  float row[FOCAL_LARGEST_MATTE_WINDOW + 1][WIDE];
};

FOCAL_FUNCTION void fillPiece(const float4 *source, const float *radius, int32_t width,
                              int32_t first, int32_t y, float *restrict radii,
                              float *restrict front) {
  const size_t o = (size_t)y * (size_t)width;
  if (first < 0 || first + PIECE > width) {
    for (int32_t i = 0; i < PIECE; i++) {
      const size_t q = o + (size_t)focal_clamp_int(first + i, 0, width - 1);
      radii[i] = radius[q];
      front[i] = focal_frontWeight(source[q]);
    }
    return;
  }
  memcpy(radii, radius + o + first, PIECE * sizeof(float));
  const float *light = (const float *)(source + o + first);
  FOCAL_LANE_LOOP
  for (int32_t i = 0; i < PIECE; i++) {
    const float4 colour = {light[4 * i], light[4 * i + 1], light[4 * i + 2], 0.0f};
    front[i] = focal_frontWeight(colour);
  }
}

/// Makes ready what the window of a pixel at `column` needs of the rows around `y`, in the chunk whose first column with a
/// rim is `origin`.
FOCAL_FUNCTION void findMatteRows(const float4 *source, const float *radius,
                                  const struct FocalMatteParameters *p, int32_t origin,
                                  int32_t column, int32_t y, struct MatteRows *rows) {
  const int32_t rim = p->window + 1;
  const int32_t first = (column - rim) / PIECE, last = (column + rim) / PIECE;
  const uint64_t needed = (((uint64_t)2 << (last - first)) - 1) << first;
  for (int32_t j = -rim; j <= rim; j++) {
    const int32_t yy = focal_clamp_int(y + j, 0, p->height - 1);
    struct MatteRow *row = rows->rows + yy % (2 * RIM + 1);
    rows->around[j + rim] = row;
    if (row->y != yy) row->ready = 0;
    row->y = yy;
    if ((row->ready & needed) == needed) continue;
    for (int32_t k = first; k <= last; k++) {
      if (row->ready >> k & 1) continue;
      fillPiece(source, radius, p->width, origin + k * PIECE, yy, row->radius + k * PIECE,
                row->front + k * PIECE);
    }
    row->ready |= needed;
  }
}

/// Which of `count` radii are nearer than `middle`, a bit each.
FOCAL_FUNCTION uint32_t sidesOfRow(const float *row, int32_t count, float middle) {
  uint32_t bits = 0;
  if (count <= NARROW) {
    FOCAL_LANE_LOOP
    for (int32_t i = 0; i < NARROW; i++) bits |= (uint32_t)(row[i] > middle) << i;
  } else {
    FOCAL_LANE_LOOP
    for (int32_t i = 0; i < WIDE; i++) bits |= (uint32_t)(row[i] > middle) << i;
    bits |= (uint32_t)(row[WIDE] > middle) << WIDE;
  }
  return bits & ((1u << count) - 1u);
}

/// Sums of a side: `mean` and `square` of FocalMatteSide.
typedef float SideSums __attribute__((vector_size(32)));

/// Sums of both sides over the window. `column` is that of the window's first tap in the rows.
FOCAL_FUNCTION void sumSides(const float4 *source, const struct FocalMatteParameters *p,
                             const struct MatteWeights *weights, const struct MatteRows *rows,
                             int32_t window, int32_t x, int32_t y, int32_t column,
                             FocalEdgeRadii radii, const uint32_t *nearBits, FocalMatteSide *front,
                             FocalMatteSide *back) {
  const int32_t lanes = window <= 3 ? NARROW : WIDE;
  const int32_t first = focal_max_int(0, window - x);
  const int32_t end = focal_min_int(2 * window + 1, p->width - x + window);
  const float impurity = p->impure;
  SideSums fronts = {0}, backs = {0};
  for (int32_t j = -window; j <= window; j++) {
    const int32_t yy = y + j, line = j + window + 1;
    if (yy < 0 || yy >= p->height) continue;
    const uint32_t u = nearBits[line - 1], v = nearBits[line], w = nearBits[line + 1];
    const uint32_t any = u | v | w, all = u & v & w;
    // From the window's first column on.
    const uint32_t impure = ((any | any << 1 | any >> 1) & ~(all & all << 1 & all >> 1)) >> 1;
    const uint32_t isFront = v >> 1;
    const float *restrict own = rows->around[line]->radius + column;
    const float *restrict share = rows->around[line]->front + column;
    const float *restrict falloff = weights->row[j < 0 ? -j : j];
    float ofFront[WIDE], ofBack[WIDE];
    FOCAL_LANE_LOOP
    for (int32_t i = 0; i < lanes; i++) {
      const int32_t isOther = (own[i] < radii.least) | (own[i] > radii.most);
      const float near = isOther ? 0.0f : falloff[i];
      const float weight = near * (impure >> i & 1 ? impurity : 1.0f);
      ofFront[i] = isFront >> i & 1 ? weight * share[i] : 0.0f;
      ofBack[i] = isFront >> i & 1 ? 0.0f : weight;
    }
    const float4 *restrict colours = source + (size_t)yy * (size_t)p->width + (x - window);
    for (int32_t i = first; i < end; i++) {
      const float4 c = colours[i], s = c * c;
      const SideSums both = {c.x, c.y, c.z, own[i], s.x, s.y, s.z, 1.0f};
      fronts += ofFront[i] * both;
      backs += ofBack[i] * both;
    }
  }
  front->mean = (float4){fronts[0], fronts[1], fronts[2], fronts[3]};
  front->square = (float4){fronts[4], fronts[5], fronts[6], fronts[7]};
  back->mean = (float4){backs[0], backs[1], backs[2], backs[3]};
  back->square = (float4){backs[4], backs[5], backs[6], backs[7]};
}

FOCAL_FUNCTION void matteEdgePixel(const float4 *source, const float *radius, float *alphas,
                                   float *records, const struct FocalMatteParameters *p,
                                   const struct MatteWeights *weights,
                                   const struct MatteRows *rows, int32_t window, int32_t x,
                                   int32_t y, int32_t column, float low, float high) {
  const float middle = 0.5f * (low + high);
  // Side of every pixel of the window and a rim of one, a bit each. A pixel
  // whose 3 x 3 neighbours are of one side is pure.
  const int32_t rim = window + 1, side = 2 * rim + 1;
  uint32_t nearBits[2 * FOCAL_LARGEST_MATTE_WINDOW + 3];
  for (int32_t j = 0; j < side; j++) {
    nearBits[j] = sidesOfRow(rows->around[j]->radius + (column - rim), side, middle);
  }
  FocalMatteSide front, back;
  const FocalEdgeRadii radii = focal_edgeRadii(p->edge, low, high);
  sumSides(source, p, weights, rows, window, x, y, column - window, radii, nearBits, &front, &back);
  if (front.square.w <= 0.0f || back.square.w <= 0.0f) return;
  front = focal_meanOfSide(front);
  back = focal_meanOfSide(back);
  const size_t o = (size_t)y * (size_t)p->width + (size_t)x;
  float *out = records + o * FocalMatteRecordFloats;
  const bool isNear = radius[o] > middle;
  const float backRadius = focal_backRadius(p->edge, low, isNear ? back.mean.w : radius[o]);
  const float focus = backFocus(backRadius);
  if (focus > 0.0f) {
    const float4 across = backAcross(source, radius, *p, x, y, radii.least, middle, front.mean,
                                     back.mean);
    back.mean = back.mean + focus * (across - back.mean);
  }
  const float prior = focal_shareOfSides(nearBits[window] >> window, nearBits[rim] >> window,
                                         nearBits[rim + 1] >> window);
  const float alpha = focal_matteAlpha(front, back, source[o], prior, p->trust);
  if (alpha <= 0.0f) {
    // All far: one surface, whatever the map says.
    alphas[o] = 1.0f;
    out[FocalMatteFrontRadius] = backRadius;
    out[FocalMatteBackRadius] = FOCAL_NO_SURFACE;
    return;
  }
  alphas[o] = alpha;
  out[FocalMatteFrontRadius] = isNear ? radius[o] : front.mean.w;
  back.square.x = (1.0f - focus) * back.square.x;
  const float4 behind = focal_unexplained(front, back, source[o], alpha);
  out[FocalMatteBackR] = behind.x;
  out[FocalMatteBackG] = behind.y;
  out[FocalMatteBackB] = behind.z;
  out[FocalMatteBackRadius] = backRadius;
}

/// matteEdgePixel, with the windows in use compiled on their own.
FOCAL_FUNCTION void matteWindowedPixel(const float4 *source, const float *radius, float *alphas,
                                       float *records, const struct FocalMatteParameters *p,
                                       const struct MatteWeights *weights,
                                       const struct MatteRows *rows, int32_t x, int32_t y,
                                       int32_t column, float low, float high) {
  switch (p->window) {
    case 1:
      matteEdgePixel(source, radius, alphas, records, p, weights, rows, 1, x, y, column, low, high);
      break;
    case 2:
      matteEdgePixel(source, radius, alphas, records, p, weights, rows, 2, x, y, column, low, high);
      break;
    default:
      matteEdgePixel(source, radius, alphas, records, p, weights, rows, p->window, x, y, column, low,
                     high);
      break;
  }
}

/// Flags of a row's blocks. Integers, since a compiler may not reorder
/// floating-point reductions.
FOCAL_FUNCTION void flagRow(const float *restrict radius, const float *restrict alpha,
                            const struct FocalFocusRange *focus, int32_t width,
                            uint8_t *restrict flags) {
  const struct FocalFocusRange f = *focus;
  for (int32_t x0 = 0; x0 < width; x0 += FOCAL_FLAG_BLOCK) {
    const int32_t n = width - x0 < FOCAL_FLAG_BLOCK ? width - x0 : FOCAL_FLAG_BLOCK;
    int32_t all = 0;
    for (int32_t i = 0; i < n; i++) {
      const float r = radius[x0 + i];
      const int32_t soft = (r < -f.smallest) | (r > f.smallest), focused = r >= f.farLimit;
      all |= (alpha[x0 + i] < FOCAL_PLAIN ? FocalFlagEdge : 0) | (focused ? FocalFlagFocused : 0) |
             (soft ? FocalFlagSoft : 0) |
             ((soft & focused & (r <= f.nearLimit)) ? FocalFlagCircle : 0);
    }
    flags[x0 / FOCAL_FLAG_BLOCK] = (uint8_t)all;
  }
}

/// Marks the pixels of a row's columns from `first` to before `end`, which have neighbours on both sides: FOCAL_PLAIN where
/// the spread of the 3 x 3 neighbourhood is no edge, else 0.
FOCAL_FUNCTION void markEdges(const float *restrict above, const float *restrict here,
                              const float *restrict below, float edge, int32_t first, int32_t end,
                              float *restrict alpha) {
  float lows[CHUNK + 2], highs[CHUNK + 2];
  const int32_t n = end - first;
  for (int32_t i = 0; i < n + 2; i++) {
    const int32_t x = first - 1 + i;
    lows[i] = focal_min(focal_min(above[x], below[x]), here[x]);
    highs[i] = focal_max(focal_max(above[x], below[x]), here[x]);
  }
  for (int32_t i = 0; i < n; i++) {
    const float lo = focal_min(focal_min(lows[i], lows[i + 2]), lows[i + 1]);
    const float hi = focal_max(focal_max(highs[i], highs[i + 2]), highs[i + 1]);
    alpha[first + i] = hi - lo < focal_edgeStep(edge, lo, hi) ? FOCAL_PLAIN : 0.0f;
  }
}

/// Whether any of some marks is 0.
FOCAL_FUNCTION int32_t hasEdge(const float *restrict alpha, int32_t count) {
  int32_t any = 0;
  for (int32_t i = 0; i < count; i++) any |= alpha[i] == 0.0f;
  return any;
}

/// Splits the pixels at depth edges into a front, its coverage, and a back.
///
/// A pixel on an edge mixes two surfaces, and a lens blurs the two by
/// different circles, so a single radius is wrong for it. Where the radius
/// steps inside the 3 x 3 neighbourhood, the colours of the near side, F, and
/// of the far side, B, are averaged over a window, and the coverage is the
/// projection of the pixel on the line from B to F,
///     alpha = clamp((I - B).(F - B) / |F - B|^2),
/// trusted as far as F and B differ by more than they scatter. The share that the
/// map gives the pixel fills the rest. Where the far side is in focus, B goes on
/// across the pixel. B is kept with its part of what the means leave unexplained;
/// readers take alpha F = I - (1 - alpha) B, so that front over back gives the
/// picture again.
FOCAL_CLONES FOCAL_ENTRY_POINT(matte) {
  FOCAL_BUFFERS(matte)
  const int32_t width = p->width, height = p->height;
  float *alphas = matte, *records = alphas + (size_t)width * (size_t)height;
  struct MatteWeights weights;
  for (int32_t j = 0; j <= p->window; j++) {
    for (int32_t i = 0; i < WIDE; i++) {
      const int32_t across = i - p->window;
      weights.row[j][i] = focal_matteWeight(across * across + j * j);
    }
  }
  const size_t flagged = (size_t)((width + FOCAL_FLAG_BLOCK - 1) / FOCAL_FLAG_BLOCK);
  struct MatteRows rows;
  for (int32_t x0 = 0; x0 < width; x0 += CHUNK) {
    const int32_t end0 = focal_min_int(x0 + CHUNK, width), origin = x0 - RIM;
    for (int32_t i = 0; i < 2 * RIM + 1; i++) rows.rows[i].y = -1;
    for (int32_t y = (int32_t)begin; y < (int32_t)end; y++) {
      const float *above = radius + (size_t)(y > 0 ? y - 1 : y) * (size_t)width;
      const float *here = radius + (size_t)y * (size_t)width;
      const float *below = radius + (size_t)(y + 1 < height ? y + 1 : y) * (size_t)width;
      float *restrict alpha = alphas + (size_t)y * (size_t)width;
      const int32_t inner = focal_max_int(x0, 1), endInner = focal_min_int(end0, width - 1);
      if (inner < endInner) markEdges(above, here, below, p->edge, inner, endInner, alpha);
      if (x0 == 0) alpha[0] = 0.0f;
      if (end0 == width) alpha[width - 1] = 0.0f;
      for (int32_t block = x0; block < end0; block += FOCAL_FLAG_BLOCK) {
        const int32_t count = focal_min_int(end0 - block, FOCAL_FLAG_BLOCK);
        if (!hasEdge(alpha + block, count)) continue;
        for (int32_t x = block; x < block + count; x++) {
          if (alpha[x] != 0.0f) continue;
          float lo, hi;
          neighbourhood(radius, width, height, x, y, &lo, &hi);
          alpha[x] = FOCAL_PLAIN;
          if (hi - lo < focal_edgeStep(p->edge, lo, hi)) continue;
          findMatteRows(source, radius, p, origin, x - origin, y, &rows);
          matteWindowedPixel(source, radius, alphas, records, p, &weights, &rows, x, y, x - origin,
                             lo, hi);
        }
      }
      flagRow(here + x0, alpha + x0, &p->focus, end0 - x0,
              flags + (size_t)y * flagged + x0 / FOCAL_FLAG_BLOCK);
    }
  }
}
