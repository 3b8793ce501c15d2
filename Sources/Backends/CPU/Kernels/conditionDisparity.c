// SPDX-License-Identifier: Apache-2.0
//
// Conditioning of the low-resolution map: holes are filled from a pyramid of means.

#include "CPUKernels.h"

/// One cell of the result from 2x2 of the source (clamped at odd borders). Where the four span an
/// edge (more than `spread` apart) it takes the mean of those nearest to the farthest one, because
/// a hole beside an edge is most often a strip of background that one of two cameras could not see.
/// No valid cell gives FOCAL_INVALID_DISPARITY, a hole of the next level.
FOCAL_KERNEL void focal_reduceDisparity(void *const *buffers, const void *parameters,
                                        uint32_t begin, uint32_t end) {
  const struct FocalReduceDisparityParameters *p = parameters;
  const float *source = buffers[FocalReduceDisparitySource];
  float *result = buffers[FocalReduceDisparityResult];
  for (uint32_t y = begin; y < end; y++) {
    for (int32_t x = 0; x < p->width; x++) {
      float v[4], low = FOCAL_NO_LABEL, sum = 0, count = 0;
      for (int32_t k = 0; k < 4; k++) {
        int32_t sx = 2 * x + (k & 1), sy = 2 * (int32_t)y + (k >> 1);
        sx = sx < p->sourceWidth ? sx : p->sourceWidth - 1;
        sy = sy < p->sourceHeight ? sy : p->sourceHeight - 1;
        v[k] = source[(size_t)sy * p->sourceWidth + sx];
        if (focal_is_disparity(v[k])) low = focal_min(low, v[k]);
      }
      for (int32_t k = 0; k < 4; k++) {
        if (focal_is_disparity(v[k]) && v[k] <= low + p->spread) {
          sum += v[k];
          count += 1;
        }
      }
      result[(size_t)y * p->width + x] =
          count > 0 ? sum * focal_reciprocal(count) : FOCAL_INVALID_DISPARITY;
    }
  }
}

/// Each hole takes the coarser level's cell over it; every other value stays as it is, to the bit.
FOCAL_KERNEL void focal_fillDisparity(void *const *buffers, const void *parameters, uint32_t begin,
                                      uint32_t end) {
  const struct FocalFillDisparityParameters *p = parameters;
  float *map = buffers[FocalFillDisparityMap];
  const float *coarse = buffers[FocalFillDisparityCoarse];
  for (uint32_t y = begin; y < end; y++) {
    for (int32_t x = 0; x < p->width; x++) {
      const size_t i = (size_t)y * p->width + x;
      if (focal_is_disparity(map[i])) continue;
      const float c = coarse[(size_t)(y >> 1) * p->coarseWidth + (x >> 1)];
      map[i] = focal_is_disparity(c) ? c : 0.0f;
    }
  }
}
