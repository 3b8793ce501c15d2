// SPDX-License-Identifier: Apache-2.0

#include "focal_pixels.h"

#include <ShaderTypes.h>
#include <stdlib.h>
#include <string.h>

/// The places of the source that a place of the result is made of.
struct Taps {
  int32_t first, count;
  /// The first weight in the list of all.
  int32_t weights;
};

/// The taps of every place of a side. Of the source's places the picture covers `extent`, which may end within the last.
/// `weights` has room for the source's length and three more a place.
static void makeTaps(int32_t length, double extent, int32_t newLength, struct Taps *taps,
                     float *weights) {
  const double scale = extent / newLength;
  int32_t used = 0;
  for (int32_t k = 0; k < newLength; k++) {
    struct Taps *tap = taps + k;
    tap->weights = used;
    if (scale <= 1) {
      double at = (k + 0.5) * scale - 0.5;
      at = at < 0 ? 0 : at > length - 1 ? length - 1 : at;
      int32_t first = (int32_t)at;
      if (first > length - 2) first = length > 1 ? length - 2 : 0;
      tap->first = first;
      tap->count = length > 1 ? 2 : 1;
      weights[used++] = (float)(1 - (at - first));
      if (length > 1) weights[used++] = (float)(at - first);
      continue;
    }
    const double from = k * scale, to = (k + 1) * scale;
    int32_t first = (int32_t)from, end = (int32_t)to;
    if (end >= length || to - end < 1e-9) end--;
    tap->first = first;
    tap->count = end - first + 1;
    for (int32_t i = first; i <= end; i++) {
      const double low = i > from ? i : from, high = i + 1 < to ? i + 1 : to;
      weights[used++] = (float)((high - low) / scale);
    }
  }
}

FOCAL_CLONES
static void addRow(const float *restrict row, float weight, int32_t count, float *restrict sum) {
  for (int32_t k = 0; k < count; k++) sum[k] += weight * row[k];
}

/// A row of the result from the sums of a row's columns; a pixel's channels are taken at once.
static inline __attribute__((always_inline)) void mixColumns(
    const float *restrict sum, const struct Taps *restrict taps, const float *restrict weights,
    int32_t count, const int32_t channels, float *restrict to) {
  for (int32_t x = 0; x < count; x++) {
    const float *weight = weights + taps[x].weights;
    const float *from = sum + (size_t)taps[x].first * channels;
    float mean[4] = {0, 0, 0, 0};
    for (int32_t i = 0; i < taps[x].count; i++)
      for (int32_t c = 0; c < channels; c++) mean[c] += weight[i] * from[i * channels + c];
    for (int32_t c = 0; c < channels; c++) to[x * channels + c] = mean[c];
  }
}

/// Of one channel, up to so many taps are mixed for all places of a row at once.
enum { MOST_TAPS = 4 };

/// A row of the result of one channel, tap by tap: `numbers` are the first taps, how many there are, and as many rows of
/// weights as `most` says. Taps that a place has not are left out, since what lies there may be no number.
FOCAL_CLONES
static void mixValues(const float *restrict sum, const int32_t *restrict numbers, int32_t most,
                      int32_t count, float *restrict to) {
  const int32_t *restrict first = numbers, *restrict counts = numbers + count;
  const float *restrict weights = (const float *)(numbers + 2 * (size_t)count);
  for (int32_t x = 0; x < count; x++) to[x] = 0;
  for (int32_t i = 0; i < most; i++, weights += count)
    for (int32_t x = 0; x < count; x++) {
      const int32_t isThere = i < counts[x];
      const float mixed = to[x] + weights[x] * sum[first[x] + (isThere ? i : 0)];
      to[x] = isThere ? mixed : to[x];
    }
}

/// Lays taps out as `mixValues` takes them; NULL if there are too many, or no memory for them.
static int32_t *layOut(const struct Taps *taps, const float *weights, int32_t count,
                       int32_t *most) {
  *most = 0;
  for (int32_t x = 0; x < count; x++) *most = taps[x].count > *most ? taps[x].count : *most;
  if (*most > MOST_TAPS) return NULL;
  int32_t *numbers = calloc((size_t)count * (2 + *most), sizeof *numbers);
  if (numbers == NULL) return NULL;
  float *rows = (float *)(numbers + 2 * (size_t)count);
  for (int32_t x = 0; x < count; x++) {
    numbers[x] = taps[x].first;
    numbers[count + x] = taps[x].count;
    for (int32_t i = 0; i < taps[x].count; i++)
      rows[(size_t)i * count + x] = weights[taps[x].weights + i];
  }
  return numbers;
}

