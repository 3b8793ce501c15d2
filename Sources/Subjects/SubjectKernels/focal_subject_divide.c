// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Levels of a part's histogram.
  LEVELS = 64,
};

/// A part that is nowhere deeper than this, in thirds of pixels, is not told apart by its necks: distances so small say little.
static const int32_t leastDepth = 8;

/// Of what an arm crosses, the smaller piece has at most this share of the larger one's area.
static const float mostBehind = 0.35f;

/// Disparities of one thing differ by this at least.
static const float slack = 0.02f;

/// A part while it is found.
struct Piece {
  /// How many pixels it has, and how deep the deepest of them lies, in thirds of pixels.
  int32_t area, depth;
  /// How long the border to the piece is that it is joined to; in the end its number.
  int32_t border;
  /// Disparities of the farthest tenth, the middle and the nearest tenth.
  float low, middle, high;
};

/// A border of two pieces, at one pixel: how deep that lies, whether there is a step, and in which of their contacts it is.
struct Border {
  int32_t first, second, place, depth, isStep, contact;
};

static int32_t root(int32_t *parents, int32_t place) {
  while (parents[place] != place) {
    parents[place] = parents[parents[place]];
    place = parents[place];
  }
  return place;
}

static int compare(const void *a, const void *b) {
  const struct Border *x = a, *y = b;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  if (x->second != y->second) return x->second < y->second ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/// Marks the farther pixel wherever the map goes over a step within the layer and is steepest.
static void findSteps(const float *map, const uint8_t *layer, int32_t width, int32_t height,
                      float step, uint8_t *steps) {
  memset(steps, 0, (size_t)width * height);
  for (int32_t isColumn = 0; isColumn < 2; isColumn++) {
    const int32_t stride = isColumn ? width : 1, length = isColumn ? height : width;
    for (int32_t y = 0; y < height; y++)
      for (int32_t x = 0; x < width; x++) {
        const int32_t at = isColumn ? y : x, k = y * width + x;
        if (at + 1 == length || !layer[k] || !layer[k + stride]) continue;
        const int32_t next = k + stride;
        const int32_t first = at > 0 && layer[k - stride] ? k - stride : k;
        const int32_t last = at + 2 < length && layer[next + stride] ? next + stride : next;
        if (fabsf(map[last] - map[first]) < step) continue;
        const float rise = fabsf(map[next] - map[k]);
        if (rise < fabsf(map[k] - map[first]) || rise < fabsf(map[last] - map[next])) continue;
        steps[map[k] < map[next] ? k : next] = 1;
      }
  }
}

/// How deep each pixel lies between outline, steps and the picture's borders, in thirds of pixels; 0 outside and on steps.
static int32_t findDepths(const uint8_t *inside, int32_t width, int32_t height, float *distance,
                          int32_t *depths, int32_t *most) {
  if (focal_edge_distance(inside, width, height, distance) != 0) return 1;
  *most = 0;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const int32_t k = y * width + x;
      const int32_t across = x < width - 1 - x ? x : width - 1 - x;
      const int32_t down = y < height - 1 - y ? y : height - 1 - y;
      const int32_t end = 3 * ((across < down ? across : down) + 1);
      const int32_t depth = inside[k] ? (int32_t)(3 * distance[k] + 0.5f) : 0;
      depths[k] = depth < end ? depth : end;
      if (!inside[k]) depths[k] = 0;
      *most = depths[k] > *most ? depths[k] : *most;
    }
  return 0;
}

