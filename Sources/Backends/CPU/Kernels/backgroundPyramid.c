// SPDX-License-Identifier: Apache-2.0
#include "CPUKernels.h"

// What near surfaces hide, from what is seen around them.
//
// A pyramid of the FARTHER surface of every cell is built (down), then read
// from coarse to fine (up): a cell takes, from each of its four parents, the
// parent's surface if that lies farther than its own, else what the parent
// itself hides. So a surface is continued under a nearer one from the closest
// place where it is seen, smoothly, at constant cost a pixel.

FOCAL_FUNCTION void pyramidPlanes(void *buffer, int32_t width, int32_t height, float **planes) {
  const size_t count = (size_t)width * (size_t)height;
  for (int32_t i = 0; i < FocalPyramidPlanes; i++) planes[i] = (float *)buffer + (size_t)i * count;
}

/// Rows of the layers: the deepest surface known at each pixel.
FOCAL_KERNEL
void focal_pyramidBase(void *const *buffers, const void *parameters, uint32_t begin, uint32_t end) {
  const struct FocalPyramidParameters *p = parameters;
  const size_t count = (size_t)p->fineWidth * (size_t)p->fineHeight;
  const float *restrict layers = buffers[FocalPyramidLayers];
  float *restrict fine = buffers[FocalPyramidFine];
  const float *restrict alpha = layers + FocalLayerAlpha * count;
  const float *restrict front = layers + FocalLayerFrontRadius * count;
  const float *restrict back = layers + FocalLayerBackRadius * count;
  const size_t first = (size_t)begin * (size_t)p->fineWidth;
  const size_t last = (size_t)end * (size_t)p->fineWidth;
  for (size_t o = first; o < last; o++) {
    const int hasBack = back[o] > FOCAL_NO_SURFACE;
    const float scale =
        alpha[o] < 1.0f && !hasBack ? focal_reciprocal(focal_max(alpha[o], 0.01f)) : 1.0f;
    fine[o] = hasBack ? layers[FocalLayerBackR * count + o] : layers[o] * scale;
    fine[count + o] = hasBack ? layers[FocalLayerBackG * count + o] : layers[count + o] * scale;
    fine[2 * count + o] =
        hasBack ? layers[FocalLayerBackB * count + o] : layers[2 * count + o] * scale;
    fine[3 * count + o] = hasBack ? back[o] : front[o];
  }
}

/// Rows of the coarser level: the farther surface of each 2 x 2 cell.
FOCAL_KERNEL
void focal_pyramidDown(void *const *buffers, const void *parameters, uint32_t begin, uint32_t end) {
  const struct FocalPyramidParameters *p = parameters;
  float *fine[FocalPyramidPlanes], *coarse[FocalPyramidPlanes];
  pyramidPlanes(buffers[FocalPyramidFine], p->fineWidth, p->fineHeight, fine);
  pyramidPlanes(buffers[FocalPyramidCoarse], p->coarseWidth, p->coarseHeight, coarse);
  for (uint32_t line = begin; line < end; line++) {
    const int32_t row = (int32_t)line + p->firstRow, first = 2 * row + p->rowShift;
    const size_t top = (size_t)focal_clamp_int(first, 0, p->fineHeight - 1) * (size_t)p->fineWidth;
    const size_t bottom =
        (size_t)focal_clamp_int(first + 1, 0, p->fineHeight - 1) * (size_t)p->fineWidth;
    for (int32_t x = 0; x < p->coarseWidth; x++) {
      const size_t o = (size_t)row * (size_t)p->coarseWidth + (size_t)x;
      const size_t left = (size_t)focal_clamp_int(2 * x, 0, p->fineWidth - 1);
      const size_t right = (size_t)focal_clamp_int(2 * x + 1, 0, p->fineWidth - 1);
      const size_t cell[4] = {top + left, top + right, bottom + left, bottom + right};
      float low = 1.0e30f;
      for (int32_t k = 0; k < 4; k++) low = focal_min(low, fine[3][cell[k]]);
      float sum[4] = {0}, weight = 0.0f;
      for (int32_t k = 0; k < 4; k++) {
        const float w = fine[3][cell[k]] <= low + focal_edgeStep(p->edge, low, low) ? 1.0f : 0.0f;
        weight += w;
        for (int32_t c = 0; c < 4; c++) sum[c] += w * fine[c][cell[k]];
      }
      const float scale =
          weight == 4.0f ? 0.25f : (weight == 2.0f ? 0.5f : (weight == 1.0f ? 1.0f : 1.0f / 3.0f));
      for (int32_t c = 0; c < 4; c++) coarse[c][o] = sum[c] * scale;
    }
  }
}

