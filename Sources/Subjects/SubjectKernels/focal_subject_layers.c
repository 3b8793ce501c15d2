// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Levels at which a map is cut.
  LEVELS = 64,
};

/// A connected part of the map that is at least as near as a level: a node of the tree of all of them.
struct Part {
  int32_t level, parent, area, border, outline;
  double contrast;
  /// Of the part; what it and all in it are worth at most; of what is directly in it, the most and the sum.
  float score, best, most, sum;
  /// A pixel of it.
  int32_t place;
};

static int32_t root(int32_t *parents, int32_t place) {
  while (parents[place] != place) {
    parents[place] = parents[parents[place]];
    place = parents[place];
  }
  return place;
}

/// How much the map rises within two pixels of each pixel.
static void ranges(const uint8_t *levels, int32_t width, int32_t height, uint8_t *low, uint8_t *high,
                   float *rise) {
  const int32_t reach = 2;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const uint8_t *row = levels + (size_t)y * width;
      uint8_t least = 255, most = 0;
      for (int32_t i = x - reach; i <= x + reach; i++) {
        const uint8_t value = row[i < 0 ? 0 : i >= width ? width - 1 : i];
        least = value < least ? value : least;
        most = value > most ? value : most;
      }
      low[(size_t)y * width + x] = least;
      high[(size_t)y * width + x] = most;
    }
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      uint8_t least = 255, most = 0;
      for (int32_t j = y - reach; j <= y + reach; j++) {
        const size_t place = (size_t)(j < 0 ? 0 : j >= height ? height - 1 : j) * width + x;
        least = low[place] < least ? low[place] : least;
        most = high[place] > most ? high[place] : most;
      }
      rise[(size_t)y * width + x] = (float)(most - least) / (LEVELS - 1);
    }
}

/// Numbers the parts of all levels, from near to far, and says of each pixel in which one it is at its own level.
static int32_t makeTree(const uint8_t *levels, int32_t width, int32_t height, struct Part **result,
                        int32_t *count, int32_t *own) {
  const int32_t pixels = width * height;
  int32_t *parents = malloc((size_t)pixels * 4 * sizeof *parents);
  int32_t room = 1024;
  struct Part *parts = malloc((size_t)room * sizeof *parts);
  if (parents == NULL || parts == NULL) {
    free(parents);
    free(parts);
    return 1;
  }
  // The part that stands for a root, the pixels in the order of their levels.
  int32_t *partOf = parents + pixels, *order = partOf + pixels;
  int32_t starts[LEVELS + 1] = {0};
  for (int32_t k = 0; k < pixels; k++) {
    parents[k] = -1;
    partOf[k] = -1;
    starts[LEVELS - 1 - levels[k] + 1]++;
  }
  for (int32_t l = 0; l < LEVELS; l++) starts[l + 1] += starts[l];
  int32_t next[LEVELS];
  memcpy(next, starts, sizeof next);
  for (int32_t k = 0; k < pixels; k++) order[next[LEVELS - 1 - levels[k]]++] = k;
  int32_t made = 0, failed = 0;
  for (int32_t l = 0; l < LEVELS && !failed; l++) {
    if (starts[l] == starts[l + 1]) continue;
    for (int32_t n = starts[l]; n < starts[l + 1]; n++) parents[order[n]] = order[n];
    const int32_t before = made;
    for (int32_t n = starts[l]; n < starts[l + 1]; n++) {
      const int32_t k = order[n], x = k % width, y = k / width;
      const int32_t others[4] = {x > 0 ? k - 1 : -1, x + 1 < width ? k + 1 : -1,
                                 y > 0 ? k - width : -1, y + 1 < height ? k + width : -1};
      // It stays the root of what is joined.
      const int32_t a = root(parents, k);
      for (int32_t d = 0; d < 4; d++) {
        if (others[d] < 0 || parents[others[d]] < 0) continue;
        const int32_t b = root(parents, others[d]);
        if (a != b) parents[b] = a;
      }
    }
    // Each root of this level becomes a part; parts of nearer levels get it as their parent.
    for (int32_t n = starts[l]; n < starts[l + 1]; n++) {
      const int32_t top = root(parents, order[n]);
      if (partOf[top] < before) {
        if (made == room) {
          struct Part *more = realloc(parts, (size_t)room * 2 * sizeof *parts);
          if (more == NULL) {
            failed = 1;
            break;
          }
          parts = more;
          room *= 2;
        }
        parts[made] = (struct Part){.level = LEVELS - 1 - l, .parent = -1, .place = top};
        partOf[top] = made++;
      }
      own[order[n]] = partOf[top];
    }
    if (failed) break;
    for (int32_t p = 0; p < before; p++) {
      if (parts[p].parent >= 0) continue;
      const int32_t top = root(parents, parts[p].place);
      if (partOf[top] >= before) parts[p].parent = partOf[top];
    }
  }
  free(parents);
  *result = parts;
  *count = made;
  return failed;
}

