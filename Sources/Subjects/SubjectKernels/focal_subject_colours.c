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

/// Calls the statement for each of the eight bins around a colour, with its place and its share.
#define FOR_EACH_BIN(code, statement)                                       \
  do {                                                                      \
    int32_t b[3];                                                           \
    float s[3];                                                             \
    bins(code, b, s);                                                       \
    for (int n = 0; n < 8; n++) {                                           \
      const int32_t x = n & 1, y = n >> 1 & 1, z = n >> 2;                  \
      const int32_t bin = ((b[0] + x) * BINS + b[1] + y) * BINS + b[2] + z; \
      const float across = (x ? s[0] : 1 - s[0]) * (y ? s[1] : 1 - s[1]);   \
      const float share = across * (z ? s[2] : 1 - s[2]);                   \
      statement;                                                            \
    }                                                                       \
  } while (0)

static void addTo(float *histogram, const float *code, float weight) {
  FOR_EACH_BIN(code, histogram[2 * bin] += weight * share);
}

/// How much of a colour the front has, and the back.
static void look(const float *histograms, const float *code, float shares[2]) {
  float front = 0, back = 0;
  FOR_EACH_BIN(code, {
    front += share * histograms[2 * bin];
    back += share * histograms[2 * bin + 1];
  });
  shares[0] = front;
  shares[1] = back;
}

/// A quarter, a half, a quarter along each component of one of two histograms.
static void smooth(float *histogram) {
  const int32_t strides[3] = {BINS * BINS, BINS, 1};
  for (int c = 0; c < 3; c++)
    for (int32_t line = 0; line < BINS * BINS; line++) {
      const int32_t a = line / BINS, b = line % BINS;
      float *first = histogram + 2 * (a * strides[(c + 1) % 3] + b * strides[(c + 2) % 3]);
      float before = first[0];
      for (int32_t k = 0; k < BINS; k++) {
        float *at = first + 2 * k * strides[c];
        const float here = *at, after = k + 1 < BINS ? at[2 * strides[c]] : here;
        *at = 0.25f * before + 0.5f * here + 0.25f * after;
        before = here;
      }
    }
}

int32_t focal_subject_colours(const float *codes, const uint8_t *labels, const float *weights,
                              const uint8_t *fixed, int32_t width, int32_t height, float *cost) {
  const size_t count = (size_t)width * height;
  // The front's and the back's by turns.
  float *histograms = calloc(2 * BIN_COUNT, sizeof *histograms);
  if (histograms == NULL) return 1;
  double sums[2] = {0, 0};
  for (size_t k = 0; k < count; k++) {
    const float weight = weights == NULL ? 1 : weights[k];
    if (!(weight > 0)) continue;
    const int32_t side = labels[k] ? 0 : 1;
    addTo(histograms + side, codes + 3 * k, weight);
    sums[side] += weight;
  }
  float scale[2];
  for (int side = 0; side < 2; side++) {
    smooth(histograms + side);
    scale[side] = sums[side] > 0 ? (float)(BIN_COUNT / sums[side]) : 0;
  }
  for (size_t k = 0; k < count; k++) {
    if (fixed[k] != 0) {
      cost[k] = 0;
      continue;
    }
    float shares[2];
    look(histograms, codes + 3 * k, shares);
    const float front = shares[0] * scale[0] + 0.05f, back = shares[1] * scale[1] + 0.05f;
    const float odds = logf(front / back);
    cost[k] = odds > mostCost ? mostCost : odds < -mostCost ? -mostCost : odds;
  }
  free(histograms);
  return 0;
}
