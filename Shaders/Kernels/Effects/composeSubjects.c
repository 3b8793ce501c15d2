// SPDX-License-Identifier: Apache-2.0
//
// Subjects before a background, with what lies between. Grid: pixels of the window.

#define FOCAL_BODY composeSubjects
#include "kernel.h"
#include "focal_effects.h"

/// Steps that look alike are those of a square root; light above white keeps them.
FOCAL_FUNCTION float posterised(FOCAL_TAKES float value) {
  if (!(p.steps > 0.0f) || !(value > 0.0f)) return value;
  const float root = focal_floor(focal_sqrt(value) * p.steps + 0.5f) * p.perStep;
  return root * root;
}

FOCAL_FUNCTION float changed(FOCAL_TAKES float value, float luminance) {
  return posterised(FOCAL_PASSES value + p.grayness * (luminance - value)) * p.gain;
}

/// The part of a pixel that its front does not explain.
FOCAL_FUNCTION float rest(float value, float front, float alpha, float scale) {
  const float left = (value - alpha * front) * scale;
  return alpha > 0.0f && left < 0.0f ? 0.0f : left;
}

/// The picture's own light without that of the front.
FOCAL_FUNCTION float4 keptBehind(float4 pixel, float4 front) {
  if (front.w >= FOCAL_MOST_FRONT) return pixel;
  const float scale = focal_quotient(1.0f, 1.0f - front.w);
  return FOCAL_FLOAT4(rest(pixel.x, front.x, front.w, scale),
                      rest(pixel.y, front.y, front.w, scale),
                      rest(pixel.z, front.z, front.w, scale), pixel.w);
}

/// Light of the other picture in the picture's primaries; colours outside them are clipped at the dark end.
FOCAL_FUNCTION float4 converted(FOCAL_TAKES float4 c) {
  if (p.convertsPrimaries == 0) return c;
  return FOCAL_FLOAT4(
      focal_max(p.redFromRed * c.x + p.redFromGreen * c.y + p.redFromBlue * c.z, 0.0f),
      focal_max(p.greenFromRed * c.x + p.greenFromGreen * c.y + p.greenFromBlue * c.z, 0.0f),
      focal_max(p.blueFromRed * c.x + p.blueFromGreen * c.y + p.blueFromBlue * c.z, 0.0f), c.w);
}

/// The share of a pixel that the cover has: between its own pixels.
FOCAL_FUNCTION float coverAt(FOCAL_TAKES int32_t x, int32_t y) {
  const float column =
      focal_clamp((FOCAL_FLOAT(x) + 0.5f) * p.coverScaleX - 0.5f, 0.0f,
                  FOCAL_FLOAT(p.coverWidth - 1));
  const float line =
      focal_clamp((FOCAL_FLOAT(y) + 0.5f) * p.coverScaleY - 0.5f, 0.0f,
                  FOCAL_FLOAT(p.coverHeight - 1));
  const int32_t left = FOCAL_INT(column), top = FOCAL_INT(line);
  const int32_t right = focal_min_int(left + 1, p.coverWidth - 1);
  const int32_t bottom = focal_min_int(top + 1, p.coverHeight - 1);
  const float aside = column - FOCAL_FLOAT(left), below = line - FOCAL_FLOAT(top);
  const float upper = cover[top * p.coverWidth + left] * (1.0f - aside) +
                      cover[top * p.coverWidth + right] * aside;
  const float lower = cover[bottom * p.coverWidth + left] * (1.0f - aside) +
                      cover[bottom * p.coverWidth + right] * aside;
  return upper * (1.0f - below) + lower * below;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.width || y >= p.rows) return;
  const int32_t o = y * p.width + x, s = y * p.subjectStride + 4 * x;
  const float4 front = FOCAL_FLOAT4(subject[s], subject[s + 1], subject[s + 2], subject[s + 3]);
  float4 back = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  if (p.background == FocalBackgroundKept) back = keptBehind(picture[o], front);
  if (p.background == FocalBackgroundPlain) {
    back = FOCAL_FLOAT4(p.plainRed, p.plainGreen, p.plainBlue, 1.0f);
  }
  if (p.background == FocalBackgroundPicture) back = converted(FOCAL_PASSES behind[o]);
  const float luminance =
      p.luminanceRed * back.x + p.luminanceGreen * back.y + p.luminanceBlue * back.z;
  float red = changed(FOCAL_PASSES back.x, luminance) * back.w;
  float green = changed(FOCAL_PASSES back.y, luminance) * back.w;
  float blue = changed(FOCAL_PASSES back.z, luminance) * back.w;
  float covered = back.w;
  if (p.isCovered != 0) {
    const float share = coverAt(FOCAL_PASSES x, y + p.originY);
    red = red * (1.0f - share) + p.coverRed * share;
    green = green * (1.0f - share) + p.coverGreen * share;
    blue = blue * (1.0f - share) + p.coverBlue * share;
    covered = covered * (1.0f - share) + share;
  }
  const float a = front.w, b = 1.0f - a;
  const float alpha = a + b * covered;
  const bool isThere = alpha > 0.0f;
  const float scale = isThere ? focal_quotient(1.0f, isThere ? alpha : 1.0f) : 0.0f;
  picture[o] = FOCAL_FLOAT4((a * front.x + b * red) * scale, (a * front.y + b * green) * scale,
                            (a * front.z + b * blue) * scale, alpha);
}

FOCAL_ENTRY(composeSubjects)