int32_t focal_subject_layers(const float *map, int32_t width, int32_t height, float least,
                             float leastArea, int32_t most, uint8_t *labels, float *scores,
                             int32_t *found) {
  const int32_t pixels = width * height;
  uint8_t *levels = malloc((size_t)pixels * 3);
  float *rise = malloc((size_t)pixels * sizeof *rise);
  int32_t *own = malloc((size_t)pixels * sizeof *own);
  struct Part *parts = NULL;
  int32_t count = 0;
  *found = 0;
  memset(labels, 0, (size_t)pixels);
  int32_t failed = levels == NULL || rise == NULL || own == NULL;
  if (!failed) {
    for (int32_t k = 0; k < pixels; k++) {
      const float value = map[k] * (LEVELS - 1) + 0.5f;
      levels[k] = (uint8_t)(value < 0 ? 0 : value > LEVELS - 1 ? LEVELS - 1 : value);
    }
    ranges(levels, width, height, levels + pixels, levels + 2 * pixels, rise);
    failed = makeTree(levels, width, height, &parts, &count, own);
  }
  int32_t *chosen = failed ? NULL : malloc((size_t)(count + 1) * sizeof *chosen);
  failed |= chosen == NULL;
  if (!failed) {
    for (int32_t k = 0; k < pixels; k++) {
      const int32_t x = k % width, y = k / width;
      parts[own[k]].area++;
      // Sides and the upper border; subjects often stand on the lower one.
      if (x == 0 || y == 0 || x == width - 1) parts[own[k]].border++;
      // A pixel is on the outline of the parts down to, not including, its farthest neighbour's.
      uint8_t farthest = levels[k];
      if (x > 0 && levels[k - 1] < farthest) farthest = levels[k - 1];
      if (x + 1 < width && levels[k + 1] < farthest) farthest = levels[k + 1];
      if (y > 0 && levels[k - width] < farthest) farthest = levels[k - width];
      if (y + 1 < height && levels[k + width] < farthest) farthest = levels[k + width];
      for (int32_t p = own[k]; p >= 0 && parts[p].level > farthest; p = parts[p].parent) {
        parts[p].outline++;
        parts[p].contrast += 1 / (rise[k] + 0.03f);
      }
    }
    // Children come before their parents.
    const float perimeter = (float)(2 * (width + height));
    for (int32_t p = 0; p < count; p++) {
      const float area = (float)parts[p].area / pixels;
      float score = 0;
      if (area >= leastArea && area < 0.75f && parts[p].outline > 0) {
        // The harmonic mean: where the map hardly falls, the outline is none.
        const float contrast = (float)(parts[p].outline / parts[p].contrast) - 0.03f;
        const float outside = parts[p].border / perimeter;
        score = contrast < least ? 0 : contrast * powf(area, 0.35f) * (1 - 1.6f * outside);
        // Long outlines around little are noise.
        const float round = sqrtf((float)parts[p].area) / parts[p].outline;
        score *= round > 0.03f ? 1 : round / 0.03f;
        score = score < 0 ? 0 : score;
      }
      parts[p].score = score;
      // Two that are one elsewhere stay two where each stands out.
      const float apart = 0.62f * parts[p].sum, inner = apart > parts[p].most ? apart : parts[p].most;
      chosen[p] = score > 0 && score >= inner;
      const float best = chosen[p] ? score : inner;
      parts[p].best = best;
      if (parts[p].parent >= 0) {
        parts[parts[p].parent].area += parts[p].area;
        parts[parts[p].parent].border += parts[p].border;
        parts[parts[p].parent].sum += best;
        if (best > parts[parts[p].parent].most) parts[parts[p].parent].most = best;
      }
    }
    // From far to near: a chosen part takes what is in it.
    for (int32_t p = count - 1; p >= 0; p--) {
      const int32_t up = parts[p].parent;
      if (up >= 0 && chosen[up] != 0) chosen[p] = chosen[up] < 0 ? chosen[up] : -1 - up;
    }
    // The best ones get numbers, in the order of their scores.
    for (int32_t n = 0; n < most; n++) {
      int32_t best = -1;
      for (int32_t p = 0; p < count; p++)
        if (chosen[p] == 1 && (best < 0 || parts[p].score > parts[best].score)) best = p;
      if (best < 0 || (n > 0 && parts[best].score < 0.33f * scores[0])) break;
      chosen[best] = 2;
      scores[n] = parts[best].score;
      for (int32_t k = 0; k < pixels; k++)
        if (own[k] == best || (chosen[own[k]] < 0 && -1 - chosen[own[k]] == best))
          labels[k] = (uint8_t)(n + 1);
      *found = n + 1;
    }
  }
  free(levels);
  free(rise);
  free(own);
  free(parts);
  free(chosen);
  return failed;
}
