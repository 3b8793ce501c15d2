// SPDX-License-Identifier: Apache-2.0
//
// The radius of a pixel between the dashes of a near line. On the processor, too: there FOCAL_TAKES is the picture, its
// radii and the parameters.
//
// A pixel belongs to a line if the same near surface is found on both sides of it along sixteen directions, thin on
// at least one of them; if it has the light of that line and what lies beside it has not; and if the line stands out
// from all around, as leaves behind a twig may have its colour. Sums run in pairs that a mirrored picture exchanges.
#pragma once

#include "focal_lines.h"

/// The part of a line's light that a pixel has to hold.
#define FOCAL_LINE_SHARE 0.5f
/// How far a pixel's light may lie beside the way from what is behind to the line, as a part of the squared length of
/// that way, and how many times what is behind may differ on both sides to make that length.
#define FOCAL_LINE_OFF 0.1f
#define FOCAL_LINE_PER_SIDES 4.0f
/// By how much, squared, a line must stand out: of its light and that beside it, and of the scatter of what is around.
/// Below the second, leaves behind a twig pass for the twig (traced export -0.07 dB).
#define FOCAL_LINE_CONTRAST 0.02f
#define FOCAL_LINE_SCATTER 9.0f
/// Half the side of the square around a pixel in which that is looked at.
#define FOCAL_LINE_AROUND 3

/// One end of a gap: the first nearer pixel; no steps where there is none.
FOCAL_STRUCT(LineEnd) {
  float4 light;
  float radius;
  int32_t steps;
  bool isThin;
};

/// A direction: a step along the rows, or the columns if it is steep, and `slope` quarters of one across them.
FOCAL_STRUCT(LineWay) {
  bool isSteep;
  int32_t slope;
};

FOCAL_FUNCTION float lineSquare(float4 light) {
  return light.x * light.x + light.y * light.y + light.z * light.z;
}

/// Pixels across a way after `steps`, rounded alike on both sides.
FOCAL_FUNCTION int32_t lineOff(int32_t slope, int32_t steps) {
  const int32_t off = ((slope < 0 ? -slope : slope) * steps + 2) / 4;
  return slope < 0 ? -off : off;
}

/// Whether the pixels FOCAL_LINE_RIM away across a way are in the picture and farther than `nearest`.
FOCAL_FUNCTION bool isAloneAcross(FOCAL_TAKES int32_t x, int32_t y, bool isSteep, float nearest) {
  const int32_t place = isSteep ? x : y, end = isSteep ? p.width : p.height;
  if (place < FOCAL_LINE_RIM || place + FOCAL_LINE_RIM >= end) return false;
  const int32_t q = y * p.width + x, rim = FOCAL_LINE_RIM * (isSteep ? 1 : p.width);
  return radius[q - rim] < nearest && radius[q + rim] < nearest;
}

FOCAL_FUNCTION LineEnd lineEnd(FOCAL_TAKES int32_t x, int32_t y, LineWay way, int32_t sign,
                               float nearest) {
  LineEnd end = {FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), 0.0f, 0, false};
  for (int32_t steps = 1; steps <= FOCAL_LINE_REACH; steps++) {
    const int32_t along = sign * steps, off = sign * lineOff(way.slope, steps);
    const int32_t xx = x + (way.isSteep ? off : along), yy = y + (way.isSteep ? along : off);
    if (xx < 0 || yy < 0 || xx >= p.width || yy >= p.height) break;
    const int32_t q = yy * p.width + xx;
    if (radius[q] <= nearest) continue;
    end.light = source[q];
    end.radius = radius[q];
    end.steps = steps;
    end.isThin = isAloneAcross(FOCAL_PASSES xx, yy, way.isSteep, radius[q] - p.edge);
    break;
  }
  return end;
}

/// The light of pixels around that are no nearer than a pixel, in w how many, and the sum of its squares.
FOCAL_STRUCT(LineGround) {
  float4 light;
  float squares;
};

FOCAL_FUNCTION LineGround lineGroundAt(FOCAL_TAKES int32_t x, int32_t y, float nearest) {
  LineGround ground = {FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), 0.0f};
  if (x < 0 || y < 0 || x >= p.width || y >= p.height) return ground;
  const int32_t q = y * p.width + x;
  if (radius[q] > nearest) return ground;
  ground.light = source[q];
  ground.light.w = 1.0f;
  ground.squares = lineSquare(ground.light);
  return ground;
}

FOCAL_FUNCTION LineGround bothGrounds(LineGround a, LineGround b) {
  const LineGround sum = {a.light + b.light, a.squares + b.squares};
  return sum;
}

FOCAL_FUNCTION LineGround lineGround(FOCAL_TAKES int32_t x, int32_t y, float nearest) {
  LineGround sum = {FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), 0.0f};
  for (int32_t j = 0; j <= FOCAL_LINE_AROUND; j++) {
    for (int32_t i = 0; i <= FOCAL_LINE_AROUND; i++) {
      if (i < 2 && j < 2) continue;
      const float once = (i == 0 ? 0.5f : 1.0f) * (j == 0 ? 0.5f : 1.0f);
      const LineGround above = bothGrounds(lineGroundAt(FOCAL_PASSES x - i, y - j, nearest),
                                           lineGroundAt(FOCAL_PASSES x + i, y - j, nearest));
      const LineGround below = bothGrounds(lineGroundAt(FOCAL_PASSES x - i, y + j, nearest),
                                           lineGroundAt(FOCAL_PASSES x + i, y + j, nearest));
      const LineGround four = bothGrounds(above, below);
      sum.light += once * four.light;
      sum.squares += once * four.squares;
    }
  }
  return sum;
}

