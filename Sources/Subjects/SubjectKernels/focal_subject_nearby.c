// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Sums of a cell: weight, three means, six products. They lie so far apart.
  MOMENTS = 10,
  MOMENT_STRIDE = 16,
  /// Pixels side by side that are done at once, between the middles of the same cells.
  LANES = 8,
};
typedef float Lanes __attribute__((vector_size(4 * LANES), aligned(4)));
typedef int32_t Flags __attribute__((vector_size(4 * LANES), aligned(4)));
typedef float Moments __attribute__((vector_size(4 * MOMENT_STRIDE), aligned(4)));
typedef float Pixel __attribute__((vector_size(16)));

/// Logarithms of odds beyond this say no more.
static const float mostCost = 4;

/// Squared distance in parts of the spread at which a colour begins to be unusual: at 2 haze stays beside subjects, at 6 hair
/// is lost.
static const float usual = 3;

/// Sums of both sides' pixels in cells.
struct Cells {
  int32_t columns, rows, side;
  /// Of the front, then of the back.
  float *moments;
  /// Of each of a picture's columns, the cell whose middle lies before it, and how far it is from there to the next one. A
  /// few more than there are.
  int32_t *cell;
  float *share;
};

/// Mean and spread of colours of some pixels: a symmetric matrix, row by row.
struct Spread {
  Lanes mean[3], matrix[6];
};

/// Sums of three cells along rows and columns, in place.
static void widen(float *cells, int32_t columns, int32_t rows, float *line) {
  for (int32_t m = 0; m < MOMENTS; m++) {
    for (int32_t y = 0; y < rows; y++) {
      float *row = cells + (size_t)y * columns * MOMENT_STRIDE + m;
      for (int32_t x = 0; x < columns; x++) line[x] = row[x * MOMENT_STRIDE];
      for (int32_t x = 0; x < columns; x++)
        row[x * MOMENT_STRIDE] =
            line[x] + 0.5f * ((x > 0 ? line[x - 1] : 0) + (x + 1 < columns ? line[x + 1] : 0));
    }
    for (int32_t x = 0; x < columns; x++) {
      float *column = cells + (size_t)x * MOMENT_STRIDE + m;
      const size_t step = (size_t)columns * MOMENT_STRIDE;
      for (int32_t y = 0; y < rows; y++) line[y] = column[y * step];
      for (int32_t y = 0; y < rows; y++)
        column[y * step] =
            line[y] + 0.5f * ((y > 0 ? line[y - 1] : 0) + (y + 1 < rows ? line[y + 1] : 0));
    }
  }
}

/// Where a place lies between the middles of cells.
static float between(int32_t place, int32_t side, int32_t count, int32_t *first) {
  float at = ((float)place + 0.5f) / side - 0.5f;
  at = at < 0 ? 0 : at > count - 1 ? count - 1 : at;
  *first = (int32_t)at;
  return at - *first;
}

/// Adds a row's pixels to cells, one after the other: their colours and the products of these.
FOCAL_CLONES
static void addRow(const struct Cells *cells, float *front, float *back, const float *colours,
                   const uint8_t *labels, int32_t width) {
  for (int32_t x = 0, cell = 0; x < width; cell++) {
    const int32_t end = x + cells->side < width ? x + cells->side : width;
    Moments *const to[2] = {(Moments *)(back + (size_t)cell * MOMENT_STRIDE),
                            (Moments *)(front + (size_t)cell * MOMENT_STRIDE)};
    Moments sums[2] = {*to[0], *to[1]};
    for (; x < end; x++) {
      if (labels[x] > 1) continue;
      const float *c = colours + 3 * (size_t)x;
      const Pixel pixel = {1, c[0], c[1], c[2]};
      const Moments a = __builtin_shufflevector(pixel, pixel, 0, 1, 2, 3, 1, 1, 1, 2, 2, 3, 0, 0, 0,
                                                0, 0, 0);
      const Moments b = __builtin_shufflevector(pixel, pixel, 0, 0, 0, 0, 1, 2, 3, 2, 3, 3, 0, 0, 0,
                                                0, 0, 0);
      if (labels[x]) sums[1] += a * b;
      else sums[0] += a * b;
    }
    *to[0] = sums[0], *to[1] = sums[1];
  }
}

static void release(struct Cells *cells) {
  free(cells->moments);
  free(cells->cell);
}

