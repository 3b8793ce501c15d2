// SPDX-License-Identifier: Apache-2.0

#include "focal_stereo.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Pixels to each side of a point that are compared.
  REACH = 5,
  /// Points in each direction of the picture that are looked for.
  COLUMNS = 16,
  ROWS = 12,
  POINTS = COLUMNS * ROWS,
  /// Rounds of weighting by the last round's distances.
  ROUNDS = 12,
};

/// A point must have this much change from row to row for its place to be known, a pixel of its block.
static const float leastTexture = 4;

/// A point of the left picture, from the middle, and how much lower it lies in the right one.
struct Point {
  float x, y, shift;
};

FOCAL_CLONES
static int32_t difference(const uint8_t *a, const uint8_t *b, int32_t width) {
  int32_t sum = 0;
  for (int32_t j = -REACH; j <= REACH; j++)
    for (int32_t i = -REACH; i <= REACH; i++) sum += abs(a[j * width + i] - b[j * width + i]);
  return sum;
}

/// The change from row to row of a block, a pixel.
static float texture(const uint8_t *at, int32_t width) {
  int32_t sum = 0;
  for (int32_t j = -REACH; j < REACH; j++)
    for (int32_t i = -REACH; i <= REACH; i++) sum += abs(at[(j + 1) * width + i] - at[j * width + i]);
  return (float)sum / (2 * REACH * (2 * REACH + 1));
}

/// Looks a point up in the right picture. Returns whether its row is known.
static int32_t findPoint(const struct FocalStereoPair *pair, int32_t x, int32_t y, int32_t reach,
                         float *shift) {
  const int32_t width = pair->width;
  const uint8_t *from = pair->left + (size_t)y * width + x;
  int32_t best = INT32_MAX, bestRow = 0, bestColumn = 0;
  for (int32_t row = -reach; row <= reach; row++) {
    if (y + row < REACH || y + row >= pair->height - REACH) continue;
    for (int32_t d = pair->least; d < pair->least + pair->count; d++) {
      if (x - d < REACH || x - d >= width - REACH) continue;
      const int32_t cost = difference(from, pair->right + (size_t)(y + row) * width + x - d, width);
      if (cost >= best) continue;
      best = cost;
      bestRow = row;
      bestColumn = x - d;
    }
  }
  if (best == INT32_MAX || abs(bestRow) == reach) return 0;
  const int32_t row = y + bestRow;
  if (row - 1 < REACH || row + 1 >= pair->height - REACH) return 0;
  const uint8_t *to = pair->right + (size_t)row * width + bestColumn;
  const float above = difference(from, to - width, width);
  const float below = difference(from, to + width, width);
  const float bend = above + below - 2 * (float)best;
  // Rows beside must fit clearly worse.
  if (!(bend > 0.3f * (above + below) / 2)) return 0;
  *shift = (float)bestRow + 0.5f * (above - below) / bend;
  return 1;
}

/// Solves a symmetric system of three equations. Returns 0 if it has no single solution.
static int32_t solve(double m[3][4], float result[3]) {
  for (int32_t k = 0; k < 3; k++) {
    if (!(fabs(m[k][k]) > 1e-9)) return 0;
    for (int32_t j = 0; j < 3; j++) {
      if (j == k) continue;
      const double part = m[j][k] / m[k][k];
      for (int32_t i = k; i < 4; i++) m[j][i] -= part * m[k][i];
    }
  }
  for (int32_t k = 0; k < 3; k++) result[k] = (float)(m[k][3] / m[k][k]);
  return 1;
}

static int32_t compare(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

int32_t focal_stereo_align(const struct FocalStereoPair *pair, int32_t reach, float shift[3],
                           float *spread, int32_t *points) {
  const int32_t width = pair->width, height = pair->height;
  struct Point *found = malloc(POINTS * sizeof *found);
  if (!found) return 1;
  int32_t count = 0;
  for (int32_t row = 0; row < ROWS; row++) {
    for (int32_t column = 0; column < COLUMNS; column++) {
      // The most textured place of its cell.
      const int32_t x0 = column * width / COLUMNS, x1 = (column + 1) * width / COLUMNS;
      const int32_t y0 = row * height / ROWS, y1 = (row + 1) * height / ROWS;
      float most = leastTexture;
      int32_t atX = -1, atY = 0;
      for (int32_t y = y0 < REACH ? REACH : y0; y < y1 && y < height - REACH; y += 3)
        for (int32_t x = x0 < REACH ? REACH : x0; x < x1 && x < width - REACH; x += 3) {
          const float value = texture(pair->left + (size_t)y * width + x, width);
          if (value > most) {
            most = value;
            atX = x;
            atY = y;
          }
        }
      float lower;
      if (atX < 0 || !findPoint(pair, atX, atY, reach, &lower)) continue;
      found[count++] = (struct Point){(float)atX - 0.5f * (float)width,
                                      (float)atY - 0.5f * (float)height, lower};
    }
  }
  memset(shift, 0, 3 * sizeof *shift);
  *spread = 0;
  *points = count;
  float distances[POINTS];
  // Begins at the median, and goes on with those that lie near the plane.
  for (int32_t k = 0; k < count; k++) distances[k] = found[k].shift;
  qsort(distances, (size_t)count, sizeof *distances, compare);
  if (count > 0) shift[0] = distances[count / 2];
  for (int32_t round = 0; round < ROUNDS && count > 0; round++) {
    double m[3][4] = {{1e-6, 0, 0, 0}, {0, 1e-3, 0, 0}, {0, 0, 1e-3, 0}};
    for (int32_t k = 0; k < count; k++) {
      const double place[3] = {1, found[k].x, found[k].y};
      const double off = found[k].shift - shift[0] - shift[1] * found[k].x - shift[2] * found[k].y;
      // Wide at first, since a turn is not known yet.
      const double width = round < 4 ? 2 : 0.5;
      const double weight = 1 / (1 + (off / width) * (off / width) * (off / width) * (off / width));
      for (int32_t j = 0; j < 3; j++) {
        for (int32_t i = 0; i < 3; i++) m[j][i] += weight * place[j] * place[i];
        m[j][3] += weight * place[j] * found[k].shift;
      }
    }
    if (!solve(m, shift)) break;
  }
  for (int32_t k = 0; k < count; k++)
    distances[k] =
        fabsf(found[k].shift - shift[0] - shift[1] * found[k].x - shift[2] * found[k].y);
  qsort(distances, (size_t)count, sizeof *distances, compare);
  if (count > 0) *spread = distances[count / 2];
  free(found);
  return 0;
}
