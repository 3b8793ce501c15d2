// SPDX-License-Identifier: Apache-2.0

#include "focal_own_light.h"
#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Rounds on a level whose longer side is at most this, and on larger ones.
  SMALL = 32,
  SMALL_ROUNDS = 10,
  ROUNDS = 2,
  /// How far around soft pixels colours are worked out on large levels: as far as rounds carry them, and two more.
  REACH = ROUNDS + 2,
};

/// How alike neighbours are where alpha is, and how much less where it is not.
static const float likeness = 5e-3f, unlikeness = 0.1f;

/// A level of the pyramid.
struct Level {
  int32_t width, height;
  float *light, *alpha, *front, *back;
};

/// A picture at half its size, the mean of what each pixel covers.
static void halve(const float *source, int32_t width, int32_t height, int32_t parts, float *result) {
  const int32_t newWidth = (width + 1) / 2, newHeight = (height + 1) / 2;
  for (int32_t y = 0; y < newHeight; y++)
    for (int32_t x = 0; x < newWidth; x++) {
      const int32_t i = 2 * x, j = 2 * y;
      const int32_t right = i + 1 < width ? i + 1 : i, below = j + 1 < height ? j + 1 : j;
      for (int32_t c = 0; c < parts; c++)
        result[(size_t)parts * ((size_t)y * newWidth + x) + c] =
            0.25f * (source[(size_t)parts * ((size_t)j * width + i) + c] +
                     source[(size_t)parts * ((size_t)j * width + right) + c] +
                     source[(size_t)parts * ((size_t)below * width + i) + c] +
                     source[(size_t)parts * ((size_t)below * width + right) + c]);
    }
}

/// Each colour of a level twice across and down.
static void enlarge(const float *coarse, int32_t coarseWidth, float *result, int32_t width,
                    int32_t height) {
  for (int32_t y = 0; y < height; y++) {
    float *restrict row = result + 3 * (size_t)y * width;
    if (y & 1) {
      memcpy(row, row - 3 * (size_t)width, 3 * (size_t)width * sizeof *row);
      continue;
    }
    const float *restrict from = coarse + 3 * (size_t)(y / 2) * coarseWidth;
    for (int32_t x = 0; x + 1 < width; x += 2, from += 3)
      for (int32_t c = 0; c < 3; c++) row[3 * x + c] = row[3 * x + 3 + c] = from[c];
    if (width & 1)
      for (int32_t c = 0; c < 3; c++) row[3 * (width - 1) + c] = from[c];
  }
}

/// Marks pixels near those that are wholly neither front nor back. Others have the colours of the level above.
static void mark(const struct Level *level, uint8_t *rows, uint8_t *marks) {
  const int32_t width = level->width, height = level->height;
  for (int32_t y = 0; y < height; y++) {
    const float *alpha = level->alpha + (size_t)y * width;
    uint8_t *row = rows + (size_t)y * width;
    int32_t last = -REACH - 1;
    for (int32_t x = 0; x < width; x++) {
      if (alpha[x] > 0 && alpha[x] < 1) last = x;
      row[x] = x - last <= REACH;
    }
    last = width + REACH;
    for (int32_t x = width - 1; x >= 0; x--) {
      if (alpha[x] > 0 && alpha[x] < 1) last = x;
      row[x] |= last - x <= REACH;
    }
  }
  memset(marks, 0, (size_t)width * height);
  for (int32_t y = 0; y < height; y++)
    for (int32_t j = y - REACH; j <= y + REACH; j++) {
      if (j < 0 || j >= height) continue;
      for (int32_t x = 0; x < width; x++)
        marks[(size_t)y * width + x] |= rows[(size_t)j * width + x];
    }
}