/// Floods pixels from the deepest on. Where two pieces meet at a neck, they stay two. `parents` is -1 outside.
static int32_t flood(const int32_t *depths, int32_t most, int32_t width, int32_t height, float neck,
                     int32_t *parents, int32_t *tops) {
  const int32_t count = width * height;
  int32_t *starts = calloc((size_t)most + 2, sizeof *starts);
  int32_t *order = malloc((size_t)count * sizeof *order);
  if (starts == NULL || order == NULL) {
    free(starts);
    free(order);
    return 1;
  }
  for (int32_t k = 0; k < count; k++) {
    parents[k] = -1;
    if (depths[k] > 0) starts[most - depths[k] + 1]++;
  }
  for (int32_t l = 0; l <= most; l++) starts[l + 1] += starts[l];
  const int32_t all = starts[most + 1];
  for (int32_t k = 0; k < count; k++)
    if (depths[k] > 0) order[starts[most - depths[k]]++] = k;
  for (int32_t n = 0; n < all; n++) {
    const int32_t k = order[n], x = k % width, y = k / width;
    const int32_t others[4] = {x > 0 ? k - 1 : -1, x + 1 < width ? k + 1 : -1,
                               y > 0 ? k - width : -1, y + 1 < height ? k + width : -1};
    int32_t deepest = -1;
    for (int32_t d = 0; d < 4; d++) {
      const int32_t other = others[d];
      if (other < 0 || parents[other] < 0) continue;
      if (deepest < 0 || depths[other] > depths[deepest]) deepest = other;
    }
    if (deepest < 0) {
      parents[k] = k;
      tops[k] = depths[k];
      continue;
    }
    parents[k] = root(parents, deepest);
    for (int32_t d = 0; d < 4; d++) {
      if (others[d] < 0 || parents[others[d]] < 0) continue;
      const int32_t a = root(parents, k), b = root(parents, others[d]);
      if (a == b) continue;
      const int32_t lesser = tops[a] < tops[b] ? tops[a] : tops[b];
      if ((float)depths[k] < neck * (float)lesser && lesser >= leastDepth) continue;
      if (tops[a] < tops[b]) parents[a] = b;
      else parents[b] = a;
    }
  }
  free(starts);
  free(order);
  return 0;
}

/// Gives pixels of the layer that have no piece yet that of the neighbour whose disparity is most like theirs.
static int32_t spread(const float *map, const uint8_t *layer, int32_t width, int32_t height,
                      int32_t *pieces) {
  const size_t count = (size_t)width * height;
  int32_t *before = malloc(count * sizeof *before);
  if (before == NULL) return 1;
  for (int32_t hasChanged = 1; hasChanged;) {
    hasChanged = 0;
    memcpy(before, pieces, count * sizeof *before);
    for (int32_t y = 0; y < height; y++)
      for (int32_t x = 0; x < width; x++) {
        const int32_t k = y * width + x;
        if (!layer[k] || before[k] >= 0) continue;
        float least = INFINITY;
        for (int32_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < height; j++)
          for (int32_t i = x > 0 ? x - 1 : 0; i <= x + 1 && i < width; i++) {
            const int32_t other = j * width + i;
            const float difference = fabsf(map[other] - map[k]);
            if (before[other] < 0 || difference >= least) continue;
            least = difference;
            pieces[k] = before[other];
            hasChanged = 1;
          }
      }
  }
  free(before);
  return 0;
}

/// Counts pixels and looks for the disparities of each piece.
static int32_t measure(const float *map, const int32_t *pieces, int32_t count, struct Piece *all,
                       int32_t made) {
  int32_t *levels = calloc((size_t)made * LEVELS, sizeof *levels);
  if (levels == NULL) return 1;
  for (int32_t k = 0; k < count; k++) {
    if (pieces[k] < 0) continue;
    const int32_t level = (int32_t)(map[k] * (LEVELS - 1) + 0.5f);
    levels[pieces[k] * LEVELS + (level < 0 ? 0 : level < LEVELS ? level : LEVELS - 1)]++;
    all[pieces[k]].area++;
  }
  for (int32_t p = 0; p < made; p++) {
    int32_t sum = 0;
    const int32_t area = all[p].area;
    for (int32_t l = 0; l < LEVELS; l++) {
      const int32_t before = sum;
      sum += levels[p * LEVELS + l];
      const float value = (float)l / (LEVELS - 1);
      if (before * 10 <= area && sum * 10 > area) all[p].low = value;
      if (before * 2 <= area && sum * 2 > area) all[p].middle = value;
      if (before * 10 <= area * 9 && sum * 10 > area * 9) all[p].high = value;
    }
  }
  free(levels);
  return 0;
}

