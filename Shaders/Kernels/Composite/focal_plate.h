// SPDX-License-Identifier: Apache-2.0
//
// The group in focus at picture resolution, pixel by pixel: what classifyFocus and compose share.
// The processor's composite has its own: with this one it takes a fifth longer.
#pragma once

#include "focal_matte.h"

/// Share of a surface of this radius that the plate draws.
FOCAL_FUNCTION float plateShare(FOCAL_TAKES float r) {
  if (r > p.focus.nearLimit || r <= FOCAL_NO_SURFACE) return 0.0f;
  return 1.0f - focal_smooth_step(p.focusLow, p.focusInverseWidth, -r);
}

/// A pixel of the plate. `colour` is premultiplied; both it and `opacity`, the alpha before the
/// circle, are over the picture's pixels. `circle` is the soft radius of the pixel's circle.
FOCAL_STRUCT(PlatePixel) {
  float4 colour;
  float circle, opacity;
};

/// A pixel before its circle; `circle` holds its radius.
FOCAL_FUNCTION PlatePixel sharpPixel(FOCAL_TAKES int32_t x, int32_t y) {
  const int32_t q = y * p.width + x;
  const int32_t edge = p.width * p.height + q * FocalMatteRecordFloats;
  const float4 c = source[q];
  const float alpha = matte[q];
  const bool isPlain = alpha == FOCAL_PLAIN;
  const float front = isPlain ? radius[q] : matte[edge + FocalMatteFrontRadius];
  const float back = isPlain ? FOCAL_NO_SURFACE : matte[edge + FocalMatteBackRadius];
  PlatePixel result = {c, front, 1.0f};
  if (front > p.focus.nearLimit) {
    // Under a near object: what it hides, or under two, if that is in focus.
    if (back > FOCAL_NO_SURFACE && back <= p.focus.nearLimit) {
      const float share = plateShare(FOCAL_PASSES back);
      result.colour =
          FOCAL_FLOAT4(share * matte[edge + FocalMatteBackR], share * matte[edge + FocalMatteBackG],
                       share * matte[edge + FocalMatteBackB], share);
      result.circle = back;
    } else {
      const int32_t count = p.layerWidth * p.layerHeight;
      const int32_t o = (y / p.scale + p.layerOriginY) * p.layerWidth + x / p.scale;
      const float behind = layers[FocalLayerBackRadius * count + o] * FOCAL_FLOAT(p.scale);
      if (behind > FOCAL_NO_SURFACE) {
        const bool isDeep = behind > p.focus.nearLimit;
        const int32_t first = (isDeep ? FocalLayerDeepR : FocalLayerBackR) * count + o;
        const float hidden =
            isDeep ? layers[FocalLayerDeepRadius * count + o] * FOCAL_FLOAT(p.scale) : behind;
        const float share = plateShare(FOCAL_PASSES hidden);
        result.colour = FOCAL_FLOAT4(share * layers[first], share * layers[count + first],
                                     share * layers[2 * count + first], share);
        result.circle = hidden;
      } else {
        // A surface that leaves the focus towards the lens continues itself.
        const float itself = isPlain ? 1.0f : 0.0f;
        result.colour = FOCAL_FLOAT4(itself * c.x, itself * c.y, itself * c.z, itself);
        result.circle = p.focus.nearLimit;
      }
    }
  } else {
    const float share = plateShare(FOCAL_PASSES front);
    if (back <= FOCAL_NO_SURFACE) {
      result.colour = FOCAL_FLOAT4(share * c.x, share * c.y, share * c.z, share);
    } else {
      const float backShare = (1.0f - alpha) * plateShare(FOCAL_PASSES back);
      const float4 behind =
          FOCAL_FLOAT4(matte[edge + FocalMatteBackR], matte[edge + FocalMatteBackG],
                       matte[edge + FocalMatteBackB], back);
      const float4 above = focal_aboveBack(c, alpha, behind);
      result.colour = share * above + backShare * behind;
      result.colour.w = share * alpha + backShare;
      result.circle = share * alpha >= backShare ? front : back;
    }
  }
  result.opacity = result.colour.w;
  return result;
}

/// A pixel of the plate, with its circle where `isSoft`: a plate without an apron is not blurred,
/// it shows under near objects only.
FOCAL_FUNCTION PlatePixel platePixel(FOCAL_TAKES int32_t x, int32_t y, bool isSoft) {
  PlatePixel result = sharpPixel(FOCAL_PASSES x, y);
  const float size = focal_abs(result.circle);
  result.circle = 1.0f;
  if (isSoft && result.opacity > 0.0f && size > p.focus.smallest) {
    // Soft radius and 1 / (sum of weights), tabulated over the radius.
    const float at = focal_min(size * p.tableScale, FOCAL_FLOAT(p.tableCount - 2));
    const int32_t n = FOCAL_INT(at);
    const float f = at - FOCAL_FLOAT(n);
    const float scale = table[2 * n + 1] + f * (table[2 * n + 3] - table[2 * n + 1]);
    result.circle = table[2 * n] + f * (table[2 * n + 2] - table[2 * n]);
    result.colour = scale * result.colour;
  }
  return result;
}
