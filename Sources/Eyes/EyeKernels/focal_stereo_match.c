// SPDX-License-Identifier: Apache-2.0

#include "focal_stereo.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Columns and rows to each side that a census code compares: 62 neighbours fit a word.
  CODE_X = 4,
  CODE_Y = 3,
  CODE_BITS = 62,
  /// The costs of a step by one disparity, and of any other step at an even place and at a strong edge. In bits of
  /// the code; the largest keeps a path's cost below 256.
  SMALL_STEP = 7,
  LARGE_STEP = 86,
  LEAST_STEP = 28,
  /// Costs of what lies outside the other picture: a mean disagreement, so that it neither draws nor repels.
  OUTSIDE = 24,
  /// Bytes of a path beside its candidates on each side.
  PAD = 16,
  PATHS = 4,
};

/// The next best disparity is worse by this part, or nothing is certain. From .02 to .06 hardly anything changes.
static const float leastMargin = 0.06f;

/// Codes say of each neighbour whether it is darker than the middle.
FOCAL_CLONES
static void census(const uint8_t *luma, int32_t width, int32_t height, uint64_t *codes) {
  for (int32_t y = 0; y < height; y++) {
    uint64_t *row = codes + (size_t)y * width;
    memset(row, 0, (size_t)width * sizeof *row);
    const uint8_t *middle = luma + (size_t)y * width;
    for (int32_t j = -CODE_Y; j <= CODE_Y; j++) {
      const int32_t above = y + j < 0 ? 0 : y + j >= height ? height - 1 : y + j;
      const uint8_t *other = luma + (size_t)above * width;
      for (int32_t i = -CODE_X; i <= CODE_X; i++) {
        if (i == 0 && j == 0) continue;
        int32_t from = i < 0 ? -i : 0, to = i > 0 ? width - i : width;
        if (from > width) from = width;
        if (to < 0) to = 0;
        for (int32_t x = from; x < to; x++) row[x] = row[x] << 1 | (other[x + i] < middle[x]);
        for (int32_t x = 0; x < from; x++) row[x] = row[x] << 1 | (other[0] < middle[x]);
        for (int32_t x = to; x < width; x++) row[x] = row[x] << 1 | (other[width - 1] < middle[x]);
      }
    }
  }
}

/// How many bits of a row's codes disagree, for every pixel and candidate.
FOCAL_CLONES
static void rowCosts(const uint64_t *left, const uint64_t *right, int32_t width, int32_t least,
                     int32_t count, uint8_t *costs) {
  for (int32_t x = 0; x < width; x++) {
    uint8_t *cost = costs + (size_t)x * count;
    const uint64_t code = left[x];
    // Candidates from `from` up to `to` lie in the other picture.
    int32_t from = x - least - (width - 1), to = x - least + 1;
    from = from < 0 ? 0 : from > count ? count : from;
    to = to < from ? from : to > count ? count : to;
    for (int32_t d = 0; d < from; d++) cost[d] = OUTSIDE;
    const uint64_t *match = right + x - least;
    for (int32_t d = from; d < to; d++) cost[d] = (uint8_t)__builtin_popcountll(code ^ match[-d]);
    for (int32_t d = to; d < count; d++) cost[d] = OUTSIDE;
  }
}

/// Candidates that are worked on together.
enum { LANES = 32 };
typedef uint8_t Bytes __attribute__((vector_size(LANES), aligned(1)));
typedef uint16_t Words __attribute__((vector_size(2 * LANES), aligned(1)));

