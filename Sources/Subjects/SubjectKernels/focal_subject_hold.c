// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/// A step to a neighbour and to a diagonal one, of distances in thirds of pixels.
static const int32_t straight = 3, diagonal = 4;

/// Where leaks of a subject lie, in parts of the step from what is around it: from what the map's noise does not reach, to
/// as far beyond the subject.
static const float leaksFrom = 0.25f, leaksTo = 1.25f;

int32_t focal_subject_fill(const uint8_t *known, int32_t width, int32_t height, float *values) {
  // A frame of places that nothing comes from saves the question for the border.
  const int32_t pitch = width + 2, far = diagonal * (width + height);
  const size_t framed = (size_t)pitch * (height + 2);
  int32_t *away = malloc(framed * sizeof *away);
  if (away == NULL) return 1;
  for (size_t k = 0; k < framed; k++) away[k] = far;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++)
      if (known[(size_t)y * width + x]) away[(size_t)(y + 1) * pitch + x + 1] = 0;
  for (int32_t pass = 0; pass < 2; pass++) {
    const ptrdiff_t step = pass ? -1 : 1;
    // The one before in the row, and three of the row before.
    const ptrdiff_t before[4] = {-step, -step * pitch - 1, -step * pitch, -step * pitch + 1};
    const ptrdiff_t shown[4] = {-step, -step * width - 1, -step * width, -step * width + 1};
    for (int32_t j = 0; j < height; j++) {
      const int32_t y = pass ? height - 1 - j : j, first = pass ? width - 1 : 0;
      int32_t *here = away + (size_t)(y + 1) * pitch + first + 1;
      float *value = values + (size_t)y * width + first;
      for (int32_t i = 0; i < width; i++, here += step, value += step) {
        int32_t least = *here;
        ptrdiff_t from = 0;
        for (int32_t n = 0; n < 4; n++) {
          const int32_t way = here[before[n]] + (n == 1 || n == 3 ? diagonal : straight);
          if (way >= least) continue;
          least = way;
          from = shown[n];
        }
        *here = least;
        *value = value[from];
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
