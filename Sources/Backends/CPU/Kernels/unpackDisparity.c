// SPDX-License-Identifier: Apache-2.0
//
// A stored disparity map to floats, rows without padding. What is not finite or absurdly large
// becomes FOCAL_INVALID_DISPARITY, which the refinement fills.
// Buffers: 0 the map, 1 destination. Range: rows.

#include "CPUKernels.h"

FOCAL_KERNEL void focal_unpackDisparity(void *const *buffers, const void *parameters,
                                        uint32_t begin, uint32_t end) {
  const struct FocalPixelParameters *p = parameters;
  for (uint32_t y = begin; y < end; y++) {
    const uint8_t *row = (const uint8_t *)buffers[0] + (int64_t)y * p->bytesPerRow;
    float *restrict out = (float *)buffers[1] + (int64_t)y * p->width;
    for (int32_t x = 0; x < p->width; x++) {
      float d = p->format == FOCAL_FORMAT_DISPARITY_HALF
                    ? focal_half_to_float(((const uint16_t *)(const void *)row)[x])
                    : ((const float *)(const void *)row)[x];
      out[x] = focal_is_disparity(d) ? d : FOCAL_INVALID_DISPARITY;
    }
  }
}
