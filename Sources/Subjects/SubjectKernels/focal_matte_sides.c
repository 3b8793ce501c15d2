// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <stdlib.h>
#include <string.h>

/// From which share of the step on a disparity is the front's, up to which it is the back's, and up to which nothing of the
/// front shows in it. Where there is no step, the share says neither.
static const float frontFrom = 0.85f, backUpTo = 0.15f, nothingUpTo = 0.6f, neither = 0.7f;

/// So many pixels of an outline have the disparity of their side where its edge has ended.
static const float settled = 0.8f;

/// The least or the greatest of the pixels up to `reach` away across and down.
FOCAL_CLONES
static void extreme(const float *values, int32_t width, int32_t height, int32_t reach, float sign,
                    float *rows, float *result) {
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const float *row = values + (size_t)y * width;
      float most = sign * row[x];
      for (int32_t u = x > reach ? x - reach : 0; u <= x + reach && u < width; u++)
        most = sign * row[u] > most ? sign * row[u] : most;
      rows[(size_t)y * width + x] = most;
    }
  for (int32_t y = 0; y < height; y++) {
    float *row = result + (size_t)y * width;
    memcpy(row, rows + (size_t)y * width, (size_t)width * sizeof *row);
    for (int32_t v = y > reach ? y - reach : 0; v <= y + reach && v < height; v++) {
      const float *other = rows + (size_t)v * width;
      for (int32_t x = 0; x < width; x++) row[x] = other[x] > row[x] ? other[x] : row[x];
    }
    for (int32_t x = 0; x < width; x++) row[x] *= sign;
  }
}

int32_t focal_map_strands(const float *map, int32_t width, int32_t height, float least,
                          float *share) {
  const size_t count = (size_t)width * height;
  float *memory = malloc(3 * count * sizeof *memory);
  if (memory == NULL) return 1;
  float *rows = memory, *low = memory + count, *open = memory + 2 * count;
  extreme(map, width, height, 1, -1, rows, low);
  extreme(low, width, height, 1, 1, rows, open);
  size_t found = 0;
  for (size_t k = 0; k < count; k++) found += map[k] - open[k] > least;
  *share = (float)found / (float)count;
  free(memory);
  return 0;
}

int32_t focal_matte_sides(const float *map, const float *distance, int32_t width, int32_t height,
                          float apart, float least, float inside, int32_t around, int32_t strands,
                          uint8_t *sides) {
  const size_t count = (size_t)width * height;
  memset(sides, 0, count);
  float deepest = 0, farthest = 0;
  for (size_t k = 0; k < count; k++) {
    deepest = distance[k] > deepest ? distance[k] : deepest;
    farthest = distance[k] < farthest ? distance[k] : farthest;
  }
  if (!(deepest > 0) || !(farthest < -apart)) return 0;
  float *memory = malloc(4 * count * sizeof *memory);
  uint8_t *known = malloc(count);
  if (memory == NULL || known == NULL) {
    free(memory);
    free(known);
    return 1;
  }
  float *front = memory, *back = memory + count, *rows = memory + 2 * count;
  float *most = memory + 3 * count;
  // Of thin subjects the middle is believed.
  const float deep = apart < 0.6f * deepest ? apart : 0.6f * deepest;
  memcpy(front, map, count * sizeof *front);
  memcpy(back, map, count * sizeof *back);
  for (size_t k = 0; k < count; k++) known[k] = distance[k] > deep;
  int32_t failed = focal_subject_fill(known, width, height, front);
  for (size_t k = 0; k < count; k++) known[k] = distance[k] < -apart;
  if (!failed) failed = focal_subject_fill(known, width, height, back);
  if (!failed) {
    enum { MOST = 64 };
    int32_t counts[2][MOST] = {{0}}, own[2][MOST] = {{0}};
    const int32_t end = apart < MOST - 1 ? (int32_t)apart : MOST - 1;
    float *share = front;
    for (size_t k = 0; k < count; k++) {
      const float step = front[k] - back[k];
      known[k] = step > least;
      share[k] = known[k] ? (map[k] - back[k]) / step : neither;
      if (!known[k]) continue;
      const int32_t side = distance[k] < 0;
      const float away = side ? -distance[k] : distance[k];
      if (!(away < (float)end)) continue;
      counts[side][(int32_t)away]++;
      own[side][(int32_t)away] += side ? share[k] <= backUpTo : share[k] >= frontFrom;
    }
    float ends[2];
    for (int32_t side = 0; side < 2; side++) {
      int32_t k = 0;
      while (k < end && !((float)own[side][k] >= settled * (float)counts[side][k] &&
                          counts[side][k] > 0))
        k++;
      ends[side] = k < end ? (float)k : -1;
    }
    if (ends[0] >= 0) {
      const float from = ends[0] > inside ? ends[0] : inside;
      extreme(share, width, height, around, -1, rows, most);
      for (size_t k = 0; k < count; k++)
        if (distance[k] > from && most[k] >= frontFrom) sides[k] = 1;
    }
    if (strands && ends[1] >= 0) {
      const int32_t reach = ends[1] > 1 ? (int32_t)ends[1] : 1;
      extreme(share, width, height, reach, 1, rows, most);
      for (size_t k = 0; k < count; k++)
        if (distance[k] < -(float)reach && most[k] <= nothingUpTo) sides[k] = 2;
    }
  }
  free(memory);
  free(known);
  return failed;
}

void focal_matte_hold(const uint8_t *sides, int32_t sidesWidth, int32_t sidesHeight, int32_t left,
                      int32_t top, int32_t wholeWidth, int32_t wholeHeight, int32_t width,
                      int32_t height, uint8_t *fixed, uint8_t *examples) {
  for (int32_t y = 0; y < height; y++) {
    const int32_t j = (int32_t)((int64_t)(y + top) * sidesHeight / wholeHeight);
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x;
      const int32_t i = (int32_t)((int64_t)(x + left) * sidesWidth / wholeWidth);
      const uint8_t side = sides[(size_t)j * sidesWidth + i];
      if (side == 0 || fixed[k] != 0) continue;
      fixed[k] = side;
      examples[k] = side == 1;
    }
  }
}
