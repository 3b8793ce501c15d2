// SPDX-License-Identifier: Apache-2.0

#include "focal_flow.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "focal_sample.h"

enum {
  /// Pixels of a patch's side, and from one patch to the next.
  PATCH = 8,
  STRIDE = 4,
  ROUNDS = 10,
  /// The shorter side of the coarsest level.
  COARSEST = 20,
  LEVELS = 8,
};

/// Longer steps than this within a level are lost patches.
static const float mostStep = PATCH;

/// A level of a picture with its gradients.
struct Level {
  int32_t width, height;
  float *luma, *gradientX, *gradientY;
};

/// A patch of a picture, moved by fractions.
static inline __attribute__((always_inline)) void takePatch(const struct Level *level, float x,
                                                            float y, float patch[PATCH * PATCH]) {
  const int32_t width = level->width, height = level->height;
  const int32_t i = (int32_t)floorf(x), j = (int32_t)floorf(y);
  if (i >= 0 && j >= 0 && i + PATCH < width && j + PATCH < height) {
    const float a = x - i, b = y - j;
    const float w00 = (1 - a) * (1 - b), w01 = a * (1 - b), w10 = (1 - a) * b, w11 = a * b;
    for (int32_t v = 0; v < PATCH; v++) {
      const float *row = level->luma + (size_t)(j + v) * width + i;
      const float *next = row + width;
      for (int32_t u = 0; u < PATCH; u++)
        patch[v * PATCH + u] = w00 * row[u] + w01 * row[u + 1] + w10 * next[u] + w11 * next[u + 1];
    }
  } else {
    for (int32_t v = 0; v < PATCH; v++)
      for (int32_t u = 0; u < PATCH; u++)
        patch[v * PATCH + u] = sample(level->luma, width, height, x + u, y + v);
  }
}

/// The same less its mean.
FOCAL_CLONES
static void readPatch(const struct Level *level, float x, float y, float patch[PATCH * PATCH]) {
  takePatch(level, x, y, patch);
  float sum = 0;
  for (int32_t k = 0; k < PATCH * PATCH; k++) sum += patch[k];
  sum /= PATCH * PATCH;
  for (int32_t k = 0; k < PATCH * PATCH; k++) patch[k] -= sum;
}

/// Adds a patch's movement to the pixels under it: those that fit worse count less. `sums` are three planes.
FOCAL_CLONES
static void addPatch(const struct Level *from, const struct Level *to, int32_t x, int32_t y, float u,
                     float v, float left, float *restrict sums) {
  const size_t pixels = (size_t)from->width * from->height;
  const float scale = 1 / (left * left);
  float other[PATCH * PATCH];
  takePatch(to, x + u, y + v, other);
  for (int32_t j = 0; j < PATCH; j++) {
    const size_t at = (size_t)(y + j) * from->width + x;
    const float *restrict own = from->luma + at;
    float *restrict along = sums + at, *restrict down = along + pixels;
    float *restrict weights = down + pixels;
    for (int32_t i = 0; i < PATCH; i++) {
      const float error = fabsf(other[j * PATCH + i] - own[i]);
      const float square = error > 1 ? error * error : 1;
      const float weight = scale / (square * square);
      along[i] += weight * u;
      down[i] += weight * v;
      weights[i] += weight;
    }
  }
}

/// Moves one patch until both pictures agree. Returns the mean difference that is left.
static float searchPatch(const struct Level *from, const struct Level *to, int32_t x, int32_t y,
                         float *u, float *v) {
  float own[PATCH * PATCH], other[PATCH * PATCH], gx[PATCH * PATCH], gy[PATCH * PATCH];
  readPatch(from, x, y, own);
  float xx = 1e-3f, xy = 0, yy = 1e-3f;
  for (int32_t j = 0; j < PATCH; j++)
    for (int32_t i = 0; i < PATCH; i++) {
      const size_t at = (size_t)(y + j) * from->width + x + i;
      const float a = from->gradientX[at], b = from->gradientY[at];
      gx[j * PATCH + i] = a;
      gy[j * PATCH + i] = b;
      xx += a * a;
      xy += a * b;
      yy += b * b;
    }
  // Even patches stay where coarser levels put them.
  xx += 16;
  yy += 16;
  const float inverse = 1 / (xx * yy - xy * xy);
  const float startU = *u, startV = *v;
  float bestU = startU, bestV = startV, best = INFINITY;
  for (int32_t round = 0; round <= ROUNDS; round++) {
    readPatch(to, x + *u, y + *v, other);
    float error = 0, bx = 0, by = 0;
    for (int32_t k = 0; k < PATCH * PATCH; k++) {
      const float difference = other[k] - own[k];
      error += difference * difference;
      bx += difference * gx[k];
      by += difference * gy[k];
    }
    if (error < best) {
      best = error;
      bestU = *u;
      bestV = *v;
    } else if (error > 1.5f * best) {
      break;
    }
    const float du = inverse * (yy * bx - xy * by), dv = inverse * (xx * by - xy * bx);
    *u -= du;
    *v -= dv;
    if (fabsf(*u - startU) > mostStep || fabsf(*v - startV) > mostStep) break;
    if (du * du + dv * dv < 1e-4f) break;
  }
  *u = bestU;
  *v = bestV;
  return sqrtf(best / (PATCH * PATCH));
}

