// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Pixels side by side in a row: where they are in the planes and in the picture, and where their values begin in lists.
struct Span {
  int32_t place, shown, length, start;
};

/// Numbers of a window of 3 x 3 pixels in which alpha is a line of the colours: the mean colour, and the inverse of the
/// colours' spread, six numbers of a symmetric matrix.
enum { MEAN = 0, INVERSE = 3, WINDOW_NUMBERS = 9 };

/// Everything lies in planes and is worked on in spans, so that neighbours are done at once. Planes are of the part of the
/// picture that has unknown pixels.
struct Matte {
  /// Of the planes, and the picture's width.
  int32_t width, height, stride;
  /// Red, green and blue of every pixel.
  float *light[3];
  /// Middles of windows, and pixels that are not known; how many spans and pixels of each.
  struct Span *windows, *unknown;
  int32_t windowSpans, windowCount, unknownSpans, unknownCount;
  /// `WINDOW_NUMBERS` lists.
  float *fits[WINDOW_NUMBERS];
  /// The slopes and the offset of the line at each window's middle, 0 elsewhere, and in how many windows a pixel is.
  float *lines[4], *cover;
  /// What lines are fitted to.
  float *values;
  /// Rows for what is on its way: sums of three pixels of a column each, and what is found of them.
  float *rows[8];
  void *memory;
};

/// Alphas and their slopes are worth as much in the dark as in the light: what counts as noise grows with the light.
static const float noise = 3e-5f;

/// Sums of three pixels of a column, the middle one at `place`: its colours, and their products.
static inline __attribute__((always_inline)) void addColumn(const struct Matte *matte,
                                                            int32_t place, double s[9]) {
  // Where black meets white, the spread along colours that do not differ is a millionth of the other: floats lose it, and the
  // line's slope is then anything.
  for (int32_t c = 0; c < 9; c++) s[c] = 0;
  for (int32_t v = -1; v <= 1; v++) {
    const int32_t at = place + v * matte->width;
    const double x = matte->light[0][at], y = matte->light[1][at], z = matte->light[2][at];
    s[0] += x, s[1] += y, s[2] += z;
    s[3] += x * x, s[4] += x * y, s[5] += x * z;
    s[6] += y * y, s[7] += y * z, s[8] += z * z;
  }
}

/// From the sums of a window's columns.
static inline __attribute__((always_inline)) void makeWindow(const double s[9], int32_t k,
                                                             float *const *fits) {
  const double n = 1.0 / 9, x = s[0] * n, y = s[1] * n, z = s[2] * n;
  const double luma = 0.3 * x + 0.6 * y + 0.1 * z;
  const double floor = noise * (luma * luma + 0.02);
  const double a = s[3] * n - x * x + floor, b = s[4] * n - x * y, c = s[5] * n - x * z;
  const double d = s[6] * n - y * y + floor, e = s[7] * n - y * z, f = s[8] * n - z * z + floor;
  const double A = d * f - e * e, B = c * e - b * f, C = b * e - c * d;
  const double determinant = a * A + b * B + c * C, least = floor * floor * floor;
  const double scale = 1 / (determinant < least ? least : determinant);
  fits[MEAN][k] = (float)x, fits[MEAN + 1][k] = (float)y, fits[MEAN + 2][k] = (float)z;
  fits[INVERSE][k] = (float)(A * scale), fits[INVERSE + 1][k] = (float)(B * scale);
  fits[INVERSE + 2][k] = (float)(C * scale), fits[INVERSE + 3][k] = (float)((a * f - c * c) * scale);
  fits[INVERSE + 4][k] = (float)((b * c - a * e) * scale);
  fits[INVERSE + 5][k] = (float)((a * d - b * b) * scale);
}

