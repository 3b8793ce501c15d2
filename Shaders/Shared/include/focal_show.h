// SPDX-License-Identifier: Apache-2.0
//
// The views that a frame shows instead of its picture: how its blur was decided.
#pragma once

#include "focal_pixel.h"
#include "focal_slices.h"
#include "focal_tone.h"

FOCAL_CONSTANT(FocalShowDisparity, 0)  // the map as it was given, cell by cell
FOCAL_CONSTANT(FocalShowRefined, 1)    // the map as the picture refined it
FOCAL_CONSTANT(FocalShowCircles, 2)    // circles of confusion
FOCAL_CONSTANT(FocalShowLayers, 3)     // the slices that surfaces lie in
FOCAL_CONSTANT(FocalShowCoverage, 4)   // whose the pixels at edges are
FOCAL_CONSTANT(FocalShowFocus, 5)      // the sharp parts in their colours
FOCAL_CONSTANT(FocalShowPeaking, 6)    // detail in the sharp parts, marked

/// Bands of radii: one begins at half a pixel, the next at twice as much, and the last has no end.
#define FOCAL_SHOW_BANDS 10
#define FOCAL_SHOW_FIRST_BAND 0.5f
/// How dark the gray picture is behind what is shown.
#define FOCAL_SHOW_DIM 0.35f
/// A difference of luma codes (0 to 1) over two pixels, across and down, from which on detail is marked, and
/// 1 / how much more marks it in full. The noise of a video picture is a few hundredths.
#define FOCAL_PEAKING_FROM 0.06f
#define FOCAL_PER_PEAKING 10.0f

/// Light of codes 0 to 1, by a square: near enough to what a screen does with codes.
FOCAL_FUNCTION FocalLight focal_shownLight(float red, float green, float blue) {
  const FocalLight light = {red * red, green * green, blue * blue};
  return light;
}

/// The band of a circle of this radius in pixels; -1 for one that is sharp.
FOCAL_FUNCTION int32_t focal_shownBand(float radius) {
  int32_t band = -1;
  float bound = FOCAL_SHOW_FIRST_BAND;
  for (int32_t i = 0; i < FOCAL_SHOW_BANDS; i++) {
    if (focal_abs(radius) >= bound) band = i;
    bound *= 2.0f;
  }
  return band;
}

/// Yellow to red in front of the focus, cyan to blue behind it; white for what is sharp.
FOCAL_FUNCTION FocalLight focal_bandLight(int32_t band, bool isNear) {
  if (band < 0) return focal_shownLight(1.0f, 1.0f, 1.0f);
  const float share = FOCAL_FLOAT(band) * (1.0f / 9.0f);
  const float strong = 1.0f - 0.35f * share, mixed = 0.9f - 0.9f * share;
  return isNear ? focal_shownLight(strong, mixed, 0.1f) : focal_shownLight(0.1f, mixed, strong);
}

/// Slices of three shades in turn, warm in front of the focus and cold behind it.
FOCAL_FUNCTION FocalLight focal_sliceLight(int32_t slice) {
  const int32_t turn = (slice < 0 ? -slice : slice) % 3;
  const float shade = turn == 0 ? 1.0f : (turn == 1 ? 0.75f : 0.5f);
  return slice > 0 ? focal_shownLight(shade, 0.55f * shade, 0.1f)
                   : focal_shownLight(0.1f, 0.55f * shade, shade);
}

/// The map, from the farthest, 0, to the nearest, 1.
FOCAL_FUNCTION FocalLight focal_disparityLight(float share) {
  return focal_shownLight(share, share, share);
}

/// A pixel of the map that has no disparity.
FOCAL_FUNCTION FocalLight focal_invalidLight(void) { return focal_shownLight(1.0f, 0.0f, 1.0f); }

/// The picture where nothing is shown, of a luma code from 0 to 1.
FOCAL_FUNCTION FocalLight focal_dimLight(float luma) {
  const float code = FOCAL_SHOW_DIM * luma;
  return focal_shownLight(code, code, code);
}

/// A pixel at an edge, by the nearer surface's share of it.
FOCAL_FUNCTION FocalLight focal_coverageLight(float share) {
  return focal_shownLight(1.0f - share, share, 0.0f);
}

/// The mark of focus peaking.
FOCAL_FUNCTION FocalLight focal_peakingLight(void) { return focal_shownLight(1.0f, 0.85f, 0.0f); }

/// The luma code of light, 0 to 1, whatever its primaries.
FOCAL_FUNCTION float focal_shownLuma(float red, float green, float blue) {
  return focal_sqrt(focal_unit(0.2126f * red + 0.7152f * green + 0.0722f * blue));
}

FOCAL_STRUCT(FocalShowParameters) {
  int32_t width;
  int32_t firstRow, rows;   // of the window, that are written
  int32_t windowRows;       // that the window holds
  int32_t view;             // FocalShow...
  int32_t marksSource;      // whether detail is marked in the source, not in what the result holds
  int32_t refinedOriginY;   // row of the refined map that belongs to the window's first
  int32_t originY;          // row of the picture that is the window's first
  int32_t mapWidth, mapHeight;
  float cellsAcross, cellsDown;  // cells of the map to a pixel
  float least;              // disparity that is black
  float perRange;           // 1 / the range from black to white
  float sharp;              // the largest radius that counts as in focus
  float perScale;           // layer pixels to one of the picture
  float drawnFrom;          // radius in layer pixels from which on slices draw a surface
  FocalSlicing slicing;
};
/// A view of the frame in place of its picture, or over it. Pixels of the rows.
#define FOCAL_KERNEL_show(_)         \
  _(parameters, FocalShowParameters) \
  _(reads, float, source)            \
  _(reads, float, map)               \
  _(reads, float, refined)           \
  _(reads, float, radius)            \
  _(reads, float, matte)             \
  _(writes, float, result)
FOCAL_KERNEL(show)
