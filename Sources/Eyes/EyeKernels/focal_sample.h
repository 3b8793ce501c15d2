// SPDX-License-Identifier: Apache-2.0
//
// Planes of floats between their pixels. ShaderTypes.h comes first: it turns contraction off.

#ifndef FOCAL_SAMPLE_H
#define FOCAL_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/// Bilinear; beyond the edges lies what is at them. Not a number beside the place is the result.
static inline float sample(const float *plane, int32_t width, int32_t height, float x, float y) {
  x = x < 0 ? 0 : x > width - 1 ? width - 1 : x;
  y = y < 0 ? 0 : y > height - 1 ? height - 1 : y;
  const int32_t i = (int32_t)x, j = (int32_t)y;
  const int32_t right = i + 1 < width ? 1 : 0, below = j + 1 < height ? width : 0;
  const float *at = plane + (size_t)j * width + i;
  const float a = x - i, b = y - j;
  const float top = at[0] + a * (at[right] - at[0]);
  const float bottom = at[below] + a * (at[below + right] - at[below]);
  return top + b * (bottom - top);
}

#endif