/// A round of a level: both colours of each pixel explain it, and are like those of its neighbours. `marks` says which
/// pixels; NULL for all.
FOCAL_CLONES
static void improve(const struct Level *level, const uint8_t *marks) {
  const int32_t width = level->width, height = level->height;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x;
      if (marks != NULL && marks[k] == 0) continue;
      const float a = level->alpha[k], b = 1 - a;
      float front[3] = {0}, back[3] = {0}, sum = 0;
      const int32_t steps[4] = {1, -1, width, -width};
      const int32_t isThere[4] = {x + 1 < width, x > 0, y + 1 < height, y > 0};
      for (int32_t d = 0; d < 4; d++) {
        if (!isThere[d]) continue;
        const size_t other = k + (size_t)(ptrdiff_t)steps[d];
        const float w = likeness + unlikeness * fabsf(a - level->alpha[other]);
        const float *f = level->front + 3 * other, *g = level->back + 3 * other;
        sum += w;
        for (int32_t c = 0; c < 3; c++) {
          front[c] += w * f[c];
          back[c] += w * g[c];
        }
      }
      if (!(sum > 0)) continue;
      const float scale = 1 / sum, step = 1 / (a * a + b * b + sum);
      float behind[3], own[3];
      for (int32_t c = 0; c < 3; c++) {
        const float f = front[c] * scale, g = back[c] * scale;
        const float missing = step * (level->light[3 * k + c] - a * f - b * g);
        const float newBack = g + b * missing;
        front[c] = f;
        behind[c] = b * g;
        own[c] = f + a * missing;
        level->back[3 * k + c] = newBack > 0 ? newBack : 0;
      }
      ownLight(front, level->light + 3 * k, behind, own);
      for (int32_t c = 0; c < 3; c++) level->front[3 * k + c] = own[c];
    }
}

int32_t focal_matte_colours(const float *light, const float *alpha, int32_t width, int32_t height,
                            float *front, float *back) {
  struct Level levels[32];
  int32_t count = 0, failed = 0;
  uint8_t *marks = malloc(2 * (size_t)width * height);
  if (marks == NULL) return 1;
  levels[count++] = (struct Level){.width = width,
                                   .height = height,
                                   .light = (float *)light,
                                   .alpha = (float *)alpha,
                                   .front = front,
                                   .back = back};
  while (!failed && levels[count - 1].width + levels[count - 1].height > 4 && count < 32) {
    const struct Level *above = levels + count - 1;
    struct Level *level = levels + count;
    *level = (struct Level){.width = (above->width + 1) / 2, .height = (above->height + 1) / 2};
    const size_t pixels = (size_t)level->width * level->height;
    level->light = malloc(10 * pixels * sizeof *level->light);
    if (level->light == NULL) {
      failed = 1;
      break;
    }
    level->alpha = level->light + 3 * pixels;
    level->front = level->alpha + pixels;
    level->back = level->front + 3 * pixels;
    halve(above->light, above->width, above->height, 3, level->light);
    halve(above->alpha, above->width, above->height, 1, level->alpha);
    count++;
  }
  if (!failed) {
    // The coarsest level begins with the means of both sides.
    float sums[8] = {0};
    for (size_t k = 0; k < (size_t)width * height; k++) {
      const float a = alpha[k];
      for (int32_t c = 0; c < 3; c++) {
        sums[c] += a * light[3 * k + c];
        sums[4 + c] += (1 - a) * light[3 * k + c];
      }
      sums[3] += a;
      sums[7] += 1 - a;
    }
    for (int32_t n = count - 1; n >= 0; n--) {
      const struct Level *level = levels + n;
      if (n == count - 1) {
        for (size_t k = 0; k < 3 * (size_t)level->width * level->height; k++) {
          const size_t c = k % 3;
          level->front[k] = sums[3] > 0 ? sums[c] / sums[3] : 0;
          level->back[k] = sums[7] > 0 ? sums[4 + c] / sums[7] : 0;
        }
      } else {
        const struct Level *coarse = level + 1;
        enlarge(coarse->front, coarse->width, level->front, level->width, level->height);
        enlarge(coarse->back, coarse->width, level->back, level->width, level->height);
      }
      const int32_t isSmall = level->width <= SMALL && level->height <= SMALL;
      if (!isSmall) mark(level, marks + (size_t)width * height, marks);
      for (int32_t round = 0; round < (isSmall ? SMALL_ROUNDS : ROUNDS); round++)
        improve(level, isSmall ? NULL : marks);
    }
  }
  for (int32_t n = 1; n < count; n++) free(levels[n].light);
  free(marks);
  return failed;
}
