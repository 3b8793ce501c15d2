// SPDX-License-Identifier: Apache-2.0
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
  for (uint32_t row = begin; row < end; row++) {
    const float *restrict in = disparity + ((size_t)row + (size_t)p->originY) * (size_t)p->width;
    float *restrict out = radius + (size_t)row * (size_t)p->width;
    for (int32_t x = 0; x < p->width; x++) {
      out[x] = focal_clamp((in[x] - focus) * scale, -limit, limit);
    }
  }
}