/// Each column's sums serve three windows.
FOCAL_CLONES
static void makeWindows(const struct Matte *matte) {
  for (int32_t span = 0; span < matte->windowSpans; span++) {
    const struct Span *s = matte->windows + span;
    double columns[3][9], sums[9];
    addColumn(matte, s->place - 1, columns[0]);
    addColumn(matte, s->place, columns[1]);
    for (int32_t k = 0; k < s->length; k++) {
      addColumn(matte, s->place + k + 1, columns[(k + 2) % 3]);
      // Always from left to right: sums do not depend on where a span begins.
      const double *a = columns[k % 3], *b = columns[(k + 1) % 3], *c = columns[(k + 2) % 3];
      for (int32_t n = 0; n < 9; n++) sums[n] = a[n] + b[n] + c[n];
      makeWindow(sums, s->start + k, matte->fits);
    }
  }
}

/// Pixels that are done at once. The last ones of a span are done with what lies behind it, which is left out afterwards.
enum { LANES = 8 };
typedef float Lanes __attribute__((vector_size(4 * LANES), aligned(4)));

// Functions cannot take or return vectors that not every clone has registers for.
#define READ(from) (*(const Lanes *)(from))
#define WRITE(value, to) (*(Lanes *)(to) = (value))
/// Sums of three neighbours.
#define ACROSS(row) (READ(row) + READ((row) + 1) + READ((row) + 2))

/// The line that fits the values of each window best.
FOCAL_CLONES
static void fitWindows(const struct Matte *matte) {
  const int32_t width = matte->width;
  float *const *columns = matte->rows, *const *found = matte->rows + 4;
  for (int32_t span = 0; span < matte->windowSpans; span++) {
    const struct Span *s = matte->windows + span;
    const int32_t before = s->place - 1;
    for (int32_t k = 0; k < s->length + 2; k += LANES) {
      const float *value = matte->values + before + k;
      const Lanes a = READ(value - width), b = READ(value), c = READ(value + width);
      WRITE(a + b + c, columns[3] + k);
      for (int32_t n = 0; n < 3; n++) {
        const float *light = matte->light[n] + before + k;
        WRITE(a * READ(light - width) + b * READ(light) + c * READ(light + width), columns[n] + k);
      }
    }
    for (int32_t k = 0; k < s->length; k += LANES) {
      Lanes fits[WINDOW_NUMBERS];
      for (int32_t n = 0; n < WINDOW_NUMBERS; n++) fits[n] = READ(matte->fits[n] + s->start + k);
      const Lanes r = fits[MEAN], g = fits[MEAN + 1], b = fits[MEAN + 2];
      const Lanes *m = fits + INVERSE;
      const float n = 1.0f / 9;
      const Lanes mean = ACROSS(columns[3] + k) * n;
      const Lanes x = ACROSS(columns[0] + k) * n - mean * r;
      const Lanes y = ACROSS(columns[1] + k) * n - mean * g;
      const Lanes z = ACROSS(columns[2] + k) * n - mean * b;
      const Lanes p = m[0] * x + m[1] * y + m[2] * z, q = m[1] * x + m[3] * y + m[4] * z;
      const Lanes t = m[2] * x + m[4] * y + m[5] * z;
      WRITE(p, found[0] + k);
      WRITE(q, found[1] + k);
      WRITE(t, found[2] + k);
      WRITE(mean - p * r - q * g - t * b, found[3] + k);
    }
    for (int32_t n = 0; n < 4; n++)
      memcpy(matte->lines[n] + s->place, found[n], (size_t)s->length * sizeof(float));
  }
}

