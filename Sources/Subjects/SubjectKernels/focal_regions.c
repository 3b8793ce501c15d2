// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Rounds of assigning pixels to centres: more of them move few pixels.
  ROUNDS = 4,
  /// A region whose pixels are fewer than this part of a cell joins a neighbour.
  LEAST_PART = 4,
};

/// How many units of CIELAB one side of a cell is worth.
static const float compactness = 8;

static float linear(float code) {
  return code <= 0.04045f ? code / 12.92f : powf((code + 0.055f) / 1.055f, 2.4f);
}

static float lightness(float t) {
  return t > 216.0f / 24389 ? cbrtf(t) : (24389.0f / 27 * t + 16) / 116;
}

void focal_lab(const float *codes, int32_t count, float *lab) {
  for (size_t k = 0; k < (size_t)count; k++) {
    const float r = linear(codes[3 * k]), g = linear(codes[3 * k + 1]), b = linear(codes[3 * k + 2]);
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
  float sums[5];
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
          const float *mean = centres[v * columns + u].sums;
          const float dx = x - mean[0], dy = y - mean[1], l = lab[3 * k] - mean[2];
          const float a = lab[3 * k + 1] - mean[3], b = lab[3 * k + 2] - mean[4];
          const float away = l * l + a * a + b * b + place * (dx * dx + dy * dy);
          if (away >= least) continue;
          least = away;
          labels[k] = v * columns + u;
        }
    }
}

static void update(const float *lab, int32_t width, int32_t height, const int32_t *labels,
                   struct Centre *centres, int32_t count) {
  for (int32_t n = 0; n < count; n++)
    if (centres[n].count > 0) centres[n] = (struct Centre){0};
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x;
      struct Centre *centre = centres + labels[k];
      const float values[5] = {(float)x, (float)y, lab[3 * k], lab[3 * k + 1], lab[3 * k + 2]};
      for (int32_t c = 0; c < 5; c++) centre->sums[c] += values[c];
      centre->count++;
    }
  for (int32_t n = 0; n < count; n++)
    for (int32_t c = 0; c < 5 && centres[n].count > 0; c++)
      centres[n].sums[c] /= (float)centres[n].count;
}

/// Connected parts get numbers of their own; small ones are a neighbour's.
static int32_t number(const int32_t *parts, int32_t width, int32_t height, int32_t least,
                      int32_t *queue, int32_t *labels) {
  const int32_t count = width * height;
  int32_t found = 0;
  for (int32_t k = 0; k < count; k++) labels[k] = -1;
  for (int32_t start = 0; start < count; start++) {
    if (labels[start] >= 0) continue;
    int32_t size = 0, neighbour = -1;
    queue[size++] = start;
    labels[start] = found;
    for (int32_t next = 0; next < size; next++) {
      const int32_t k = queue[next], x = k % width;
      const int32_t others[4] = {x > 0 ? k - 1 : -1, x + 1 < width ? k + 1 : -1, k - width, k + width};
      for (int32_t n = 0; n < 4; n++) {
        const int32_t other = others[n];
        if (other < 0 || other >= count) continue;
        if (labels[other] >= 0) {
          if (labels[other] != found) neighbour = labels[other];
        } else if (parts[other] == parts[start]) {
          labels[other] = found;
          queue[size++] = other;
        }
      }
    }
    if (size >= least || neighbour < 0) {
      found++;
    } else {
      for (int32_t n = 0; n < size; n++) labels[queue[n]] = neighbour;
    }
  }
  return found;
}

int32_t focal_regions(const float *lab, int32_t width, int32_t height, float side, int32_t *labels,
                      int32_t *found) {
  const size_t count = (size_t)width * height;
  const int32_t columns = (int32_t)((width - 1) / side) + 1;
  const int32_t rows = (int32_t)((height - 1) / side) + 1;
  struct Centre *centres = calloc((size_t)columns * rows, sizeof *centres);
  float *memory = malloc(6 * count * sizeof *memory);
  int32_t *parts = malloc(2 * count * sizeof *parts);
  const int32_t failed = centres == NULL || memory == NULL || parts == NULL;
  if (!failed) {
    float *smoothed = memory + 3 * count;
    smooth(lab, width, height, memory, smoothed);
    for (int32_t y = 0; y < height; y++)
      for (int32_t x = 0; x < width; x++)
        parts[(size_t)y * width + x] = (int32_t)(y / side) * columns + (int32_t)(x / side);
    update(smoothed, width, height, parts, centres, columns * rows);
    for (int32_t round = 0; round < ROUNDS; round++) {
      assign(smoothed, width, height, side, columns, rows, centres, parts);
      update(smoothed, width, height, parts, centres, columns * rows);
    }
    const int32_t least = (int32_t)(side * side / LEAST_PART);
    *found = number(parts, width, height, least, parts + count, labels);
  }
  free(centres);
  free(memory);
  free(parts);
  return failed;
}
