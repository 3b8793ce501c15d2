// SPDX-License-Identifier: Apache-2.0
//
// The facts of a disparity map that a session needs before it plans a frame: FocalCore's DisparityMapInfo.
#pragma once

#include "focal_pixel.h"

/// Cells of a row that are looked at together: a graphics device has an invocation for each piece.
#define FOCAL_MAP_PIECE 64
/// Sums side by side, each over every eighth cell: a fixed order that vector registers can keep to.
#define FOCAL_MAP_SUMS 8

FOCAL_STRUCT(FocalMapParameters) {
  int32_t width, height;
  float edgeThreshold;  // a step of disparity that counts as an edge
};

/// The least and the greatest disparity of a piece, +/- FOCAL_NO_DISPARITY without one, and how many
/// of its cells are holes.
FOCAL_STRUCT(FocalMapRange) { float least, greatest, holes; };
#define FOCAL_NO_DISPARITY 3.0e38f

/// Squared differences between neighbours and between cells three apart, summed where the latter
/// span an edge.
FOCAL_STRUCT(FocalMapEdges) { float near, far; };

/// The range of a map's pieces. Pieces of rows.
#define FOCAL_KERNEL_measureRange(_) \
  _(parameters, FocalMapParameters)  \
  _(reads, float, map)               \
  _(writes, FocalMapRange, ranges)
FOCAL_KERNEL(measureRange)

/// How sharp the edges of a map's pieces are. Pieces of rows.
#define FOCAL_KERNEL_measureEdges(_) \
  _(parameters, FocalMapParameters)  \
  _(reads, float, map)               \
  _(writes, FocalMapEdges, edges)
FOCAL_KERNEL(measureEdges)