/// The flow of a level, from that of the one before. `sums` are three planes.
static void flowOfLevel(const struct Level *from, const struct Level *to, const float *coarse,
                        int32_t coarseWidth, int32_t coarseHeight, float *flow, float *sums) {
  const int32_t width = from->width, height = from->height;
  memset(sums, 0, (size_t)3 * width * height * sizeof *sums);
  for (int32_t row = 0;; row++) {
    const int32_t y = row * STRIDE < height - PATCH ? row * STRIDE : height - PATCH;
    for (int32_t column = 0;; column++) {
      const int32_t x = column * STRIDE < width - PATCH ? column * STRIDE : width - PATCH;
      float u = 0, v = 0;
      if (coarse) {
        const int32_t i = (x + PATCH / 2) / 2, j = (y + PATCH / 2) / 2;
        const size_t at = (size_t)(j < coarseHeight ? j : coarseHeight - 1) * coarseWidth +
                          (i < coarseWidth ? i : coarseWidth - 1);
        u = 2 * coarse[2 * at];
        v = 2 * coarse[2 * at + 1];
      }
      // A patch over an edge fits nowhere well: those beside it count more.
      const float left = searchPatch(from, to, x, y, &u, &v) + 1;
      addPatch(from, to, x, y, u, v, left, sums);
      if (x == width - PATCH) break;
    }
    if (y == height - PATCH) break;
  }
  const size_t pixels = (size_t)width * height;
  for (size_t at = 0; at < pixels; at++) {
    const float scale = 1 / sums[2 * pixels + at];
    flow[2 * at] = scale * sums[at];
    flow[2 * at + 1] = scale * sums[pixels + at];
  }
}

static void makeGradients(struct Level *level) {
  const int32_t width = level->width, height = level->height;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const float *row = level->luma + (size_t)y * width;
      const int32_t left = x > 0 ? x - 1 : x, right = x < width - 1 ? x + 1 : x;
      const int32_t above = y > 0 ? -width : 0, below = y < height - 1 ? width : 0;
      level->gradientX[(size_t)y * width + x] = 0.5f * (row[right] - row[left]);
      level->gradientY[(size_t)y * width + x] = 0.5f * (row[x + below] - row[x + above]);
    }
}

/// Makes the levels of a picture in `memory`, which takes three floats a pixel of all of them.
static int32_t makeLevels(const uint8_t *luma, int32_t width, int32_t height, float *memory,
                          struct Level *levels) {
  int32_t count = 0;
  while (count < LEVELS) {
    struct Level *level = levels + count;
    const size_t size = (size_t)width * height;
    *level = (struct Level){width, height, memory, memory + size, memory + 2 * size};
    memory += 3 * size;
    if (count == 0) {
      for (size_t k = 0; k < size; k++) level->luma[k] = luma[k];
    } else {
      const struct Level *finer = level - 1;
      for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
          const float *at = finer->luma + (size_t)2 * y * finer->width + 2 * x;
          level->luma[(size_t)y * width + x] =
              0.25f * (at[0] + at[1] + at[finer->width] + at[finer->width + 1]);
        }
    }
    makeGradients(level);
    count++;
    width /= 2;
    height /= 2;
    if (width < COARSEST || height < COARSEST) break;
  }
  return count;
}

int32_t focal_flow(const uint8_t *from, const uint8_t *to, int32_t width, int32_t height,
                   float *flow) {
  const size_t pixels = (size_t)width * height;
  // Smaller than a patch, nothing moves that could be seen.
  if (width < PATCH || height < PATCH) {
    memset(flow, 0, 2 * pixels * sizeof *flow);
    return 0;
  }
  // All levels together have at most 4/3 of the pixels.
  float *memory = malloc((8 * pixels + 3 * pixels + 2 * pixels) * sizeof *memory);
  if (!memory) return 1;
  struct Level a[LEVELS], b[LEVELS];
  const int32_t count = makeLevels(from, width, height, memory, a);
  makeLevels(to, width, height, memory + 4 * pixels, b);
  float *sums = memory + 8 * pixels, *coarse = memory + 11 * pixels;
  for (int32_t k = count - 1; k >= 0; k--) {
    const int32_t isFirst = k == count - 1;
    flowOfLevel(a + k, b + k, isFirst ? NULL : coarse, isFirst ? 0 : a[k + 1].width,
                isFirst ? 0 : a[k + 1].height, flow, sums);
    if (k > 0) memcpy(coarse, flow, (size_t)2 * a[k].width * a[k].height * sizeof *flow);
  }
  free(memory);
  return 0;
}

int32_t focal_fit_line(const float *map, const float *reference, const float *error, float most,
                       int32_t count, float fit[2]) {
  fit[0] = 1;
  fit[1] = 0;
  int32_t counted = 0;
  for (int32_t round = 0; round < 4; round++) {
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    counted = 0;
    for (int32_t k = 0; k < count; k++) {
      const float a = map[k], b = reference[k];
      if (!(error[k] <= most) || isnan(a) || isnan(b)) continue;
      const float distance = fabsf(fit[0] * a + fit[1] - b);
      // The first round counts all alike; later ones nearly by the distance itself.
      const double weight = round == 0 ? 1 : 1 / (distance > 1e-3f ? distance : 1e-3f);
      w += weight;
      x += weight * a;
      y += weight * b;
      xx += weight * a * a;
      xy += weight * a * b;
      counted++;
    }
    const double bend = w * xx - x * x;
    if (counted < 16 || !(bend > 1e-9 * w * w)) break;
    fit[0] = (float)((w * xy - x * y) / bend);
    fit[1] = (float)((y - fit[0] * x) / w);
  }
  return counted;
}