/// How far the values are from the lines of all windows that they are in, in the list of unknown pixels.
FOCAL_CLONES
static void deviate(const struct Matte *matte, float *result) {
  fitWindows(matte);
  const int32_t width = matte->width;
  float *const *columns = matte->rows, *found = matte->rows[4];
  for (int32_t span = 0; span < matte->unknownSpans; span++) {
    const struct Span *s = matte->unknown + span;
    for (int32_t k = 0; k < s->length + 2; k += LANES)
      for (int32_t n = 0; n < 4; n++) {
        const float *line = matte->lines[n] + s->place - 1 + k;
        WRITE(READ(line - width) + READ(line) + READ(line + width), columns[n] + k);
      }
    for (int32_t k = 0; k < s->length; k += LANES) {
      const int32_t at = s->place + k;
      Lanes sum = READ(matte->cover + at) * READ(matte->values + at) - ACROSS(columns[3] + k);
      for (int32_t n = 0; n < 3; n++) sum -= ACROSS(columns[n] + k) * READ(matte->light[n] + at);
      WRITE(sum, found + k);
    }
    memcpy(result + s->start, found, (size_t)s->length * sizeof(float));
  }
}

/// The diagonal of what `deviate` does, in the list of unknown pixels; by way of the values, which are 0 before.
FOCAL_CLONES
static void findDiagonal(const struct Matte *matte, float *result) {
  for (int32_t span = 0; span < matte->windowSpans; span++) {
    const struct Span *s = matte->windows + span;
    const float *fits[WINDOW_NUMBERS];
    for (int32_t n = 0; n < WINDOW_NUMBERS; n++) fits[n] = matte->fits[n] + s->start;
    for (int32_t v = -1; v <= 1; v++)
      for (int32_t u = -1; u <= 1; u++) {
        const int32_t place = s->place + v * matte->width + u;
        const float *red = matte->light[0] + place, *green = matte->light[1] + place;
        const float *blue = matte->light[2] + place;
        float *restrict to = matte->values + place;
        for (int32_t k = 0; k < s->length; k++) {
          const float x = red[k] - fits[MEAN][k], y = green[k] - fits[MEAN + 1][k];
          const float z = blue[k] - fits[MEAN + 2][k];
          const float square =
              x * (fits[INVERSE][k] * x + 2 * fits[INVERSE + 1][k] * y + 2 * fits[INVERSE + 2][k] * z) +
              y * (fits[INVERSE + 3][k] * y + 2 * fits[INVERSE + 4][k] * z) +
              fits[INVERSE + 5][k] * z * z;
          to[k] += 1 - (1 + square) / 9;
        }
      }
  }
  for (int32_t span = 0; span < matte->unknownSpans; span++) {
    const struct Span *s = matte->unknown + span;
    memcpy(result + s->start, matte->values + s->place, (size_t)s->length * sizeof *result);
  }
}

/// Sums of products, in lanes that are added at the end.
FOCAL_CLONES
static double dot(const float *a, const float *b, int32_t count) {
  double lanes[8] = {0};
  int32_t k = 0;
  for (; k + 8 <= count; k += 8)
    for (int32_t n = 0; n < 8; n++) lanes[n] += (double)a[k + n] * b[k + n];
  for (; k < count; k++) lanes[0] += (double)a[k] * b[k];
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) +
         ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

/// The values of unknown pixels of a picture.
static void collect(const struct Matte *matte, const float *picture, float *list) {
  for (int32_t span = 0; span < matte->unknownSpans; span++) {
    const struct Span *s = matte->unknown + span;
    memcpy(list + s->start, picture + s->shown, (size_t)s->length * sizeof *list);
  }
}

/// The part of a picture whose planes there are becomes the values.
static void load(const struct Matte *matte, const float *picture) {
  for (int32_t y = 0; y < matte->height; y++)
    memcpy(matte->values + (size_t)y * matte->width, picture + (size_t)y * matte->stride,
           (size_t)matte->width * sizeof *picture);
}

/// Lists of unknown pixels, all of one length.
enum { ALPHA, WEIGHT, RESIDUAL, INVERSE_DIAGONAL, DIRECTION, MOVED, AHEAD, LISTS };

