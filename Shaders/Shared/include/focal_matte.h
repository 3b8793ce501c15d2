// SPDX-License-Identifier: Apache-2.0
//
// How a pixel at an edge is parted into two surfaces: what matte, gatherLayers and the focus plate
// share.
#pragma once

#include "focal_blur.h"

/// A pixel at squared distance d² counts 1 / (1 + FALLOFF d²) in the colours of its side. Half:
/// traced -0.04. Twice: +0.03.
#define FOCAL_MATTE_FALLOFF 0.5f
/// The pixel itself counts this much: its neighbours tell what its sides look like, and where there are none, it does.
/// As much as beside it: traced -0.06, and light that shines through hair is taken for hair.
#define FOCAL_MATTE_OWN 1.0e-4f
/// Alphas up to the sliver, and as far below one, count as all or nothing: a sliver costs a slice a
/// pixel and shows nothing. The rest is stretched over 0...1, not cut, so that rounding cannot flip
/// a pixel; the scale is 1 / (1 - 2 * sliver), written out, since a compiler of shaders may fold a
/// division in double precision. None: traced -0.03. 0.05: traced +0.05, sample +0.03.
#define FOCAL_SLIVER 0.02f
#define FOCAL_PER_NO_SLIVER 1.04166675f
/// How much less lights count in the front's colour: a pixel of light L counts 1 / (1 + DARK L). A front that is
/// lighter than its neighbours is light from behind it, as a rule. None: traced -0.04, sample -0.04. 1: traced -0.05.
#define FOCAL_MATTE_DARK 4.0f
/// The least variance of a side, see focal_unexplained.
#define FOCAL_LEAST_SCATTER 1.0e-3f
/// Pixels along a line in which the far surface is looked for, see back_across.h. 2 and 6 make no difference.
#define FOCAL_BACK_STEPS 3
/// Which ends of such a line count as alike, and as near: squares of differences of light.
#define FOCAL_BACK_LIKE 1.0e-3f
#define FOCAL_BACK_NEAR 1.0e-4f
/// A pixel of the far surface is mixed with a front of a larger radius than this if it lies on the way from its
/// neighbour's light to the front's: the least share of the way, and the least squared cosine of the angle to it. Behind
/// fronts of every radius: traced -0.17, phone -0.08; a cosine of 0.9: traced -0.01.
#define FOCAL_MIXED_RADIUS 4.0f
#define FOCAL_MIXED_SHARE 0.1f
#define FOCAL_MIXED_LIKE 0.97f
/// Radii of the far surface from which its structure counts less, and none from two pixels more on:
/// 1 / FOCAL_PER_BACK_FOCUS. A blurred one shows its mean, which a window knows better.
#define FOCAL_BACK_FOCUS 1.0f
#define FOCAL_PER_BACK_FOCUS 0.5f
/// The least share that a back has in its cell of the layers: behind an opaque front it is all that
/// is known of what lies there. Half and twice make no difference.
#define FOCAL_HIDDEN_SHARE 0.05f
/// Picture pixels of a run that the processor gathers at once, two blocks of flags: whether a cell
/// takes the short way of plain pixels depends on where runs end.
#define FOCAL_GATHER_RUN (2 * FOCAL_FLAG_BLOCK)

/// Radii of the two surfaces of an edge: beyond them, by a step, a window sees others, which have no part in either. With
/// them: traced -0.02, sample -0.05, and specks where a mean of both sides of the focus is in focus.
FOCAL_STRUCT(FocalEdgeRadii) { float least, most; };
FOCAL_FUNCTION FocalEdgeRadii focal_edgeRadii(float edge, float low, float high) {
  const float step = focal_edgeStep(edge, low, high);
  const FocalEdgeRadii radii = {low - step, high + step};
  return radii;
}