/// One step along one path: the cost of the candidates here, and the least of the costs before with their
/// steps. Returns the least of the results.
static inline __attribute__((always_inline)) uint8_t step(const uint8_t *cost, const uint8_t *before,
                                                          uint8_t least, uint8_t large,
                                                          int32_t count, uint8_t *path,
                                                          uint16_t *sum) {
  const uint8_t limit = (uint8_t)(least + large);
  Bytes result = (Bytes){} + (uint8_t)255;
  for (int32_t d = 0; d < count; d += LANES) {
    const Bytes below = *(const Bytes *)(before + d - 1), above = *(const Bytes *)(before + d + 1);
    const Bytes beside = __builtin_elementwise_min(below, above) + (uint8_t)SMALL_STEP;
    Bytes best = __builtin_elementwise_min(*(const Bytes *)(before + d), beside);
    best = __builtin_elementwise_min(best, (Bytes){} + limit);
    const Bytes total = *(const Bytes *)(cost + d) + (best - least);
    *(Bytes *)(path + d) = total;
    *(Words *)(sum + d) += __builtin_convertvector(total, Words);
    result = __builtin_elementwise_min(result, total);
  }
  return __builtin_reduce_min(result);
}

/// The cost of a large step between two pixels: less where they differ, since depth ends where light does.
static inline uint8_t largeStep(uint8_t a, uint8_t b) {
  const int32_t difference = a > b ? a - b : b - a;
  const int32_t cost = LARGE_STEP - 3 * difference;
  return (uint8_t)(cost < LEAST_STEP ? LEAST_STEP : cost);
}

/// Adds the paths that come from the row before and from the pixel before in the row.
///
/// `direction` is 1 from the left and top, -1 from the right and bottom. `paths` holds, for two rows, for each
/// pixel the candidates of each path between paddings, `leasts` their least.
FOCAL_CLONES
static void rowPaths(const uint8_t *costs, const uint8_t *luma, const uint8_t *lumaBefore,
                     int32_t width, int32_t count, int32_t direction, const uint8_t *pathsBefore,
                     const uint8_t *leastsBefore, uint8_t *paths, uint8_t *leasts,
                     uint16_t *sums) {
  const int32_t stride = count + 2 * PAD;
  const int32_t first = direction > 0 ? 0 : width - 1;
  for (int32_t k = 0; k < width; k++) {
    const int32_t x = first + direction * k;
    const uint8_t *cost = costs + (size_t)x * count;
    uint16_t *sum = sums + (size_t)x * count;
    for (int32_t p = 0; p < PATHS; p++) {
      uint8_t *path = paths + ((size_t)x * PATHS + p) * stride + PAD;
      // Beside in the row; then across, straight and across from the row before.
      const int32_t from = p == 0 ? x - direction : x + p - 2;
      const int isThere = from >= 0 && from < width && (p == 0 || lumaBefore);
      uint8_t least = 255;
      if (isThere) {
        const uint8_t *before =
            (p == 0 ? paths : pathsBefore) + ((size_t)from * PATHS + p) * stride + PAD;
        const uint8_t leastBefore = (p == 0 ? leasts : leastsBefore)[from * PATHS + p];
        const uint8_t large = largeStep(luma[x], (p == 0 ? luma : lumaBefore)[from]);
        least = step(cost, before, leastBefore, large, count, path, sum);
      } else {
        for (int32_t d = 0; d < count; d++) {
          path[d] = cost[d];
          least = cost[d] < least ? cost[d] : least;
          sum[d] = (uint16_t)(sum[d] + cost[d]);
        }
      }
      leasts[x * PATHS + p] = least;
    }
  }
}

/// The least of the sums.
static inline __attribute__((always_inline)) uint16_t leastOf(const uint16_t *sums, int32_t count) {
  Words leasts = (Words){} + (uint16_t)65535;
  for (int32_t d = 0; d < count; d += LANES)
    leasts = __builtin_elementwise_min(leasts, *(const Words *)(sums + d));
  return __builtin_reduce_min(leasts);
}

