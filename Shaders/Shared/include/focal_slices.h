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
/// Slices down to `lowest` get a hidden copy that closes cracks, of an opaque surface alone: a copy of a thinner one
/// would cover what its own slices leave open, and come and go as the focus moves its radius, or its neighbours', over
/// the border of a slice. With such copies: traced -0.08, at preview quality -0.02.
FOCAL_FUNCTION float focal_sliceCoverage(float a, float s, float lowest, float k) {
  const float base = focal_floor(s), f = s - base;
  const float top = a * f;
  const float below = a >= 1.0f ? 1.0f : a * (1.0f - f) * focal_reciprocal(1.0f - top);
  const float hidden = k < base && k >= lowest && a >= 1.0f ? 1.0f : 0.0f;
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

/// The mean over the lens of a shift along one axis, for a radius of 1: 4 / (3 pi).
#define FOCAL_MEAN_SHIFT 0.424413182f

/// The alpha of a pixel beside an opaque one that makes the outline cover what alpha `a` does in one slice, `f` the share
/// of the nearer of two and `p` how often they are a pixel apart.
///
/// The two slices of a surface are moved by different radii. Where one reaches beyond the other, the farther one
/// covers all that it holds, the nearer one its share f: shifted by a pixel either way, both cover 2 + a f and 1 + below
/// in the mean where they should cover 1 + a, with below = a (1 - f) / (1 - a f), see focal_sliceCoverage. The mean over the
/// lens is a quadratic equation of alpha. Nothing is left of it where an inner pixel's two slices cover more.
FOCAL_FUNCTION float focal_edgeAlpha(float a, float f, float p) {
  const float c = a - 0.5f * p * f, b = 1.0f - p * f + a * f;
  if (c <= 0.0f) return 0.0f;
  const float square = b * b - 4.0f * f * (1.0f - p + 0.5f * p * f) * c;
  return 2.0f * c * focal_reciprocal(b + focal_sqrt(focal_max(square, 0.0f)));
}

/// The same for a pixel that both slices hold alone, a line or a dot: apart they cover a f + below.
FOCAL_FUNCTION float focal_lineAlpha(float a, float f, float p) {
  const float b = 1.0f + a * f;
  const float square = b * b - 4.0f * f * (1.0f - p * (1.0f - f)) * a;
  return 2.0f * a * focal_reciprocal(b + focal_sqrt(focal_max(square, 0.0f)));
}

/// How often two slices of a surface count as a pixel apart for each pixel of the box that they are spread by.
///
/// Spread, an outline is a slope, c across it, of which the slices cover c + f c (1 - c) where they should cover c: along a
/// pixel of outline f ∫ c (1 - c) more, that is, σ / √π with the slope's deviation σ = w / √6 for two boxes of width w,
/// which is 0.23 w. Moved apart with the probability p they cover f p / 2 more. Without it: traced export -0.03, preview
/// -0.02, bench export -0.05, with lights far above white +0.07.
#define FOCAL_SPREAD_APART 0.46f
/// The most of it that an outline of one pixel can make up for.
#define FOCAL_MOST_APART 2.0f

/// The factor of the alpha of a pixel with an outline, so that two slices of a surface cover what it covers, `width` that
/// of the box by which they are spread, 1 for none. Without it thin things are stronger between two slices than at one,
/// by up to a half.
FOCAL_FUNCTION float focal_outlineShare(FocalSlicing s, float radius, float alpha, float square,
                                        float width) {
  const float slice = focal_sliceOf(s, radius), base = focal_floor(slice), f = slice - base;
  const float step = focal_radiusOf(s, base + 1.0f) - focal_radiusOf(s, base);
  const float p = FOCAL_MEAN_SHIFT * step;
  const float spread = width > 1.0f ? FOCAL_SPREAD_APART * width : 0.0f;
  const float most = width > 1.0f ? FOCAL_MOST_APART : 1.0f;
  // The length of a corner's outline is less than one, a dot's more than a line's, which is two.
  const float edge =
      focal_edgeAlpha(alpha, f, focal_min((p + spread) * focal_sqrt(focal_min(square, 1.0f)), most));
  const float line = focal_lineAlpha(
      alpha, f, focal_unit(p * focal_sqrt(focal_max(0.25f * square, 1.0f)) + spread));
  const float found = edge + focal_unit((square - 1.0f) * 0.333333343f) * (line - edge);
  return focal_max(found * focal_reciprocal(focal_max(alpha, 1.0e-3f)), 0.1f);
}

/// The share of a pixel with an outline that the layers draw where the focus plate draws the rest: a thin surface in both
/// would be there twice. Surfaces without an outline stay whole, since the plate lies over them. `radius`, `low` and
/// `inverseWidth` in pixels of the layers.
FOCAL_FUNCTION float focal_unplatedShare(float radius, float low, float inverseWidth,
                                         float square) {
  if (inverseWidth <= 0.0f || radius >= 0.0f) return 1.0f;
  const float plate = 1.0f - focal_smooth_step(low, inverseWidth, -radius);
  return 1.0f - plate * focal_min(square, 1.0f);
}
