// SPDX-License-Identifier: Apache-2.0
//
// The surface behind a pixel at an edge, from the far surface at both ends of the lines across it. On the processor,
// too: there FOCAL_TAKES is the picture, its radii and the parameters.
//
// Where the far surface is in focus, its structure shows through thin things and beside edges: lines of print go
// on behind a hair. Of four lines through the pixel, the one whose ends are most alike runs along such a structure,
// and what lies between the ends is a mixture of both. Sums run in pairs that a mirrored picture exchanges.
#pragma once

#include "focal_matte.h"

/// The far surface at one end of a line: its light, in w its radius, and how far away; 0 where there is none.
FOCAL_STRUCT(BackEnd) {
  float4 light;
  float distance;
};

/// Whether a light lies on the way from another to the front's, so that it may be a mixture of both.
FOCAL_FUNCTION bool isBetween(float4 light, float4 other, float4 front) {
  const float4 way = front - other, gone = light - other;
  const float length = way.x * way.x + way.y * way.y + way.z * way.z;
  const float along = way.x * gone.x + way.y * gone.y + way.z * gone.z;
  const float off = gone.x * gone.x + gone.y * gone.y + gone.z * gone.z;
  return along > FOCAL_MIXED_SHARE * length && along < length &&
         along * along > FOCAL_MIXED_LIKE * (length * off);
}

/// Whether a pixel of the far surface holds light of the front, by the next one along (dx, dy).
FOCAL_FUNCTION bool isMixedBefore(FOCAL_TAKES int32_t x, int32_t y, int32_t dx, int32_t dy,
                                  float least, float middle, float4 front) {
  const int32_t nextX = x + dx, nextY = y + dy;
  if (nextX < 0 || nextY < 0 || nextX >= p.width || nextY >= p.height) return false;
  const int32_t next = nextY * p.width + nextX;
  if (radius[next] < least || radius[next] > middle) return false;
  return isBetween(source[y * p.width + x], source[next], front);
}

/// The same, by the next one along (dx, dy), and along the row and the column if the last one there is of the front.
FOCAL_FUNCTION bool isMixed(FOCAL_TAKES int32_t x, int32_t y, int32_t dx, int32_t dy, float least,
                            float middle, float4 front) {
  const int32_t q = y * p.width + x;
  const bool left = radius[x > 0 ? q - 1 : q] > middle;
  const bool right = radius[x + 1 < p.width ? q + 1 : q] > middle;
  const bool above = radius[y > 0 ? q - p.width : q] > middle;
  const bool below = radius[y + 1 < p.height ? q + p.width : q] > middle;
  for (int32_t i = 0; i < 3; i++) {
    const int32_t nextX = i == 0 ? dx : i == 1 && left != right ? (left ? 1 : -1) : 0;
    const int32_t nextY = i == 0 ? dy : i == 2 && above != below ? (above ? 1 : -1) : 0;
    if (nextX == 0 && nextY == 0) continue;
    if (isMixedBefore(FOCAL_PASSES x, y, nextX, nextY, least, middle, front)) return true;
  }
  return false;
}

/// The first pixel of the far surface, whose radii are from `least` to `middle`, along (dx, dy) from (x, y), that
/// holds no light of the front.
FOCAL_FUNCTION BackEnd backTowards(FOCAL_TAKES int32_t x, int32_t y, int32_t dx, int32_t dy,
                                   float least, float middle, float4 front) {
  const float step = dx != 0 && dy != 0 ? 1.41421354f : 1.0f;
  BackEnd end = {FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), 0.0f};
  for (int32_t k = 1; k <= FOCAL_BACK_STEPS; k++) {
    const int32_t xx = x + k * dx, yy = y + k * dy;
    if (xx < 0 || yy < 0 || xx >= p.width || yy >= p.height) break;
    const int32_t q = yy * p.width + xx;
    if (radius[q] < least || radius[q] > middle) continue;
    if (front.w > FOCAL_MIXED_RADIUS &&
        isMixed(FOCAL_PASSES xx, yy, dx, dy, least, middle, front)) {
      continue;
    }
    end.light = source[q];
    end.light.w = radius[q];
    end.distance = step * FOCAL_FLOAT(k);
    break;
  }
  return end;
}

