// SPDX-License-Identifier: Apache-2.0
#pragma STDC FP_CONTRACT OFF

#include "slice_coverage.h"

/// Rows of the layers: the lowest slice that a connected surface touches.
///
/// A slanted surface is cut into slices that the lens views shift by
/// different amounts, and cracks would open between them. So each pixel also
/// stands, hidden, in the slices below its own down to the lowest one of its
/// 3 x 3 neighbours on the same surface (no step above `edge`).
FOCAL_KERNEL
void focal_connectSlices(void *const *buffers, const void *parameters, uint32_t begin,
                         uint32_t end) {
  const struct FocalConnectSlicesParameters *p = parameters;
  const int32_t width = p->width, height = p->height;
  const size_t count = (size_t)width * (size_t)height;
  const struct FocalSlicing slicing = p->slicing;
  float *layers = buffers[FocalConnectSlicesLayers];
  const float *front = layers + FocalLayerFrontRadius * count;
  const float *back = layers + FocalLayerBackRadius * count;
  for (uint32_t row = begin; row < end; row++) {
    float *restrict out = layers + FocalLayerReach * count + (size_t)row * (size_t)width;
    const float *own = front + (size_t)row * (size_t)width;
    for (int32_t x = 0; x < width; x++) out[x] = own[x];
    for (int32_t j = -1; j <= 1; j++) {
      const size_t line = (size_t)focal_clamp_int((int32_t)row + j, 0, height - 1) * (size_t)width;
      const float *restrict f = front + line, *restrict b = back + line;
      for (int32_t i = -1; i <= 1; i++) {
        for (int32_t x = i < 0 ? 1 : 0; x < (i > 0 ? width - 1 : width); x++) {
          const float limit = own[x] - focal_edgeStep(p->edge, own[x], own[x]);
          const float u = f[x + i] > limit ? f[x + i] : out[x];
          const float v = b[x + i] > limit ? b[x + i] : out[x];
          out[x] = focal_min(out[x], focal_min(u, v));
        }
      }
    }
    for (int32_t x = 0; x < width; x++) out[x] = focal_floor(focal_sliceOf(&slicing, out[x]));
  }
}