/// Sums pixels of label 1 as the front's, of label 0 as the back's. Returns 1 if memory is refused.
static int32_t gather(struct Cells *cells, const float *colours, const uint8_t *labels,
                      int32_t width, int32_t height, int32_t side) {
  cells->side = side;
  cells->columns = (width + side - 1) / side;
  cells->rows = (height + side - 1) / side;
  const size_t count = (size_t)cells->columns * cells->rows * MOMENT_STRIDE;
  cells->moments = calloc(2 * count, sizeof *cells->moments);
  const int32_t longer = cells->columns > cells->rows ? cells->columns : cells->rows;
  const size_t places = (size_t)width + LANES;
  cells->cell = malloc(places * sizeof *cells->cell + (places + longer) * sizeof *cells->share);
  if (cells->moments == NULL || cells->cell == NULL) {
    release(cells);
    return 1;
  }
  cells->share = (float *)(cells->cell + places);
  for (int32_t x = 0; x < (int32_t)places; x++)
    cells->share[x] = between(x < width ? x : width - 1, side, cells->columns, cells->cell + x);
  for (int32_t y = 0; y < height; y++) {
    float *row = cells->moments + (size_t)(y / side) * cells->columns * MOMENT_STRIDE;
    addRow(cells, row, row + count, colours + 3 * (size_t)y * width, labels + (size_t)y * width,
           width);
  }
  float *line = cells->share + places;
  widen(cells->moments, cells->columns, cells->rows, line);
  widen(cells->moments + count, cells->columns, cells->rows, line);
  return 0;
}

/// A row between the middles of cells.
struct Row {
  int32_t first, below;
  float share;
};

static struct Row rowOf(const struct Cells *cells, int32_t y) {
  struct Row row;
  row.share = between(y, cells->side, cells->rows, &row.first);
  row.below = row.first + 1 < cells->rows ? cells->columns : 0;
  return row;
}

/// The pixels of a row that are asked next and lie between the middles of the same cells: where the first one is, and how many
/// there are, with others between them; none at the row's end.
static int32_t nextLanes(const struct Cells *cells, const uint8_t *fixed, int32_t width,
                         int32_t *place) {
  const uint8_t *next = *place < width ? memchr(fixed + *place, 0, (size_t)(width - *place)) : NULL;
  if (next == NULL) return 0;
  const int32_t first = (int32_t)(next - fixed);
  int32_t count = 1;
  while (count < LANES && first + count < width &&
         cells->cell[first + count] == cells->cell[first])
    count++;
  *place = first;
  return count;
}

/// Mean and spread of both sides at pixels from `x` on, between the middles of cells, and the weights of both.
static inline __attribute__((always_inline)) void look(const struct Cells *cells, int32_t x,
                                                       const struct Row *row, float floor,
                                                       struct Spread spreads[2], Lanes *weight) {
  const int32_t i = cells->cell[x], right = i + 1 < cells->columns ? MOMENT_STRIDE : 0;
  const float t = row->share;
  const Lanes s = *(const Lanes *)(cells->share + x), rest = 1 - s;
  const size_t set = (size_t)cells->columns * cells->rows * MOMENT_STRIDE;
  const size_t down = (size_t)row->below * MOMENT_STRIDE;
  const float *m = cells->moments + ((size_t)row->first * cells->columns + i) * MOMENT_STRIDE;
  for (int32_t n = 0; n < 2; n++, m += set) {
    Lanes sums[MOMENTS];
    FOCAL_TAP_LOOP
    for (int32_t k = 0; k < MOMENTS; k++)
      sums[k] = (1 - t) * (rest * m[k] + s * m[right + k]) +
                t * (rest * m[down + k] + s * m[down + right + k]);
    weight[n] = sums[0];
    struct Spread *spread = spreads + n;
    const Lanes scale = 1 / sums[0];
    const Lanes u = sums[1] * scale, v = sums[2] * scale, w = sums[3] * scale;
    spread->mean[0] = u, spread->mean[1] = v, spread->mean[2] = w;
    // Noise, and what a cell has not seen.
    const Lanes added = floor * (0.05f + u * u + v * v + w * w);
    spread->matrix[0] = sums[4] * scale - u * u + added, spread->matrix[1] = sums[5] * scale - u * v;
    spread->matrix[2] = sums[6] * scale - u * w, spread->matrix[3] = sums[7] * scale - v * v + added;
    spread->matrix[4] = sums[8] * scale - v * w, spread->matrix[5] = sums[9] * scale - w * w + added;
  }
}

// Macros, since functions would hand over vectors that not every machine has.
/// One of two numbers in each lane, by a comparison.
#define CHOSEN(condition, a, b) \
  ((Lanes)(((condition) & (__typeof__(condition))(a)) | (~(condition) & (__typeof__(condition))(b))))

