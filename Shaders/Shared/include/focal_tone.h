// SPDX-License-Identifier: Apache-2.0
//
// High dynamic range as standard range shows it. FocalCore's ToneMapping says what and why, and
// holds the numbers; here is the arithmetic.
#pragma once

#include "focal_math.h"

/// How light becomes that of standard range. Reference white is 1.
FOCAL_STRUCT(FocalToneMapping) {
  int32_t isSceneLight;      // 1: the light goes through HLG's OOTF first
  int32_t convertsPrimaries;  // 1: by the matrix below
  float systemGammaExcess;   // HLG's system gamma less 1
  float knee;                // up to here light stays
  float room;                // 1 - knee
  float peak;                // the light that becomes 1
  float whitePoint2;         // ((peak - knee) / room)^2
  // The source's primaries to the destination's, by columns.
  float redFromRed, greenFromRed, blueFromRed;
  float redFromGreen, greenFromGreen, blueFromGreen;
  float redFromBlue, greenFromBlue, blueFromBlue;
  // Luminance, in the source's and in the destination's primaries.
  float sourceRed, sourceGreen, sourceBlue;
  float luminanceRed, luminanceGreen, luminanceBlue;
};

/// Linear light.
FOCAL_STRUCT(FocalLight) { float red, green, blue; };

/// The curve of the largest component.
FOCAL_FUNCTION float focal_rolled_off(FocalToneMapping m, float light) {
  const float t = focal_quotient(light - m.knee, m.room);
  const float share =
      focal_quotient(t * (1.0f + focal_quotient(t, m.whitePoint2)), 1.0f + t);
  const float rolled = focal_min(m.knee + m.room * share, 1.0f);
  return light > m.knee ? (light < m.peak ? rolled : 1.0f) : light;
}

/// A colour of the source as linear light of the destination, components 0 to 1.
FOCAL_FUNCTION FocalLight focal_tone_mapped(FocalToneMapping m, FocalLight c) {
  if (m.isSceneLight != 0) {
    const float luminance = c.red * m.sourceRed + c.green * m.sourceGreen + c.blue * m.sourceBlue;
    const float gain = luminance > 0.0f ? focal_pow(luminance, m.systemGammaExcess) : 0.0f;
    c.red = c.red * gain;
    c.green = c.green * gain;
    c.blue = c.blue * gain;
  }
  if (m.convertsPrimaries != 0) {
    const FocalLight s = c;
    c.red = m.redFromRed * s.red + m.redFromGreen * s.green + m.redFromBlue * s.blue;
    c.green = m.greenFromRed * s.red + m.greenFromGreen * s.green + m.greenFromBlue * s.blue;
    c.blue = m.blueFromRed * s.red + m.blueFromGreen * s.green + m.blueFromBlue * s.blue;
  }
  // Out of the destination's reach: towards the gray of its luminance.
  const float least = focal_min(focal_min(c.red, c.green), c.blue);
  const float luminance =
      c.red * m.luminanceRed + c.green * m.luminanceGreen + c.blue * m.luminanceBlue;
  const bool isOut = least < 0.0f, isDark = !(luminance > 0.0f);
  const float share = isOut && !isDark ? focal_quotient(luminance, luminance - least) : 1.0f;
  // Negative results of rounding become 0.
  const float red = focal_max(luminance + (c.red - luminance) * share, 0.0f);
  const float green = focal_max(luminance + (c.green - luminance) * share, 0.0f);
  const float blue = focal_max(luminance + (c.blue - luminance) * share, 0.0f);
  c.red = isOut ? (isDark ? 0.0f : red) : c.red;
  c.green = isOut ? (isDark ? 0.0f : green) : c.green;
  c.blue = isOut ? (isDark ? 0.0f : blue) : c.blue;
  // The largest component rolls off, the others keep their ratio to it.
  const float most = focal_max(focal_max(c.red, c.green), c.blue);
  const bool isBright = most > m.knee;
  const float bright = isBright ? most : 1.0f;
  const float gain = focal_quotient(focal_rolled_off(m, bright), bright);
  c.red = isBright ? focal_min(c.red * gain, 1.0f) : c.red;
  c.green = isBright ? focal_min(c.green * gain, 1.0f) : c.green;
  c.blue = isBright ? focal_min(c.blue * gain, 1.0f) : c.blue;
  return c;
}

FOCAL_STRUCT(FocalMapTonesParameters) {
  int32_t width;
  int32_t firstRow, rows;  // of the picture in the buffer
  FocalToneMapping mapping;
};
/// Rows of a linear picture from high dynamic range to standard range. Pixels of the rows; in place.
#define FOCAL_KERNEL_mapTones(_)         \
  _(parameters, FocalMapTonesParameters) \
  _(writes, float, light)
FOCAL_KERNEL(mapTones)