/// The best disparities of a row, with fractions, where the other picture's pixel has no better match.
/// `own` and `other` are memory for a row each.
FOCAL_CLONES
static void rowWinners(uint16_t *sums, int32_t width, int32_t least, int32_t count, int32_t *own,
                       int32_t *other, float *disparity, float *confidence) {
  for (int32_t x = 0; x < width; x++) other[x] = -1;
  for (int32_t x = 0; x < width; x++) {
    uint16_t *sum = sums + (size_t)x * count;
    const uint16_t value = leastOf(sum, count);
    int32_t best = 0;
    while (sum[best] != value) best++;
    own[x] = best;
    const int32_t match = x - (best + least);
    if (match < 0 || match >= width) continue;
    const int32_t rival = other[match];
    if (rival < 0 || value < sums[(size_t)rival * count + own[rival]]) other[match] = x;
  }
  for (int32_t x = 0; x < width; x++) {
    uint16_t *sum = sums + (size_t)x * count;
    const int32_t best = own[x];
    const int32_t match = x - (best + least);
    disparity[x] = NAN;
    confidence[x] = 0;
    if (match < 0 || match >= width || abs(own[other[match]] - best) > 1) continue;
    // The next best that is no neighbour of the best.
    const int32_t from = best > 0 ? best - 1 : 0, to = best + 2 < count ? best + 2 : count;
    uint16_t around[3];
    memcpy(around, sum + from, (size_t)(to - from) * sizeof *sum);
    const uint16_t here = sum[best];
    for (int32_t d = from; d < to; d++) sum[d] = 65535;
    const float second = leastOf(sum, count);
    memcpy(sum + from, around, (size_t)(to - from) * sizeof *sum);
    const float margin = (second - here) / (second + 1);
    if (margin < leastMargin) continue;
    float fraction = 0;
    if (best > 0 && best < count - 1) {
      const float below = sum[best - 1], above = sum[best + 1];
      const float bend = fmaxf(below, above) - here;
      if (bend > 0) fraction = 0.5f * (below - above) / bend;
    }
    disparity[x] = (float)(best + least) + fraction;
    confidence[x] = fminf(1, 4 * margin);
  }
}

int32_t focal_stereo_match(const struct FocalStereoPair *pair, float *disparity,
                           float *confidence) {
  const int32_t width = pair->width, height = pair->height, count = pair->count;
  const size_t pixels = (size_t)width * height, cells = (size_t)width * count;
  const size_t rowOfPaths = (size_t)width * PATHS * (count + 2 * PAD);
  uint64_t *codes = malloc(2 * pixels * sizeof *codes);
  uint8_t *costs = malloc(pixels * count);
  uint16_t *sums = calloc(pixels * count, sizeof *sums);
  // Paddings stay the largest value, less what is added to it.
  uint8_t *paths = malloc(2 * rowOfPaths);
  uint8_t *leasts = malloc((size_t)2 * width * PATHS);
  int32_t *winners = malloc((size_t)2 * width * sizeof *winners);
  const int32_t failed = !codes || !costs || !sums || !paths || !leasts || !winners;
  if (!failed) {
    memset(paths, 255 - SMALL_STEP, 2 * rowOfPaths);
    census(pair->left, width, height, codes);
    census(pair->right, width, height, codes + pixels);
    for (int32_t y = 0; y < height; y++)
      rowCosts(codes + (size_t)y * width, codes + pixels + (size_t)y * width, width, pair->least,
               count, costs + y * cells);
    for (int32_t direction = 1; direction >= -1; direction -= 2) {
      for (int32_t k = 0; k < height; k++) {
        const int32_t y = direction > 0 ? k : height - 1 - k;
        const int32_t now = k & 1;
        const uint8_t *luma = pair->left + (size_t)y * width;
        rowPaths(costs + y * cells, luma, k > 0 ? luma - (ptrdiff_t)direction * width : NULL, width,
                 count, direction, paths + !now * rowOfPaths, leasts + !now * width * PATHS,
                 paths + now * rowOfPaths, leasts + now * width * PATHS, sums + y * cells);
      }
    }
    for (int32_t y = 0; y < height; y++)
      rowWinners(sums + y * cells, width, pair->least, count, winners, winners + width,
                 disparity + (size_t)y * width, confidence + (size_t)y * width);
  }
  free(codes);
  free(costs);
  free(sums);
  free(paths);
  free(leasts);
  free(winners);
  return failed;
}
