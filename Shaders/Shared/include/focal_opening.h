// SPDX-License-Identifier: Apache-2.0
//
// A lens opening that is no plain disc: how much of the light comes through which of its points, in front of the
// focus and behind it, at which place of the picture.
//
// Points of the lens are in units of its radius, x to the right and y down; places in half diagonals of the
// picture from its middle. The barrel's cut towards the corners is known of every ray: of its point
// of the lens and its place. Weights are divided by their mean at each place, because the picture has its own
// falloff already.
#pragma once

#include "focal_math.h"

/// The least weight of a lens point: where a barrel hides all of an opening, its points weigh the same.
#define FOCAL_LEAST_OPEN 1.0e-6f

/// The part of the opening that the barrel leaves free. Parts that are not there have a room of 1000 radii.
FOCAL_STRUCT(FocalBarrel) {
  int32_t isThere;
  int32_t pictureWidth, pictureHeight;
  int32_t scale;      ///< pixels of the picture to one of the grid
  float perPixel;     ///< half diagonals to half a pixel of the picture
  float rimShift, rimRoom;    ///< a disc, which a corner moves by so many radii: cat's eyes
  float doorShift, doorRoom;  ///< a square, likewise: barn doors
  float swirl, swirlRoom;     ///< towards the corners the opening is narrower along the diagonal
};

/// The place of column or row `at` of a grid, of which the picture has `length` pixels.
FOCAL_FUNCTION float focal_place(FocalBarrel b, int32_t at, int32_t length) {
  return FOCAL_FLOAT((2 * at + 1) * b.scale - length) * b.perPixel;
}

/// How far within what is open at the place (px, py) a point of the lens lies, in radii. Squares in place of
/// roots: exact at the edges, where it counts.
FOCAL_FUNCTION float focal_withinBarrel(FocalBarrel b, float ux, float uy, float px, float py) {
  const float rx = ux + b.rimShift * px, ry = uy + b.rimShift * py;
  const float rim = 0.5f * (b.rimRoom - (rx * rx + ry * ry));
  const float dx = focal_abs(ux + b.doorShift * px), dy = focal_abs(uy + b.doorShift * py);
  const float doors = b.doorRoom - focal_max(dx, dy);
  const float along = ux * px + uy * py;
  const float swirl = 0.5f * (b.swirlRoom - (ux * ux + uy * uy) - b.swirl * (along * along));
  return focal_min(focal_min(rim, doors), swirl);
}

/// The weight of a point so far within; the edge is `1 / perWidth` radii wide.
FOCAL_FUNCTION float focal_openness(float within, float perWidth) {
  return focal_max(focal_unit(within * perWidth + 0.5f), FOCAL_LEAST_OPEN);
}

/// Weights of a lens point: of red, green and blue behind the focus, and in front of it.
#define FOCAL_LENS_WEIGHTS 6

/// Sums over the lens points of what lies on one side of the focus: premultiplied colour, and for each of its
/// channels coverage and weight.
FOCAL_STRUCT(FocalLensSum) {
  float r, g, b;
  float alphaR, alphaG, alphaB;
  float weightR, weightG, weightB;
};

/// The mean that a sum stands for.
FOCAL_FUNCTION FocalLensSum focal_lensMean(FocalLensSum s) {
  const float r = focal_reciprocal(s.weightR);
  const float g = focal_reciprocal(s.weightG);
  const float b = focal_reciprocal(s.weightB);
  const FocalLensSum mean = {s.r * r,      s.g * g,      s.b * b, s.alphaR * r, s.alphaG * g,
                             s.alphaB * b, 1.0f,         1.0f,    1.0f};
  return mean;
}

/// Two means of things that do not cover each other.
FOCAL_FUNCTION FocalLensSum focal_lensJoin(FocalLensSum a, FocalLensSum c) {
  const FocalLensSum sum = {a.r + c.r,           a.g + c.g,           a.b + c.b,
                            a.alphaR + c.alphaR, a.alphaG + c.alphaG, a.alphaB + c.alphaB,
                            1.0f,                1.0f,                1.0f};
  return sum;
}

/// A mean with one coverage for all channels, that of green: surfaces keep their colours at their outlines.
FOCAL_FUNCTION float4 focal_lensColour(FocalLensSum m) {
  const float r = m.alphaR != m.alphaG && m.alphaR > 0.0f
                      ? m.r * (m.alphaG * focal_reciprocal(m.alphaR))
                      : m.r;
  const float b = m.alphaB != m.alphaG && m.alphaB > 0.0f
                      ? m.b * (m.alphaG * focal_reciprocal(m.alphaB))
                      : m.b;
  return FOCAL_FLOAT4(r, m.g, b, m.alphaG);
}

/// Side of the finest table of an opening's transmission over the square around the disc of radius 1, and how
/// many there are, each half as fine as the one before.
#define FOCAL_OPENING_SIDE 128
#define FOCAL_OPENING_LEVELS 6
/// The cell of a table, as a share of the width over which a disc's edge falls: the tables' cells and
/// their linear interpolation together have the variance of a box of that width at 0.58, and too few cells to a
/// pixel below 0.7.
#define FOCAL_OPENING_CELL 0.7f
/// How far a disc's edge reaches beyond its outline at most, in widths.
#define FOCAL_OPENING_SPILL 1.5f

/// Places, along one side of the square around the picture's circle, for which the share of the opening that the
/// barrel leaves is known.
#define FOCAL_OPENING_PLACES 33
/// Widths of a disc's edge, as shares of its radius from 0 to 2, for which is known what its profile adds.
#define FOCAL_OPENING_WIDTHS 17
