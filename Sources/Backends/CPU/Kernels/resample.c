// SPDX-License-Identifier: Apache-2.0
//
// A linear RGBA picture at another size, by a triangular filter in linear light.
// Buffers: 0 source, 1 destination (4 floats a pixel). Range: rows of the destination.

#include "CPUKernels.h"

FOCAL_KERNEL void focal_resample(void *const *buffers, const void *parameters, uint32_t begin,
                                 uint32_t end) {
  const struct FocalResampleParameters *p = parameters;
  const float *source = buffers[0];
  for (uint32_t line = begin; line < end; line++) {
    const int32_t row = (int32_t)line + p->originY;
    float *restrict out = (float *)buffers[1] + (int64_t)line * p->width * 4;
    // Centres: a destination pixel's centre in the source's pixel indices.
    float centreY = ((float)row + 0.5f) * p->scaleY - 0.5f;
    int32_t top = focal_max_int(focal_floor_int(centreY - p->reachY) + 1, 0);
    int32_t bottom = focal_min_int(focal_floor_int(centreY + p->reachY), p->sourceHeight - 1);
    for (int32_t x = 0; x < p->width; x++) {
      float centreX = ((float)x + 0.5f) * p->scaleX - 0.5f;
      int32_t left = focal_max_int(focal_floor_int(centreX - p->reachX) + 1, 0);
      int32_t right = focal_min_int(focal_floor_int(centreX + p->reachX), p->sourceWidth - 1);
      float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
      float weights = 0.0f;
      for (int32_t sy = top; sy <= bottom; sy++) {
        float weightY = focal_max(1.0f - focal_abs((float)sy - centreY) * p->inverseReachY, 0.0f);
        const float *line = source + ((int64_t)(sy - p->sourceOriginY) * p->sourceWidth + left) * 4;
        for (int32_t sx = left; sx <= right; sx++, line += 4) {
          float weight =
              weightY * focal_max(1.0f - focal_abs((float)sx - centreX) * p->inverseReachX, 0.0f);
          for (int c = 0; c < 4; c++) sum[c] += weight * line[c];
          weights += weight;
        }
      }
      float scale = focal_reciprocal(focal_max(weights, 1e-6f));
      for (int c = 0; c < 4; c++) out[4 * x + c] = sum[c] * scale;
    }
  }
}