/// Minimises the deviation from all lines, and from what is believed, by conjugate gradients.
static int32_t solve(const struct Matte *matte, const float *belief, const float *weights,
                     int32_t rounds, float *picture) {
  const int32_t count = matte->unknownCount;
  float *memory = malloc((size_t)count * LISTS * sizeof *memory);
  if (memory == NULL) return 1;
  float *list[LISTS];
  for (int32_t n = 0; n < LISTS; n++) list[n] = memory + (size_t)n * count;
  float *restrict alpha = list[ALPHA], *restrict weight = list[WEIGHT];
  float *restrict residual = list[RESIDUAL], *restrict inverse = list[INVERSE_DIAGONAL];
  float *restrict direction = list[DIRECTION], *restrict moved = list[MOVED];
  float *restrict ahead = list[AHEAD];
  collect(matte, picture, alpha);
  collect(matte, weights, weight);
  collect(matte, belief, direction);
  findDiagonal(matte, inverse);
  load(matte, picture);
  deviate(matte, moved);
  // Each pixel's step is scaled by the diagonal.
  for (int32_t k = 0; k < count; k++) {
    inverse[k] = 1 / (inverse[k] + weight[k] + 1e-3f);
    residual[k] = weight[k] * (direction[k] - alpha[k]) - moved[k];
    ahead[k] = inverse[k] * residual[k];
    direction[k] = ahead[k];
  }
  double energy = dot(residual, ahead, count);
  const double enough = energy * 1e-5;
  // What is known does not move.
  memset(matte->values, 0, (size_t)matte->width * matte->height * sizeof *matte->values);
  for (int32_t round = 0; round < rounds && energy > enough && energy > 1e-12; round++) {
    for (int32_t span = 0; span < matte->unknownSpans; span++) {
      const struct Span *s = matte->unknown + span;
      memcpy(matte->values + s->place, direction + s->start, (size_t)s->length * sizeof(float));
    }
    deviate(matte, moved);
    for (int32_t k = 0; k < count; k++) moved[k] += weight[k] * direction[k];
    const double bend = dot(moved, direction, count);
    if (!(bend > 0)) break;
    const float step = (float)(energy / bend);
    for (int32_t k = 0; k < count; k++) {
      alpha[k] += step * direction[k];
      residual[k] -= step * moved[k];
      ahead[k] = inverse[k] * residual[k];
    }
    const double next = dot(residual, ahead, count);
    const float keep = (float)(next / energy);
    energy = next;
    for (int32_t k = 0; k < count; k++) direction[k] = ahead[k] + keep * direction[k];
  }
  // Light of 65504 beside none leaves no number at all.
  for (int32_t k = 0; k < count; k++) alpha[k] = alpha[k] > 0 ? alpha[k] < 1 ? alpha[k] : 1 : 0;
  for (int32_t span = 0; span < matte->unknownSpans; span++) {
    const struct Span *s = matte->unknown + span;
    memcpy(picture + s->shown, alpha + s->start, (size_t)s->length * sizeof(float));
  }
  free(memory);
  return 0;
}

/// The runs of marked pixels, if there is room for them. Returns how many there are.
static int32_t findSpans(const struct Matte *matte, const uint8_t *marks, struct Span *spans,
                         int32_t *count) {
  int32_t found = 0, pixels = 0;
  const int32_t width = matte->width;
  for (int32_t y = 0; y < matte->height; y++) {
    const uint8_t *row = marks + (size_t)y * width, *end = row + width, *next = row;
    while ((next = memchr(next, 1, (size_t)(end - next))) != NULL) {
      const uint8_t *first = next;
      while (next < end && *next != 0) next++;
      const int32_t length = (int32_t)(next - first);
      if (spans != NULL) {
        const int32_t shown = y * matte->stride + (int32_t)(first - row);
        spans[found] = (struct Span){(int32_t)(first - marks), shown, length, pixels};
      }
      found++;
      pixels += length;
    }
  }
  *count = pixels;
  return found;
}