/// A sum of lights with their radii, and of their weights.
FOCAL_STRUCT(BackSum) {
  float4 light;
  float weight;
};

/// A pixel between two ends, by how alike they are; nothing if one is missing.
FOCAL_FUNCTION BackSum backBetween(BackEnd a, BackEnd b) {
  BackSum sum = {FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), 0.0f};
  if (a.distance <= 0.0f || b.distance <= 0.0f) return sum;
  const float apart = a.distance + b.distance;
  const float4 difference =
      focal_darkness(a.light) * a.light - focal_darkness(b.light) * b.light;
  const float cost = FOCAL_BACK_LIKE + FOCAL_BACK_NEAR * (apart * apart) +
                     (difference.x * difference.x + difference.y * difference.y +
                      difference.z * difference.z);
  sum.weight = focal_reciprocal(cost * cost);
  sum.light = (sum.weight * focal_reciprocal(apart)) *
              (b.distance * a.light + a.distance * b.light);
  return sum;
}

/// One end alone, by how near it is.
FOCAL_FUNCTION BackSum backAt(BackEnd a) {
  BackSum sum = {FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), 0.0f};
  if (a.distance <= 0.0f) return sum;
  sum.weight = focal_reciprocal(a.distance * (a.distance * a.distance));
  sum.light = sum.weight * a.light;
  return sum;
}

FOCAL_FUNCTION BackSum bothBacks(BackSum a, BackSum b) {
  const BackSum sum = {a.light + b.light, a.weight + b.weight};
  return sum;
}

/// The far surface behind a pixel, its radius in w; `mean` where none is near.
FOCAL_FUNCTION float4 backAcross(FOCAL_TAKES int32_t x, int32_t y, float least, float middle,
                                 float4 front, float4 mean) {
  const BackEnd right = backTowards(FOCAL_PASSES x, y, 1, 0, least, middle, front);
  const BackEnd left = backTowards(FOCAL_PASSES x, y, -1, 0, least, middle, front);
  const BackEnd above = backTowards(FOCAL_PASSES x, y, 0, -1, least, middle, front);
  const BackEnd below = backTowards(FOCAL_PASSES x, y, 0, 1, least, middle, front);
  const BackEnd upRight = backTowards(FOCAL_PASSES x, y, 1, -1, least, middle, front);
  const BackEnd upLeft = backTowards(FOCAL_PASSES x, y, -1, -1, least, middle, front);
  const BackEnd downRight = backTowards(FOCAL_PASSES x, y, 1, 1, least, middle, front);
  const BackEnd downLeft = backTowards(FOCAL_PASSES x, y, -1, 1, least, middle, front);
  BackSum sum = bothBacks(bothBacks(backBetween(right, left), backBetween(above, below)),
                          bothBacks(backBetween(upRight, downLeft), backBetween(upLeft, downRight)));
  if (sum.weight <= 0.0f) {
    sum = bothBacks(bothBacks(bothBacks(backAt(right), backAt(left)),
                              bothBacks(backAt(above), backAt(below))),
                    bothBacks(bothBacks(backAt(upRight), backAt(upLeft)),
                              bothBacks(backAt(downRight), backAt(downLeft))));
  }
  if (sum.weight <= 0.0f) return mean;
  return sum.light * focal_reciprocal(sum.weight);
}

/// How far the structure of a far surface of this radius shows.
FOCAL_FUNCTION float backFocus(float size) {
  return 1.0f - focal_unit((focal_abs(size) - FOCAL_BACK_FOCUS) * FOCAL_PER_BACK_FOCUS);
}
