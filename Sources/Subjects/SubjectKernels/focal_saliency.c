// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Scans of the picture, forth and back.
  SCANS = 4,
};

/// The least extent of values on a way to a seed, of one component; scanned in turn from both ends.
static void barrier(const float *component, const uint8_t *seeds, int32_t width, int32_t height,
                    float *distance, float *high, float *low) {
  const int32_t count = width * height;
  for (int32_t k = 0; k < count; k++) {
    distance[k] = seeds[k] ? 0 : INFINITY;
    high[k] = low[k] = component[k];
  }
  for (int32_t scan = 0; scan < SCANS; scan++) {
    const int32_t back = scan & 1, step = back ? -1 : 1;
    for (int32_t j = 0; j < height; j++) {
      const int32_t y = back ? height - 1 - j : j;
      for (int32_t i = 0; i < width; i++) {
        const int32_t x = back ? width - 1 - i : i, k = y * width + x;
        if (seeds[k]) continue;
        for (int32_t n = 0; n < 2; n++) {
          const int32_t isRow = n;
          if (isRow ? y - step < 0 || y - step >= height : x - step < 0 || x - step >= width)
            continue;
          const int32_t from = isRow ? k - step * width : k - step;
          if (isinf(distance[from])) continue;
          const float most = component[k] > high[from] ? component[k] : high[from];
          const float least = component[k] < low[from] ? component[k] : low[from];
          if (most - least < distance[k]) {
            distance[k] = most - least;
            high[k] = most;
            low[k] = least;
          }
        }
      }
    }
  }
}

int32_t focal_barrier(const float *codes, const uint8_t *seeds, int32_t width, int32_t height,
                      float *distance) {
  const size_t count = (size_t)width * height;
  float *memory = malloc(4 * count * sizeof *memory);
  if (memory == NULL) return 1;
  memset(distance, 0, count * sizeof *distance);
  for (int32_t c = 0; c < 3; c++) {
    // Luma and two differences.
    for (size_t k = 0; k < count; k++) {
      const float *code = codes + 3 * k;
      const float luma = 0.3f * code[0] + 0.59f * code[1] + 0.11f * code[2];
      memory[k] = c == 0 ? luma : c == 1 ? code[0] - code[1] : 0.7f * (code[2] - luma);
    }
    barrier(memory, seeds, width, height, memory + count, memory + 2 * count, memory + 3 * count);
    for (size_t k = 0; k < count; k++)
      if (!isinf(memory[count + k])) distance[k] += memory[count + k];
  }
  free(memory);
  return 0;
}

/// How far each colour is from those of a strip along one side, in parts of their spread.
static void unlike(const float *codes, int32_t width, int32_t height, int32_t left, int32_t top,
                   int32_t right, int32_t bottom, float *result) {
  double s[9] = {0};
  int64_t n = 0;
  for (int32_t y = top; y < bottom; y++)
    for (int32_t x = left; x < right; x++) {
      const float *c = codes + 3 * ((size_t)y * width + x);
      s[0] += c[0], s[1] += c[1], s[2] += c[2];
      s[3] += c[0] * c[0], s[4] += c[0] * c[1], s[5] += c[0] * c[2];
      s[6] += c[1] * c[1], s[7] += c[1] * c[2], s[8] += c[2] * c[2];
      n++;
    }
  const double x = s[0] / n, y = s[1] / n, z = s[2] / n, floor = 1e-3;
  const double a = s[3] / n - x * x + floor, b = s[4] / n - x * y, c = s[5] / n - x * z;
  const double d = s[6] / n - y * y + floor, e = s[7] / n - y * z, f = s[8] / n - z * z + floor;
  const double A = d * f - e * e, B = c * e - b * f, C = b * e - c * d;
  const double D = a * f - c * c, E = b * c - a * e, F = a * d - b * b;
  const double scale = 1 / (a * A + b * B + c * C);
  // A colour that is not far from all of them is not made to seem so.
  float most = 6;
  const size_t count = (size_t)width * height;
  for (size_t k = 0; k < count; k++) {
    const double u = codes[3 * k] - x, v = codes[3 * k + 1] - y, w = codes[3 * k + 2] - z;
    const double square =
        (u * (A * u + 2 * B * v + 2 * C * w) + v * (D * v + 2 * E * w) + F * w * w) * scale;
    result[k] = (float)sqrt(square > 0 ? square : 0);
    most = result[k] > most ? result[k] : most;
  }
  for (size_t k = 0; k < count; k++) result[k] /= most;
}

int32_t focal_saliency(const float *codes, int32_t width, int32_t height, float *saliency) {
  const size_t count = (size_t)width * height;
  uint8_t *seeds = calloc(count, 1);
  float *sides = malloc(4 * count * sizeof *sides);
  int32_t failed = seeds == NULL || sides == NULL;
  if (!failed) {
    for (int32_t y = 0; y < height; y++)
      for (int32_t x = 0; x < width; x++)
        seeds[(size_t)y * width + x] = x == 0 || y == 0 || x == width - 1 || y == height - 1;
    failed = focal_barrier(codes, seeds, width, height, saliency);
  }
  if (!failed) {
    float most = 0.15f;
    for (size_t k = 0; k < count; k++) most = saliency[k] > most ? saliency[k] : most;
    const int32_t m = (width < height ? width : height) / 12 + 1;
    unlike(codes, width, height, 0, 0, m, height, sides);
    unlike(codes, width, height, width - m, 0, width, height, sides + count);
    unlike(codes, width, height, 0, 0, width, m, sides + 2 * count);
    unlike(codes, width, height, 0, height - m, width, height, sides + 3 * count);
    for (int32_t y = 0; y < height; y++)
      for (int32_t x = 0; x < width; x++) {
        const size_t k = (size_t)y * width + x;
        // A colour of any one side is background: the sum but for the largest, which a subject that touches
        // a side has there.
        float sum = 0, largest = 0;
        for (int32_t n = 0; n < 4; n++) {
          sum += sides[n * count + k];
          largest = sides[n * count + k] > largest ? sides[n * count + k] : largest;
        }
        const float u = 2 * (x + 0.5f) / width - 1, v = 2 * (y + 0.5f) / height - 1.1f;
        const float middle = expf(-1.4f * (u * u + 0.6f * v * v));
        saliency[k] = (saliency[k] / most + (sum - largest) / 3) * middle;
      }
    most = 0.3f;
    for (size_t k = 0; k < count; k++) most = saliency[k] > most ? saliency[k] : most;
    for (size_t k = 0; k < count; k++) saliency[k] /= most;
  }
  free(seeds);
  free(sides);
  return failed;
}
