// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "focal_blur.h"

// How a surface is spread over the slices; k > 0 is near.

/// Slice coordinate of a radius in pixels of the layers.
FOCAL_FUNCTION float focal_sliceOf(FocalSlicing s, float radius) {
  const float size = focal_abs(radius);
  const float inner = focal_min(size, s.knee);
  const float slice = s.density * (inner + 0.5f * (size - inner));
  return radius < 0.0f ? -slice : slice;
}

/// Radius of slice `k`: what it moves by at the edge of the lens.
FOCAL_FUNCTION float focal_radiusOf(FocalSlicing s, float k) {
  const float size = focal_abs(k) * focal_reciprocal(s.density);
  const float inner = focal_min(size, s.knee);
  const float radius = inner + 2.0f * (size - inner);
  return k < 0.0f ? -radius : radius;
}

/// Share of a surface of this radius that the slices of group `isNear` draw.
FOCAL_FUNCTION float focal_groupShare(FocalGroups g, bool isNear, float radius) {
  if (g.split == 0) return radius > FOCAL_NO_SURFACE ? 1.0f : 0.0f;
  const float near = focal_smooth_step(g.nearLow, g.nearInverseWidth, radius);
  const float far = radius <= -g.farLow && radius > FOCAL_NO_SURFACE ? 1.0f : 0.0f;
  return isNear ? near : far;
}

/// Alpha in slice `k` of a surface with alpha `a` at slice coordinate `s`.
/// Between two slices the nearer one gets a share f of it and the farther one
/// what brings the two, composed, to `a`: the blur changes linearly with s.
/// Slices down to `lowest` get a hidden copy that closes cracks.
FOCAL_FUNCTION float focal_sliceCoverage(float a, float s, float lowest, float k) {
  const float base = focal_floor(s), f = s - base;
  const float top = a * f;
  const float below = a >= 1.0f ? 1.0f : a * (1.0f - f) * focal_reciprocal(1.0f - top);
  const float hidden = k < base && k >= lowest ? a : 0.0f;
  return k == base + 1.0f ? top : (k == base ? below : hidden);
}