/// The radius of the surface behind a pixel of the near one, `low` the least one around it: the far side's mean, but for a
/// far surface in focus that shares its side with a third, as with a hair that ends at a nearer thing. At a mean of both nothing
/// lies, and the focus plate would have a hole there, through which lights behind it shine.
FOCAL_FUNCTION float focal_backRadius(float edge, float low, float mean) {
  const bool isFocused = focal_abs(low) < FOCAL_BACK_FOCUS;
  return isFocused && mean - low > focal_edgeStep(edge, low, mean) ? low : mean;
}

/// One side of an edge: weighted sums of colour and radius, and of the colour's square and one, so
/// the weight.
FOCAL_STRUCT(FocalMatteSide) { float4 mean, square; };

FOCAL_FUNCTION float focal_matteWeight(int32_t squaredDistance) {
  return squaredDistance == 0
             ? FOCAL_MATTE_OWN
             : focal_reciprocal(1.0f + FOCAL_MATTE_FALLOFF * FOCAL_FLOAT(squaredDistance));
}

/// The factor that makes a light comparable to darker ones: 1 / (1 + its largest component).
FOCAL_FUNCTION float focal_darkness(float4 colour) {
  const float most = focal_max(colour.x, focal_max(colour.y, colour.z));
  return focal_reciprocal(1.0f + focal_max(most, 0.0f));
}

/// How a colour counts in the mean of the front.
FOCAL_FUNCTION float focal_frontWeight(float4 colour) {
  return focal_darkness(FOCAL_MATTE_DARK * colour);
}

/// The share of a pixel that is in front, as the sides of the 3 x 3 pixels tell it, 64ths exactly: three rows of
/// bits, of which bit 1 is the middle. An edge that lies anywhere between two centres leaves a mean of 7/8 of
/// the pixel on the one side, and 1/8 on the other.
FOCAL_FUNCTION float focal_shareOfSides(uint32_t above, uint32_t here, uint32_t below) {
  const uint32_t corners =
      (above & 1u) + ((above >> 2u) & 1u) + (below & 1u) + ((below >> 2u) & 1u);
  const uint32_t beside =
      ((above >> 1u) & 1u) + ((below >> 1u) & 1u) + (here & 1u) + ((here >> 2u) & 1u);
  return FOCAL_FLOAT(FOCAL_INT(corners + 6u * beside + 36u * ((here >> 1u) & 1u))) * 0.015625f;
}

/// The sums as means; `square.x` becomes the scatter, the variances of the three channels together.
FOCAL_FUNCTION FocalMatteSide focal_meanOfSide(FocalMatteSide s) {
  const float k = focal_reciprocal(s.square.w);
  float scatter = 0.0f;
  s.mean = s.mean * k;
  scatter += s.square.x * k - s.mean.x * s.mean.x;
  scatter += s.square.y * k - s.mean.y * s.mean.y;
  scatter += s.square.z * k - s.mean.z * s.mean.z;
  s.square.x = focal_max(0.0f, scatter);
  return s;
}

/// Where between the colours of the back, 0, and the front, 1, a colour lies.
FOCAL_FUNCTION float focal_projection(float4 front, float4 back, float4 colour) {
  const float dr = front.x - back.x, dg = front.y - back.y, db = front.z - back.z;
  const float distance = dr * dr + dg * dg + db * db;
  const float along =
      dr * (colour.x - back.x) + dg * (colour.y - back.y) + db * (colour.z - back.z);
  return focal_clamp(along * focal_reciprocal(distance + 1.0e-9f), 0.0f, 1.0f);
}

