// SPDX-License-Identifier: Apache-2.0
//
// A pixel of the rendered half at the picture's size, with the picture's detail where it is sharp. Reads `sharp`,
// `rendered`, `share` and `picture`.
//
// With the picture s, its half S, the rendered half R and the share k of the detail, each enlarged linearly, the
// result is R + k (s - S). Where nothing is blurred R is S and k is 1, and the sum is in an order that
// leaves s to the bit.
#pragma once

#include "focal_detail.h"

// At (x, y) of the picture's window, whose rows are `width` pixels long.
FOCAL_FUNCTION float4 detailedPixel(FOCAL_TAKES int32_t x, int32_t y, int32_t width) {
  // The pixel of the half that holds this one, and the neighbour on its other side.
  const int32_t column = x / 2, line = y / 2;
  const int32_t aside = focal_clamp_int(column + 2 * (x % 2) - 1, 0, p.halfWidth - 1);
  const int32_t beyond = focal_clamp_int(line + 2 * (y % 2) - 1, 0, p.halfRows - 1);
  const int32_t a = line * p.halfWidth + column, b = line * p.halfWidth + aside;
  const int32_t c = beyond * p.halfWidth + column, d = beyond * p.halfWidth + aside;
  const float kept = 0.5625f * share[a] + 0.1875f * share[b] + 0.1875f * share[c] +
                     0.0625f * share[d];
  const float4 own = picture[y * width + x];
  if (kept == 0.0f) {
    float4 blurred = 0.5625f * rendered[a] + 0.1875f * rendered[b] + 0.1875f * rendered[c] +
                     0.0625f * rendered[d];
    blurred.w = own.w;
    return blurred;
  }
  const float4 difference = 0.5625f * (rendered[a] - sharp[a]) +
                            0.1875f * (rendered[b] - sharp[b]) +
                            0.1875f * (rendered[c] - sharp[c]) + 0.0625f * (rendered[d] - sharp[d]);
  float4 result = own + difference;
  if (kept != 1.0f) {
    const float4 enlarged =
        0.5625f * sharp[a] + 0.1875f * sharp[b] + 0.1875f * sharp[c] + 0.0625f * sharp[d];
    result = result - (1.0f - kept) * (own - enlarged);
  }
  result.w = own.w;
  return result;
}
