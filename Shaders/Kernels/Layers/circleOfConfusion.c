// SPDX-License-Identifier: Apache-2.0
//
// Disparity to the signed radius of the circle of confusion, in pixels. Grid: pixels.
//
// A thin lens (Potmesil and Chakravarty, 1981) of focal length f and aperture f/N, focused at z_f,
// draws a point at z as a circle of
// diameter c = f²/N · z_f/(z_f - f) · |1/z - 1/z_f|. (Similar triangles: the image of z lies at
// v = f z/(z - f), the sensor at v_f, and c = f/N · |v_f - v|/v.) So c is linear in 1/z. A relative
// disparity is a/z + b: b drops out of the difference, and a joins the factors before it in the
// clip's blur scale S, which gives c = width · S/N · |d - d_f| pixels at every resolution.
// The scales are half of width · S/N, times the strength of each side.

#define FOCAL_BODY circleOfConfusion
#include "kernel.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.height) return;
  const float d = disparity[(y + p.originY) * p.width + x];
  radius[y * p.width + x] = focal_circleRadius(p.circles, d);
}

FOCAL_ENTRY(circleOfConfusion)
