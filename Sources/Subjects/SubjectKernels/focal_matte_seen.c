// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  /// Bins of each component; their values are read and written between them.
  BINS = 16,
  BIN_COUNT = BINS * BINS * BINS,
};

/// So many of a side's examples are hardly any: shares of them. With more, stripes beside shoes come along again; with less,
/// the outline of a head before things of its colours.
static const float few = 5e-3f;

/// How much the other side's examples of a colour count against those of a side. At 1, what both have is half of each, and a
/// cap of the colour of the rocks behind it is half transparent; at a quarter, hair loses a fourteenth more.
static const float rival = 0.5f;

/// Where the colours of a row of a cell lie among the bins: the first bin, below 0 for light above white, which the bins do
/// not tell apart, and how far each component is from there to the next one.
struct Places {
  int32_t *first;
  float *share[3];
};

static const int32_t steps[8] = {0,           1,    BINS,        BINS + 1, BINS * BINS, BINS * BINS + 1,
                                 BINS * BINS + BINS, BINS * BINS + BINS + 1};

FOCAL_CLONES
static void find(const float *restrict light, int32_t count, const struct Places *places) {
  int32_t *restrict first = places->first;
  float *restrict x = places->share[0], *restrict y = places->share[1], *restrict z = places->share[2];
  for (int32_t k = 0; k < count; k++) {
    float code[3], share[3];
    int32_t isWhite = 0, place = 0;
    FOCAL_TAP_LOOP
    for (int32_t c = 0; c < 3; c++) {
      const float value = light[3 * k + c];
      isWhite |= value > 1.05f;
      // Nearly even to the eye.
      code[c] = __builtin_elementwise_sqrt(value > 0 ? value < 1 ? value : 1.0f : 0.0f);
    }
    const float parts[3] = {0.3f * code[0] + 0.59f * code[1] + 0.11f * code[2],
                            0.5f + 0.9f * (code[0] - code[1]),
                            0.5f + 0.7f * (0.5f * (code[0] + code[1]) - code[2])};
    FOCAL_TAP_LOOP
    for (int32_t c = 0; c < 3; c++) {
      const float at = (parts[c] > 0 ? parts[c] < 1 ? parts[c] : 1 : 0) * (BINS - 1);
      const int32_t bin = (int32_t)at < BINS - 2 ? (int32_t)at : BINS - 2;
      share[c] = at - (float)bin;
      place = place * BINS + bin;
    }
    first[k] = isWhite ? -1 : place;
    x[k] = share[0], y[k] = share[1], z[k] = share[2];
  }
}

/// What each of the eight bins around a colour has of it.
static inline __attribute__((always_inline)) void weigh(const struct Places *places, int32_t k,
                                                        float weights[8]) {
  const float share[3] = {places->share[0][k], places->share[1][k], places->share[2][k]};
  for (int32_t n = 0; n < 8; n++)
    weights[n] = (n & 4 ? share[0] : 1 - share[0]) * (n & 2 ? share[1] : 1 - share[1]) *
                 (n & 1 ? share[2] : 1 - share[2]);
}

/// Marks cells that hold pixels that are asked, then, with 2, those beside them.
static void markCells(const uint8_t *fixed, int32_t width, int32_t height, int32_t side,
                      int32_t columns, int32_t rows, uint8_t *marks) {
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++)
      if (fixed[(size_t)y * width + x] == 0) marks[y / side * columns + x / side] = 1;
  for (int32_t j = 0; j < rows; j++)
    for (int32_t i = 0; i < columns; i++) {
      if (marks[j * columns + i] != 1) continue;
      for (int32_t v = j > 0 ? j - 1 : 0; v <= j + 1 && v < rows; v++)
        for (int32_t u = i > 0 ? i - 1 : 0; u <= i + 1 && u < columns; u++)
          if (marks[v * columns + u] == 0) marks[v * columns + u] = 2;
    }
}

