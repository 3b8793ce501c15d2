// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>

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

/// Where a colour lies among the bins.
struct Place {
  int32_t first;
  float weights[8];
};

static const int32_t steps[8] = {0,           1,    BINS,        BINS + 1, BINS * BINS, BINS * BINS + 1,
                                 BINS * BINS + BINS, BINS * BINS + BINS + 1};

/// Returns 0 for light above white, whose colours the bins do not tell apart.
static int32_t find(const float *light, struct Place *place) {
  float code[3];
  for (int32_t c = 0; c < 3; c++) {
    if (light[c] > 1.05f) return 0;
    // Nearly even to the eye.
    code[c] = light[c] > 0 ? light[c] < 1 ? sqrtf(light[c]) : 1 : 0;
  }
  const float parts[3] = {0.3f * code[0] + 0.59f * code[1] + 0.11f * code[2],
                          0.5f + 0.9f * (code[0] - code[1]),
                          0.5f + 0.7f * (0.5f * (code[0] + code[1]) - code[2])};
  float share[3];
  place->first = 0;
  for (int32_t c = 0; c < 3; c++) {
    const float at = (parts[c] > 0 ? parts[c] < 1 ? parts[c] : 1 : 0) * (BINS - 1);
    const int32_t bin = (int32_t)at < BINS - 2 ? (int32_t)at : BINS - 2;
    share[c] = at - (float)bin;
    place->first = place->first * BINS + bin;
  }
  for (int32_t n = 0; n < 8; n++)
    place->weights[n] = (n & 4 ? share[0] : 1 - share[0]) * (n & 2 ? share[1] : 1 - share[1]) *
                        (n & 1 ? share[2] : 1 - share[2]);
  return 1;
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
  float *memory = calloc(2 * cells * (BIN_COUNT + 1) + 2 * (BIN_COUNT + 1), sizeof *memory);
  uint8_t *marks = calloc(cells, 1);
  if (memory == NULL || marks == NULL) {
    free(memory);
    free(marks);
    return 1;
  }
  float *around = memory + 2 * cells * (BIN_COUNT + 1);
  markCells(fixed, width, height, side, columns, rows, marks);
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x, cell = (size_t)(y / side) * columns + x / side;
      struct Place place;
      if (labels[k] > 1 || marks[cell] == 0 || !find(light + 3 * k, &place)) continue;
      float *histogram = memory + (2 * cell + (labels[k] ? 0 : 1)) * (BIN_COUNT + 1);
      for (int32_t n = 0; n < 8; n++) histogram[place.first + steps[n]] += place.weights[n];
      histogram[BIN_COUNT] += 1;
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
      for (int32_t y = j * side; y < (j + 1) * side && y < height; y++)
        for (int32_t x = i * side; x < (i + 1) * side && x < width; x++) {
          const size_t k = (size_t)y * width + x;
          if (fixed[k] != 0) continue;
          float shares[2] = {0, 0};
          struct Place place;
          if (find(light + 3 * k, &place))
            for (int32_t set = 0; set < 2; set++) {
              const float *histogram = around + set * (BIN_COUNT + 1);
              if (!(histogram[BIN_COUNT] > 0)) continue;
              for (int32_t n = 0; n < 8; n++)
                shares[set] += histogram[place.first + steps[n]] * place.weights[n];
              shares[set] /= histogram[BIN_COUNT];
            }
          for (int32_t set = 0; set < 2; set++)
            seen[2 * k + set] = shares[set] / (shares[set] + rival * shares[1 - set] + few);
        }
    }
  free(memory);
  free(marks);
  return 0;
}