/// The inverse times the determinant, and that.
static inline __attribute__((always_inline)) void invert(const Lanes m[6], Lanes result[6],
                                                         Lanes *determinant) {
  result[0] = m[3] * m[5] - m[4] * m[4];
  result[1] = m[2] * m[4] - m[1] * m[5];
  result[2] = m[1] * m[4] - m[2] * m[3];
  result[3] = m[0] * m[5] - m[2] * m[2];
  result[4] = m[1] * m[2] - m[0] * m[4];
  result[5] = m[0] * m[3] - m[1] * m[1];
  const Lanes found = m[0] * result[0] + m[1] * result[1] + m[2] * result[2];
  const Lanes least = (Lanes){0} + 1e-14f;
  *determinant = CHOSEN(found < least, least, found);
}

/// The squared distance of colours from a mean in parts of the spread, and the determinant of that.
static inline __attribute__((always_inline)) void distance(const struct Spread *spread,
                                                           const Lanes colour[3], Lanes *far,
                                                           Lanes *determinant) {
  Lanes m[6], d[3];
  invert(spread->matrix, m, determinant);
  for (int32_t c = 0; c < 3; c++) d[c] = colour[c] - spread->mean[c];
  *far = (d[0] * (m[0] * d[0] + 2 * m[1] * d[1] + 2 * m[2] * d[2]) +
          d[1] * (m[3] * d[1] + 2 * m[4] * d[2]) + m[5] * d[2] * d[2]) /
         *determinant;
}

/// Whole lanes of what is read from `count` of them on.
#define READ(from, count, to)                                     \
  do {                                                            \
    if ((count) == LANES) memcpy(to, from, sizeof(to));           \
    else memcpy(to, from, (size_t)(count) * (sizeof(to) / LANES)); \
  } while (0)

/// The colours of some pixels; behind them lies anything.
static inline __attribute__((always_inline)) void readColours(const float *colours, int32_t count,
                                                              Lanes result[3]) {
  float read[3 * LANES] = {0};
  READ(colours, count, read);
  const Lanes a = *(const Lanes *)read, b = *(const Lanes *)(read + LANES);
  const Lanes c = *(const Lanes *)(read + 2 * LANES);
  const Lanes r = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 0, 0);
  const Lanes g = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 0, 0, 0);
  const Lanes h = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 0, 0, 0);
  result[0] = __builtin_shufflevector(r, c, 0, 1, 2, 3, 4, 5, 10, 13);
  result[1] = __builtin_shufflevector(g, c, 0, 1, 2, 3, 4, 8, 11, 14);
  result[2] = __builtin_shufflevector(h, c, 0, 1, 2, 3, 4, 9, 12, 15);
}

/// Which of some pixels are asked and have enough of both sides nearby.
static inline __attribute__((always_inline)) void findKnown(const uint8_t *fixed, int32_t count,
                                                            const Lanes weights[2], float least,
                                                            Flags *known) {
  uint8_t read[LANES];
  memset(read, 1, LANES);
  READ(fixed, count, read);
  Flags flags;
  for (int32_t n = 0; n < LANES; n++) flags[n] = read[n];
  *known = (flags == 0) & ~(weights[0] < least) & ~(weights[1] < least);
}

/// A row of `focal_subject_nearby`.
FOCAL_CLONES
static void weighRow(const struct Cells *cells, const float *codes, const uint8_t *fixed,
                     int32_t width, int32_t y, float weight, float *cost) {
  const struct Row row = rowOf(cells, y);
  const float least = 0.1f * cells->side * cells->side;
  int32_t count;
  for (int32_t x = 0; (count = nextLanes(cells, fixed, width, &x)) > 0; x += count) {
    struct Spread sides[2];
    Lanes colour[3], seen[2], far[2], spread[2];
    look(cells, x, &row, 4e-4f, sides, seen);
    readColours(codes + 3 * (size_t)x, count, colour);
    for (int32_t n = 0; n < 2; n++) distance(sides + n, colour, far + n, spread + n);
    Flags known;
    findKnown(fixed + x, count, seen, least, &known);
    for (int32_t n = 0; n < count; n++) {
      if (!known[n]) continue;
      // Half the squared distance, and the logarithm of the spread.
      float odds = 0.5f * (far[1][n] + logf(spread[1][n])) - 0.5f * (far[0][n] + logf(spread[0][n]));
      odds = odds > mostCost ? mostCost : odds < -mostCost ? -mostCost : odds;
      cost[x + n] = (1 - weight) * cost[x + n] + weight * odds;
    }
  }
}

int32_t focal_subject_nearby(const float *codes, const uint8_t *labels, const uint8_t *fixed,
                             int32_t width, int32_t height, int32_t side, float weight,
                             float *cost) {
  struct Cells cells;
  if (gather(&cells, codes, labels, width, height, side)) return 1;
  for (int32_t y = 0; y < height; y++) {
    const size_t first = (size_t)y * width;
    weighRow(&cells, codes + 3 * first, fixed + first, width, y, weight, cost + first);
  }
  release(&cells);
  return 0;
}

