// SPDX-License-Identifier: Apache-2.0
#pragma once

// Common to the kernels of the blur: conventions, and the planes of the buffers between them.
//
// Pixel (x, y) covers [x, x+1) x [y, y+1), origin top-left. The circle of
// confusion is a signed RADIUS in pixels of the picture it belongs to,
// positive = nearer than the focus. A point at y seen through the lens point
// u (unit disc) falls on y + u * radius. Colours are linear light.
//
// "Layers" are two surfaces a pixel: a front (premultiplied colour, alpha,
// radius) and the back that it hides (colour, radius).
//
// A constant of the blur, the matte and the refinement is derived where it stands, or its comment
// says by how many dB another value changes the PSNR at export quality, in one of these:
//
//   bench   `focal bench --quality-only`: planes with radii up to 32 pixels at 1920x1080. Exact map
//           48.02, blurred map of 320x180 36.51, lights far above white 36.44.
//   sample  The sample scene, with slanted ground, at 1280x720 and f/1.4, 35.55:
//             focal sample -o S --frames 1 --ground-truth --f-number 1.4 --lens-samples 400
//             focal render S/sharp/0000.exr --disparity S/disparity/0000.png --focus 0.3044
//               --f-number 1.4 --blur-scale 0.22 -o out.exr
//             focal compare out.exr S/truth/0000.exr --border 24
//           With the small map, that of `focal sample --frames 1 --map-size 320x180`, 28.91.
//   traced  Two path-traced scenes of 960x540, four settings, so with layers of the picture's own
//           resolution. Mean 34.02, with small maps 31.31.
//
// Less than 0.03 dB counts as no difference.

#include "focal_math.h"

/// Radius that says "there is no surface".
#define FOCAL_NO_SURFACE (-1.0e9f)
/// Alpha that says "one plain surface, no edge near": the other planes of
/// the matte are not written there.
#define FOCAL_PLAIN 2.0f

/// Two surfaces whose radii are alike to this share of the smaller are blurred alike: one. Half: no
/// difference. Twice: traced -0.10, sample +0.09. It saves mattes and slices where circles are
/// large.
#define FOCAL_ALIKE 0.08f

/// The step of radius from which `low` and `high` are two surfaces, `edge` where circles are small.
FOCAL_FUNCTION float focal_edgeStep(float edge, float low, float high) {
  // The smaller size of two of one sign, nothing otherwise.
  const float size = focal_max(0.0f, focal_max(low, -high));
  return focal_max(edge, FOCAL_ALIKE * size);
}

/// Planes of layers, in this order, each width * height floats.
FOCAL_CONSTANT(FocalLayerFrontR, 0)
FOCAL_CONSTANT(FocalLayerFrontG, 1)
FOCAL_CONSTANT(FocalLayerFrontB, 2)
FOCAL_CONSTANT(FocalLayerAlpha, 3)
FOCAL_CONSTANT(FocalLayerFrontRadius, 4)
FOCAL_CONSTANT(FocalLayerBackR, 5)
FOCAL_CONSTANT(FocalLayerBackG, 6)
FOCAL_CONSTANT(FocalLayerBackB, 7)
FOCAL_CONSTANT(FocalLayerBackRadius, 8)
FOCAL_CONSTANT(FocalLayerReach, 9)  // lowest slice of the connected surface, see connectSlices
// What both surfaces hide, where both are too near for the focus plate: colour and radius, see pyramidStore.
FOCAL_CONSTANT(FocalLayerDeepR, 10)
FOCAL_CONSTANT(FocalLayerDeepG, 11)
FOCAL_CONSTANT(FocalLayerDeepB, 12)
FOCAL_CONSTANT(FocalLayerDeepRadius, 13)
FOCAL_CONSTANT(FocalLayerPlanes, 14)

/// Pixels of the layers to one of the picture, exactly: `scale` is 1, 2, 4 or 8.
FOCAL_FUNCTION float focal_toLayer(int32_t scale) {
  return scale == 1 ? 1.0f : (scale == 2 ? 0.5f : (scale == 4 ? 0.25f : 0.125f));
}

/// A matte at picture resolution: first a plane of alpha, width * height
/// floats (coverage of the front, or FOCAL_PLAIN), then a record for every
/// pixel, written only at edges: together, so that an edge pixel costs one
/// line of the cache.
FOCAL_CONSTANT(FocalMatteFrontRadius, 0)
FOCAL_CONSTANT(FocalMatteBackR, 1)
FOCAL_CONSTANT(FocalMatteBackG, 2)
FOCAL_CONSTANT(FocalMatteBackB, 3)
FOCAL_CONSTANT(FocalMatteBackRadius, 4)
FOCAL_CONSTANT(FocalMatteRecordFloats, 5)

/// Planes of the blurred groups at layer resolution.
FOCAL_CONSTANT(FocalViewNearR, 0)
FOCAL_CONSTANT(FocalViewNearG, 1)
FOCAL_CONSTANT(FocalViewNearB, 2)
FOCAL_CONSTANT(FocalViewNearAlpha, 3)
FOCAL_CONSTANT(FocalViewFarR, 4)
FOCAL_CONSTANT(FocalViewFarG, 5)
FOCAL_CONSTANT(FocalViewFarB, 6)
FOCAL_CONSTANT(FocalViewFarWeight, 7)
FOCAL_CONSTANT(FocalViewPlanes, 8)

/// A lens's circles of confusion: circleOfConfusion has the formula.
FOCAL_STRUCT(FocalCircles) {
  float focusDisparity;
  float nearScale, farScale;  ///< pixels of radius per unit of disparity, in front of the focus and behind it
  float maximumRadius;        ///< pixels; larger radii are clamped
};
/// The signed radius of a disparity, pixels: positive in front of the focus.
FOCAL_FUNCTION float focal_circleRadius(FocalCircles circles, float disparity) {
  const float step = disparity - circles.focusDisparity;
  const float scale = step > 0.0f ? circles.nearScale : circles.farScale;
  return focal_clamp(step * scale, -circles.maximumRadius, circles.maximumRadius);
}

/// Which radii the focus plate draws, pixels of the picture.
FOCAL_STRUCT(FocalFocusRange) {
  float smallest;   ///< radii up to this are sharp
  float farLimit;   ///< negative: farther surfaces are not of the plate
  float nearLimit;  ///< nearer surfaces are not of the plate
};

/// The content of a block of FOCAL_FLAG_BLOCK pixels of a row.
FOCAL_CONSTANT(FocalFlagEdge, 1)     // a pixel that is not plain
FOCAL_CONSTANT(FocalFlagFocused, 2)  // a radius that the plate draws, or a nearer one
FOCAL_CONSTANT(FocalFlagSoft, 4)     // a radius that is not sharp
FOCAL_CONSTANT(FocalFlagCircle, 8)   // a small circle of the plate
#define FOCAL_FLAG_BLOCK 16

/// Workgroups of a graphics device that join the flags of their blocks: whole blocks wide.
#define FOCAL_GROUP_WIDTH 32
#define FOCAL_GROUP_HEIGHT 4
#define FOCAL_GROUP_SIZE (FOCAL_GROUP_WIDTH * FOCAL_GROUP_HEIGHT)
/// Words with a bit for each of their lanes; a power of two.
#define FOCAL_GROUP_WORDS (FOCAL_GROUP_SIZE / 32)

/// Radii to slice coordinates: `density` slices a pixel up to `knee` pixels,
/// half as many beyond, see BlurSettings. A wrong radius shows where circles are small.
FOCAL_STRUCT(FocalSlicing) { float density, knee; };
