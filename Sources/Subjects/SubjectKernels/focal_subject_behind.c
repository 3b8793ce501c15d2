// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>

/// Where a pixel lies among the places of a coarser size.
static float placeAmong(int32_t k, int32_t count, int32_t coarse) {
  const float at = ((float)k + 0.5f) * (float)coarse / (float)count - 0.5f;
  return at < 0 ? 0 : at > (float)(coarse - 1) ? (float)(coarse - 1) : at;
}

void focal_subject_behind(const float *subject, const float *back, int32_t backWidth,
                          int32_t backHeight, int32_t width, int32_t height, int32_t row,
                          float halo, float *light) {
  // From here on a pixel is not believed to show what is behind.
  const float least = 0.02f;
  const float v = placeAmong(row, height, backHeight);
  const int32_t top = (int32_t)v, bottom = top + 1 < backHeight ? top + 1 : top;
  const float t = v - (float)top;
  for (int32_t x = 0; x < width; x++) {
    const float a = subject[4 * x + 3];
    if (!(a > 0)) continue;
    float *pixel = light + 4 * x;
    if (back != NULL) {
      const float u = placeAmong(x, width, backWidth), share = a < least ? a / least : 1;
      const int32_t left = (int32_t)u, right = left + 1 < backWidth ? left + 1 : left;
      const float s = u - (float)left;
      for (int32_t c = 0; c < 3; c++) {
        const float above = back[3 * ((size_t)top * backWidth + left) + c] * (1 - s) +
                            back[3 * ((size_t)top * backWidth + right) + c] * s;
        const float below = back[3 * ((size_t)bottom * backWidth + left) + c] * (1 - s) +
                            back[3 * ((size_t)bottom * backWidth + right) + c] * s;
        pixel[c] += share * (above * (1 - t) + below * t - pixel[c]);
      }
      pixel[3] += share * (1 - pixel[3]);
    }
    for (int32_t c = 0; c < 3; c++)
      if (pixel[c] < 1) pixel[c] += a * halo * (1 - pixel[c]);
  }
}

/// Whether a pixel or one of those up to two pixels away is not certain.
static int isAtOutline(const uint8_t *fixed, int32_t width, int32_t height, int32_t x, int32_t y) {
  const int32_t left = x > 2 ? x - 2 : 0, right = x + 2 < width ? x + 2 : width - 1;
  const int32_t top = y > 2 ? y - 2 : 0, bottom = y + 2 < height ? y + 2 : height - 1;
  for (int32_t j = top; j <= bottom; j++)
    for (int32_t i = left; i <= right; i++)
      if (fixed[(size_t)j * width + i] == 0) return 1;
  return 0;
}

void focal_matte_steady(float *lines, float *alpha, uint8_t *fixed, const uint8_t *certain,
                        const float *linesBefore, const float *alphaBefore,
                        const uint8_t *fixedBefore, const float *still, const uint8_t *was, const uint8_t *moved,
                        int32_t width, int32_t height, int32_t stillWidth, int32_t stillHeight,
                        float most) {
  // Faster, and still in steps that nobody sees.
  const float share = 0.8f;
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x;
      if (fixed[k] != 0 && fixed[k] == fixedBefore[k]) continue;
      const int32_t i = (int32_t)((int64_t)x * stillWidth / width);
      const int32_t j = (int32_t)((int64_t)y * stillHeight / height);
      const size_t place = (size_t)j * stillWidth + i;
      if (!(still[place] > 0)) continue;
      float keep = most * still[place];
      if (certain[k] != 0 && !isAtOutline(certain, width, height, x, y)) {
        // A subject has left the pixel, or come there, whose colours are alike: that is no flicker.
        if (moved[place]) continue;
        // What a subject's edge has left where nothing is any more.
        if (certain[k] == 2 && !was[place]) keep *= share;
      }
      for (int32_t c = 0; c < 4; c++)
        lines[4 * k + c] += keep * (linesBefore[4 * k + c] - lines[4 * k + c]);
      alpha[k] += keep * (alphaBefore[k] - alpha[k]);
      fixed[k] = 0;
    }
}
