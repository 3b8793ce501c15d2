// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <focal_pixel.h>
#include <math.h>
#include <stdlib.h>

enum {
  /// Rounds of assigning pixels to centres: more of them move few pixels.
  ROUNDS = 4,
  /// A region whose pixels are fewer than this part of a cell joins a neighbour.
  LEAST_PART = 4,
};

/// How many units of CIELAB one side of a cell is worth.
static const float compactness = 8;

static float lightness(float t) {
  return t > 216.0f / 24389 ? cbrtf(t) : (24389.0f / 27 * t + 16) / 116;
}

void focal_lab(const float *codes, int32_t count, float *lab) {
  for (size_t k = 0; k < (size_t)count; k++) {
    float light[3];
    for (int32_t c = 0; c < 3; c++)
      light[c] = focal_decode_magnitude(codes[3 * k + c], FOCAL_TRANSFER_SRGB);
    const float r = light[0], g = light[1], b = light[2];
    const float x = lightness((0.4124f * r + 0.3576f * g + 0.1805f * b) / 0.9505f);
    const float y = lightness(0.2126f * r + 0.7152f * g + 0.0722f * b);
    const float z = lightness((0.0193f * r + 0.1192f * g + 0.9505f * b) / 1.089f);
    lab[3 * k] = 116 * y - 16;
    lab[3 * k + 1] = 500 * (x - y);
    lab[3 * k + 2] = 200 * (y - z);
  }
}

/// A binomial filter of five pixels along rows, then along columns: noise and dots of print make no regions.
static void smooth(const float *from, int32_t width, int32_t height, float *between, float *to) {
  for (int32_t pass = 0; pass < 2; pass++) {
    const float *in = pass ? between : from;
    float *out = pass ? to : between;
    const int32_t last = pass ? height - 1 : width - 1;
    for (int32_t y = 0; y < height; y++)
      for (int32_t x = 0; x < width; x++) {
        const int32_t at = pass ? y : x, step = pass ? width : 1, k = y * width + x;
        const int32_t b = at > 0 ? -step : 0, a = at > 1 ? b - step : b;
        const int32_t d = at < last ? step : 0, e = at < last - 1 ? d + step : d;
        for (int32_t c = 0; c < 3; c++)
          out[3 * k + c] = (in[3 * (k + a) + c] + in[3 * (k + e) + c] +
                            4 * (in[3 * (k + b) + c] + in[3 * (k + d) + c]) + 6 * in[3 * k + c]) /
                           16;
      }
  }
}

/// Where a region is and which colour it has: x, y and CIELAB, as sums or as means.
struct Centre {
  float values[5];
  int32_t count;
};

/// Assigns pixels to the centres around them.
static void assign(const float *lab, int32_t width, int32_t height, float side, int32_t columns,
                   int32_t rows, const struct Centre *centres, int32_t *labels) {
  const float place = compactness * compactness / (side * side);
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x;
      const int32_t i = (int32_t)(x / side), j = (int32_t)(y / side);
      float least = INFINITY;
      for (int32_t v = j > 0 ? j - 1 : 0; v <= j + 1 && v < rows; v++)
        for (int32_t u = i > 0 ? i - 1 : 0; u <= i + 1 && u < columns; u++) {
          const float *mean = centres[v * columns + u].values;
          const float dx = x - mean[0], dy = y - mean[1], l = lab[3 * k] - mean[2];
          const float a = lab[3 * k + 1] - mean[3], b = lab[3 * k + 2] - mean[4];
          const float away = l * l + a * a + b * b + place * (dx * dx + dy * dy);
          if (away >= least) continue;
          least = away;
          labels[k] = v * columns + u;
        }
    }
}

/// Sets centres to the means of their pixels; those that lost all of them stay. `sums` has room for them all.
static void update(const float *lab, int32_t width, int32_t height, const int32_t *labels,
                   struct Centre *sums, struct Centre *centres, int32_t count) {
  for (int32_t n = 0; n < count; n++) sums[n] = (struct Centre){0};
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x;
      struct Centre *sum = sums + labels[k];
      const float values[5] = {(float)x, (float)y, lab[3 * k], lab[3 * k + 1], lab[3 * k + 2]};
      for (int32_t c = 0; c < 5; c++) sum->values[c] += values[c];
      sum->count++;
    }
  for (int32_t n = 0; n < count; n++) {
    if (sums[n].count == 0) continue;
    for (int32_t c = 0; c < 5; c++) centres[n].values[c] = sums[n].values[c] / (float)sums[n].count;
  }
}

/// A connected part of what was assigned to one centre.
struct Part {
  float lab[3];
  int32_t count;
  /// The neighbour of the nearest colour, and the square of the difference.
  int32_t nearest;
  float difference;
  /// The part that it has joined, or its own number.
  int32_t joined;
};

