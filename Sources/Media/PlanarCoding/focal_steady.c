// SPDX-License-Identifier: Apache-2.0

#include "focal_steady.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Blocks of a map in each direction whose means are compared.
  GRID = 48,
  /// Pixels whose differences are compared: every so many that no more are left.
  MOST_SAMPLES = 16384,
  /// Rounds of weighting by the last round's differences. The fit moves by less than a hundredth of the
  /// noise after four.
  ROUNDS = 6,
  /// Pixels to each side that have to agree: 25 differences tell a surface's edge, which moved by one pixel,
  /// from noise.
  REACH = 2,
  SIDE = 2 * REACH + 1,
};

/// The median's absolute deviation of a normal distribution, as a part of its standard deviation.
static const float deviationOfMedian = 0.6745f;
/// How far gains are expected to lie from 1: holds the fit of flat maps, where any gain would do.
static const float expectedGain = 0.05f;

/// The value of a rank, from 0; sorts a part of the values. (Hoare's selection)
static float rankValue(float *values, int32_t count, int32_t rank) {
  int32_t low = 0, high = count - 1;
  while (low < high) {
    const float pivot = values[low + (high - low) / 2];
    int32_t i = low, j = high;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const float kept = values[i];
      values[i++] = values[j];
      values[j--] = kept;
    }
    if (rank <= j) {
      high = j;
    } else if (rank >= i) {
      low = i;
    } else {
      break;
    }
  }
  return values[rank];
}

/// Means of the blocks in which both maps are whole.
static int32_t blockMeans(const float *to, const float *from, int32_t width, int32_t height,
                          float *toMeans, float *fromMeans) {
  const int32_t columns = width < GRID ? width : GRID;
  const int32_t rows = height < GRID ? height : GRID;
  int32_t count = 0;
  for (int32_t row = 0; row < rows; row++) {
    const int32_t top = (int32_t)((int64_t)height * row / rows);
    const int32_t bottom = (int32_t)((int64_t)height * (row + 1) / rows);
    for (int32_t column = 0; column < columns; column++) {
      const int32_t left = (int32_t)((int64_t)width * column / columns);
      const int32_t right = (int32_t)((int64_t)width * (column + 1) / columns);
      float a = 0, b = 0;
      for (int32_t y = top; y < bottom; y++) {
        const ptrdiff_t place = (ptrdiff_t)y * width;
        for (int32_t x = left; x < right; x++) {
          a += to[place + x];
          b += from[place + x];
        }
      }
      // Of a sum with one value that is not finite nothing finite comes.
      if (!isfinite(a) || !isfinite(b)) continue;
      const float share = 1 / (float)((bottom - top) * (right - left));
      toMeans[count] = a * share;
      fromMeans[count++] = b * share;
    }
  }
  return count;
}

struct FocalMapFit focal_map_fit(const float *to, const float *from, int32_t width,
                                 int32_t height) {
  struct FocalMapFit fit = {.gain = 1};
  float a[GRID * GRID], b[GRID * GRID], differences[GRID * GRID];
  const int32_t count = blockMeans(to, from, width, height, a, b);
  float *samples = malloc(MOST_SAMPLES * sizeof *samples);
  if (count < 16 || !samples) {
    free(samples);
    return fit;
  }
  for (int32_t i = 0; i < count; i++) differences[i] = a[i] - b[i];
  fit.offset = rankValue(differences, count, count / 2);
  for (int32_t round = 0; round < ROUNDS; round++) {
    for (int32_t i = 0; i < count; i++)
      differences[i] = fabsf(a[i] - fit.gain * b[i] - fit.offset);
    const float scale = rankValue(differences, count, count / 2) / deviationOfMedian;
    if (scale <= 0) break;
    // Cauchy's weights at twice the deviation: blocks in which something moved hardly count.
    double sum = 0, meanA = 0, meanB = 0;
    for (int32_t i = 0; i < count; i++) {
      const float r = (a[i] - fit.gain * b[i] - fit.offset) / (2 * scale);
      differences[i] = 1 / (1 + r * r);
      sum += differences[i];
      meanA += differences[i] * a[i];
      meanB += differences[i] * b[i];
    }
    meanA /= sum;
    meanB /= sum;
    double covariance = 0, variance = 0;
    for (int32_t i = 0; i < count; i++) {
      covariance += differences[i] * (a[i] - meanA) * (b[i] - meanB);
      variance += differences[i] * (b[i] - meanB) * (b[i] - meanB);
    }
    const double hold = (double)scale * scale / (expectedGain * expectedGain);
    fit.gain = (float)((covariance + hold) / (variance + hold));
    fit.offset = (float)(meanA - fit.gain * meanB);
  }
  const int64_t pixels = (int64_t)width * height;
  const int64_t step = pixels / MOST_SAMPLES + 1;
  int32_t sampleCount = 0;
  for (int64_t i = step / 2; i < pixels && sampleCount < MOST_SAMPLES; i += step) {
    const float difference = fabsf(to[i] - fit.gain * from[i] - fit.offset);
    if (isfinite(difference)) samples[sampleCount++] = difference;
  }
  if (sampleCount > 0) {
    // A difference has the noise of both.
    fit.noise = rankValue(samples, sampleCount, sampleCount / 2) / deviationOfMedian * 0.70710678f;
    sampleCount = 0;
    for (int64_t i = step / 2; i < pixels && sampleCount < MOST_SAMPLES; i += step)
      if (isfinite(to[i])) samples[sampleCount++] = to[i];
    const float low = rankValue(samples, sampleCount, sampleCount / 50);
    fit.spread = rankValue(samples, sampleCount, sampleCount - 1 - sampleCount / 50) - low;
  }
  free(samples);
  return fit;
}