/// Marks unknown pixels, and the middles of windows that have one. `row` has room for a row.
FOCAL_CLONES
static void markWindows(const uint8_t *fixed, int32_t width, int32_t height, int32_t stride,
                        uint8_t *restrict marks, uint8_t *restrict isNeeded,
                        uint8_t *restrict row) {
  for (int32_t y = 0; y < height; y++) {
    const uint8_t *restrict from = fixed + (size_t)y * stride;
    uint8_t *restrict to = marks + (size_t)y * width;
    for (int32_t x = 0; x < width; x++) to[x] = from[x] == 0;
  }
  // Windows do not reach beyond the border.
  memset(isNeeded, 0, (size_t)width * height);
  for (int32_t y = 1; y + 1 < height; y++) {
    const uint8_t *restrict own = marks + (size_t)y * width;
    const uint8_t *restrict above = own - width, *restrict below = own + width;
    uint8_t *restrict to = isNeeded + (size_t)y * width;
    for (int32_t x = 0; x < width; x++) row[x] = above[x] | own[x] | below[x];
    for (int32_t x = 1; x + 1 < width; x++) to[x] = row[x - 1] | row[x] | row[x + 1];
  }
}

/// The light of the planes.
FOCAL_CLONES
static void layOut(const struct Matte *matte, const float *light) {
  for (int32_t y = 0; y < matte->height; y++) {
    const float *restrict from = light + 3 * (size_t)y * matte->stride;
    const size_t first = (size_t)y * matte->width;
    float *restrict red = matte->light[0] + first, *restrict green = matte->light[1] + first;
    float *restrict blue = matte->light[2] + first;
    for (int32_t x = 0; x < matte->width; x++)
      red[x] = from[3 * x], green[x] = from[3 * x + 1], blue[x] = from[3 * x + 2];
  }
}

/// Finds the windows that have an unknown pixel, in how many of them each pixel is, and room for their numbers.
static int32_t prepare(struct Matte *matte, const float *light, const uint8_t *fixed) {
  const int32_t width = matte->width, height = matte->height, stride = matte->stride;
  const size_t pixels = (size_t)width * height;
  uint8_t *marks = malloc(2 * pixels + (size_t)width);
  if (marks == NULL) return 1;
  uint8_t *isNeeded = marks + pixels;
  markWindows(fixed, width, height, stride, marks, isNeeded, isNeeded + pixels);
  matte->unknownSpans = findSpans(matte, marks, NULL, &matte->unknownCount);
  matte->windowSpans = findSpans(matte, isNeeded, NULL, &matte->windowCount);
  // Before and behind each plane lie a row and a few pixels, which the first and the last pixels read.
  const size_t margin = (size_t)width + LANES, plane = pixels + 2 * margin;
  const size_t list = (size_t)matte->windowCount + LANES, row = (size_t)width + 2 + LANES;
  const size_t floats = 9 * plane + WINDOW_NUMBERS * list + 8 * row;
  const size_t spans = (size_t)matte->unknownSpans + matte->windowSpans;
  matte->memory = calloc(floats * sizeof(float) + spans * sizeof(struct Span), 1);
  if (matte->memory == NULL) {
    free(marks);
    return 1;
  }
  float *next = matte->memory;
  for (int32_t n = 0; n < 4; n++, next += plane) matte->lines[n] = next + margin;
  for (int32_t c = 0; c < 3; c++, next += plane) matte->light[c] = next + margin;
  matte->cover = next + margin, next += plane;
  matte->values = next + margin, next += plane;
  for (int32_t n = 0; n < WINDOW_NUMBERS; n++, next += list) matte->fits[n] = next;
  for (int32_t n = 0; n < 8; n++, next += row) matte->rows[n] = next;
  matte->unknown = (struct Span *)next;
  matte->windows = matte->unknown + matte->unknownSpans;
  findSpans(matte, marks, matte->unknown, &matte->unknownCount);
  findSpans(matte, isNeeded, matte->windows, &matte->windowCount);
  free(marks);
  layOut(matte, light);
  for (int32_t span = 0; span < matte->windowSpans; span++) {
    const struct Span *s = matte->windows + span;
    for (int32_t v = -1; v <= 1; v++)
      for (int32_t u = -1; u <= 1; u++)
        for (int32_t k = 0; k < s->length; k++) matte->cover[s->place + v * width + u + k]++;
  }
  return 0;
}

