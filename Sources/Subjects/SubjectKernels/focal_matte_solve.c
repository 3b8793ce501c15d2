// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A window of 3 x 3 pixels in which alpha is a line of the colours.
struct Window {
  /// Its middle.
  int32_t place;
  float mean[3];
  /// The inverse of its colours' spread: six numbers of a symmetric matrix.
  float inverse[6];
};

struct Matte {
  const float *light;
  int32_t width, height;
  struct Window *windows;
  int32_t windowCount;
  /// Pixels that are not known, and how many.
  int32_t *places, count;
};

/// Alphas and their slopes are worth as much in the dark as in the light: what counts as noise grows with the light.
static const float noise = 3e-5f;

/// Sums of three pixels of a column, the middle one at `place`: its colours, and their products.
static inline __attribute__((always_inline)) void addColumn(const struct Matte *matte,
                                                            int32_t place, double s[9]) {
  // Where black meets white, the spread along colours that do not differ is a millionth of the other: floats lose it, and the
  // line's slope is then anything.
  for (int32_t c = 0; c < 9; c++) s[c] = 0;
  for (int32_t v = -1; v <= 1; v++) {
    const float *c = matte->light + 3 * ((size_t)place + v * matte->width);
    const double x = c[0], y = c[1], z = c[2];
    s[0] += x, s[1] += y, s[2] += z;
    s[3] += x * x, s[4] += x * y, s[5] += x * z;
    s[6] += y * y, s[7] += y * z, s[8] += z * z;
  }
}

/// From the sums of a window's columns.
static inline __attribute__((always_inline)) void makeWindow(int32_t place, const double s[9],
                                                             struct Window *window) {
  const double n = 1.0 / 9, x = s[0] * n, y = s[1] * n, z = s[2] * n;
  const double luma = 0.3 * x + 0.6 * y + 0.1 * z;
  const double floor = noise * (luma * luma + 0.02);
  const double a = s[3] * n - x * x + floor, b = s[4] * n - x * y, c = s[5] * n - x * z;
  const double d = s[6] * n - y * y + floor, e = s[7] * n - y * z, f = s[8] * n - z * z + floor;
  const double A = d * f - e * e, B = c * e - b * f, C = b * e - c * d;
  const double determinant = a * A + b * B + c * C, least = floor * floor * floor;
  const double scale = 1 / (determinant < least ? least : determinant);
  window->place = place;
  window->mean[0] = (float)x, window->mean[1] = (float)y, window->mean[2] = (float)z;
  window->inverse[0] = (float)(A * scale), window->inverse[1] = (float)(B * scale);
  window->inverse[2] = (float)(C * scale), window->inverse[3] = (float)((a * f - c * c) * scale);
  window->inverse[4] = (float)((b * c - a * e) * scale);
  window->inverse[5] = (float)((a * d - b * b) * scale);
}

/// The windows in runs along the rows: each column's sums serve three of them.
FOCAL_CLONES
static void makeWindows(const struct Matte *matte, const uint8_t *isNeeded) {
  const int32_t width = matte->width;
  int32_t next = 0;
  for (int32_t y = 1; y < matte->height - 1; y++) {
    double columns[3][9], sums[9];
    // The column up to which sums are known.
    int32_t known = -1;
    for (int32_t x = 1; x < width - 1; x++) {
      const int32_t k = y * width + x;
      if (!isNeeded[k]) continue;
      for (int32_t u = known < x - 1 ? x - 1 : known + 1; u <= x + 1; u++)
        addColumn(matte, y * width + u, columns[u % 3]);
      known = x + 1;
      // Always from left to right: sums do not depend on where a run begins.
      const double *a = columns[(x - 1) % 3], *b = columns[x % 3], *c = columns[(x + 1) % 3];
      for (int32_t n = 0; n < 9; n++) sums[n] = a[n] + b[n] + c[n];
      makeWindow(k, sums, matte->windows + next++);
    }
  }
}

