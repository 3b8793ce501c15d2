// SPDX-License-Identifier: Apache-2.0
//
// How a pixel at an edge is parted into two surfaces: what matte, gatherLayers and the focus plate
// share.
#pragma once

#include "focal_blur.h"

/// A pixel at squared distance d² counts 1 / (1 + FALLOFF d²) in the colours of its side. Half:
/// traced -0.04. Twice: +0.03.
#define FOCAL_MATTE_FALLOFF 0.5f
/// Alphas up to the sliver, and as far below one, count as all or nothing: a sliver costs a slice a
/// pixel and shows nothing. The rest is stretched over 0...1, not cut, so that rounding cannot flip
/// a pixel; the scale is 1 / (1 - 2 * sliver), written out, since a compiler of shaders may fold a
/// division in double precision. None: traced -0.03. 0.05: traced +0.05, sample +0.03.
#define FOCAL_SLIVER 0.02f
#define FOCAL_PER_NO_SLIVER 1.04166675f
/// The least share that a back has in its cell of the layers: behind an opaque front it is all that
/// is known of what lies there. Half and twice make no difference.
#define FOCAL_HIDDEN_SHARE 0.05f
/// Picture pixels of a run that the processor gathers at once, two blocks of flags: whether a cell
/// takes the short way of plain pixels depends on where runs end.
#define FOCAL_GATHER_RUN (2 * FOCAL_FLAG_BLOCK)

/// One side of an edge: weighted sums of colour and radius, and of the colour's square and one, so
/// the weight.
FOCAL_STRUCT(FocalMatteSide) { float4 mean, square; };

FOCAL_FUNCTION float focal_matteWeight(int32_t squaredDistance) {
  return focal_reciprocal(1.0f + FOCAL_MATTE_FALLOFF * FOCAL_FLOAT(squaredDistance));
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

/// How much of a pixel belongs to the front, from the means F and B of both sides. A pixel I on an
/// edge is I = alpha F + (1 - alpha) B (Porter and Duff, 1984), of which
///     alpha = (I - B).(F - B) / |F - B|^2
/// is the solution by least squares: the projection on the line from B to F. It is trusted by the
/// share that the sides' distance has against their scatter; the map's own decision, `isNear`,
/// fills the rest. The small numbers keep a division from nothing: two sides of one colour have a
/// trust of zero. Ten times and a tenth of the larger one make no difference.
FOCAL_FUNCTION float focal_matteAlpha(FocalMatteSide front, FocalMatteSide back, float4 colour,
                                      bool isNear, float trust) {
  const float dr = front.mean.x - back.mean.x, dg = front.mean.y - back.mean.y,
              db = front.mean.z - back.mean.z;
  const float distance = dr * dr + dg * dg + db * db;
  const float along =
      dr * (colour.x - back.mean.x) + dg * (colour.y - back.mean.y) + db * (colour.z - back.mean.z);
  const float prior = isNear ? 1.0f : 0.0f;
  const float projected = focal_clamp(along * focal_reciprocal(distance + 1.0e-9f), 0.0f, 1.0f);
  const float trusted =
      distance * focal_reciprocal(distance + trust * (front.square.x + back.square.x) + 1.0e-4f);
  const float alpha = prior + (projected - prior) * trusted;
  return focal_clamp((alpha - FOCAL_SLIVER) * FOCAL_PER_NO_SLIVER, 0.0f, 1.0f);
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
