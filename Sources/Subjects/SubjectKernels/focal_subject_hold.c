// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A step to a neighbour and to a diagonal one, of distances in thirds of pixels.
static const int32_t straight = 3, diagonal = 4;

/// Where leaks of a subject lie, in parts of the step from what is around it: from what the map's noise does not reach, to
/// as far beyond the subject.
static const float leaksFrom = 0.25f, leaksTo = 1.25f;

int32_t focal_subject_fill(const uint8_t *known, int32_t width, int32_t height, float *values) {
  const size_t count = (size_t)width * height;
  int32_t *away = malloc(count * sizeof *away);
  if (away == NULL) return 1;
  const int32_t far = diagonal * (width + height);
  for (size_t k = 0; k < count; k++) away[k] = known[k] ? 0 : far;
  for (int32_t pass = 0; pass < 2; pass++) {
    const int32_t step = pass ? -1 : 1;
    for (int32_t j = 0; j < height; j++) {
      const int32_t y = pass ? height - 1 - j : j;
      for (int32_t i = 0; i < width; i++) {
        const int32_t x = pass ? width - 1 - i : i;
        const size_t here = (size_t)y * width + x;
        // The one before in the row, and three of the row before.
        for (int32_t n = 0; n < 4; n++) {
          const int32_t u = n == 0 ? x - step : x + (n - 2), v = n == 0 ? y : y - step;
          if (u < 0 || u >= width || v < 0 || v >= height) continue;
          const size_t other = (size_t)v * width + u;
          const int32_t way = away[other] + (n == 1 || n == 3 ? diagonal : straight);
          if (way >= away[here]) continue;
          away[here] = way;
          values[here] = values[other];
        }
      }
    }
  }
  free(away);
  return 0;
}

void focal_subject_shown(const float *shown, int32_t count, float low, float high, float *map) {
  for (int32_t x = 0; x < count; x++) {
    const float value = low + (high - low) * sqrtf(shown[4 * (size_t)x]);
    map[x] = value < high ? value : high;
  }
}

void focal_subject_hold(const struct FocalHold *hold, const float *mask, int32_t width,
                        int32_t height, int32_t row, float *map) {
  const int32_t j = (int32_t)((int64_t)row * hold->height / height);
  for (int32_t x = 0; x < width; x++) {
    const int32_t i = (int32_t)((int64_t)x * hold->width / width);
    const size_t k = (size_t)j * hold->width + i;
    const float d = map[x], inside = hold->inside[k], outside = hold->outside[k];
    if (mask[x] >= 0.5f) {
      const float value = fabsf(d - outside) < fabsf(d - inside) ? inside : d;
      map[x] = value < hold->low ? hold->low : value > hold->high ? hold->high : value;
    } else if (hold->distance[k] > -hold->reach) {
      // Beyond the subject is something else: what stands before it.
      const float step = inside - outside, way = (d - outside) * step;
      if (way > leaksFrom * step * step && way <= leaksTo * step * step) map[x] = outside;
    }
  }
}
