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

/// A pixel of the plate, or of what lies before it. `colour` is premultiplied; both it and `opacity`, the alpha before
/// the circle, are over the picture's pixels. `circle` is the soft radius of the pixel's circle, in workgroups' memory
/// negative for what is hidden by something before the plate.
FOCAL_STRUCT(PlatePixel) {
  float4 colour;
  float circle, opacity;
  bool isHidden;
};

/// A pixel's two surfaces: the colour of both, the front's alpha and radius, colour and radius of the back, which is
/// FOCAL_NO_SURFACE where there is none.
FOCAL_STRUCT(PixelSurfaces) {
  float4 colour, back;
  float front, alpha;
};

FOCAL_FUNCTION PixelSurfaces surfacesAt(FOCAL_TAKES int32_t x, int32_t y) {
  const int32_t q = y * p.width + x;
  const int32_t edge = p.width * p.height + q * FocalMatteRecordFloats;
  PixelSurfaces s;
  s.colour = source[q];
  s.back = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, FOCAL_NO_SURFACE);
  s.front = 0.0f;
  s.alpha = matte[q];
  if (s.alpha == FOCAL_PLAIN) {
    s.front = radius[q];
    s.alpha = 1.0f;
  } else {
    s.front = matte[edge + FocalMatteFrontRadius];
    s.back = FOCAL_FLOAT4(matte[edge + FocalMatteBackR], matte[edge + FocalMatteBackG],
                          matte[edge + FocalMatteBackB], matte[edge + FocalMatteBackRadius]);
  }
  return s;
}

/// What the front of a pixel hides: the back, or what the layers have there. `circle` holds its radius,
/// FOCAL_NO_SURFACE where nothing farther than `limit` is known.
FOCAL_FUNCTION PlatePixel hiddenPixel(FOCAL_TAKES int32_t x, int32_t y, float4 back, float limit) {
  PlatePixel result = {FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), FOCAL_NO_SURFACE, 0.0f, false};
  if (back.w > FOCAL_NO_SURFACE && back.w <= p.focus.nearLimit) {
    const float share = plateShare(FOCAL_PASSES back.w);
    result.colour = FOCAL_FLOAT4(share * back.x, share * back.y, share * back.z, share);
    result.circle = back.w;
    return result;
  }
  const int32_t count = p.layerWidth * p.layerHeight;
  const int32_t o = (y / p.scale + p.layerOriginY) * p.layerWidth + x / p.scale;
  const float behind = layers[FocalLayerBackRadius * count + o] * FOCAL_FLOAT(p.scale);
  if (!(behind > FOCAL_NO_SURFACE && behind < limit)) return result;
  const bool isDeep = behind > p.focus.nearLimit;
  const int32_t first = (isDeep ? FocalLayerDeepR : FocalLayerBackR) * count + o;
  const float hidden =
      isDeep ? layers[FocalLayerDeepRadius * count + o] * FOCAL_FLOAT(p.scale) : behind;
  const float share = plateShare(FOCAL_PASSES hidden);
  result.colour = FOCAL_FLOAT4(share * layers[first], share * layers[count + first],
                               share * layers[2 * count + first], share);
  result.circle = hidden;
  return result;
}

/// Whether a surface of this radius lies before the plate.
FOCAL_FUNCTION bool isBeforePlate(FOCAL_TAKES float r) {
  return r > p.focus.smallest && r <= p.focus.nearLimit;
}

/// The surfaces of a pixel that lie before the plate as one: two nearly alike would each show the other's light, which is
/// not known well. Under a nearer front it is the back alone. `lowest` is the radius of the farther one; `own` has no alpha
/// where nothing lies before the plate.
FOCAL_STRUCT(BeforeSurfaces) {
  PixelSurfaces own;
  float lowest;
};

FOCAL_FUNCTION BeforeSurfaces beforeSurfaces(FOCAL_TAKES PixelSurfaces s) {
  BeforeSurfaces result = {s, s.front};
  const bool isFront = isBeforePlate(FOCAL_PASSES s.front);
  const bool isBack = s.front > p.focus.smallest && isBeforePlate(FOCAL_PASSES s.back.w);
  if (isBack) {
    result.lowest = isFront ? focal_min(s.front, s.back.w) : s.back.w;
    if (!isFront || s.alpha < 0.5f) result.own.front = s.back.w;
    if (!isFront) result.own.colour = s.back;
    result.own.alpha = 1.0f;
    result.own.back = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, FOCAL_NO_SURFACE);
  } else if (!isFront) {
    result.own.alpha = 0.0f;
  }
  return result;
}

/// What a pixel hides whose surfaces lie before the plate: not what lies there itself, which would stay sharp.
FOCAL_FUNCTION PlatePixel hiddenBefore(FOCAL_TAKES int32_t x, int32_t y, BeforeSurfaces s) {
  const float step = focal_edgeStep(p.edge, s.lowest, s.lowest);
  const float limit = focal_min(s.lowest - step, p.focus.smallest);
  return hiddenPixel(FOCAL_PASSES x, y, s.own.back, limit);
}

