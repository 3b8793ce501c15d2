// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <stddef.h>
#include <stdlib.h>

enum {
  /// A step to a neighbour and to a diagonal one, of distances in thirds of pixels.
  STRAIGHT = 3,
  DIAGONAL = 4,
  /// Distances above this are this; beyond a picture's border there is only what is farther.
  FARTHEST = 32000,
  NEVER = 32700,
  /// Places of a row that are done at once.
  PLACES = 16,
};

/// Places of a row.
typedef int16_t Places __attribute__((vector_size(2 * PLACES), aligned(2)));

// Macros, since functions would hand over vectors that not every machine has.
#define LESSER(a, b) (((a) & ((a) < (b))) | ((b) & ~((a) < (b))))
#define READ(from) (*(const Places *)(from))

/// What comes along a row, to the right: each place gets the least of those before it, with a step for each on the way.
/// Without the steps to each place that is the least of all so far, which sixteen places know after four moves.
static inline __attribute__((always_inline)) void alongRight(int16_t *row, int32_t width) {
  const Places none = (Places){0} + NEVER;
  const Places steps = (Places){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} * STRAIGHT;
  Places last = none - STRAIGHT;
  for (int32_t x = 0; x < width; x += PLACES) {
    Places z = READ(row + x) - steps, moved;
    moved = __builtin_shufflevector(z, none, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
    z = LESSER(z, moved);
    moved = __builtin_shufflevector(z, none, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
    z = LESSER(z, moved);
    moved = __builtin_shufflevector(z, none, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    z = LESSER(z, moved);
    moved = __builtin_shufflevector(z, none, 16, 16, 16, 16, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7);
    z = LESSER(z, moved);
    moved = last + STRAIGHT;
    z = LESSER(z, moved) + steps;
    *(Places *)(row + x) = z;
    last = __builtin_shufflevector(z, z, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
  }
}

/// The same to the left, of whole groups of places.
static inline __attribute__((always_inline)) void alongLeft(int16_t *row, int32_t width) {
  const Places none = (Places){0} + NEVER;
  const Places steps = (Places){15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0} * STRAIGHT;
  Places last = none - STRAIGHT;
  for (int32_t x = width - PLACES; x >= 0; x -= PLACES) {
    Places z = READ(row + x) - steps, moved;
    moved = __builtin_shufflevector(z, none, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    z = LESSER(z, moved);
    moved = __builtin_shufflevector(z, none, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16);
    z = LESSER(z, moved);
    moved = __builtin_shufflevector(z, none, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 16, 16);
    z = LESSER(z, moved);
    moved = __builtin_shufflevector(z, none, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 16, 16, 16, 16, 16, 16);
    z = LESSER(z, moved);
    moved = last + STRAIGHT;
    z = LESSER(z, moved) + steps;
    *(Places *)(row + x) = z;
    last = __builtin_shufflevector(z, z, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  }
}

/// What comes from the row before.
static inline __attribute__((always_inline)) void fromRow(const int16_t *before, int16_t *row,
                                                          int32_t width) {
  for (int32_t x = 0; x < width; x += PLACES) {
    const Places left = READ(before + x - 1), right = READ(before + x + 1);
    const Places aside = LESSER(left, right) + DIAGONAL, along = READ(before + x) + STRAIGHT;
    const Places came = LESSER(aside, along), own = READ(row + x);
    *(Places *)(row + x) = LESSER(own, came);
  }
}

/// Whole distances, in rows of whole groups of places and a group that is never reached.
struct Distances {
  int32_t width, height, pitch;
  int16_t *first;
  void *memory;
};

/// Returns 1 if memory is refused.
static int32_t prepare(struct Distances *distances, int32_t width, int32_t height) {
  const int32_t groups = (width + PLACES - 1) / PLACES;
  *distances = (struct Distances){.width = groups * PLACES, .height = height};
  distances->pitch = (groups + 1) * PLACES;
  const size_t count = (size_t)distances->pitch * height + PLACES;
  distances->memory = malloc(count * sizeof *distances->first);
  if (distances->memory == NULL) return 1;
  // What is before the first place is never reached, either.
  distances->first = (int16_t *)distances->memory + PLACES;
  for (int32_t n = -PLACES; n < 0; n++) distances->first[n] = NEVER;
  return 0;
}

/// Distances to the next place that is labelled as `isLabelled` says; beyond the border there is none. Of a row, what comes
/// from the one before is settled at once, and then what comes along it.
FOCAL_CLONES
static void measure(const struct Distances *distances, const uint8_t *labels, int32_t width,
                    int32_t isLabelled) {
  const int32_t height = distances->height, pitch = distances->pitch;
  const int32_t whole = 3 * (width + height);
  const int16_t far = (int16_t)(whole < FARTHEST ? whole : FARTHEST);
  const int16_t labelled = isLabelled ? 0 : far, other = isLabelled ? far : 0;
  for (int32_t y = 0; y < height; y++) {
    const uint8_t *restrict from = labels + (size_t)y * width;
    int16_t *restrict row = distances->first + (size_t)y * pitch;
    for (int32_t x = 0; x < width; x++) row[x] = from[x] ? labelled : other;
    for (int32_t x = width; x < distances->width; x++) row[x] = far;
    for (int32_t x = distances->width; x < pitch; x++) row[x] = NEVER;
    if (y > 0) fromRow(row - pitch, row, distances->width);
    alongRight(row, distances->width);
  }
  for (int32_t y = height - 1; y >= 0; y--) {
    int16_t *row = distances->first + (size_t)y * pitch;
    if (y + 1 < height) fromRow(row + pitch, row, distances->width);
    alongLeft(row, distances->width);
  }
}

/// In pixels; less what is there already, if that is asked.
FOCAL_CLONES
static void tell(const struct Distances *distances, int32_t width, int32_t isTaken,
                 float *result) {
  for (int32_t y = 0; y < distances->height; y++) {
    const int16_t *restrict row = distances->first + (size_t)y * distances->pitch;
    float *restrict to = result + (size_t)y * width;
    if (isTaken)
      for (int32_t x = 0; x < width; x++) to[x] -= (float)row[x] / 3;
    else
      for (int32_t x = 0; x < width; x++) to[x] = (float)row[x] / 3;
  }
}

int32_t focal_edge_distance(const uint8_t *labels, int32_t width, int32_t height, float *distance) {
  struct Distances distances;
  if (prepare(&distances, width, height)) return 1;
  // One of both is 0.
  measure(&distances, labels, width, 0);
  tell(&distances, width, 0, distance);
  measure(&distances, labels, width, 1);
  tell(&distances, width, 1, distance);
  free(distances.memory);
  return 0;
}

int32_t focal_edge_depth(const uint8_t *labels, int32_t width, int32_t height, float *depth) {
  struct Distances distances;
  if (prepare(&distances, width, height)) return 1;
  measure(&distances, labels, width, 0);
  tell(&distances, width, 0, depth);
  free(distances.memory);
  return 0;
}

int32_t focal_edge_gap(const uint8_t *labels, int32_t width, int32_t height, float *gap) {
  struct Distances distances;
  if (prepare(&distances, width, height)) return 1;
  measure(&distances, labels, width, 1);
  tell(&distances, width, 0, gap);
  free(distances.memory);
  return 0;
}
