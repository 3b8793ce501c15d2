// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>

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

void focal_matte_drop(const float *distance, int32_t count, float reach, uint8_t *fixed,
                      float *alpha, float *lines) {
  for (int32_t k = 0; k < count; k++) {
    if (!(alpha[k] > 0 && distance[k] < -reach)) continue;
    fixed[k] = 2;
    alpha[k] = 0;
    for (int32_t c = 0; c < 4; c++) lines[4 * (int64_t)k + c] = 0;
  }
}