/// Whether a line stands out from what is around.
FOCAL_FUNCTION bool standsOut(float4 line, LineGround ground) {
  if (ground.light.w <= 0.0f) return false;
  const float per = focal_reciprocal(ground.light.w);
  const float4 mean = per * ground.light;
  const float scatter = focal_max(0.0f, per * ground.squares - lineSquare(mean));
  return lineSquare(line - mean) > FOCAL_LINE_SCATTER * scatter;
}

/// Whether a pixel's light is that of a line before what lies on its sides, `apart` from each other.
FOCAL_FUNCTION bool isOfLine(float4 light, float4 line, float4 sides, float apart) {
  const float4 way = line - sides, gone = light - sides;
  const float length = lineSquare(way);
  const float along = way.x * gone.x + way.y * gone.y + way.z * gone.z;
  return length > FOCAL_LINE_CONTRAST * (lineSquare(line) + lineSquare(sides)) &&
         along > FOCAL_LINE_SHARE * length && FOCAL_LINE_PER_SIDES * apart < length &&
         length * lineSquare(gone) - along * along < FOCAL_LINE_OFF * (length * length);
}

/// A pixel whose line is looked for, and what lies beside it along flat or steep ways.
FOCAL_STRUCT(LineGap) {
  float4 light, sides;
  float apart, nearest;
};

/// The radius of the line that goes through a pixel, and the length of the gap that it lies in.
FOCAL_STRUCT(FoundLine) {
  float radius;
  int32_t steps;
};

/// The line between two ends in the place of `found`, if its gap is shorter.
FOCAL_FUNCTION FoundLine lineBetween(FOCAL_TAKES int32_t x, int32_t y, LineGap gap, LineEnd a,
                                     LineEnd b, FoundLine found) {
  const int32_t steps = a.steps + b.steps;
  if (a.steps == 0 || b.steps == 0 || steps > FOCAL_LINE_GAP || steps > found.steps ||
      !(a.isThin || b.isThin) || focal_abs(a.radius - b.radius) >= p.edge)
    return found;
  const float larger = focal_max(a.radius, b.radius);
  if (steps == found.steps && larger <= found.radius) return found;
  float4 line = 0.5f * (a.light + b.light);
  if (!a.isThin) line = b.light;
  if (!b.isThin) line = a.light;
  if (!isOfLine(gap.light, line, gap.sides, gap.apart) ||
      !standsOut(line, lineGround(FOCAL_PASSES x, y, gap.nearest)))
    return found;
  found.radius = larger;
  found.steps = steps;
  return found;
}

/// The line through a pixel along flat or steep ways. Its ends lie on ways next to each other: a line that leaves one row
/// for the next has its gap there.
FOCAL_FUNCTION FoundLine lineAlong(FOCAL_TAKES int32_t x, int32_t y, bool isSteep, FoundLine found) {
  const int32_t q = y * p.width + x;
  LineGap gap;
  gap.nearest = radius[q] + p.edge;
  if (!isAloneAcross(FOCAL_PASSES x, y, isSteep, gap.nearest)) return found;
  const int32_t rim = FOCAL_LINE_RIM * (isSteep ? 1 : p.width);
  const float4 one = source[q - rim], other = source[q + rim];
  gap.light = source[q];
  gap.sides = 0.5f * (one + other);
  gap.apart = lineSquare(one - other);
  // What a line's pixel has to differ by at least, whatever the line's light.
  const float least =
      focal_max(FOCAL_LINE_PER_SIDES * gap.apart, FOCAL_LINE_CONTRAST * lineSquare(gap.sides));
  if (lineSquare(gap.light - gap.sides) <= FOCAL_LINE_SHARE * FOCAL_LINE_SHARE * least) return found;
  const int32_t most = isSteep ? 3 : 4;
  LineEnd lastA = {gap.light, 0.0f, 0, false};
  LineEnd lastB = lastA;
  for (int32_t slope = -most; slope <= most; slope++) {
    const LineWay way = {isSteep, slope};
    const LineEnd a = lineEnd(FOCAL_PASSES x, y, way, 1, gap.nearest);
    const LineEnd b = lineEnd(FOCAL_PASSES x, y, way, -1, gap.nearest);
    for (int32_t pair = 0; pair < 3; pair++) {
      LineEnd from = a, to = b;
      if (pair == 1) from = lastA;
      if (pair == 2) to = lastB;
      found = lineBetween(FOCAL_PASSES x, y, gap, from, to, found);
    }
    lastA = a;
    lastB = b;
  }
  return found;
}

/// The radius of a pixel, or of the line that it belongs to: that with the smallest gap.
FOCAL_FUNCTION float radiusWithLines(FOCAL_TAKES int32_t x, int32_t y) {
  FoundLine found = {radius[y * p.width + x], FOCAL_LINE_GAP + 1};
  for (int32_t i = 0; i < 2; i++) found = lineAlong(FOCAL_PASSES x, y, i == 1, found);
  return found.radius;
}