/// Rows of the finer level: what each cell hides, from the coarser level.
FOCAL_KERNEL
void focal_pyramidUp(void *const *buffers, const void *parameters, uint32_t begin, uint32_t end) {
  const struct FocalPyramidParameters *p = parameters;
  float *fine[FocalPyramidPlanes], *coarse[FocalPyramidPlanes];
  pyramidPlanes(buffers[FocalPyramidFine], p->fineWidth, p->fineHeight, fine);
  pyramidPlanes(buffers[FocalPyramidCoarse], p->coarseWidth, p->coarseHeight, coarse);
  const float *own = fine[3];
  // At the finest level the pixel's front hides, and a back that is known stays.
  const float *front = 0, *back = 0;
  if (buffers[FocalPyramidLayers]) {
    const size_t count = (size_t)p->fineWidth * (size_t)p->fineHeight;
    front = (const float *)buffers[FocalPyramidLayers] + FocalLayerFrontRadius * count;
    back = (const float *)buffers[FocalPyramidLayers] + FocalLayerBackRadius * count;
  }
  for (uint32_t row = begin; row < end; row++) {
    const int32_t y = (int32_t)row - p->rowShift, y0 = (y - 1) >> 1;
    const size_t line[2] = {
        (size_t)focal_clamp_int(y0, 0, p->coarseHeight - 1) * (size_t)p->coarseWidth,
        (size_t)focal_clamp_int(y0 + 1, 0, p->coarseHeight - 1) * (size_t)p->coarseWidth};
    const float below = (y & 1) ? 0.25f : 0.75f;
    for (int32_t x = 0; x < p->fineWidth; x++) {
      const size_t o = (size_t)row * (size_t)p->fineWidth + (size_t)x;
      fine[7][o] = FOCAL_NO_SURFACE;
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
        if (!(coarse[3][q] < limit)) {
          from = 4;
          if (!(coarse[7][q] > FOCAL_NO_SURFACE && coarse[7][q] < limit)) continue;
        }
        weight += w;
        for (int32_t c = 0; c < 4; c++) sum[c] += w * coarse[from + c][q];
      }
      if (weight > 0.0f) {
        const float k = focal_reciprocal(weight);
        for (int32_t c = 0; c < 4; c++) fine[4 + c][o] = sum[c] * k;
      }
    }
  }
}

/// Rows of the layers: puts what was found behind the fronts that had no back.
FOCAL_KERNEL
void focal_pyramidStore(void *const *buffers, const void *parameters, uint32_t begin,
                        uint32_t end) {
  const struct FocalPyramidParameters *p = parameters;
  const size_t count = (size_t)p->fineWidth * (size_t)p->fineHeight;
  float *restrict layers = buffers[FocalPyramidLayers];
  const float *restrict fine = buffers[FocalPyramidFine];
  const size_t first = (size_t)begin * (size_t)p->fineWidth;
  const size_t last = (size_t)end * (size_t)p->fineWidth;
  for (size_t o = first; o < last; o++) {
    if (layers[FocalLayerBackRadius * count + o] > FOCAL_NO_SURFACE ||
        !(fine[7 * count + o] > FOCAL_NO_SURFACE))
      continue;
    for (size_t c = 0; c < 4; c++) {
      layers[(FocalLayerBackR + c) * count + o] = fine[(4 + c) * count + o];
    }
  }
}
