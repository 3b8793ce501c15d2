// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "focal_tiles.h"

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

/// Whether the slices of either group draw a surface of this radius.
FOCAL_FUNCTION bool focal_isDrawn(FocalGroups g, float radius) {
  const bool near = focal_groupShare(g, true, radius) > 0.0f;
  const bool far = focal_groupShare(g, false, radius) > 0.0f;
  return near || far;
}

/// Bits of a set of slices, both included, the lower one not above the higher.
FOCAL_STRUCT(FocalSliceRange) { int32_t bottom, top; };

/// Slices from `lowest` up to those that a surface at slice coordinate `s` lies in. In range also
/// for surfaces that are not drawn, whose bits are not used.
FOCAL_FUNCTION FocalSliceRange focal_slicesOf(float s, float lowest, int32_t firstSlice) {
  const float whole = focal_floor(s);
  const int32_t base = FOCAL_INT(whole) - firstSlice;
  const int32_t bottom = focal_min_int(FOCAL_INT(lowest) - firstSlice, base);
  const int32_t top = base + (s > whole ? 1 : 0);
  const FocalSliceRange range = {focal_clamp_int(bottom, 0, 63), focal_clamp_int(top, 0, 63)};
  return range;
}

/// Alpha in slice `k` of a surface with alpha `a` at slice coordinate `s`.
/// Between two slices the nearer one gets a share f of it and the farther one
/// what brings the two, composed, to `a`: 1 - (1 - a f)(1 - below) = a gives
/// below = a (1 - f) / (1 - a f). So the blur changes linearly with s.
/// Slices down to `lowest` get a hidden copy that closes cracks.
FOCAL_FUNCTION float focal_sliceCoverage(float a, float s, float lowest, float k) {
  const float base = focal_floor(s), f = s - base;
  const float top = a * f;
  const float below = a >= 1.0f ? 1.0f : a * (1.0f - f) * focal_reciprocal(1.0f - top);
  const float hidden = k < base && k >= lowest ? a : 0.0f;
  return k == base + 1.0f ? top : (k == base ? below : hidden);
}

/// Square of the length of outline in a pixel, in pixels: `sides` of its neighbours left and right,
/// `ends` above and below and `corners` belong to farther surfaces. 1 along a straight outline, 4
/// for a line of one pixel.
FOCAL_FUNCTION float focal_outlineSquare(float sides, float ends, float corners) {
  const float across = 0.5f * sides + 0.25f * corners, down = 0.5f * ends + 0.25f * corners;
  return across * across + down * down;
}

/// Square of the outline from which a pixel has no hidden copies in farther slices: one neighbour
/// beside it, not a corner alone.
#define FOCAL_OUTLINE 0.16f

/// The radius up to which neighbours of a pixel belong to its surface, or to one less than half the
/// distance of two slices away: nothing is seen between the two. The whole distance: traced -0.02,
/// and preview takes light behind thin things.
FOCAL_FUNCTION float focal_connectedLimit(FocalSlicing s, float edge, float radius) {
  const float base = focal_floor(focal_sliceOf(s, radius));
  const float step = focal_radiusOf(s, base + 1.0f) - focal_radiusOf(s, base);
  return radius - focal_max(focal_edgeStep(edge, radius, radius), 0.5f * step);
}

/// The factor of the alpha of a pixel with an outline.
///
/// The two slices of a surface are moved by different radii, and where the farther one reaches
/// beyond the nearer one it covers all, not the share 1 - f: on the mean over the lens an outline
/// lies too far out by f E[max(0, d)], d the distance between the two, whose mean is 4 / (3 pi) / 2
/// of the step between their radii. Alpha taken from the pixels inside makes up for it. They need
/// less the larger f is, since the farther slice of a pixel that is not opaque is thin already:
/// 0.3 f sqrt(1 - f) is within a hundredth of what balances the two.
FOCAL_FUNCTION float focal_outlineShare(FocalSlicing s, float radius, float alpha, float square) {
  const float slice = focal_sliceOf(s, radius), base = focal_floor(slice), f = slice - base;
  const float step = focal_radiusOf(s, base + 1.0f) - focal_radiusOf(s, base);
  const float fat = 0.3f * f * step * focal_sqrt((1.0f - f) * square);
  return focal_max(1.0f - fat * focal_reciprocal(focal_max(alpha, 1.0e-3f)), 0.1f);
}