/// `channels` floats a pixel, 1 or 4. The source holds its rows from `first` on, and the result gets those of `part`.
static int32_t resize(const float *source, int32_t width, int32_t height, const double extent[2],
                      int64_t bytesPerRow, int32_t first, int32_t channels, float *result,
                      int32_t newWidth, int32_t newHeight, const int32_t part[2]) {
  if (width == newWidth && height == newHeight && extent[0] == width && extent[1] == height) {
    const size_t length = (size_t)width * channels;
    for (int32_t y = part[0]; y < part[1]; y++)
      memcpy(result + (y - part[0]) * length,
             (const char *)source + (y - first) * bytesPerRow, length * sizeof *result);
    return 0;
  }
  struct Taps *taps = malloc((size_t)(newWidth + newHeight) * sizeof *taps);
  float *weights = malloc(((size_t)width + height + 3 * ((size_t)newWidth + newHeight)) *
                          sizeof *weights);
  float *sum = malloc((size_t)width * channels * sizeof *sum);
  const int32_t failed = !taps || !weights || !sum;
  if (!failed) {
    struct Taps *rows = taps + newWidth;
    float *rowWeights = weights + width + 3 * (size_t)newWidth;
    makeTaps(width, extent[0], newWidth, taps, weights);
    makeTaps(height, extent[1], newHeight, rows, rowWeights);
    int32_t most = 0;
    int32_t *numbers = channels == 1 ? layOut(taps, weights, newWidth, &most) : NULL;
    for (int32_t y = part[0]; y < part[1]; y++) {
      memset(sum, 0, (size_t)width * channels * sizeof *sum);
      for (int32_t j = 0; j < rows[y].count; j++)
        addRow((const float *)((const char *)source + (rows[y].first + j - first) * bytesPerRow),
               rowWeights[rows[y].weights + j], width * channels, sum);
      float *to = result + (size_t)(y - part[0]) * newWidth * channels;
      if (channels == 4) {
        mixColumns(sum, taps, weights, newWidth, 4, to);
      } else if (numbers != NULL) {
        mixValues(sum, numbers, most, newWidth, to);
      } else {
        mixColumns(sum, taps, weights, newWidth, 1, to);
      }
    }
    free(numbers);
  }
  free(taps);
  free(weights);
  free(sum);
  return failed;
}

int32_t focal_resize_colors(const float *source, int32_t width, int32_t height,
                            const double extent[2], int64_t bytesPerRow, int32_t first,
                            float *result, int32_t newWidth, int32_t newHeight, int32_t from,
                            int32_t to) {
  const int32_t part[2] = {from, to};
  return resize(source, width, height, extent, bytesPerRow, first, 4, result, newWidth, newHeight,
                part);
}

int32_t focal_resize_map(const float *source, int32_t width, int32_t height, float *result,
                         int32_t newWidth, int32_t newHeight) {
  const int32_t part[2] = {0, newHeight};
  const double extent[2] = {width, height};
  return resize(source, width, height, extent, (int64_t)width * 4, 0, 1, result, newWidth,
                newHeight, part);
}

/// Between 0 and 1, and then the curve's where there is one.
static inline __attribute__((always_inline)) float shownCode(float code,
                                                             const float *restrict curve) {
  code = focal_clamp(code, 0.0f, 1.0f);
  if (!curve) return code;
  const float at = code * FOCAL_CURVE_STEPS;
  const int32_t step = at < FOCAL_CURVE_STEPS ? (int32_t)at : FOCAL_CURVE_STEPS - 1;
  return curve[step] + (at - (float)step) * (curve[step + 1] - curve[step]);
}

static inline __attribute__((always_inline)) void lay(const float *restrict pixels, int32_t count,
                                                      const float *restrict curve, int64_t step,
                                                      float *restrict codes) {
  for (int32_t x = 0; x < count; x++)
    for (int32_t c = 0; c < 3; c++) codes[3 * step * x + c] = shownCode(pixels[4 * x + c], curve);
}

FOCAL_CLONES
void focal_lay_codes(const float *pixels, int32_t count, const float *curve, int64_t step,
                     float *codes) {
  if (step == 1 && !curve) {
    lay(pixels, count, NULL, 1, codes);
  } else if (step == 1) {
    lay(pixels, count, curve, 1, codes);
  } else {
    lay(pixels, count, curve, step, codes);
  }
}

FOCAL_CLONES
void focal_take_component(const float *codes, int32_t count, float factor, float offset,
                          int32_t step, float *numbers) {
  if (step == 1) {
    for (int32_t x = 0; x < count; x++) numbers[x] = codes[3 * x] * factor - offset;
  } else {
    for (int32_t x = 0; x < count; x++) numbers[step * x] = codes[3 * x] * factor - offset;
  }
}

FOCAL_CLONES
void focal_make_light(float *pixels, int32_t count, const float *curve) {
  const int32_t last = FOCAL_LIGHT_END * FOCAL_CURVE_STEPS - 1;
  for (int32_t x = 0; x < count; x++)
    for (int32_t c = 0; c < 3; c++) {
      const float code = focal_clamp(pixels[4 * x + c], 0.0f, FOCAL_LARGEST_LIGHT);
      const float at = code * FOCAL_CURVE_STEPS;
      const int32_t place = (int32_t)at, step = place < last ? place : last;
      pixels[4 * x + c] = curve[step] + (at - (float)step) * (curve[step + 1] - curve[step]);
    }
}

FOCAL_CLONES
void focal_lay_light(const float *pixels, int32_t count, int64_t step, float *light) {
  for (int32_t x = 0; x < count; x++)
    for (int32_t c = 0; c < 3; c++)
      light[3 * step * x + c] = focal_max(pixels[4 * x + c], 0.0f);
}
