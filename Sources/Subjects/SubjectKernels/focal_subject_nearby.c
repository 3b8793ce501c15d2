// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Sums of a cell: weight, three means, six products.
  MOMENTS = 10,
};

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
};

/// Mean and spread of colours.
struct Spread {
  float mean[3];
  /// A symmetric matrix, row by row.
  float matrix[6];
};

/// Sums of three cells along rows and columns, in place.
static void widen(float *cells, int32_t columns, int32_t rows, float *line) {
  for (int32_t m = 0; m < MOMENTS; m++) {
    for (int32_t y = 0; y < rows; y++) {
      for (int32_t x = 0; x < columns; x++) line[x] = cells[((size_t)y * columns + x) * MOMENTS + m];
      for (int32_t x = 0; x < columns; x++)
        cells[((size_t)y * columns + x) * MOMENTS + m] =
            line[x] + 0.5f * ((x > 0 ? line[x - 1] : 0) + (x + 1 < columns ? line[x + 1] : 0));
    }
    for (int32_t x = 0; x < columns; x++) {
      for (int32_t y = 0; y < rows; y++) line[y] = cells[((size_t)y * columns + x) * MOMENTS + m];
      for (int32_t y = 0; y < rows; y++)
        cells[((size_t)y * columns + x) * MOMENTS + m] =
            line[y] + 0.5f * ((y > 0 ? line[y - 1] : 0) + (y + 1 < rows ? line[y + 1] : 0));
    }
  }
}

/// Sums pixels of label 1 as the front's, of label 0 as the back's. Returns 1 if memory is refused.
static int32_t gather(struct Cells *cells, const float *colours, const uint8_t *labels,
                      int32_t width, int32_t height, int32_t side) {
  cells->side = side;
  cells->columns = (width + side - 1) / side;
  cells->rows = (height + side - 1) / side;
  const size_t count = (size_t)cells->columns * cells->rows * MOMENTS;
  cells->moments = calloc(2 * count, sizeof *cells->moments);
  const int32_t longer = cells->columns > cells->rows ? cells->columns : cells->rows;
  float *line = malloc((size_t)longer * sizeof *line);
  if (cells->moments == NULL || line == NULL) {
    free(cells->moments);
    free(line);
    return 1;
  }
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x;
      if (labels[k] > 1) continue;
      float *m = cells->moments + (labels[k] ? 0 : count) +
                 ((size_t)(y / side) * cells->columns + x / side) * MOMENTS;
      const float *c = colours + 3 * k;
      m[0] += 1;
      m[1] += c[0];
      m[2] += c[1];
      m[3] += c[2];
      m[4] += c[0] * c[0];
      m[5] += c[0] * c[1];
      m[6] += c[0] * c[2];
      m[7] += c[1] * c[1];
      m[8] += c[1] * c[2];
      m[9] += c[2] * c[2];
    }
  widen(cells->moments, cells->columns, cells->rows, line);
  widen(cells->moments + count, cells->columns, cells->rows, line);
  free(line);
  return 0;
}

/// Mean and spread of both sides at a pixel, between the middles of cells. Returns 0 where one of them is not nearby.
static int32_t look(const struct Cells *cells, int32_t x, int32_t y, float floor,
                    struct Spread spreads[2]) {
  const int32_t columns = cells->columns, rows = cells->rows;
  float at = ((float)x + 0.5f) / cells->side - 0.5f, down = ((float)y + 0.5f) / cells->side - 0.5f;
  at = at < 0 ? 0 : at > columns - 1 ? columns - 1 : at;
  down = down < 0 ? 0 : down > rows - 1 ? rows - 1 : down;
  const int32_t i = (int32_t)at, j = (int32_t)down;
  const int32_t right = i + 1 < columns ? 1 : 0, below = j + 1 < rows ? columns : 0;
  const float s = at - i, t = down - j, least = 0.1f * cells->side * cells->side;
  const size_t first = (size_t)j * columns + i;
  for (int32_t set = 0; set < 2; set++) {
    const float *m = cells->moments + (size_t)set * columns * rows * MOMENTS;
    float sums[MOMENTS];
    for (int32_t n = 0; n < MOMENTS; n++)
      sums[n] = (1 - t) * ((1 - s) * m[first * MOMENTS + n] + s * m[(first + right) * MOMENTS + n]) +
                t * ((1 - s) * m[(first + below) * MOMENTS + n] +
                     s * m[(first + below + right) * MOMENTS + n]);
    if (sums[0] < least) return 0;
    struct Spread *spread = spreads + set;
    const float scale = 1 / sums[0];
    const float u = sums[1] * scale, v = sums[2] * scale, w = sums[3] * scale;
    spread->mean[0] = u, spread->mean[1] = v, spread->mean[2] = w;
    // Noise, and what a cell has not seen.
    const float added = floor * (0.05f + u * u + v * v + w * w);
    spread->matrix[0] = sums[4] * scale - u * u + added, spread->matrix[1] = sums[5] * scale - u * v;
    spread->matrix[2] = sums[6] * scale - u * w, spread->matrix[3] = sums[7] * scale - v * v + added;
    spread->matrix[4] = sums[8] * scale - v * w, spread->matrix[5] = sums[9] * scale - w * w + added;
  }
  return 1;
}