int32_t focal_matte_seen(const float *light, const uint8_t *labels, const uint8_t *fixed,
                         int32_t width, int32_t height, int32_t side, float *seen) {
  const int32_t columns = (width + side - 1) / side, rows = (height + side - 1) / side;
  const size_t cells = (size_t)columns * rows;
  // Of each cell both sides' histograms and sums; those of a cell with the eight around it; marks.
  float *memory =
      calloc(2 * cells * (BIN_COUNT + 1) + 2 * (BIN_COUNT + 1) + 4 * (size_t)side, sizeof *memory);
  uint8_t *marks = calloc(cells, 1);
  if (memory == NULL || marks == NULL) {
    free(memory);
    free(marks);
    return 1;
  }
  float *around = memory + 2 * cells * (BIN_COUNT + 1);
  float *row = around + 2 * (BIN_COUNT + 1);
  const struct Places places = {(int32_t *)row, {row + side, row + 2 * side, row + 3 * side}};
  markCells(fixed, width, height, side, columns, rows, marks);
  for (int32_t y = 0; y < height; y++)
    for (int32_t i = 0; i < columns; i++) {
      const size_t cell = (size_t)(y / side) * columns + i;
      if (marks[cell] == 0) continue;
      const size_t from = (size_t)y * width + i * side;
      const int32_t count = width - i * side < side ? width - i * side : side;
      find(light + 3 * from, count, &places);
      float *const sides[2] = {memory + (2 * cell + 1) * (BIN_COUNT + 1),
                               memory + 2 * cell * (BIN_COUNT + 1)};
      for (int32_t k = 0; k < count; k++) {
        const int32_t first = places.first[k];
        if (labels[from + k] > 1 || first < 0) continue;
        float weights[8], *histogram = sides[labels[from + k]];
        weigh(&places, k, weights);
        for (int32_t n = 0; n < 8; n++) histogram[first + steps[n]] += weights[n];
        histogram[BIN_COUNT] += 1;
      }
    }
  for (int32_t j = 0; j < rows; j++)
    for (int32_t i = 0; i < columns; i++) {
      if (marks[(size_t)j * columns + i] != 1) continue;
      for (int32_t n = 0; n < 2 * (BIN_COUNT + 1); n++) around[n] = 0;
      for (int32_t v = j > 0 ? j - 1 : 0; v <= j + 1 && v < rows; v++)
        for (int32_t u = i > 0 ? i - 1 : 0; u <= i + 1 && u < columns; u++) {
          const float *other = memory + 2 * ((size_t)v * columns + u) * (BIN_COUNT + 1);
          for (int32_t n = 0; n < 2 * (BIN_COUNT + 1); n++) around[n] += other[n];
        }
      const int32_t count = width - i * side < side ? width - i * side : side;
      for (int32_t y = j * side; y < (j + 1) * side && y < height; y++) {
        const size_t from = (size_t)y * width + i * side;
        if (memchr(fixed + from, 0, (size_t)count) == NULL) continue;
        find(light + 3 * from, count, &places);
        for (int32_t k = 0; k < count; k++) {
          if (fixed[from + k] != 0) continue;
          const int32_t first = places.first[k];
          float shares[2] = {0, 0}, weights[8];
          weigh(&places, k, weights);
          for (int32_t set = 0; set < 2 && first >= 0; set++) {
            const float *histogram = around + set * (BIN_COUNT + 1);
            if (!(histogram[BIN_COUNT] > 0)) continue;
            for (int32_t n = 0; n < 8; n++)
              shares[set] += histogram[first + steps[n]] * weights[n];
            shares[set] /= histogram[BIN_COUNT];
          }
          for (int32_t set = 0; set < 2; set++)
            seen[2 * (from + k) + set] =
                shares[set] / (shares[set] + rival * shares[1 - set] + few);
        }
      }
    }
  free(memory);
  free(marks);
  return 0;
}
