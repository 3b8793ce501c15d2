// SPDX-License-Identifier: Apache-2.0
#pragma STDC FP_CONTRACT OFF

#include "CPUKernels.h"

/// Disparity to the signed radius of the circle of confusion, in pixels.
///
/// For a thin lens the circle is linear in disparity, also in a relative one:
/// the offset cancels in d - focus and the factor joins the scale.
FOCAL_KERNEL
void focal_circleOfConfusion(void *const *buffers, const void *parameters, uint32_t begin,
                             uint32_t end) {
  const struct FocalCircleOfConfusionParameters *p = parameters;
  const float *restrict disparity = buffers[FocalCircleOfConfusionDisparity];
  float *restrict radius = buffers[FocalCircleOfConfusionRadius];
  const float focus = p->focusDisparity, scale = p->radiusScale, limit = p->maximumRadius;
  float *largest = buffers[FocalCircleOfConfusionLargest];
  for (uint32_t row = begin; row < end; row++) {
    const float *restrict in = disparity + (size_t)row * (size_t)p->width;
    float *restrict out = radius + (size_t)row * (size_t)p->width;
    // Magnitudes as integers, which order alike and may be reduced in any order.
    int32_t most = 0;
    for (int32_t x = 0; x < p->width; x++) {
      const float r = focal_clamp((in[x] - focus) * scale, -limit, limit);
      out[x] = r;
      int32_t bits;
      memcpy(&bits, &r, 4);
      bits &= 0x7FFFFFFF;
      most = bits > most ? bits : most;
    }
    memcpy(largest + row, &most, 4);
  }
}
