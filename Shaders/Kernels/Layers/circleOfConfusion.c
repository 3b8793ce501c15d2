// SPDX-License-Identifier: Apache-2.0
//
// Disparity to the signed radius of the circle of confusion, in pixels: linear in disparity for a
// thin lens. Grid: pixels.

#define FOCAL_BODY circleOfConfusion
#include "kernel.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const float d = disparity[(y + p.originY) * p.width + x];
  radius[y * p.width + x] =
      focal_clamp((d - p.focusDisparity) * p.radiusScale, -p.maximumRadius, p.maximumRadius);
}

FOCAL_ENTRY(circleOfConfusion)
