// SPDX-License-Identifier: Apache-2.0
//
// Effects around subjects: what lies under them (a shadow, an outline), how the background looks, and all of it put
// together. Masks are floats of 0 to 1, of a size of their own; colours are linear light, alpha straight.
#pragma once

#include "focal_math.h"

FOCAL_STRUCT(FocalMoveMaskParameters) {
  int32_t width, height;
  int32_t stride;       // floats from a row of the mask to the next
  int32_t right, down;  // pixels of the mask
  float strength;       // all of it is multiplied by this
};
/// A mask, moved and weakened; nothing comes in from outside. Pixels of the mask.
#define FOCAL_KERNEL_moveMask(_)         \
  _(parameters, FocalMoveMaskParameters) \
  _(reads, float, mask)                  \
  _(writes, float, moved)
FOCAL_KERNEL(moveMask)

/// Places of a line that an invocation goes over, one after the other. What lies around them is gone over once more, so
/// that a box of reach r costs a place 2 + r / 16 steps.
FOCAL_CONSTANT(FocalMaskRun, 32)

FOCAL_STRUCT(FocalBlurMaskParameters) {
  int32_t lines;     // rows or columns,
  int32_t lineStep;  // and how many floats they are apart
  int32_t count;     // places of a line,
  int32_t step;      // and how many floats they are apart
  int32_t reach;     // places of the box on either side
  float share;       // 1 / (2 * reach + 1)
};
/// Means of boxes along every line of a mask, beyond whose ends is nothing. Lines by runs of their places.
#define FOCAL_KERNEL_blurMask(_)         \
  _(parameters, FocalBlurMaskParameters) \
  _(reads, float, mask)                  \
  _(writes, float, blurred)
FOCAL_KERNEL(blurMask)

FOCAL_STRUCT(FocalReachMaskParameters) {
  int32_t width, height;
  int32_t stride;  // floats from a row of the mask to the next
  int32_t reach;   // pixels that are looked at on either side
  float from;      // from here on the mask covers a pixel
};
/// How far above or below it each pixel's nearest covered one is; `reach` + 1 where none is near. Columns by runs of
/// their pixels.
#define FOCAL_KERNEL_reachDown(_)         \
  _(parameters, FocalReachMaskParameters) \
  _(reads, float, mask)                   \
  _(writes, int32_t, ways)
FOCAL_KERNEL(reachDown)

FOCAL_STRUCT(FocalOutlineMaskParameters) {
  int32_t width, height;
  int32_t reach;     // of `ways`
  float lineWidth;   // pixels
  float perSoftness; // 1 / the pixels in which the line ends
};
/// The share of each pixel that a line around the covered ones has, and they themselves. Pixels of the mask.
#define FOCAL_KERNEL_outlineMask(_)         \
  _(parameters, FocalOutlineMaskParameters) \
  _(reads, int32_t, ways)               \
  _(writes, float, outline)
FOCAL_KERNEL(outlineMask)

FOCAL_CONSTANT(FocalBackgroundNone, 0)     // transparent
FOCAL_CONSTANT(FocalBackgroundKept, 1)     // the picture's own
FOCAL_CONSTANT(FocalBackgroundPlain, 2)    // one colour
FOCAL_CONSTANT(FocalBackgroundPicture, 3)  // another picture

// From here on a pixel holds too little of what is behind to say what it is.
#define FOCAL_MOST_FRONT 0.99f

FOCAL_STRUCT(FocalComposeSubjectsParameters) {
  int32_t width, rows;     // of the window
  int32_t originY;         // row of the picture that is the window's first
  int32_t subjectStride;   // floats from a row of the subject's picture to the next
  int32_t background;      // FocalBackground...
  float plainRed, plainGreen, plainBlue;
  // The other picture's primaries to the picture's, by columns; used if `convertsPrimaries` is 1.
  int32_t convertsPrimaries;
  float redFromRed, greenFromRed, blueFromRed;
  float redFromGreen, greenFromGreen, blueFromGreen;
  float redFromBlue, greenFromBlue, blueFromBlue;
  // Luminance of the picture's primaries.
  float luminanceRed, luminanceGreen, luminanceBlue;
  float gain;              // the background's light is multiplied by this
  float grayness;          // how much of its colour is taken away, 0 to 1
  float steps, perStep;    // steps of each component up to white, and 1 / them; 0 for light as it is
  int32_t isCovered;       // whether something lies between subject and background
  float coverRed, coverGreen, coverBlue;
  int32_t coverWidth, coverHeight;
  float coverScaleX, coverScaleY;  // pixels of the cover to one of the picture
};
/// Subjects before a background, in place of the picture that they are from: its background changes its look, a cover
/// lies over that. Pixels of the window.
#define FOCAL_KERNEL_composeSubjects(_)         \
  _(parameters, FocalComposeSubjectsParameters) \
  _(reads, float, subject)                      \
  _(reads, float4, behind)                      \
  _(reads, float, cover)                        \
  _(writes, float4, picture)
FOCAL_KERNEL(composeSubjects)
