// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Levels of a row's histogram.
  LEVELS = 64,
};

int32_t focal_subject_ground(const float *map, int32_t width, int32_t height, float share,
                             float *prominence) {
  float *ground = malloc(2 * (size_t)height * sizeof *ground);
  if (ground == NULL) return 1;
  float *smooth = ground + height;
  for (int32_t y = 0; y < height; y++) {
    int32_t counts[LEVELS] = {0};
    for (int32_t x = 0; x < width; x++) {
      const int32_t level = (int32_t)(map[(size_t)y * width + x] * (LEVELS - 1) + 0.5f);
      counts[level < 0 ? 0 : level > LEVELS - 1 ? LEVELS - 1 : level]++;
    }
    int32_t level = 0, sum = counts[0];
    while (level < LEVELS - 1 && sum < share * width) sum += counts[++level];
    ground[y] = (float)level / (LEVELS - 1);
  }
  const int32_t reach = height / 40 + 1;
  float most = 0;
  for (int32_t y = 0; y < height; y++) {
    float sum = 0;
    for (int32_t j = y - reach; j <= y + reach; j++)
      sum += ground[j < 0 ? 0 : j >= height ? height - 1 : j];
    // A floor comes nearer downwards.
    const float mean = sum / (2 * reach + 1);
    smooth[y] = y > 0 && smooth[y - 1] > mean ? smooth[y - 1] : mean;
  }
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x;
      const float above = map[k] - smooth[y];
      prominence[k] = above > 0 ? above : 0;
      most = above > most ? above : most;
    }
  // A map that hardly rises anywhere is not made steeper than it is.
  const float scale = 1 / (most > 0.3f ? most : 0.3f);
  for (size_t k = 0; k < (size_t)width * height; k++) prominence[k] *= scale;
  free(ground);
  return 0;
}

/// A column goes on while the map stays this near to it, and so far above the ground.
static const float standSlack = 0.02f, standRise = 0.03f;

/// Lets each column of a part go on downwards over what is as near and rises above the ground: what stands comes down to
/// the floor at one distance, where the floor beside it comes nearer.
static void standDown(const float *map, const float *prominence, int32_t width, int32_t height,
                      uint8_t number, uint8_t *labels) {
  for (int32_t x = 0; x < width; x++) {
    int32_t y = height - 1;
    while (y >= 0 && labels[(size_t)y * width + x] != number) y--;
    if (y < 0) continue;
    const float own = map[(size_t)y * width + x];
    for (y++; y < height; y++) {
      const size_t k = (size_t)y * width + x;
      if (labels[k] != 0 || prominence[k] < standRise || fabsf(map[k] - own) >= standSlack) break;
      labels[k] = number;
    }
  }
}

int32_t focal_subject_grow(const float *map, const float *prominence, int32_t width, int32_t height,
                           float least, float step, float most, uint8_t number, uint8_t *labels) {
  const int32_t count = width * height;
  int32_t *queue = malloc((size_t)count * sizeof *queue);
  if (queue == NULL) return 1;
  int32_t end = 0, area = 0, left = width, right = 0;
  for (int32_t k = 0; k < count; k++) {
    if (labels[k] != number) continue;
    queue[end++] = k;
    left = k % width < left ? k % width : left;
    right = k % width > right ? k % width : right;
  }
  area = end;
  for (int32_t next = 0; next < end; next++) {
    const int32_t k = queue[next], x = k % width, y = k / width;
    const int32_t others[4] = {x > 0 ? k - 1 : -1, x + 1 < width ? k + 1 : -1,
                               y > 0 ? k - width : -1, y + 1 < height ? k + width : -1};
    for (int32_t n = 0; n < 4; n++) {
      const int32_t other = others[n];
      if (other < 0 || labels[other] != 0 || prominence[other] < least) continue;
      if (fabsf(map[other] - map[k]) >= step) continue;
      if (other % width < left || other % width > right) continue;
      labels[other] = number;
      queue[end++] = other;
    }
  }
  // So much more is no part of the subject.
  if (end > area * most)
    for (int32_t next = area; next < end; next++) labels[queue[next]] = 0;
  standDown(map, prominence, width, height, number, labels);
  free(queue);
  return 0;
}

int32_t focal_subject_flood(const float *map, int32_t width, int32_t height, int32_t x, int32_t y,
                            float low, float high, float step, uint8_t *labels) {
  const int32_t count = width * height;
  int32_t *queue = malloc((size_t)count * sizeof *queue);
  if (queue == NULL) return 1;
  int32_t end = 0;
  const int32_t start = y * width + x;
  labels[start] = 1;
  queue[end++] = start;
  for (int32_t next = 0; next < end; next++) {
    const int32_t k = queue[next], i = k % width, j = k / width;
    const int32_t others[4] = {i > 0 ? k - 1 : -1, i + 1 < width ? k + 1 : -1,
                               j > 0 ? k - width : -1, j + 1 < height ? k + width : -1};
    for (int32_t n = 0; n < 4; n++) {
      const int32_t other = others[n];
      if (other < 0 || labels[other] != 0 || map[other] < low || map[other] > high) continue;
      if (fabsf(map[other] - map[k]) >= step) continue;
      labels[other] = 1;
      queue[end++] = other;
    }
  }
  free(queue);
  return 0;
}