/// The inverse times the determinant, which is returned.
static float invert(const float m[6], float result[6]) {
  result[0] = m[3] * m[5] - m[4] * m[4];
  result[1] = m[2] * m[4] - m[1] * m[5];
  result[2] = m[1] * m[4] - m[2] * m[3];
  result[3] = m[0] * m[5] - m[2] * m[2];
  result[4] = m[1] * m[2] - m[0] * m[4];
  result[5] = m[0] * m[3] - m[1] * m[1];
  const float determinant = m[0] * result[0] + m[1] * result[1] + m[2] * result[2];
  return determinant < 1e-14f ? 1e-14f : determinant;
}

static float square(const float m[6], const float d[3]) {
  return d[0] * (m[0] * d[0] + 2 * m[1] * d[1] + 2 * m[2] * d[2]) +
         d[1] * (m[3] * d[1] + 2 * m[4] * d[2]) + m[5] * d[2] * d[2];
}

/// Half the squared distance of a colour from a mean in parts of the spread, and the logarithm of the spread.
static float unlikeliness(const struct Spread *spread, const float *code) {
  float inverse[6];
  const float determinant = invert(spread->matrix, inverse);
  const float d[3] = {code[0] - spread->mean[0], code[1] - spread->mean[1],
                      code[2] - spread->mean[2]};
  return 0.5f * (square(inverse, d) / determinant + logf(determinant));
}

/// How unusual a colour is on a side, 0 to 1.
static float unusual(const struct Spread *spread, const float *code) {
  float inverse[6];
  const float determinant = invert(spread->matrix, inverse);
  const float d[3] = {code[0] - spread->mean[0], code[1] - spread->mean[1],
                      code[2] - spread->mean[2]};
  const float far = square(inverse, d) / determinant;
  return far * far / (far * far + usual * usual);
}

int32_t focal_subject_nearby(const float *codes, const uint8_t *labels, const uint8_t *fixed,
                             int32_t width, int32_t height, int32_t side, float weight,
                             float *cost) {
  struct Cells cells;
  if (gather(&cells, codes, labels, width, height, side)) return 1;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x;
      struct Spread sides[2];
      if (fixed[k] != 0 || !look(&cells, x, y, 4e-4f, sides)) continue;
      float odds = unlikeliness(sides + 1, codes + 3 * k) - unlikeliness(sides, codes + 3 * k);
      odds = odds > mostCost ? mostCost : odds < -mostCost ? -mostCost : odds;
      cost[k] = (1 - weight) * cost[k] + weight * odds;
    }
  free(cells.moments);
  return 0;
}

int32_t focal_matte_belief(const float *light, const uint8_t *labels, const uint8_t *fixed,
                           const float *seen, int32_t width, int32_t height, int32_t side,
                           float before, float least, float scale, float *belief, float *weight) {
  struct Cells cells;
  if (gather(&cells, light, labels, width, height, side)) return 1;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x;
      struct Spread sides[2];
      weight[k] = least;
      if (fixed[k] != 0 || !look(&cells, x, y, 1e-3f, sides)) continue;
      // Along the direction in which both sides are told apart best.
      float sum[6], inverse[6], gap[3], from[3];
      for (int32_t n = 0; n < 6; n++) sum[n] = sides[0].matrix[n] + sides[1].matrix[n];
      const float determinant = invert(sum, inverse), *m = inverse;
      for (int32_t c = 0; c < 3; c++) {
        gap[c] = sides[0].mean[c] - sides[1].mean[c];
        from[c] = light[3 * k + c] - sides[1].mean[c];
      }
      const float x2 = m[0] * gap[0] + m[1] * gap[1] + m[2] * gap[2];
      const float y2 = m[1] * gap[0] + m[3] * gap[1] + m[4] * gap[2];
      const float z2 = m[2] * gap[0] + m[4] * gap[1] + m[5] * gap[2];
      const float apart = (x2 * gap[0] + y2 * gap[1] + z2 * gap[2]) / determinant;
      float share = (x2 * from[0] + y2 * from[1] + z2 * from[2]) / determinant / apart;
      share = share > 0 ? share < 1 ? share : 1 : 0;
      // A colour that is usual on one side is that side's; one that is on both is what was believed before.
      float front = unusual(sides, light + 3 * k), back = unusual(sides + 1, light + 3 * k);
      // Print on paper is far from the mean of both. A colour that is seen on both sides tells nothing more: where a head and
      // what is behind it have like colours, outlines would follow the labels of a blurred map.
      if (seen != NULL) {
        const float more = seen[2 * k] - seen[2 * k + 1];
        front *= more > 0 ? 1 - more : 1;
        back *= more < 0 ? 1 + more : 1;
      }
      const float known = (1 - front) * (1 - back);
      belief[k] = share * front * back + (1 - front) * back + known * belief[k];
      const float certain = apart * (1 - known) + before;
      weight[k] = least + scale * (certain > 50 ? 50 : certain);
    }
  free(cells.moments);
  return 0;
}
