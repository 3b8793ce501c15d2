// SPDX-License-Identifier: Apache-2.0
//
// The surfaces behind near ones, from the surfaces seen around them.
//
// A pyramid of the FARTHER surface of every cell is built (pyramidBase, pyramidDown), then read from
// coarse to fine: a cell takes, from each of its four parents, the parent's surface if that lies
// farther than its own, else what the parent itself hides. So a surface is continued under a nearer
// one from the closest place where it is seen, smoothly, at constant cost a pixel.
#include "ShaderTypes.h"

FOCAL_FUNCTION void pyramidPlanes(float *buffer, int32_t width, int32_t height, float **planes) {
  const size_t count = (size_t)width * (size_t)height;
  for (int32_t i = 0; i < FocalPyramidPlanes; i++) planes[i] = buffer + (size_t)i * count;
}

/// Rows of the finer level: what each cell hides, from the coarser level.
FOCAL_CLONES FOCAL_ENTRY_POINT(pyramidUp) {
  FOCAL_BUFFERS(pyramidUp)
  float *finer[FocalPyramidPlanes], *coarser[FocalPyramidPlanes];
  pyramidPlanes(fine, p->fineWidth, p->fineHeight, finer);
  pyramidPlanes((float *)coarse, p->coarseWidth, p->coarseHeight, coarser);
  const float *own = finer[3];
  // At the finest level the pixel's front hides, and a back that is known stays.
  const float *front = 0, *back = 0;
  if (p->finest) {
    const size_t count = (size_t)p->fineWidth * (size_t)p->fineHeight;
    front = layers + FocalLayerFrontRadius * count;
    back = layers + FocalLayerBackRadius * count;
  }
  for (uint32_t row = begin; row < end; row++) {
    const int32_t y = (int32_t)row - p->rowShift, y0 = (y - 1) >> 1;
    const size_t line[2] = {
        (size_t)focal_clamp_int(y0, 0, p->coarseHeight - 1) * (size_t)p->coarseWidth,
        (size_t)focal_clamp_int(y0 + 1, 0, p->coarseHeight - 1) * (size_t)p->coarseWidth};
    const float below = (y & 1) ? 0.25f : 0.75f;
    for (int32_t x = 0; x < p->fineWidth; x++) {
      const size_t o = (size_t)row * (size_t)p->fineWidth + (size_t)x;
      finer[7][o] = FOCAL_NO_SURFACE;
      if (p->last || (back && back[o] > FOCAL_NO_SURFACE)) continue;
      const float nearer = front ? front[o] : own[o];
      const float limit = nearer - focal_edgeStep(p->edge, nearer, nearer);
      const int32_t x0 = (x - 1) >> 1;
      const size_t column[2] = {(size_t)focal_clamp_int(x0, 0, p->coarseWidth - 1),
                                (size_t)focal_clamp_int(x0 + 1, 0, p->coarseWidth - 1)};
      const float right = (x & 1) ? 0.25f : 0.75f;
      float sum[4] = {0}, weight = 0.0f;
      for (int32_t k = 0; k < 4; k++) {
        const size_t q = line[k >> 1] + column[k & 1];
        float w = ((k & 1) ? right : 1.0f - right) * ((k >> 1) ? below : 1.0f - below);
        int32_t from = 0;
        if (!(coarser[3][q] < limit)) {
          from = 4;
          if (!(coarser[7][q] > FOCAL_NO_SURFACE && coarser[7][q] < limit)) continue;
        }
        weight += w;
        for (int32_t c = 0; c < 4; c++) sum[c] += w * coarser[from + c][q];
      }
      if (weight > 0.0f) {
        const float k = focal_reciprocal(weight);
        for (int32_t c = 0; c < 4; c++) finer[4 + c][o] = sum[c] * k;
      }
    }
  }
}