void focal_subject_standing(const float *map, const uint8_t *labels, int32_t width, int32_t height,
                            float least, float *falls, float *rises) {
  const int32_t reach = 3;
  int32_t outline = 0, fallen = 0, risen = 0;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const int32_t k = y * width + x;
      if (!labels[k]) continue;
      outline += x == 0 || y == 0 || x == width - 1;
      const int32_t isInside = (x == 0 || labels[k - 1]) && (x + 1 == width || labels[k + 1]) &&
                               (y == 0 || labels[k - width]) &&
                               (y + 1 == height || labels[k + width]);
      if (isInside) continue;
      float fall = 0, rise = 0;
      for (int32_t j = y - reach; j <= y + reach; j++)
        for (int32_t i = x - reach; i <= x + reach; i++) {
          if (i < 0 || j < 0 || i >= width || j >= height || labels[j * width + i]) continue;
          const float step = map[k] - map[j * width + i];
          fall = step > fall ? step : fall;
          rise = -step > rise ? -step : rise;
        }
      outline++;
      fallen += fall >= least && fall > rise;
      risen += rise >= least && rise > fall;
    }
  const float scale = 1 / (float)(outline > 0 ? outline : 1);
  *falls = (float)fallen * scale;
  *rises = (float)risen * scale;
}

/// Labels that are looked for from what is kept.
enum { NOT_LABELLED = 0, OPEN = 1, KEPT = 2 };

/// Fills pixels within a border that is not labelled, and tells the columns of three rows each that hold an open one.
FOCAL_CLONES
static void frame(const uint8_t *seeds, const uint8_t *labels, int32_t width, int32_t height,
                  uint8_t *states, uint8_t *rows) {
  const int32_t pitch = width + 2;
  memset(states, NOT_LABELLED, (size_t)pitch * (height + 2));
  for (int32_t y = 0; y < height; y++) {
    const uint8_t *restrict seed = seeds + (size_t)y * width;
    const uint8_t *restrict label = labels + (size_t)y * width;
    uint8_t *restrict to = states + (size_t)(y + 1) * pitch + 1;
    for (int32_t x = 0; x < width; x++) to[x] = !label[x] ? NOT_LABELLED : seed[x] ? KEPT : OPEN;
  }
  for (int32_t y = 0; y < height; y++) {
    const uint8_t *restrict own = states + (size_t)(y + 1) * pitch;
    uint8_t *restrict open = rows + (size_t)y * pitch;
    // Open ones above and below, then beside.
    for (int32_t x = 0; x < pitch; x++)
      open[x] = (own[x - pitch] | own[x] | own[x + pitch]) & OPEN;
  }
}

int32_t focal_subject_keep(const uint8_t *seeds, int32_t width, int32_t height, uint8_t *labels) {
  const int32_t pitch = width + 2;
  const size_t framed = (size_t)pitch * (height + 2);
  int32_t *queue = malloc((size_t)width * height * sizeof *queue);
  uint8_t *states = malloc(2 * framed);
  if (queue == NULL || states == NULL) {
    free(queue);
    free(states);
    return 1;
  }
  const uint8_t *open = states + framed;
  frame(seeds, labels, width, height, states, states + framed);
  int32_t end = 0;
  for (int32_t y = 0; y < height; y++) {
    const uint8_t *row = open + (size_t)y * pitch, *next = row;
    const uint8_t *last = row + pitch;
    // Kept pixels beside columns that hold an open one.
    for (int32_t after = 1; (next = memchr(next, OPEN, (size_t)(last - next))) != NULL; next++) {
      const int32_t x = (int32_t)(next - row);
      for (int32_t i = x - 1 > after ? x - 1 : after; i <= x + 1 && i <= width; i++, after = i) {
        const int32_t k = (y + 1) * pitch + i;
        if (states[k] == KEPT) queue[end++] = k;
      }
    }
  }
  const int32_t steps[8] = {-pitch - 1, -pitch, -pitch + 1, -1, 1, pitch - 1, pitch, pitch + 1};
  for (int32_t next = 0; next < end; next++)
    for (int32_t n = 0; n < 8; n++) {
      const int32_t other = queue[next] + steps[n];
      if (states[other] != OPEN) continue;
      states[other] = KEPT;
      queue[end++] = other;
    }
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++)
      labels[(size_t)y * width + x] = states[(size_t)(y + 1) * pitch + 1 + x] == KEPT;
  free(queue);
  free(states);
  return 0;
}