/// What `focal_matte_belief` is given beside the pixels.
struct Asked {
  float before, least, scale;
};

/// A row of `focal_matte_belief`.
FOCAL_CLONES
static void believeRow(const struct Cells *cells, const float *light, const uint8_t *fixed,
                       const float *seen, int32_t width, int32_t y, const struct Asked *asked,
                       float *belief, float *weight) {
  const struct Row row = rowOf(cells, y);
  const float least = 0.1f * cells->side * cells->side;
  const Lanes zero = {0}, one = zero + 1;
  for (int32_t x = 0; x < width; x++) weight[x] = asked->least;
  int32_t count;
  for (int32_t x = 0; (count = nextLanes(cells, fixed, width, &x)) > 0; x += count) {
    struct Spread sides[2];
    Lanes colour[3], weights[2];
    look(cells, x, &row, 1e-3f, sides, weights);
    readColours(light + 3 * (size_t)x, count, colour);
    // Along the direction in which both sides are told apart best.
    Lanes sum[6], m[6], gap[3], from[3], determinant;
    for (int32_t n = 0; n < 6; n++) sum[n] = sides[0].matrix[n] + sides[1].matrix[n];
    invert(sum, m, &determinant);
    for (int32_t c = 0; c < 3; c++) {
      gap[c] = sides[0].mean[c] - sides[1].mean[c];
      from[c] = colour[c] - sides[1].mean[c];
    }
    const Lanes x2 = m[0] * gap[0] + m[1] * gap[1] + m[2] * gap[2];
    const Lanes y2 = m[1] * gap[0] + m[3] * gap[1] + m[4] * gap[2];
    const Lanes z2 = m[2] * gap[0] + m[4] * gap[1] + m[5] * gap[2];
    const Lanes apart = (x2 * gap[0] + y2 * gap[1] + z2 * gap[2]) / determinant;
    Lanes share = (x2 * from[0] + y2 * from[1] + z2 * from[2]) / determinant / apart;
    share = CHOSEN(share > zero, share, zero);
    share = CHOSEN(share < one, share, one);
    // A colour that is usual on one side is that side's; one that is on both is what was believed before.
    Lanes unusual[2];
    for (int32_t n = 0; n < 2; n++) {
      Lanes far, spread;
      distance(sides + n, colour, &far, &spread);
      unusual[n] = far * far / (far * far + usual * usual);
    }
    Lanes front = unusual[0], back = unusual[1];
    // Print on paper is far from the mean of both. A colour that is seen on both sides tells nothing more: where a head and
    // what is behind it have like colours, outlines would follow the labels of a blurred map.
    if (seen != NULL) {
      float read[2 * LANES] = {0};
      READ(seen + 2 * (size_t)x, count, read);
      const Lanes a = *(const Lanes *)read, b = *(const Lanes *)(read + LANES);
      const Lanes more = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14) -
                         __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
      front *= CHOSEN(more > zero, one - more, one);
      back *= CHOSEN(more < zero, one + more, one);
    }
    float own[LANES] = {0}, counts[LANES];
    READ(belief + x, count, own);
    const Lanes was = *(const Lanes *)own, neither = (1 - front) * (1 - back);
    const Lanes result = share * front * back + (1 - front) * back + neither * was;
    const Lanes certain = apart * (1 - neither) + asked->before, most = zero + 50;
    const Lanes counted = asked->least + asked->scale * CHOSEN(certain > most, most, certain);
    Flags known;
    findKnown(fixed + x, count, weights, least, &known);
    *(Lanes *)own = CHOSEN(known, result, was);
    *(Lanes *)counts = CHOSEN(known, counted, zero + asked->least);
    memcpy(belief + x, own, (size_t)count * sizeof *own);
    memcpy(weight + x, counts, (size_t)count * sizeof *counts);
  }
}

int32_t focal_matte_belief(const float *light, const uint8_t *labels, const uint8_t *fixed,
                           const float *seen, int32_t width, int32_t height, int32_t side,
                           float before, float least, float scale, float *belief, float *weight) {
  struct Cells cells;
  if (gather(&cells, light, labels, width, height, side)) return 1;
  const struct Asked asked = {before, least, scale};
  for (int32_t y = 0; y < height; y++) {
    const size_t first = (size_t)y * width;
    believeRow(&cells, light + 3 * first, fixed + first, seen == NULL ? NULL : seen + 2 * first,
               width, y, &asked, belief + first, weight + first);
  }
  release(&cells);
  return 0;
}