/// How much of a pixel belongs to the front, from the means F and B of both sides. A pixel I on an
/// edge is I = alpha F + (1 - alpha) B (Porter and Duff, 1984), of which
///     alpha = (I - B).(F - B) / |F - B|^2
/// is the solution by least squares: the projection on the line from B to F. It is trusted by the
/// share that the sides' distance has against their scatter; `prior`, the share that the map gives it,
/// fills the rest. The small numbers keep a division from nothing: two sides of one colour have a
/// trust of zero. Ten times and a tenth of the larger one make no difference.
FOCAL_FUNCTION float focal_matteAlpha(FocalMatteSide front, FocalMatteSide back, float4 colour,
                                      float prior, float trust) {
  const float dr = front.mean.x - back.mean.x, dg = front.mean.y - back.mean.y,
              db = front.mean.z - back.mean.z;
  const float distance = dr * dr + dg * dg + db * db;
  const float projected = focal_projection(front.mean, back.mean, colour);
  const float trusted =
      distance * focal_reciprocal(distance + trust * (front.square.x + back.square.x) + 1.0e-4f);
  const float alpha = prior + (projected - prior) * trusted;
  return focal_clamp((alpha - FOCAL_SLIVER) * FOCAL_PER_NO_SLIVER, 0.0f, 1.0f);
}

/// A component of the back of a pixel: the mean, and its part of what the share `alpha` of the front leaves unexplained.
FOCAL_FUNCTION float focal_backOf(float colour, float front, float back, float alpha, float part) {
  const float left = colour - (alpha * front + (1.0f - alpha) * back);
  return focal_max(back + part * left, focal_min(back, 0.0f));
}

/// The back of a pixel, so that with it and alpha the front, as readers take it from the pixel's colour, is
/// the likeliest one. The part of the colour that the two means do not explain lies in both sides, in each by its
/// variance (Chuang, Curless, Salesin and Szeliski, 2001): with f, b the scatter of both, the back's part is
///     (1 - alpha) b / (alpha^2 f + (1 - alpha)^2 b).
/// A front that took all of it would be as bright as the light behind it. The part that a larger share of the front
/// explains is left to the front: where alpha is not trusted, a bright front would shine into its surroundings.
/// Without this: traced +0.02, sample -0.09.
FOCAL_FUNCTION float4 focal_unexplained(FocalMatteSide front, FocalMatteSide back, float4 colour,
                                        float alpha) {
  const float rest = 1.0f - alpha;
  const float inBack = rest * (back.square.x + FOCAL_LEAST_SCATTER);
  const float inFront = alpha * alpha * (front.square.x + FOCAL_LEAST_SCATTER);
  const float part = inBack * focal_reciprocal(inFront + rest * inBack);
  const float most = focal_max(alpha, focal_projection(front.mean, back.mean, colour));
  return FOCAL_FLOAT4(focal_backOf(colour.x, front.mean.x, back.mean.x, most, part),
                      focal_backOf(colour.y, front.mean.y, back.mean.y, most, part),
                      focal_backOf(colour.z, front.mean.z, back.mean.z, most, part), back.mean.w);
}

/// The front of a pixel, premultiplied: its colour less what shows of the back.
FOCAL_FUNCTION float4 focal_aboveBack(float4 colour, float alpha, float4 back) {
  const float rest = 1.0f - alpha;
  return FOCAL_FLOAT4(focal_max(0.0f, colour.x - rest * back.x),
                      focal_max(0.0f, colour.y - rest * back.y),
                      focal_max(0.0f, colour.z - rest * back.z), alpha);
}

/// The surfaces of one picture pixel: premultiplied colour and share, and radius.
FOCAL_STRUCT(FocalSurfaces) {
  float4 front, back;
  float frontRadius, backRadius;
  bool hasBack;
};

/// - `back`: colour and radius, FOCAL_NO_SURFACE where the pixel has one surface.
FOCAL_FUNCTION FocalSurfaces focal_surfacesOf(float4 colour, float alpha, float frontRadius,
                                              float4 back) {
  FocalSurfaces s = {FOCAL_FLOAT4(colour.x, colour.y, colour.z, 1.0f),
                     FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), frontRadius, back.w, false};
  if (back.w == FOCAL_NO_SURFACE) return s;
  const float share = focal_max(1.0f - alpha, FOCAL_HIDDEN_SHARE);
  s.front = focal_aboveBack(colour, alpha, back);
  s.back = FOCAL_FLOAT4(share * back.x, share * back.y, share * back.z, share);
  s.hasBack = true;
  return s;
}