/// Squared differences from the centre's row, none above `most`: one value, or one that is not finite, does
/// not decide for its neighbours.
FOCAL_CLONES static void squareRow(const float *restrict values, const float *restrict centre,
                                   float gain, float offset, float most, int32_t width,
                                   float *restrict out) {
  for (int32_t x = 0; x < width; x++) {
    const float difference = gain * values[x] + offset - centre[x];
    const float square = difference * difference;
    out[x] = square < most ? square : most;
  }
}

FOCAL_CLONES static void addRows(const float *const rows[SIDE], int32_t width,
                                 float *restrict out) {
  const float *restrict a = rows[0], *restrict b = rows[1], *restrict c = rows[2];
  const float *restrict d = rows[3], *restrict e = rows[4];
  for (int32_t x = 0; x < width; x++) out[x] = a[x] + b[x] + c[x] + d[x] + e[x];
}

/// Adds a map's row to the mean. `sums` begins REACH before the row.
///
/// Maps of one surface differ by twice the noise's variance in the mean of 25 pixels: up to twice that they
/// count in full, from four times on not at all. An edge between disparities that are six deviations apart is
/// told by one row of five.
FOCAL_CLONES static void weighRow(const float *restrict values, const float *restrict sums,
                                  float gain, float offset, float scale, int32_t width,
                                  float *restrict total, float *restrict weights) {
  for (int32_t x = 0; x < width; x++) {
    const float mean = sums[x] + sums[x + 1] + sums[x + 2] + sums[x + 3] + sums[x + 4];
    float weight = 2 - mean * scale;
    weight = weight > 1 ? 1 : weight > 0 ? weight : 0;
    const float value = gain * values[x] + offset;
    const int isNumber = fabsf(value) <= 3e38f;
    weight = isNumber ? weight * weight : 0;
    total[x] += isNumber ? weight * value : 0;
    weights[x] += weight;
  }
}

int focal_map_steady(const struct FocalFittedMap *maps, int32_t count, int32_t centre, float noise,
                     float gain, float offset, int32_t width, int32_t height, float *result) {
  const size_t padded = (size_t)width + 2 * REACH;
  // Five rows of squares for each map, their sums, the mean's parts.
  float *squares =
      malloc(((size_t)count * SIDE * (size_t)width + padded + 2 * (size_t)width) * sizeof *squares);
  if (!squares) return 0;
  float *sums = squares + (size_t)count * SIDE * (size_t)width;
  float *total = sums + padded, *weights = total + width;
  const float variance = noise * noise;
  const float most = 64 * variance;
  const float scale = 1 / (2 * SIDE * SIDE * 2 * variance);
  int32_t ready = 0;
  for (int32_t y = 0; y < height; y++) {
    const float *own = maps[centre].values + (ptrdiff_t)y * width;
    for (; ready < height && ready <= y + REACH; ready++) {
      const ptrdiff_t place = (ptrdiff_t)ready * width;
      for (int32_t map = 0; map < count; map++) {
        if (map == centre) continue;
        squareRow(maps[map].values + place, maps[centre].values + place, maps[map].gain,
                  maps[map].offset, most, width,
                  squares + ((size_t)map * SIDE + (size_t)(ready % SIDE)) * (size_t)width);
      }
    }
    for (int32_t x = 0; x < width; x++) {
      total[x] = own[x];
      weights[x] = 1;
    }
    for (int32_t map = 0; map < count; map++) {
      if (map == centre) continue;
      const float *rows[SIDE];
      for (int32_t i = 0; i < SIDE; i++) {
        int32_t row = y + i - REACH;
        row = row < 0 ? 0 : row < height ? row : height - 1;
        rows[i] = squares + ((size_t)map * SIDE + (size_t)(row % SIDE)) * (size_t)width;
      }
      addRows(rows, width, sums + REACH);
      for (int32_t i = 0; i < REACH; i++) {
        sums[i] = sums[REACH];
        sums[REACH + width + i] = sums[REACH + width - 1];
      }
      weighRow(maps[map].values + (ptrdiff_t)y * width, sums, maps[map].gain, maps[map].offset,
               scale, width, total, weights);
    }
    float *out = result + (ptrdiff_t)y * width;
    for (int32_t x = 0; x < width; x++) out[x] = gain * (total[x] / weights[x]) + offset;
  }
  free(squares);
  return 1;
}
