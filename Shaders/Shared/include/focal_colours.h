// SPDX-License-Identifier: Apache-2.0
//
// The evidence for the side of an edge to which a pixel belongs: the colours of both sides, and the map. A
// decision is a log-odds: positive = the pixel belongs to the front.
//
// The idea of snapping to one of two local disparities instead of averaging is that of bimodal
// upsampling; the colour models are Gaussians of each side, fitted twice (expectation
// maximisation).
#pragma once

#include "focal_math.h"

/// Sides, in the order of their records.
FOCAL_CONSTANT(FocalSideFront, 0)
FOCAL_CONSTANT(FocalSideBack, 1)
FOCAL_CONSTANT(FocalSideMiddle, 2)
FOCAL_CONSTANT(FocalSideCount, 3)
/// Decision of the flat cells around an edge: none.
#define FOCAL_UNDECIDED 1e30f

/// Colour sums of one side of a cell; colours in codes 0...255 of the guide. `squares` is the sum
/// over the channels.
FOCAL_STRUCT(FocalSideSums) { float count, red, green, blue, squares, unused0, unused1, unused2; };
/// Colour model of one side of a cell. `perVariance` is 1/(2 variance), `logNorm` is -1.5
/// ln(variance); count 0 = none.
FOCAL_STRUCT(FocalSideModel) {
  float count, red, green, blue, perVariance, logNorm, disparity, unused;
};

// The constants by which the kernels of the refinement decide. A constant expression in them is one that
// gives the same float in single and in double precision, rounded once: a compiler of shaders may fold it in
// either. A quotient of small whole numbers does, a longer expression need not.
//
// Differences in dB, see focal_blur.h, with maps of 320x180.

/// Codes 0...255 of the guide stand for 0...2 times display white, by their square root: at most
/// 255 / sqrt(2) = 180.3. Half of it, so coarser codes: sample -0.13, traced -0.08.
#define FOCAL_GUIDE_SCALE 180.0f
/// Pixels count for a side in the first fit where the map gives them wholly to it: from this share
/// on, in full 1 / FOCAL_PER_PURITY above. Lower: mixed pixels of a blurred edge spoil both models,
/// from 0.5 on traced -0.06, sample -0.03. Higher: too few pixels are left, from 0.85 on sample
/// -0.30. Twice as steep: sample -0.04.
#define FOCAL_PURE_FROM 0.70f
#define FOCAL_PER_PURITY 4.0f
/// Neighbours further away (in cells, squared) count less by 1/(1 + FALLOFF r²). None: sample
/// +0.05. Twice: traced -0.04; four times: traced -0.07.
#define FOCAL_FIT_FALLOFF 0.15f
/// A neighbour's side is the same surface if it is within this share of the cell's own edge. Half:
/// traced -0.07. Twice: sample -0.04.
#define FOCAL_SAME_SURFACE 0.35f
/// Largest neighbourhood of a fit in cells.
#define FOCAL_MOST_FIT_RADIUS 3
/// Least variance, in squared guide codes: noise and the shading of a plain surface. From 5 to 39
/// it makes no difference; 78: sample -0.15.
#define FOCAL_LEAST_VARIANCE 19.4f
/// A colour further than this from both models (half squared distance in deviations) tells nothing:
/// both are cut off alike, and the map decides. Higher: small lamps go to whichever side varies
/// more; twice: traced -0.19, sample -0.85. Half: traced -0.09.
#define FOCAL_COLOUR_CUTOFF 6.0f
/// Most that the colour may say. Below what the map says of a pixel that is wholly on one side, so
/// that a map that is exact already keeps its every value: that is 2.5 ln(0.99 / 0.01) = 11.5, by
/// the map's weight and FOCAL_SHARE_LEAST. Below that limit it makes no difference: neither half
/// nor twice.
#define FOCAL_COLOUR_MOST 8.0f
/// How sure the map may be. Half: no difference. Five times: traced -0.04, sample -0.11.
#define FOCAL_SHARE_LEAST 0.01f
#define FOCAL_LN2 0.69314718f
/// How steeply a pixel's decision becomes its share of the front in the second fit, around one
/// half: a straight line for the logistic function. Half: traced +0.03, sample -0.04. Twice: sample
/// -0.04.
#define FOCAL_DECIDED_SLOPE 0.125f
/// Difference of colour (squared guide codes) at which a neighbour no longer counts in the mean of
/// decisions. Half and twice: no difference. No limit: traced -0.11, sample +0.04.
#define FOCAL_UNLIKE 900.0f
/// One pixel's decision counts no more than this in the mean. Half: traced +0.04, sample -0.03.
/// Twice: sample -0.09.
#define FOCAL_DECISION_MOST 6.0f
/// Within this share of a side the map is that side's own value, slope included. None and twice: no
/// difference. Five times: traced -0.11, sample -0.06.
#define FOCAL_WHOLE 0.02f
/// A side's model from the weighted sums over its neighbourhood, whose disparity is a mean over
/// less than the colours are; a Gaussian of one variance for the three channels.
FOCAL_FUNCTION FocalSideModel focal_sideModel(FocalSideSums total, float disparity,
                                              float disparityCount, float ownDisparity) {
  FocalSideModel m = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, ownDisparity, 0.0f};
  if (total.count < 1e-3f) return m;
  const float inverse = focal_reciprocal(total.count);
  m.count = total.count;
  m.red = total.red * inverse;
  m.green = total.green * inverse;
  m.blue = total.blue * inverse;
  const float spread =
      total.squares * inverse - (m.red * m.red + m.green * m.green + m.blue * m.blue);
  const float variance = focal_max(spread, 0.0f) * (1.0f / 3.0f) + FOCAL_LEAST_VARIANCE;
  m.perVariance = 0.5f * focal_reciprocal(variance);
  m.logNorm = -1.0397208f * focal_log2(variance);  // -1.5 ln 2
  if (disparityCount > 1e-3f) m.disparity = disparity * focal_reciprocal(disparityCount);
  return m;
}

/// ln of front's over back's likelihood for a colour; 0 where one side has no model.
FOCAL_FUNCTION float focal_colourOdds(FocalSideModel nearer, FocalSideModel farther, float r,
                                      float g, float b) {
  const float known = nearer.count > 0.0f && farther.count > 0.0f ? 1.0f : 0.0f;
  const float norm = nearer.logNorm - farther.logNorm;
  const float fr = r - nearer.red, fg = g - nearer.green, fb = b - nearer.blue;
  const float br = r - farther.red, bg = g - farther.green, bb = b - farther.blue;
  const float f =
      focal_min((fr * fr + fg * fg + fb * fb) * nearer.perVariance, FOCAL_COLOUR_CUTOFF);
  const float k =
      focal_min((br * br + bg * bg + bb * bb) * farther.perVariance, FOCAL_COLOUR_CUTOFF);
  return known * focal_clamp(k - f + norm, -FOCAL_COLOUR_MOST, FOCAL_COLOUR_MOST);
}