/// Numbers connected parts. Returns how many there are.
static int32_t connect(const float *lab, const int32_t *assigned, int32_t width, int32_t height,
                       int32_t *queue, int32_t *labels, struct Part *parts) {
  const int32_t count = width * height;
  int32_t found = 0;
  for (int32_t k = 0; k < count; k++) labels[k] = -1;
  for (int32_t start = 0; start < count; start++) {
    if (labels[start] >= 0) continue;
    struct Part *part = parts + found;
    *part = (struct Part){.nearest = found, .difference = INFINITY, .joined = found};
    queue[part->count++] = start;
    labels[start] = found;
    for (int32_t next = 0; next < part->count; next++) {
      const int32_t k = queue[next], x = k % width;
      for (int32_t c = 0; c < 3; c++) part->lab[c] += lab[3 * (size_t)k + c];
      const int32_t others[4] = {x > 0 ? k - 1 : -1, x + 1 < width ? k + 1 : -1, k - width, k + width};
      for (int32_t n = 0; n < 4; n++) {
        const int32_t other = others[n];
        if (other < 0 || other >= count || labels[other] >= 0) continue;
        if (assigned[other] != assigned[start]) continue;
        labels[other] = found;
        queue[part->count++] = other;
      }
    }
    for (int32_t c = 0; c < 3; c++) part->lab[c] /= (float)part->count;
    found++;
  }
  return found;
}

static void compare(struct Part *parts, int32_t a, int32_t b) {
  float difference = 0;
  for (int32_t c = 0; c < 3; c++) {
    const float d = parts[a].lab[c] - parts[b].lab[c];
    difference += d * d;
  }
  if (difference >= parts[a].difference) return;
  parts[a].difference = difference;
  parts[a].nearest = b;
}

static int32_t root(const struct Part *parts, int32_t part) {
  while (parts[part].joined != part) part = parts[part].joined;
  return part;
}

/// Parts of fewer pixels than `least` join the neighbour whose colour is nearest. Returns how many are left.
static int32_t join(int32_t width, int32_t height, int32_t least, int32_t count, struct Part *parts,
                    int32_t *numbers, int32_t *labels) {
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const int32_t k = y * width + x;
      for (int32_t n = 0; n < 2; n++) {
        if (n == 0 ? x + 1 == width : y + 1 == height) continue;
        const int32_t a = labels[k], b = labels[n == 0 ? k + 1 : k + width];
        if (a == b) continue;
        compare(parts, a, b);
        compare(parts, b, a);
      }
    }
  for (int32_t n = 0; n < count; n++) {
    if (parts[n].count >= least) continue;
    const int32_t own = root(parts, n), other = root(parts, parts[n].nearest);
    if (own != other) parts[own].joined = other;
  }
  int32_t left = 0;
  for (int32_t n = 0; n < count; n++) numbers[n] = parts[n].joined == n ? left++ : -1;
  for (int32_t k = 0; k < width * height; k++) labels[k] = numbers[root(parts, labels[k])];
  return left;
}

int32_t focal_regions(const float *lab, int32_t width, int32_t height, float side, int32_t *labels,
                      int32_t *found) {
  const size_t count = (size_t)width * height;
  const int32_t columns = (int32_t)((width - 1) / side) + 1;
  const int32_t rows = (int32_t)((height - 1) / side) + 1;
  const size_t cells = (size_t)columns * rows;
  struct Centre *centres = calloc(2 * cells, sizeof *centres);
  float *memory = malloc(6 * count * sizeof *memory);
  int32_t *assigned = malloc(2 * count * sizeof *assigned);
  struct Part *parts = malloc(count * sizeof *parts);
  const int32_t failed = centres == NULL || memory == NULL || assigned == NULL || parts == NULL;
  if (!failed) {
    float *smoothed = memory + 3 * count;
    smooth(lab, width, height, memory, smoothed);
    for (int32_t y = 0; y < height; y++)
      for (int32_t x = 0; x < width; x++)
        assigned[(size_t)y * width + x] = (int32_t)(y / side) * columns + (int32_t)(x / side);
    const int32_t all = columns * rows;
    update(smoothed, width, height, assigned, centres + cells, centres, all);
    for (int32_t round = 0; round < ROUNDS; round++) {
      assign(smoothed, width, height, side, columns, rows, centres, assigned);
      update(smoothed, width, height, assigned, centres + cells, centres, all);
    }
    int32_t *room = assigned + count;
    const int32_t least = (int32_t)(side * side / LEAST_PART);
    const int32_t connected = connect(smoothed, assigned, width, height, room, labels, parts);
    *found = join(width, height, least, connected, parts, room, labels);
  }
  free(centres);
  free(memory);
  free(assigned);
  free(parts);
  return failed;
}