/// Each pixel's line is the mean of those of its windows.
FOCAL_CLONES
static void meanLines(const struct Matte *matte, float *lines) {
  const int32_t width = matte->width;
  float *restrict row = matte->rows[0];
  for (int32_t y = 0; y < matte->height; y++)
    for (int32_t c = 0; c < 4; c++) {
      const float *restrict line = matte->lines[c] + (size_t)y * width;
      const float *restrict cover = matte->cover + (size_t)y * width;
      float *restrict to = lines + 4 * (size_t)y * matte->stride + c;
      for (int32_t x = 0; x < width; x++) {
        float sum = 0;
        FOCAL_TAP_LOOP
        for (int32_t v = -1; v <= 1; v++)
          FOCAL_TAP_LOOP
          for (int32_t u = -1; u <= 1; u++) sum += line[v * width + u + x];
        row[x] = sum / cover[x];
      }
      for (int32_t x = 0; x < width; x++)
        if (cover[x] > 0) to[4 * x] = row[x];
    }
}

/// Settles alpha where it is known. Returns the part of a row that is not; an empty one if all is.
FOCAL_CLONES
static void settle(const uint8_t *restrict fixed, int32_t width, float *restrict alpha,
                   int32_t *first, int32_t *last) {
  for (int32_t x = 0; x < width; x++)
    alpha[x] = fixed[x] == 0 ? alpha[x] : fixed[x] == 1 ? 1.0f : 0.0f;
  const uint8_t *found = memchr(fixed, 0, (size_t)width);
  *first = found == NULL ? width : (int32_t)(found - fixed);
  *last = width - 1;
  while (*last >= *first && fixed[*last] != 0) --*last;
}

/// Where alpha is no line of the colours it is its line's offset.
FOCAL_CLONES
static void beginLines(const float *restrict alpha, size_t count, float *restrict lines) {
  for (size_t k = 0; k < count; k++) {
    lines[4 * k] = lines[4 * k + 1] = lines[4 * k + 2] = 0;
    lines[4 * k + 3] = alpha[k];
  }
}

int32_t focal_matte_solve(const float *light, const uint8_t *fixed, const float *belief,
                          const float *weight, int32_t width, int32_t height, int32_t rounds,
                          float *alpha, float *lines) {
  int32_t left = width, right = -1, top = height, bottom = -1;
  for (int32_t y = 0; y < height; y++) {
    int32_t first, last;
    settle(fixed + (size_t)y * width, width, alpha + (size_t)y * width, &first, &last);
    if (first > last) continue;
    left = first < left ? first : left, right = last > right ? last : right;
    top = y < top ? y : top, bottom = y;
  }
  if (lines != NULL) beginLines(alpha, (size_t)width * height, lines);
  if (right < 0 || width < 3 || height < 3) return 0;
  // With the windows of these pixels, and what those see.
  left = left > 2 ? left - 2 : 0, right = right < width - 3 ? right + 2 : width - 1;
  top = top > 2 ? top - 2 : 0, bottom = bottom < height - 3 ? bottom + 2 : height - 1;
  const size_t origin = (size_t)top * width + left;
  struct Matte matte = {.width = right - left + 1, .height = bottom - top + 1, .stride = width};
  int32_t failed = prepare(&matte, light + 3 * origin, fixed + origin);
  if (!failed) {
    makeWindows(&matte);
    failed = solve(&matte, belief + origin, weight + origin, rounds, alpha + origin);
  }
  if (!failed && lines != NULL) {
    load(&matte, alpha + origin);
    fitWindows(&matte);
    meanLines(&matte, lines + 4 * origin);
  }
  free(matte.memory);
  return failed;
}