/// The borders of all pairs of pieces, one pair after the other; `NULL` if memory is refused.
static struct Border *findBorders(const int32_t *pieces, const int32_t *depths, const uint8_t *steps,
                                  int32_t width, int32_t height, int32_t *count) {
  struct Border *borders = malloc(2 * (size_t)width * height * sizeof *borders);
  if (borders == NULL) return NULL;
  *count = 0;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const int32_t k = y * width + x;
      for (int32_t d = 0; d < 2; d++) {
        if (d ? y + 1 == height : x + 1 == width) continue;
        const int32_t other = d ? k + width : k + 1, a = pieces[k], b = pieces[other];
        if (a < 0 || b < 0 || a == b) continue;
        borders[(*count)++] = (struct Border){
            .first = a < b ? a : b,
            .second = a < b ? b : a,
            .place = k,
            .depth = depths[k] < depths[other] ? depths[k] : depths[other],
            .isStep = steps[k] || steps[other],
            .contact = -1,
        };
      }
    }
  qsort(borders, (size_t)*count, sizeof *borders, compare);
  return borders;
}

/// The end of the borders of the pair that begins at a place.
static int32_t endOfPair(const struct Border *borders, int32_t count, int32_t at) {
  int32_t end = at + 1;
  while (end < count && borders[end].first == borders[at].first &&
         borders[end].second == borders[at].second)
    end++;
  return end;
}

/// How wide all contacts of a pair are together, in thirds of pixels from their middles.
static int32_t contactDepth(struct Border *borders, int32_t count, int32_t width) {
  int32_t sum = 0;
  for (int32_t first = 0; first < count; first++) {
    if (borders[first].contact >= 0) continue;
    int32_t deepest = borders[first].depth, hasGrown = 1;
    borders[first].contact = first;
    while (hasGrown) {
      hasGrown = 0;
      // In the order of their places, borders of one contact are seldom far apart.
      for (int32_t n = first; n < count; n++) {
        if (borders[n].contact != first) continue;
        const int32_t x = borders[n].place % width, y = borders[n].place / width;
        for (int32_t m = first + 1; m < count; m++) {
          if (borders[m].contact >= 0 || abs(borders[m].place % width - x) > 2 ||
              abs(borders[m].place / width - y) > 2)
            continue;
          borders[m].contact = first;
          deepest = borders[m].depth > deepest ? borders[m].depth : deepest;
          hasGrown = hasGrown || m < n;
        }
      }
    }
    sum += deepest;
  }
  return sum;
}

/// Joins pieces that are in contact at several necks, which together are wide enough: rings and their spokes.
static void joinRings(struct Border *borders, int32_t count, int32_t width, float neck,
                         struct Piece *all, int32_t *owners) {
  for (int32_t at = 0, end = 0; at < count; at = end) {
    end = endOfPair(borders, count, at);
    const struct Piece *a = &all[borders[at].first], *b = &all[borders[at].second];
    const int32_t lesser = a->depth < b->depth ? a->depth : b->depth;
    const int32_t depth = contactDepth(borders + at, end - at, width);
    if ((float)depth < neck * (float)lesser) continue;
    owners[root(owners, borders[at].first)] = root(owners, borders[at].second);
  }
}

/// Joins what an arm in front has cut off: a small piece behind a step, as near as the middle of a larger one is.
static void joinBehind(const struct Border *borders, int32_t count, struct Piece *all,
                       int32_t *owners) {
  for (int32_t at = 0, end = 0; at < count; at = end) {
    end = endOfPair(borders, count, at);
    int32_t isStep = 0;
    for (int32_t n = at; n < end; n++) isStep += borders[n].isStep;
    const int32_t a = borders[at].first, b = borders[at].second;
    const int32_t small = all[a].area < all[b].area ? a : b, large = small == a ? b : a;
    const float most = mostBehind * (float)all[large].area;
    if (2 * isStep < end - at || (float)all[small].area >= most) continue;
    if (all[small].middle < all[large].low - slack) continue;
    if (all[small].middle > all[large].high + slack || end - at <= all[small].border) continue;
    owners[small] = large;
    all[small].border = end - at;
  }
}

