// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Bins of each component of the histograms, which are soft and smoothed: of 16 or 24 the cuts are the same.
  BINS = 16,
  BIN_COUNT = BINS * BINS * BINS,
};

/// Logarithms of odds beyond this say no more.
static const float mostCost = 4;

/// Luma and two differences, 0 to 1: their bins are filled more evenly than those of red, green and blue.
static void opponents(const float *code, float result[3]) {
  result[0] = 0.3f * code[0] + 0.59f * code[1] + 0.11f * code[2];
  const float x = 0.5f + 0.9f * (code[0] - code[1]);
  const float y = 0.5f + 0.7f * (0.5f * (code[0] + code[1]) - code[2]);
  result[1] = x < 0 ? 0 : x > 1 ? 1 : x;
  result[2] = y < 0 ? 0 : y > 1 ? 1 : y;
}

static void bins(const float *code, int32_t first[3], float share[3]) {
  float o[3];
  opponents(code, o);
  for (int c = 0; c < 3; c++) {
    const float at = o[c] * (BINS - 1);
    int32_t bin = (int32_t)at;
    bin = bin > BINS - 2 ? BINS - 2 : bin;
    first[c] = bin;
    share[c] = at - bin;
  }
}

static void addTo(float *histogram, const float *code, float weight) {
  int32_t b[3];
  float s[3];
  bins(code, b, s);
  for (int k = 0; k < 8; k++) {
    const int32_t x = k & 1, y = k >> 1 & 1, z = k >> 2;
    histogram[((b[0] + x) * BINS + b[1] + y) * BINS + b[2] + z] +=
        weight * (x ? s[0] : 1 - s[0]) * (y ? s[1] : 1 - s[1]) * (z ? s[2] : 1 - s[2]);
  }
}

static float look(const float *histogram, const float *code) {
  int32_t b[3];
  float s[3];
  bins(code, b, s);
  float sum = 0;
  for (int k = 0; k < 8; k++) {
    const int32_t x = k & 1, y = k >> 1 & 1, z = k >> 2;
    sum += histogram[((b[0] + x) * BINS + b[1] + y) * BINS + b[2] + z] * (x ? s[0] : 1 - s[0]) *
           (y ? s[1] : 1 - s[1]) * (z ? s[2] : 1 - s[2]);
  }
  return sum;
}

/// A quarter, a half, a quarter along each component.
static void smooth(float *histogram) {
  const int32_t strides[3] = {BINS * BINS, BINS, 1};
  for (int c = 0; c < 3; c++)
    for (int32_t line = 0; line < BINS * BINS; line++) {
      const int32_t a = line / BINS, b = line % BINS;
      float *first = histogram + a * strides[(c + 1) % 3] + b * strides[(c + 2) % 3];
      float before = first[0];
      for (int32_t k = 0; k < BINS; k++) {
        float *at = first + k * strides[c];
        const float here = *at, after = k + 1 < BINS ? at[strides[c]] : here;
        *at = 0.25f * before + 0.5f * here + 0.25f * after;
        before = here;
      }
    }
}

int32_t focal_subject_colours(const float *codes, const uint8_t *labels, const float *weights,
                              const uint8_t *fixed, int32_t width, int32_t height, float *cost) {
  const size_t count = (size_t)width * height;
  float *histograms = calloc(2 * BIN_COUNT, sizeof *histograms);
  if (histograms == NULL) return 1;
  double sums[2] = {0, 0};
  for (size_t k = 0; k < count; k++) {
    const float weight = weights == NULL ? 1 : weights[k];
    if (!(weight > 0)) continue;
    const int32_t side = labels[k] ? 0 : 1;
    addTo(histograms + side * BIN_COUNT, codes + 3 * k, weight);
    sums[side] += weight;
  }
  float scale[2];
  for (int side = 0; side < 2; side++) {
    smooth(histograms + side * BIN_COUNT);
    scale[side] = sums[side] > 0 ? (float)(BIN_COUNT / sums[side]) : 0;
  }
  for (size_t k = 0; k < count; k++) {
    if (fixed[k] != 0) {
      cost[k] = 0;
      continue;
    }
    const float front = look(histograms, codes + 3 * k) * scale[0] + 0.05f;
    const float back = look(histograms + BIN_COUNT, codes + 3 * k) * scale[1] + 0.05f;
    const float odds = logf(front / back);
    cost[k] = odds > mostCost ? mostCost : odds < -mostCost ? -mostCost : odds;
  }
  free(histograms);
  return 0;
}