/// The line that fits the values of a window best.
static inline __attribute__((always_inline)) void fitWindow(const struct Matte *matte,
                                                            const struct Window *window,
                                                            const float *values, float line[4]) {
  float sum = 0, x = 0, y = 0, z = 0;
  for (int32_t v = -1; v <= 1; v++) {
    const size_t row = (size_t)window->place + v * matte->width - 1;
    for (size_t at = row; at < row + 3; at++) {
      const float value = values[at], *c = matte->light + 3 * at;
      sum += value;
      x += value * c[0];
      y += value * c[1];
      z += value * c[2];
    }
  }
  const float n = 1.0f / 9, mean = sum * n;
  x = x * n - mean * window->mean[0];
  y = y * n - mean * window->mean[1];
  z = z * n - mean * window->mean[2];
  const float *m = window->inverse;
  line[0] = m[0] * x + m[1] * y + m[2] * z, line[1] = m[1] * x + m[3] * y + m[4] * z;
  line[2] = m[2] * x + m[4] * y + m[5] * z;
  line[3] = mean - line[0] * window->mean[0] - line[1] * window->mean[1] - line[2] * window->mean[2];
}

/// How far values are from the lines of all windows that they are in. `result` is 0 elsewhere.
FOCAL_CLONES
static void deviate(const struct Matte *matte, const float *values, float *restrict result) {
  for (int32_t k = 0; k < matte->count; k++) result[matte->places[k]] = 0;
  for (int32_t k = 0; k < matte->windowCount; k++) {
    const struct Window *window = matte->windows + k;
    float line[4];
    fitWindow(matte, window, values, line);
    for (int32_t v = -1; v <= 1; v++) {
      const size_t row = (size_t)window->place + v * matte->width - 1;
      for (size_t at = row; at < row + 3; at++) {
        const float *c = matte->light + 3 * at;
        result[at] += values[at] - line[3] - line[0] * c[0] - line[1] * c[1] - line[2] * c[2];
      }
    }
  }
}

/// Minimises the deviation from all lines, and from what is believed, by conjugate gradients.
static int32_t solve(const struct Matte *matte, const float *belief, const float *weight,
                     int32_t rounds, float *alpha) {
  const size_t pixels = (size_t)matte->width * matte->height;
  const int32_t count = matte->count;
  float *direction = calloc(pixels * 2, sizeof *direction);
  float *list = malloc((size_t)count * 3 * sizeof *list + 1);
  if (direction == NULL || list == NULL) {
    free(direction);
    free(list);
    return 1;
  }
  float *moved = direction + pixels, *residual = list, *inverse = list + count;
  float *ahead = inverse + count;
  // The diagonal, by which each pixel's step is scaled.
  for (int32_t k = 0; k < count; k++) inverse[k] = 0;
  int32_t *index = (int32_t *)moved;
  for (int32_t k = 0; k < count; k++) index[matte->places[k]] = k + 1;
  for (int32_t w = 0; w < matte->windowCount; w++) {
    const struct Window *window = matte->windows + w;
    const float *m = window->inverse;
    for (int32_t v = -1; v <= 1; v++)
      for (int32_t u = -1; u <= 1; u++) {
        const size_t at = (size_t)window->place + v * matte->width + u;
        if (index[at] == 0) continue;
        const float *c = matte->light + 3 * at;
        const float x = c[0] - window->mean[0], y = c[1] - window->mean[1];
        const float z = c[2] - window->mean[2];
        const float square = x * (m[0] * x + 2 * m[1] * y + 2 * m[2] * z) +
                             y * (m[3] * y + 2 * m[4] * z) + m[5] * z * z;
        inverse[index[at] - 1] += 1 - (1 + square) / 9;
      }
  }
  memset(moved, 0, pixels * sizeof *moved);
  deviate(matte, alpha, moved);
  double energy = 0;
  for (int32_t k = 0; k < count; k++) {
    const int32_t at = matte->places[k];
    inverse[k] = 1 / (inverse[k] + weight[at] + 1e-3f);
    residual[k] = weight[at] * (belief[at] - alpha[at]) - moved[at];
    ahead[k] = inverse[k] * residual[k];
    direction[at] = ahead[k];
    energy += (double)residual[k] * ahead[k];
  }
  const double enough = energy * 1e-5;
  for (int32_t round = 0; round < rounds && energy > enough && energy > 1e-12; round++) {
    deviate(matte, direction, moved);
    double bend = 0;
    for (int32_t k = 0; k < count; k++) {
      const int32_t at = matte->places[k];
      moved[at] += weight[at] * direction[at];
      bend += (double)moved[at] * direction[at];
    }
    if (!(bend > 0)) break;
    const float step = (float)(energy / bend);
    double next = 0;
    for (int32_t k = 0; k < count; k++) {
      const int32_t at = matte->places[k];
      alpha[at] += step * direction[at];
      residual[k] -= step * moved[at];
      ahead[k] = inverse[k] * residual[k];
      next += (double)residual[k] * ahead[k];
    }
    const float keep = (float)(next / energy);
    energy = next;
    for (int32_t k = 0; k < count; k++) {
      const int32_t at = matte->places[k];
      direction[at] = ahead[k] + keep * direction[at];
    }
  }
  free(direction);
  free(list);
  return 0;
}