/// Gives pixels the pieces that theirs belong to, and measures those.
static int32_t settle(const float *map, int32_t *owners, int32_t *pieces, int32_t count,
                      struct Piece *all, int32_t made) {
  memset(all, 0, (size_t)made * sizeof *all);
  for (int32_t k = 0; k < count; k++)
    if (pieces[k] >= 0) pieces[k] = root(owners, pieces[k]);
  return measure(map, pieces, count, all, made);
}

/// Numbers pieces from the largest on.
static int32_t number(struct Piece *all, int32_t made, const int32_t *pieces, int32_t count,
                      uint8_t *parts) {
  int32_t found = 0;
  for (; found < UINT8_MAX; found++) {
    int32_t largest = -1;
    for (int32_t p = 0; p < made; p++)
      if (all[p].area > 0 && (largest < 0 || all[p].area > all[largest].area)) largest = p;
    if (largest < 0) break;
    all[largest].area = 0;
    all[largest].border = found + 1;
  }
  for (int32_t k = 0; k < count; k++) {
    const int32_t p = pieces[k];
    parts[k] = p < 0 || all[p].area > 0 ? 0 : (uint8_t)all[p].border;
  }
  return found;
}

/// Joins pieces that are one thing after all, and numbers what is left.
static int32_t join(const float *map, const int32_t *depths, const uint8_t *steps, int32_t width,
                    int32_t height, float neck, int32_t made, int32_t *pieces, uint8_t *parts,
                    int32_t *found) {
  const int32_t count = width * height;
  struct Piece *all = calloc((size_t)made + 1, sizeof *all);
  int32_t *owners = malloc(((size_t)made + 1) * sizeof *owners);
  int32_t failed = all == NULL || owners == NULL;
  if (!failed) {
    for (int32_t p = 0; p < made; p++) owners[p] = p;
    for (int32_t k = 0; k < count; k++)
      if (pieces[k] >= 0 && depths[k] > all[pieces[k]].depth) all[pieces[k]].depth = depths[k];
  }
  for (int32_t isBehind = 0; isBehind < 2 && !failed; isBehind++) {
    int32_t borderCount = 0;
    struct Border *borders = findBorders(pieces, depths, steps, width, height, &borderCount);
    failed = borders == NULL;
    if (failed) break;
    if (isBehind) joinBehind(borders, borderCount, all, owners);
    else joinRings(borders, borderCount, width, neck, all, owners);
    free(borders);
    failed = settle(map, owners, pieces, count, all, made);
  }
  if (!failed) *found = number(all, made, pieces, count, parts);
  free(all);
  free(owners);
  return failed;
}

int32_t focal_subject_divide(const float *map, const uint8_t *layer, int32_t width, int32_t height,
                             float step, float neck, uint8_t *parts, int32_t *found) {
  const int32_t count = width * height;
  *found = 0;
  memset(parts, 0, (size_t)count);
  uint8_t *steps = malloc(2 * (size_t)count);
  float *distance = malloc((size_t)count * sizeof *distance);
  int32_t *depths = malloc(4 * (size_t)count * sizeof *depths), most = 0;
  int32_t failed = steps == NULL || distance == NULL || depths == NULL;
  if (!failed) {
    uint8_t *inside = steps + count;
    int32_t *parents = depths + count, *tops = parents + count, *pieces = tops + count;
    findSteps(map, layer, width, height, step, steps);
    for (int32_t k = 0; k < count; k++) inside[k] = layer[k] && !steps[k];
    failed = findDepths(inside, width, height, distance, depths, &most) ||
             flood(depths, most, width, height, neck, parents, tops);
    int32_t made = 0;
    for (int32_t k = 0; k < count && !failed; k++)
      if (parents[k] == k) tops[k] = made++;
    for (int32_t k = 0; k < count && !failed; k++)
      pieces[k] = parents[k] < 0 ? -1 : tops[root(parents, k)];
    failed = failed || spread(map, layer, width, height, pieces) ||
             join(map, depths, steps, width, height, neck, made, pieces, parts, found);
  }
  free(steps);
  free(distance);
  free(depths);
  return failed;
}
