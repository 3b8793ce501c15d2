// SPDX-License-Identifier: Apache-2.0

#include "focal_own_light.h"
#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <stddef.h>

/// Between two places of a side.
struct Between {
  int32_t first, second;
  float share;
};

static struct Between between(int32_t place, int32_t length, int32_t coarse) {
  float at = ((float)place + 0.5f) * coarse / length - 0.5f;
  at = at < 0 ? 0 : at > coarse - 1 ? coarse - 1 : at;
  const int32_t first = (int32_t)at;
  return (struct Between){first, first + 1 < coarse ? first + 1 : first, at - first};
}

/// How much the own light of pixels that are hardly the front's counts against the smooth one.
static const float smoothness = 0.15f;

/// A pixel before the first one that may not lie between places of one side only, of those that begin behind `first`.
static int32_t endOfSide(const struct FocalMatte *matte, struct Between y, int32_t first,
                         uint8_t side, int32_t width) {
  const uint8_t *above = matte->fixed + (size_t)y.first * matte->width;
  const uint8_t *below = matte->fixed + (size_t)y.second * matte->width;
  int32_t end = first;
  while (end < matte->width && above[end] == side && below[end] == side) end++;
  if (end == matte->width) return width;
  return (int32_t)(((double)end - 0.5) * width / matte->width - 0.5) - 1;
}

/// Pixels that are wholly the front's, or wholly the back's.
FOCAL_CLONES
static void keepSide(float value, const float *restrict light, int32_t count,
                     float *restrict alpha, float *restrict colours) {
  for (int32_t k = 0; k < count; k++) {
    const float own = light[4 * k + 3] > 0 ? light[4 * k + 3] < 1 ? light[4 * k + 3] : 1 : 0;
    if (alpha != NULL) alpha[k] = value * own;
    if (colours == NULL) continue;
    for (int32_t c = 0; c < 3; c++) colours[4 * k + c] = value * light[4 * k + c];
    colours[4 * k + 3] = value * own;
  }
}

FOCAL_CLONES
void focal_matte_row(const struct FocalMatte *matte, const float *light, int32_t width,
                     int32_t height, int32_t row, int32_t from, int32_t to, float *alpha,
                     float *colours) {
  const struct Between y = between(row, height, matte->height);
  for (int32_t k = from; k < to; k++) {
    const struct Between x = between(k, width, matte->width);
    const size_t at[4] = {(size_t)y.first * matte->width + x.first,
                          (size_t)y.first * matte->width + x.second,
                          (size_t)y.second * matte->width + x.first,
                          (size_t)y.second * matte->width + x.second};
    const float *pixel = light + 4 * (size_t)(k - from);
    float *result = colours == NULL ? NULL : colours + 4 * (size_t)(k - from);
    const uint8_t side = matte->fixed[at[0]];
    if (side != 0 && side == matte->fixed[at[1]] && side == matte->fixed[at[2]] &&
        side == matte->fixed[at[3]]) {
      const int32_t alike = endOfSide(matte, y, x.first, side, width);
      const int32_t end = alike > k + 1 ? alike < to ? alike : to : k + 1;
      keepSide((float)(side == 1), light + 4 * (size_t)(k - from), end - k,
               alpha == NULL ? NULL : alpha + (k - from), result);
      k = end - 1;
      continue;
    }
    const float w[4] = {(1 - x.share) * (1 - y.share), x.share * (1 - y.share),
                        (1 - x.share) * y.share, x.share * y.share};
    float line[4] = {0};
    for (int32_t n = 0; n < 4; n++)
      for (int32_t c = 0; c < 4; c++) line[c] += w[n] * matte->lines[4 * at[n] + c];
    float a = line[0] * pixel[0] + line[1] * pixel[1] + line[2] * pixel[2] + line[3];
    // A value near 0 or 1 becomes 0 or 1: haze is seen before black, holes before white.
    a = (a - 0.02f) * (1 / 0.96f);
    a = a > 0 ? a < 1 ? a : 1 : 0;
    const float own = pixel[3] > 0 ? pixel[3] < 1 ? pixel[3] : 1 : 0;
    if (alpha != NULL) alpha[k - from] = a * own;
    if (result == NULL) continue;
    const float b = 1 - a, step = a / (a * a + b * b + smoothness * a * b + 1e-6f);
    float front[3], behind[3];
    for (int32_t c = 0; c < 3; c++) {
      float back = 0;
      front[c] = 0;
      for (int32_t n = 0; n < 4; n++) {
        front[c] += w[n] * matte->front[3 * at[n] + c];
        back += w[n] * matte->back[3 * at[n] + c];
      }
      behind[c] = b * back;
      // The smallest change of both colours that explains the pixel.
      result[c] = a > 0 ? front[c] + step * (pixel[c] - a * front[c] - behind[c]) : 0;
    }
    if (a > 0) ownLight(front, pixel, behind, result);
    result[3] = a * own;
  }
}

int32_t focal_matte_side(const struct FocalMatte *matte, int32_t width, int32_t height,
                         int32_t firstColumn, int32_t endColumn, int32_t firstRow,
                         int32_t endRow) {
  const int32_t left = between(firstColumn, width, matte->width).first;
  const int32_t right = between(endColumn - 1, width, matte->width).second;
  const int32_t top = between(firstRow, height, matte->height).first;
  const int32_t bottom = between(endRow - 1, height, matte->height).second;
  const uint8_t side = matte->fixed[(size_t)top * matte->width + left];
  for (int32_t y = top; y <= bottom; y++) {
    const uint8_t *row = matte->fixed + (size_t)y * matte->width;
    for (int32_t x = left; x <= right; x++)
      if (row[x] != side) return 0;
  }
  return side;
}
