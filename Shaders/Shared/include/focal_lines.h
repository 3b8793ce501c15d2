// SPDX-License-Identifier: Apache-2.0
//
// Lines about a pixel wide, near, in maps without antialiasing: a map that asks at pixels' centres has hairs, whiskers
// and wires in dashes. Between them the map has what lies behind, although the picture goes on; such pixels would stay
// sharp beside a blurred line, or be blurred in a sharp one.
#pragma once

#include "focal_matte.h"

/// The side of the blocks that are marked where a line may be; no less than the reach.
#define FOCAL_LINE_BLOCK 8
/// How far a pixel looks for the ends of a gap, and how far they may be from each other.
#define FOCAL_LINE_REACH 8
#define FOCAL_LINE_GAP 9
/// Pixels across a line where it must have ended on both sides.
#define FOCAL_LINE_RIM 2

FOCAL_STRUCT(FocalLinesParameters) {
  int32_t width, height;
  float edge;  ///< a step of radius above this is an edge, pixels
};
/// Whether a block of FOCAL_LINE_BLOCK x FOCAL_LINE_BLOCK pixels has one that may belong to a line. Blocks.
#define FOCAL_KERNEL_markLines(_)    \
  _(parameters, FocalLinesParameters) \
  _(reads, float, radius)            \
  _(writes, uint8_t, marks)
FOCAL_KERNEL(markLines)

/// Radii in which lines go on between their dashes. Pixels.
#define FOCAL_KERNEL_joinLines(_)    \
  _(parameters, FocalLinesParameters) \
  _(reads, float4, source)           \
  _(reads, float, radius)            \
  _(reads, uint8_t, marks)           \
  _(writes, float, joined)
FOCAL_KERNEL(joinLines)
