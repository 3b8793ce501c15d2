// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stddef.h>

FOCAL_CLONES
void focal_matte_zones(const float *restrict distance, int32_t count, float inner, float outer,
                       float inside, float outside, uint8_t *restrict fixed,
                       uint8_t *restrict examples) {
  for (int32_t k = 0; k < count; k++) {
    const float away = distance[k];
    fixed[k] = away > inner ? 1 : away < -outer ? 2 : 0;
    examples[k] = away > inside ? 1 : away < -outside ? 0 : 2;
  }
}

FOCAL_CLONES
int32_t focal_matte_differs(const float *restrict alpha, const float *restrict distance,
                            int32_t count, float reach, uint8_t side, uint8_t *restrict result) {
  int32_t found = 0;
  // Of the front alpha is too small, and of the back too large.
  const float sign = side == 1 ? 1 : -1;
  for (int32_t k = 0; k < count; k++) {
    const uint8_t differs = sign * (0.5f - alpha[k]) > 0 && sign * distance[k] > reach;
    result[k] = differs;
    found |= differs;
  }
  return found;
}

FOCAL_CLONES
static int32_t isAnyAbove(const float *values, int32_t count, float least) {
  int32_t found = 0;
  for (int32_t k = 0; k < count; k++) found |= values[k] > least;
  return found;
}

FOCAL_CLONES
int32_t focal_matte_above(const float *restrict values, int32_t count, float least,
                          uint8_t *restrict result) {
  int32_t found = 0;
  for (int32_t k = 0; k < count; k++) {
    const uint8_t above = values[k] > least;
    result[k] = above;
    found |= above;
  }
  return found;
}

int32_t focal_matte_extent(const float *values, int32_t width, int32_t height, float least,
                           int32_t rect[4]) {
  int32_t left = width, right = -1, top = height, bottom = -1;
  for (int32_t y = 0; y < height; y++) {
    const float *row = values + (size_t)y * width;
    if (!isAnyAbove(row, width, least)) continue;
    int32_t first = 0, last = width - 1;
    while (!(row[first] > least)) first++;
    while (!(row[last] > least)) last--;
    left = first < left ? first : left, right = last > right ? last : right;
    top = y < top ? y : top, bottom = y;
  }
  rect[0] = left, rect[1] = top, rect[2] = right + 1 - left, rect[3] = bottom + 1 - top;
  return right >= 0;
}

FOCAL_CLONES
void focal_map_shares(const float *restrict disparities, int32_t count, float low, float scale,
                      float most, float *restrict shares) {
  for (int32_t k = 0; k < count; k++) {
    const float value = disparities[k], share = focal_unit((value - low) * scale);
    shares[k] = fabsf(value) <= most ? share : 0;
  }
}

void focal_matte_drop(const float *gap, int32_t count, float reach, uint8_t *fixed,
                      float *alpha, float *lines) {
  for (int32_t k = 0; k < count; k++) {
    if (!(alpha[k] > 0 && gap[k] > reach)) continue;
    fixed[k] = 2;
    alpha[k] = 0;
    for (int32_t c = 0; c < 4; c++) lines[4 * (int64_t)k + c] = 0;
  }
}

/// The place of a value, 0 to 1, among whole codes.
static inline __attribute__((always_inline)) uint32_t codeOf(float value, float largest) {
  return (uint32_t)(int32_t)(focal_unit(value) * largest + 0.5f);
}

FOCAL_CLONES
void focal_mask_codes(const float *restrict values, int32_t count, int32_t bytes,
                      void *restrict codes) {
  if (bytes == 1) {
    uint8_t *restrict row = codes;
    for (int32_t x = 0; x < count; x++) row[x] = (uint8_t)codeOf(values[x], 255);
  } else if (bytes == 2) {
    uint16_t *restrict row = codes;
    for (int32_t x = 0; x < count; x++) row[x] = (uint16_t)codeOf(values[x], 65535);
  } else if (bytes == 4) {
    uint32_t *restrict row = codes;
    for (int32_t x = 0; x < count; x++)
      row[x] = codeOf(values[x], 255) * 0x10101u | 0xFF000000u;
  } else {
    float *restrict row = codes;
    for (int32_t x = 0; x < count; x++) {
      row[4 * x + 0] = row[4 * x + 1] = row[4 * x + 2] = values[x];
      row[4 * x + 3] = 1;
    }
  }
}

FOCAL_CLONES
void focal_stillness(const uint8_t *restrict luma, const uint8_t *restrict before, int32_t width,
                     int32_t height, float least, float *restrict still) {
  const float scale = 1 / (9 * 255 * least);
  for (int32_t k = 0; k < width * height; k++) still[k] = 0;
  for (int32_t y = 1; y + 1 < height; y++)
    for (int32_t x = 1; x + 1 < width; x++) {
      int32_t sum = 0;
      for (int32_t j = -1; j <= 1; j++)
        for (int32_t i = -1; i <= 1; i++) {
          const int32_t k = (y + j) * width + x + i;
          const int32_t step = luma[k] - before[k];
          sum += step < 0 ? -step : step;
        }
      still[y * width + x] = focal_unit(2 - (float)sum * scale);
    }
}
