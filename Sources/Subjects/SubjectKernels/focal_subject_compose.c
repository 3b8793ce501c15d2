// SPDX-License-Identifier: Apache-2.0

#include "focal_subjects.h"

#include <ShaderTypes.h>
#include <math.h>

/// A background's light with its look.
static void changeLook(const struct FocalSubjectLook *look, float light[3]) {
  const float luma = 0.2126f * light[0] + 0.7152f * light[1] + 0.0722f * light[2];
  for (int32_t c = 0; c < 3; c++) {
    float value = light[c] + look->grayness * (luma - light[c]);
    if (look->levels > 1 && value > 0) {
      // Steps that look alike are those of a square root; light above white keeps them.
      const float steps = (float)(look->levels - 1);
      const float root = floorf(sqrtf(value) * steps + 0.5f) / steps;
      value = root * root;
    }
    light[c] = value * look->gain;
  }
}

void focal_subject_compose(const struct FocalSubjectLook *look, const float *light,
                           const float *subject, const float *background, const float *under,
                           int32_t count, float *result) {
  for (int32_t k = 0; k < count; k++) {
    const float *pixel = light + 4 * k, *front = subject + 4 * k;
    const float a = front[3];
    float back[3] = {0, 0, 0}, cover = 0;
    if (background != NULL) {
      for (int32_t c = 0; c < 3; c++) back[c] = background[4 * k + c];
      cover = background[4 * k + 3];
    } else if (look->keepsBackground && a < 0.99f) {
      // The part of the pixel that the front does not explain.
      const float scale = 1 / (1 - a);
      for (int32_t c = 0; c < 3; c++) {
        const float value = (pixel[c] - a * front[c]) * scale;
        back[c] = a > 0 && value < 0 ? 0 : value;
      }
      cover = pixel[3];
    } else if (look->keepsBackground) {
      for (int32_t c = 0; c < 3; c++) back[c] = pixel[c];
      cover = pixel[3];
    }
    changeLook(look, back);
    for (int32_t c = 0; c < 3; c++) back[c] *= cover;
    if (under != NULL) {
      const float share = under[k];
      for (int32_t c = 0; c < 3; c++)
        back[c] = back[c] * (1 - share) + look->underColour[c] * share;
      cover = cover * (1 - share) + share;
    }
    const float alpha = a + (1 - a) * cover, scale = alpha > 0 ? 1 / alpha : 0;
    for (int32_t c = 0; c < 3; c++)
      result[4 * k + c] = (a * front[c] + (1 - a) * back[c]) * scale;
    result[4 * k + 3] = alpha;
  }
}

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

void focal_matte_steady(float *lines, float *alpha, uint8_t *fixed, const float *linesBefore,
                        const float *alphaBefore, const uint8_t *fixedBefore, const float *still,
                        int32_t width, int32_t height, int32_t stillWidth, int32_t stillHeight,
                        float most) {
  for (int32_t y = 0; y < height; y++)
    for (int32_t x = 0; x < width; x++) {
      const size_t k = (size_t)y * width + x;
      if (fixed[k] != 0 && fixed[k] == fixedBefore[k]) continue;
      const int32_t i = (int32_t)((int64_t)x * stillWidth / width);
      const int32_t j = (int32_t)((int64_t)y * stillHeight / height);
      const float keep = most * still[(size_t)j * stillWidth + i];
      if (!(keep > 0)) continue;
      for (int32_t c = 0; c < 4; c++)
        lines[4 * k + c] += keep * (linesBefore[4 * k + c] - lines[4 * k + c]);
      alpha[k] += keep * (alphaBefore[k] - alpha[k]);
      fixed[k] = 0;
    }
}
