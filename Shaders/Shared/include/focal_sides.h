// SPDX-License-Identifier: Apache-2.0
//
// The findings of the refinement in the map alone, cell by cell: the kernels in Shaders/Kernels/Map.
//
// Disparity: larger is nearer. Every edge has a *front* (nearer) and a *back* side; a cell of a map
// with sharp edges that lies between both has a *middle* too.
#pragma once

#include "focal_math.h"

/// Kind of a cell (uint8): flat, an edge between front and back, or an edge with the cell's own
/// value in the middle.
FOCAL_CONSTANT(FocalCellFlat, 0)
FOCAL_CONSTANT(FocalCellEdge, 1)
FOCAL_CONSTANT(FocalCellEdgeWithMiddle, 2)
/// A label that no plateau has reached yet.
#define FOCAL_NO_LABEL 1e30f

// Differences in dB, see focal_blur.h, with maps of 320x180.

/// A plateau's 3x3 range is below this share of the edge threshold. Larger: haze around hair counts
/// as a plateau. Half: sample -0.13. Twice: bench -0.19, sample -0.05.
#define FOCAL_PLATEAU_SHARE 0.5f
/// So does a slanted surface, whose 3x3 range is below this multiple of the threshold: a thing whose disparity rises towards a
/// nearer one had that one's label otherwise, and was blurred like it. With this and labels that go uphill alone bench's
/// true masks lose 0.05, blurred maps gain 0.01.
#define FOCAL_SLANTED_PLATEAU 2.0f
/// It spans twice as much over 5x5 cells as over 3x3, the middle of a blurred edge 1.6 times.
#define FOCAL_NARROW_SPAN 1.8f
/// Cells whose bend is below this share of their range are a slanted surface. Larger: weak edges
/// are averaged again; 0: table tops turn into terraces. It serves sharp maps of another size than
/// the picture's, of which the measured scenes have none: what is measured does not depend on it.
#define FOCAL_SLANT_BEND 0.25f
/// The same for a blurred map, over 7x7 cells; the foot of a blurred edge bends by 0.7 or more.
/// Half: sample -0.06. Twice: bench -0.60, sample -0.08.
#define FOCAL_WIDE_BEND 0.4f
/// A slanted surface spans three times as much over 7x7 cells as over 3x3, the middle of a blurred
/// edge 1.5 times. 1.5: bench -1.68, though sample +0.08. 3: sample -0.11.
#define FOCAL_SLANT_SPAN 2.2f
/// A side that no plateau has reached lies on a slope if the values go on, over as many cells again and once more, by more
/// than this share of their way so far. Half: bench -0.08, a blurred map's thin things are slopes. 0.85: steep slopes leave
/// sharp dashes at preview. Without the third step wide edges are slopes, and pixels in them sharp.
#define FOCAL_SLOPE_SHARE 0.7f
/// Labels may lie this share of the threshold on the wrong side of a cell's value (noise of the
/// map). None: sample -0.08. Twice: no difference; 1: sample -0.14.
#define FOCAL_LABEL_SLACK 0.15f

FOCAL_STRUCT(FocalReduceDisparityParameters) {
  int32_t sourceWidth, sourceHeight, width, height;
  float spread;
};
/// A map at half its size, for one that is larger than the analysis needs; holes count for nothing.
/// Cells of the result.
#define FOCAL_KERNEL_reduceDisparity(_)         \
  _(parameters, FocalReduceDisparityParameters) \
  _(reads, float, source)                       \
  _(writes, float, result)
FOCAL_KERNEL(reduceDisparity)

FOCAL_STRUCT(FocalFillDisparityParameters) { int32_t width, height, coarseWidth, coarseHeight; };
/// Holes of a map from the next coarser level, which is whole already. Cells; in place.
#define FOCAL_KERNEL_fillDisparity(_)         \
  _(parameters, FocalFillDisparityParameters) \
  _(writes, float, map)                       \
  _(reads, float, coarse)
FOCAL_KERNEL(fillDisparity)

FOCAL_STRUCT(FocalFindSidesParameters) {
  int32_t width, height;
  float edgeThreshold;
};
/// The nearer and the farther side of every edge of a map with sharp edges: the nearest and the
/// farthest of the 3x3 neighbours. Cells.
#define FOCAL_KERNEL_findSidesSharp(_)    \
  _(parameters, FocalFindSidesParameters) \
  _(reads, float, map)                    \
  _(writes, float, front)                 \
  _(writes, float, back)                  \
  _(writes, uint8_t, kind)
FOCAL_KERNEL(findSidesSharp)

/// Of a map with blurred edges: plateaus, which are spread several times and then finished. Cells.
#define FOCAL_KERNEL_seedSides(_)         \
  _(parameters, FocalFindSidesParameters) \
  _(reads, float, map)                    \
  _(writes, float, front)                 \
  _(writes, float, back)                  \
  _(writes, uint8_t, kind)
FOCAL_KERNEL(seedSides)

/// Cells by which one pass of spreadSides spreads, and a graphics device's workgroup of it.
#define FOCAL_LABEL_STEPS 6
#define FOCAL_LABEL_WIDTH 16
#define FOCAL_LABEL_HEIGHT 8
/// The workgroup's memory: its cells and those around them, before and after a step.
#define FOCAL_LABEL_CELLS \
  (2 * (FOCAL_LABEL_WIDTH + 2 * FOCAL_LABEL_STEPS) * (FOCAL_LABEL_HEIGHT + 2 * FOCAL_LABEL_STEPS))
/// Plateaus spread by FOCAL_LABEL_STEPS cells into the edges between them. Cells.
#define FOCAL_KERNEL_spreadSides(_)                   \
  _(parameters, FocalFindSidesParameters)             \
  _(workgroup, FOCAL_LABEL_WIDTH, FOCAL_LABEL_HEIGHT) \
  _(reads, float, map)                                \
  _(reads, float, frontIn)                            \
  _(reads, float, backIn)                             \
  _(writes, float, front)                             \
  _(writes, float, back)                              \
  _(shares, float, fronts, FOCAL_LABEL_CELLS)        \
  _(shares, float, backs, FOCAL_LABEL_CELLS)
FOCAL_KERNEL(spreadSides)

/// The sides of a blurred map's edges, completed; what is a slanted surface is no edge. Cells.
#define FOCAL_KERNEL_finishSides(_)       \
  _(parameters, FocalFindSidesParameters) \
  _(reads, float, map)                    \
  _(reads, float, frontIn)                \
  _(reads, float, backIn)                 \
  _(writes, float, front)                 \
  _(writes, float, back)                  \
  _(writes, uint8_t, kind)
FOCAL_KERNEL(finishSides)

FOCAL_STRUCT(FocalMarkReachParameters) { int32_t width, height, radius; };
/// Cells in reach of an edge cell: only there are colours looked at. Cells.
#define FOCAL_KERNEL_markReach(_)         \
  _(parameters, FocalMarkReachParameters) \
  _(reads, uint8_t, kind)                 \
  _(writes, uint8_t, reach)
FOCAL_KERNEL(markReach)
