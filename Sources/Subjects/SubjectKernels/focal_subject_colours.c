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

/// Where the colours of a row lie among the bins: the first bin, and how far each component is from there to the next one.
struct Places {
  int32_t *first;
  float *share[3];
};

static const int32_t steps[8] = {0,
                                 2 * BINS * BINS,
                                 2 * BINS,
                                 2 * (BINS * BINS + BINS),
                                 2,
                                 2 * (BINS * BINS + 1),
                                 2 * (BINS + 1),
                                 2 * (BINS * BINS + BINS + 1)};

/// By luma and two differences, 0 to 1: their bins are filled more evenly than those of red, green and blue.
FOCAL_CLONES
static void find(const float *restrict codes, int32_t count, const struct Places *places) {
  int32_t *restrict first = places->first;
  float *restrict x = places->share[0], *restrict y = places->share[1], *restrict z = places->share[2];
  for (int32_t k = 0; k < count; k++) {
    const float r = codes[3 * k], g = codes[3 * k + 1], b = codes[3 * k + 2];
    const float across = 0.5f + 0.9f * (r - g), down = 0.5f + 0.7f * (0.5f * (r + g) - b);
    const float parts[3] = {0.3f * r + 0.59f * g + 0.11f * b, across < 0   ? 0.0f
                                                              : across > 1 ? 1.0f
                                                                           : across,
                            down < 0   ? 0.0f
                            : down > 1 ? 1.0f
                                       : down};
    float share[3];
    int32_t place = 0;
    FOCAL_TAP_LOOP
    for (int32_t c = 0; c < 3; c++) {
      const float at = parts[c] * (BINS - 1);
      const int32_t bin = (int32_t)at > BINS - 2 ? BINS - 2 : (int32_t)at;
      share[c] = at - (float)bin;
      place = place * BINS + bin;
    }
    // The front's and the back's lie by turns.
    first[k] = 2 * place;
    x[k] = share[0], y[k] = share[1], z[k] = share[2];
  }
}

/// What each of the eight bins around a colour has of it.
static inline __attribute__((always_inline)) void weigh(const struct Places *places, int32_t k,
                                                        float weights[8]) {
  const float s[3] = {places->share[0][k], places->share[1][k], places->share[2][k]};
  for (int32_t n = 0; n < 8; n++)
    weights[n] = (n & 1 ? s[0] : 1 - s[0]) * (n & 2 ? s[1] : 1 - s[1]) * (n & 4 ? s[2] : 1 - s[2]);
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
  // The front's and the back's by turns; a row's places.
  float *histograms = calloc(2 * BIN_COUNT + 4 * (size_t)width, sizeof *histograms);
  if (histograms == NULL) return 1;
  float *row = histograms + 2 * BIN_COUNT;
  const struct Places places = {(int32_t *)row, {row + width, row + 2 * width, row + 3 * width}};
  double sums[2] = {0, 0};
  for (int32_t y = 0; y < height; y++) {
    const size_t from = (size_t)y * width;
    find(codes + 3 * from, width, &places);
    for (int32_t k = 0; k < width; k++) {
      const float weight = weights == NULL ? 1 : weights[from + k];
      if (!(weight > 0)) continue;
      const int32_t side = labels[from + k] ? 0 : 1;
      float shares[8], *histogram = histograms + side + places.first[k];
      weigh(&places, k, shares);
      for (int32_t n = 0; n < 8; n++) histogram[steps[n]] += weight * shares[n];
      sums[side] += weight;
    }
  }
  float scale[2];
  for (int side = 0; side < 2; side++) {
    smooth(histograms + side);
    scale[side] = sums[side] > 0 ? (float)(BIN_COUNT / sums[side]) : 0;
  }
  for (int32_t y = 0; y < height; y++) {
    const size_t from = (size_t)y * width;
    if (memchr(fixed + from, 0, (size_t)width) != NULL) find(codes + 3 * from, width, &places);
    for (int32_t k = 0; k < width; k++) {
      if (fixed[from + k] != 0) {
        cost[from + k] = 0;
        continue;
      }
      float own = 0, other = 0, shares[8];
      const float *histogram = histograms + places.first[k];
      weigh(&places, k, shares);
      for (int32_t n = 0; n < 8; n++) {
        own += shares[n] * histogram[steps[n]];
        other += shares[n] * histogram[steps[n] + 1];
      }
      const float front = own * scale[0] + 0.05f, back = other * scale[1] + 0.05f;
      const float odds = logf(front / back);
      cost[from + k] = odds > mostCost ? mostCost : odds < -mostCost ? -mostCost : odds;
    }
  }
  free(histograms);
  return 0;
}