/// Sums of a pixel, of which six are used: all of them are summed up at once.
typedef float Sums __attribute__((vector_size(32), aligned(16)));

/// Sums over boxes of both reaches, in place. `copy` has room for a row more than `cells`.
FOCAL_CLONES
static void box(Sums *cells, int32_t width, int32_t height, int32_t reach, Sums *copy) {
  Sums *line = copy + (size_t)width * height;
  for (int32_t y = 0; y < height; y++) {
    const Sums *row = cells + (size_t)y * width;
    Sums *to = copy + (size_t)y * width, sum = {0};
    for (int32_t x = -reach; x < width; x++) {
      if (x + reach < width) sum += row[x + reach];
      if (x < 0) continue;
      to[x] = sum;
      if (x - reach >= 0) sum -= row[x - reach];
    }
  }
  // Columns, a row at a time.
  for (int32_t x = 0; x < width; x++) line[x] = (Sums){0};
  for (int32_t y = -reach; y < height; y++) {
    if (y + reach < height)
      for (int32_t x = 0; x < width; x++) line[x] += copy[(size_t)(y + reach) * width + x];
    if (y < 0) continue;
    memcpy(cells + (size_t)y * width, line, (size_t)width * sizeof *line);
    if (y - reach >= 0)
      for (int32_t x = 0; x < width; x++) line[x] -= copy[(size_t)(y - reach) * width + x];
  }
}

/// The least spread of a side's disparities, in parts of the map's range, and how much their likelihood counts.
static const float leastSpread = 0.03f, likelihoodShare = 0.5f;

/// How much a pixel of the front that is asked counts beside one that is certain: at a half, a portrait's sleeve keeps the arch
/// beside it that its map leaks over; at a tenth, more of a hand is lost before a floor.
static const float asked = 0.3f;

/// What rises less may be ground, in parts of the most; what rises twice as much is none. With nothing for it, a table below
/// an arm comes along.
static const float ground = 0.14f;

/// Half the squared distance of a disparity from a side's mean in parts of its spread, and the logarithm of the spread.
static float disparityUnlikeliness(float value, float mean, float squares) {
  const float variance = squares - mean * mean;
  const float spread = (variance > 0 ? variance : 0) + leastSpread * leastSpread;
  return 0.5f * ((value - mean) * (value - mean) / spread + logf(spread));
}

FOCAL_CLONES
int32_t focal_subject_depths(const float *map, const float *prominence, const uint8_t *labels,
                             const uint8_t *fixed, int32_t width, int32_t height, int32_t reach,
                             float weight, float *cost) {
  const size_t count = (size_t)width * height;
  Sums *cells = malloc((2 * count + (size_t)width) * sizeof *cells);
  if (cells == NULL) return 1;
  for (size_t k = 0; k < count; k++) {
    // What is certain counts: labels along the outline may hold what a map leaks, which would then look like the front.
    const float front = labels[k] == 1 ? fixed[k] == 1 ? 1 : asked : 0, back = labels[k] == 0;
    cells[k] = (Sums){front,
                      back,
                      front * map[k],
                      back * map[k],
                      front * map[k] * map[k],
                      back * map[k] * map[k]};
  }
  box(cells, width, height, reach, cells + count);
  const float least = 0.02f * (2 * reach + 1) * (2 * reach + 1);
  for (size_t k = 0; k < count; k++) {
    const Sums sums = cells[k];
    if (fixed[k] != 0 || sums[0] < asked * least || sums[1] < least) continue;
    const float front = sums[2] / sums[0];
    const float back = sums[3] / sums[1];
    const float gap = front - back > 0.05f ? front - back : 0.05f;
    // 0 at the back, 1 at the front; what is nearer by half than the front is not the front's either. The back's disparity
    // may hide hair, the front's is the front's: with no more weight for it, folds that have the colour of a wall are lost.
    // But for the ground, which has the front's disparity where that stands on it.
    const float at = (map[k] - back) / gap;
    const float above = prominence[k] / ground - 1;
    const float risen = above > 0 ? above < 1 ? above : 1 : 0;
    float odds = at < 0.5f   ? at - 0.5f
                 : at < 1.5f ? (1 + 2 * risen) * (at - 0.5f)
                             : 1 - 2 * (at - 1.5f);
    odds = weight * (odds > 1 ? 1 : odds < -1 ? -1 : odds);
    if (at <= 1 && front - back >= 0.05f) {
      // Where the back is uneven, as it is where the map leaks, a disparity in between is the back's.
      const float far = disparityUnlikeliness(map[k], back, sums[5] / sums[1]);
      const float near = disparityUnlikeliness(map[k], front, sums[4] / sums[0]);
      const float likely = likelihoodShare * (far - near);
      if (likely < odds) odds = likely > -weight ? likely : -weight;
    }
    cost[k] += odds;
  }
  free(cells);
  return 0;
}