int32_t focal_matte_solve(const float *light, const uint8_t *fixed, const float *belief,
                          const float *weight, int32_t width, int32_t height, int32_t rounds,
                          float *alpha, float *lines) {
  struct Matte matte = {.light = light, .width = width, .height = height};
  const int32_t pixels = width * height;
  for (int32_t k = 0; k < pixels; k++) matte.count += fixed[k] == 0;
  memset(lines, 0, (size_t)pixels * 4 * sizeof *lines);
  for (int32_t k = 0; k < pixels; k++) {
    if (fixed[k] != 0) alpha[k] = fixed[k] == 1;
    lines[4 * (size_t)k + 3] = alpha[k];
  }
  if (matte.count == 0 || width < 3 || height < 3) return 0;
  matte.places = malloc((size_t)matte.count * sizeof *matte.places);
  // A window is needed if any of its pixels is not known.
  uint8_t *isNeeded = calloc((size_t)pixels, 1);
  int32_t failed = matte.places == NULL || isNeeded == NULL;
  if (!failed) {
    int32_t next = 0;
    for (int32_t y = 0; y < height; y++)
      for (int32_t x = 0; x < width; x++) {
        const int32_t k = y * width + x;
        if (fixed[k] != 0) continue;
        matte.places[next++] = k;
        for (int32_t j = y - 1; j <= y + 1; j++)
          for (int32_t i = x - 1; i <= x + 1; i++) {
            if (j < 1 || j > height - 2 || i < 1 || i > width - 2) continue;
            matte.windowCount += !isNeeded[j * width + i];
            isNeeded[j * width + i] = 1;
          }
      }
    matte.windows = malloc((size_t)matte.windowCount * sizeof *matte.windows + 1);
    failed = matte.windows == NULL;
  }
  if (!failed) {
    makeWindows(&matte, isNeeded);
    failed = solve(&matte, belief, weight, rounds, alpha);
  }
  if (!failed) {
    for (int32_t k = 0; k < matte.count; k++) {
      float *value = alpha + matte.places[k];
      // Light of 65504 beside none leaves no number at all.
      *value = *value > 0 ? *value < 1 ? *value : 1 : 0;
    }
    // Each pixel's line is the mean of those of its windows.
    int32_t *counts = calloc((size_t)pixels, sizeof *counts);
    failed = counts == NULL;
    for (int32_t k = 0; !failed && k < matte.windowCount; k++) {
      const struct Window *window = matte.windows + k;
      float line[4];
      fitWindow(&matte, window, alpha, line);
      for (int32_t v = -1; v <= 1; v++)
        for (int32_t u = -1; u <= 1; u++) {
          const size_t at = (size_t)window->place + v * width + u;
          if (counts[at] == 0) lines[4 * at + 3] = 0;
          counts[at]++;
          for (int32_t c = 0; c < 4; c++) lines[4 * at + c] += line[c];
        }
    }
    for (int32_t k = 0; !failed && k < pixels; k++)
      if (counts[k] > 0)
        for (int32_t c = 0; c < 4; c++) lines[4 * (size_t)k + c] /= counts[k];
    free(counts);
  }
  free(matte.windows);
  free(matte.places);
  free(isNeeded);
  return failed;
}