/// A pixel before its circle; `circle` holds its radius. `isBefore` says whether surfaces that leave the focus towards the
/// lens lie before the plate of the tile.
FOCAL_FUNCTION PlatePixel sharpPixel(FOCAL_TAKES int32_t x, int32_t y, bool isBefore) {
  const PixelSurfaces s = surfacesAt(FOCAL_PASSES x, y);
  const float4 c = s.colour;
  const float nearest = p.focus.nearLimit;
  PlatePixel result = {c, s.front, 1.0f, false};
  if (s.front > (isBefore ? p.focus.smallest : nearest)) {
    // Under a near object, or one that lies before the plate: what it hides, or under two, if that is in focus.
    const BeforeSurfaces before = beforeSurfaces(FOCAL_PASSES s);
    const bool isNear = !isBefore || before.own.alpha == 0.0f;
    if (isNear) {
      result = hiddenPixel(FOCAL_PASSES x, y, s.back, 1.0e9f);
    } else {
      result = hiddenBefore(FOCAL_PASSES x, y, before);
    }
    if (result.circle > FOCAL_NO_SURFACE) {
      result.isHidden = !isNear;
    } else {
      // A surface that leaves the focus towards the lens continues itself.
      const float itself = !isNear || s.back.w <= FOCAL_NO_SURFACE ? 1.0f : 0.0f;
      const float4 seen = isNear ? c : before.own.colour;
      result.colour = FOCAL_FLOAT4(itself * seen.x, itself * seen.y, itself * seen.z, itself);
      result.circle = focal_min(isNear ? s.front : before.own.front, nearest);
    }
  } else {
    const float share = plateShare(FOCAL_PASSES s.front);
    if (s.back.w <= FOCAL_NO_SURFACE) {
      result.colour = FOCAL_FLOAT4(share * c.x, share * c.y, share * c.z, share);
    } else {
      const float backShare = (1.0f - s.alpha) * plateShare(FOCAL_PASSES s.back.w);
      const float4 above = focal_aboveBack(c, s.alpha, s.back);
      result.colour = share * above + backShare * s.back;
      result.colour.w = share * s.alpha + backShare;
      result.circle = share * s.alpha >= backShare ? s.front : s.back.w;
    }
  }
  result.opacity = result.colour.w;
  return result;
}

/// The soft radius of a circle, and 1 / (sum of its weights), tabulated over the radius.
FOCAL_STRUCT(SoftCircle) { float radius, scale; };
FOCAL_FUNCTION SoftCircle softCircle(FOCAL_TAKES float size) {
  const float at = focal_min(size * p.tableScale, FOCAL_FLOAT(p.tableCount - 2));
  const int32_t n = FOCAL_INT(at);
  const float f = at - FOCAL_FLOAT(n);
  const SoftCircle circle = {table[2 * n] + f * (table[2 * n + 2] - table[2 * n]),
                             table[2 * n + 1] + f * (table[2 * n + 3] - table[2 * n + 1])};
  return circle;
}

/// A pixel of the plate, with its circle where `isSoft`: a plate without an apron is not blurred,
/// it shows under near objects only.
FOCAL_FUNCTION PlatePixel platePixel(FOCAL_TAKES int32_t x, int32_t y, bool isSoft,
                                     bool isBefore) {
  PlatePixel result = sharpPixel(FOCAL_PASSES x, y, isBefore);
  const float size = focal_abs(result.circle);
  result.circle = 1.0f;
  if (isSoft && result.opacity > 0.0f && size > p.focus.smallest) {
    const SoftCircle circle = softCircle(FOCAL_PASSES size);
    result.circle = circle.radius;
    result.colour = circle.scale * result.colour;
  }
  return result;
}

/// A pixel of what lies before the plate: premultiplied colour and alpha as far as the near group does not draw them, and in
/// `opacity` all of its alpha, over the circle's weights; a circle of 0 where there is nothing.
FOCAL_FUNCTION PlatePixel beforePixel(FOCAL_TAKES int32_t x, int32_t y) {
  const PixelSurfaces s =
      beforeSurfaces(FOCAL_PASSES surfacesAt(FOCAL_PASSES x, y)).own;
  PlatePixel result = {FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), 0.0f, 0.0f, false};
  if (s.alpha == 0.0f) return result;
  const SoftCircle circle = softCircle(FOCAL_PASSES s.front);
  const float near = focal_smooth_step(p.nearLow, p.nearInverseWidth, s.front);
  const float left = circle.scale * (1.0f - near);
  float4 above = s.colour;
  if (s.back.w > FOCAL_NO_SURFACE && s.alpha < 1.0f) {
    above = focal_aboveBack(s.colour, s.alpha, s.back);
  }
  result.colour = FOCAL_FLOAT4(left * above.x, left * above.y, left * above.z, left * s.alpha);
  result.circle = circle.radius;
  result.opacity = circle.scale * s.alpha;
  return result;
}
