// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <stdlib.h>
#include <string.h>

/// The variance of a pixel's light where nothing is to be seen: texture and noise of one and a half codes of eight bits, whose
/// steps grow with the light.
static const float unevenness = 1.7e-4f, darkUnevenness = 1e-7f;

/// Alpha that varies by this much, squared, counts as much as the mean around it.
static const float mostVariance = 4e-3f;

/// How far around a pixel the mean is taken.
enum { REACH = 2 };

int32_t focal_matte_calm(const float *light, const uint8_t *fixed, int32_t width, int32_t height,
                         float *alpha, float *lines) {
  const size_t count = (size_t)width * height;
  float *before = malloc(count * sizeof *before);
  if (before == NULL) return 1;
  memcpy(before, alpha, count * sizeof *before);
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x;
      if (fixed[k] != 0) continue;
      float *line = lines + 4 * k;
      float variance = 0;
      for (int32_t c = 0; c < 3; c++)
        variance += line[c] * line[c] * (unevenness * light[3 * k + c] + darkUnevenness);
      if (variance < 0.01f * mostVariance) continue;
      float sum = 0;
      int32_t pixels = 0;
      for (int32_t v = y < REACH ? 0 : y - REACH; v <= y + REACH && v < height; v++)
        for (int32_t u = x < REACH ? 0 : x - REACH; u <= x + REACH && u < width; u++) {
          sum += before[(size_t)v * width + u];
          pixels++;
        }
      const float mean = sum / (float)pixels;
      const float share = variance / (variance + mostVariance);
      alpha[k] += share * (mean - alpha[k]);
      for (int32_t c = 0; c < 3; c++) line[c] *= 1 - share;
      line[3] += share * (mean - line[3]);
    }
  free(before);
  return 0;
}
