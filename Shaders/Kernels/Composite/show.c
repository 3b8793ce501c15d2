// SPDX-License-Identifier: Apache-2.0
//
// A view of how a frame's blur was decided, in place of its picture; detail in focus is marked over it. Grid:
// pixels of the rows.

#define FOCAL_BODY show
#include "kernel.h"
#include "focal_show.h"

FOCAL_FUNCTION float lumaAt(FOCAL_TAKES int32_t x, int32_t y) {
  const int32_t o = 4 * (focal_clamp_int(y, 0, p.windowRows - 1) * p.width +
                         focal_clamp_int(x, 0, p.width - 1));
  return focal_shownLuma(source[o], source[o + 1], source[o + 2]);
}

FOCAL_FUNCTION FocalLight disparityLight(FOCAL_TAKES float d) {
  if (d == FOCAL_INVALID_DISPARITY) return focal_invalidLight();
  return focal_disparityLight(focal_unit((d - p.least) * p.perRange));
}

FOCAL_FUNCTION FocalLight viewOf(FOCAL_TAKES int32_t x, int32_t y) {
  const int32_t o = y * p.width + x;
  if (p.view == FocalShowDisparity) {
    const int32_t column = focal_floor_int((FOCAL_FLOAT(x) + 0.5f) * p.cellsAcross);
    const int32_t row = focal_floor_int((FOCAL_FLOAT(y + p.originY) + 0.5f) * p.cellsDown);
    return disparityLight(FOCAL_PASSES map[focal_clamp_int(row, 0, p.mapHeight - 1) * p.mapWidth +
                                         focal_clamp_int(column, 0, p.mapWidth - 1)]);
  }
  if (p.view == FocalShowRefined) {
    return disparityLight(FOCAL_PASSES refined[(y + p.refinedOriginY) * p.width + x]);
  }
  const float r = radius[o];
  if (p.view == FocalShowCircles) return focal_bandLight(focal_shownBand(r), r > 0.0f);
    if (p.view == FocalShowLayers) {
    const float slice = focal_sliceOf(p.slicing, r * p.perScale);
    if (focal_abs(r) * p.perScale >= p.drawnFrom) {
      return focal_sliceLight(focal_floor_int(slice + 0.5f));
    }
  }
  if (p.view == FocalShowCoverage && matte[o] != FOCAL_PLAIN) {
    const int32_t edge = p.width * p.windowRows + o * FocalMatteRecordFloats;
    // A pixel at an edge that is all of the farther surface has one surface.
    const bool isFar = matte[edge + FocalMatteBackRadius] == FOCAL_NO_SURFACE;
    const float share = isFar ? 0.0f : matte[o];
    return focal_coverageLight(share);
  }
  if (p.view == FocalShowFocus && focal_abs(r) <= p.sharp) {
    const FocalLight own = {source[4 * o], source[4 * o + 1], source[4 * o + 2]};
    return own;
  }
  return focal_dimLight(lumaAt(FOCAL_PASSES x, y));
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t row, int32_t z) {
  if (x >= p.width || row >= p.rows) return;
  const int32_t y = p.firstRow + row;
  const int32_t o = 4 * (y * p.width + x);
  if (p.view != FocalShowPeaking) {
    const FocalLight light = viewOf(FOCAL_PASSES x, y);
    result[o] = light.red;
    result[o + 1] = light.green;
    result[o + 2] = light.blue;
    result[o + 3] = 1.0f;
    return;
  }
  FocalLight light = {result[o], result[o + 1], result[o + 2]};
  if (p.marksSource != 0) {
    light.red = source[o];
    light.green = source[o + 1];
    light.blue = source[o + 2];
  }
  float share = 0.0f;
  if (focal_abs(radius[y * p.width + x]) <= p.sharp) {
    const float across = lumaAt(FOCAL_PASSES x + 1, y) - lumaAt(FOCAL_PASSES x - 1, y);
    const float down = lumaAt(FOCAL_PASSES x, y + 1) - lumaAt(FOCAL_PASSES x, y - 1);
    const float detail = focal_abs(across) + focal_abs(down) - FOCAL_PEAKING_FROM;
    share = focal_unit(detail * FOCAL_PER_PEAKING);
  }
  const FocalLight mark = focal_peakingLight();
  result[o] = light.red + share * (mark.red - light.red);
  result[o + 1] = light.green + share * (mark.green - light.green);
  result[o + 2] = light.blue + share * (mark.blue - light.blue);
  result[o + 3] = 1.0f;
}

FOCAL_ENTRY(show)
