// SPDX-License-Identifier: Apache-2.0

#include <ShaderTypes.h>

#include "focal_log.h"

// One colour. A cell is six tetrahedra along its diagonal of grays: the order of the fractions names the one.
static void look_up(const struct FocalColorCube *cube, float *pixel) {
  const int32_t last = cube->size - 1;
  int32_t cell[3];
  float part[3];
  for (int k = 0; k < 3; k++) {
    const float value = focal_is_number(pixel[k]) ? pixel[k] : 0.0f;
    const float at = focal_clamp((value - cube->least[k]) * cube->steps[k], 0.0f, (float)last);
    cell[k] = focal_min_int((int32_t)at, last - 1);
    part[k] = at - (float)cell[k];
  }
  const int64_t strides[3] = {3, 3 * (int64_t)cube->size,
                              3 * (int64_t)cube->size * cube->size};
  const float *corner =
      cube->table + cell[0] * strides[0] + cell[1] * strides[1] + cell[2] * strides[2];
  int order[3] = {0, 1, 2};
  for (int a = 0; a < 2; a++) {
    for (int b = 0; b < 2 - a; b++) {
      if (part[order[b]] < part[order[b + 1]]) {
        const int swapped = order[b];
        order[b] = order[b + 1];
        order[b + 1] = swapped;
      }
    }
  }
  const float *first = corner + strides[order[0]];
  const float *second = first + strides[order[1]];
  const float *third = second + strides[order[2]];
  const float high = part[order[0]], middle = part[order[1]], low = part[order[2]];
  for (int k = 0; k < 3; k++) {
    pixel[k] = (1 - high) * corner[k] + (high - middle) * first[k] + (middle - low) * second[k] +
               low * third[k];
  }
}

void focal_cube_apply(const struct FocalColorCube *cube, float *pixels, size_t count) {
  for (size_t i = 0; i < count; i++) look_up(cube, pixels + 4 * i);
}
