// SPDX-License-Identifier: Apache-2.0
#include "ShaderTypes.h"

/// One surface seen in a cell: premultiplied colour and share, and radius.
struct Sample {
  float4 light;
  float radius;
};

/// Surfaces of one picture pixel, front first; returns how many.
FOCAL_FUNCTION int32_t surfacesOf(const float4 *source, const float *radius, const float *alphas,
                                  const float *records, size_t q, struct Sample *out) {
  const float *edge = records + q * FocalMatteRecordFloats;
  float frontRadius = radius[q];
  float4 back = {0.0f, 0.0f, 0.0f, FOCAL_NO_SURFACE};
  if (alphas[q] != FOCAL_PLAIN) {
    frontRadius = edge[FocalMatteFrontRadius];
    memcpy(&back, edge + FocalMatteBackR, sizeof back);
  }
  const FocalSurfaces s = focal_surfacesOf(source[q], alphas[q], frontRadius, back);
  out[0] = (struct Sample){s.front, s.frontRadius};
  out[1] = (struct Sample){s.back, s.backRadius};
  return s.hasBack ? 2 : 1;
}

/// Cells of a run, which are looked at together.
#define RUN(scale) ((size_t)(FOCAL_GATHER_RUN / (scale)))

/// Whether the blocks under a run of cells have no edge.
FOCAL_FUNCTION int32_t plainRun(const uint8_t *flags, size_t across, int32_t blocks, int32_t rows) {
  int32_t all = 0;
  for (int32_t j = 0; j < rows; j++) {
    for (int32_t i = 0; i < blocks; i++) all |= flags[(size_t)j * across + (size_t)i];
  }
  return !(all & FocalFlagEdge);
}

/// The sum of eight pixels one above the other.
FOCAL_FUNCTION float4 pixelColumn(const float4 *c, size_t pitch) {
  return ((c[0] + c[7 * pitch]) + (c[pitch] + c[6 * pitch])) +
         ((c[2 * pitch] + c[5 * pitch]) + (c[3 * pitch] + c[4 * pitch]));
}

/// Mean colours of `scale` x `scale` pixels for a run of cells; rows lie
/// `pitch` pixels apart. Sums in pairs, so that a mirrored picture gives
/// mirrored means to the bit.
FOCAL_FUNCTION void meanColours(const float4 *restrict in, size_t pitch, int32_t scale,
                                float factor, float *restrict r, float *restrict g,
                                float *restrict b) {
  for (size_t x = 0; x < RUN(scale); x++) {
    const float4 *c = in + (size_t)scale * x;
    float4 mean;
    if (scale == 1) {
      mean = c[0];
    } else if (scale == 2) {
      mean = factor * ((c[0] + c[pitch]) + (c[1] + c[pitch + 1]));
    } else if (scale == 8) {
      float4 pair[4];
      for (size_t i = 0; i < 4; i++) {
        pair[i] = pixelColumn(c + i, pitch) + pixelColumn(c + 7 - i, pitch);
      }
      mean = factor * ((pair[0] + pair[1]) + (pair[2] + pair[3]));
    } else {
      float4 column[4];
      for (size_t i = 0; i < 4; i++) {
        column[i] = (c[i] + c[i + 3 * pitch]) + (c[i + pitch] + c[i + 2 * pitch]);
      }
      mean = factor * ((column[0] + column[3]) + (column[1] + column[2]));
    }
    r[x] = mean.x;
    g[x] = mean.y;
    b[x] = mean.z;
  }
}

/// The same of one value a pixel.
FOCAL_FUNCTION void meanRadii(const float *restrict in, size_t pitch, int32_t scale, float factor,
                              float *restrict out) {
  float sum[FOCAL_GATHER_RUN];
  if (scale == 2) {
    for (size_t i = 0; i < FOCAL_GATHER_RUN; i++) sum[i] = in[i] + in[pitch + i];
    for (size_t x = 0; x < RUN(2); x++) out[x] = factor * (sum[2 * x] + sum[2 * x + 1]);
  } else if (scale == 8) {
    for (size_t i = 0; i < FOCAL_GATHER_RUN; i++) {
      const float *r = in + i;
      sum[i] = ((r[0] + r[7 * pitch]) + (r[pitch] + r[6 * pitch])) +
               ((r[2 * pitch] + r[5 * pitch]) + (r[3 * pitch] + r[4 * pitch]));
    }
    for (size_t x = 0; x < RUN(8); x++) {
      const float *s = sum + 8 * x;
      out[x] = factor * (((s[0] + s[7]) + (s[1] + s[6])) + ((s[2] + s[5]) + (s[3] + s[4])));
    }
  } else {
    for (size_t i = 0; i < FOCAL_GATHER_RUN; i++) {
      sum[i] = (in[i] + in[3 * pitch + i]) + (in[pitch + i] + in[2 * pitch + i]);
    }
    for (size_t x = 0; x < RUN(4); x++) {
      const float *s = sum + 4 * x;
      out[x] = factor * ((s[0] + s[3]) + (s[1] + s[2]));
    }
  }
}

/// Writes a run of cells of plain pixels, so of one surface each; `q` is the
/// first picture pixel, `o` the first cell.
FOCAL_FUNCTION void gatherPlainRun(const float4 *restrict source, const float *restrict radius,
                                   float *const *out, int32_t scale, size_t width, size_t q,
                                   size_t o) {
  const float toLayer = focal_toLayer(scale), share = toLayer * toLayer;
  float *toRadius = out[FocalLayerFrontRadius] + o;
  float *fr = out[FocalLayerFrontR] + o, *fg = out[FocalLayerFrontG] + o;
  float *fb = out[FocalLayerFrontB] + o;
  if (scale == 1) {
    memcpy(toRadius, radius + q, RUN(1) * 4);
    meanColours(source + q, width, 1, share, fr, fg, fb);
  } else if (scale == 2) {
    meanRadii(radius + q, width, 2, share * toLayer, toRadius);
    meanColours(source + q, width, 2, share, fr, fg, fb);
  } else if (scale == 8) {
    meanRadii(radius + q, width, 8, share * toLayer, toRadius);
    meanColours(source + q, width, 8, share, fr, fg, fb);
  } else {
    meanRadii(radius + q, width, 4, share * toLayer, toRadius);
    meanColours(source + q, width, 4, share, fr, fg, fb);
  }
  float *restrict alpha = out[FocalLayerAlpha] + o, *restrict back = out[FocalLayerBackRadius] + o;
  float *restrict r = out[FocalLayerBackR] + o, *restrict g = out[FocalLayerBackG] + o;
  float *restrict b = out[FocalLayerBackB] + o;
  for (size_t x = 0; x < RUN(scale); x++) {
    alpha[x] = 1.0f;
    back[x] = FOCAL_NO_SURFACE;
    r[x] = g[x] = b[x] = 0.0f;
  }
}

/// The sources of the kernel's cells and their destination.
struct Gathering {
  const float4 *source;
  const float *radius, *alphas, *records;
  float *out[FocalLayerPlanes];
};

/// The cell at (x, row), whose pixels may be at edges.
///
/// Its surfaces are parted at the middle of their radii into a front and a
/// back; the front's alpha is its share of the cell.
FOCAL_FUNCTION void gatherCell(const struct Gathering *in,
                               const struct FocalGatherLayersParameters *p, int32_t x,
                               int32_t row) {
  // `row` counts from the window's first.
  float *const *out = in->out;
  const int32_t scale = p->scale, cells = scale * scale;
  const int32_t shift = scale == 8 ? 3 : scale >> 1;
  const float toLayer = focal_toLayer(scale), perCell = toLayer * toLayer;
  const size_t o = (size_t)(row + p->layerOriginY) * (size_t)p->layerWidth + (size_t)x;
  // A pixel without a back writes one more than it counts.
  struct Sample samples[129];
  int32_t n = 0;
  float low = 1.0e30f, high = -1.0e30f;
  for (int32_t k = 0; k < cells; k++) {
    const int32_t sx = focal_clamp_int(scale * x + (k & (scale - 1)), 0, p->width - 1);
    const int32_t sy = focal_clamp_int(scale * row + (k >> shift), 0, p->height - 1);
    n += surfacesOf(in->source, in->radius, in->alphas, in->records,
                    (size_t)sy * (size_t)p->width + (size_t)sx, samples + n);
  }
  for (int32_t k = 0; k < n; k++) {
    low = focal_min(low, samples[k].radius);
    high = focal_max(high, samples[k].radius);
  }
  const int parted = high - low > focal_edgeStep(p->edge, low, high);
  const float middle = parted ? 0.5f * (high + low) : -2.0e9f;
  struct Sample f = {{0}, 0}, b = {{0}, 0};
  for (int32_t k = 0; k < n; k++) {
    struct Sample *s = samples[k].radius > middle ? &f : &b;
    s->light += samples[k].light;
    s->radius += samples[k].light.w * samples[k].radius;
  }
  const float alpha = f.light.w * perCell;
  const float fk = perCell, fr = toLayer * focal_reciprocal(f.light.w);
  // Shares of hidden backs are virtual, so a front may not exceed one.
  const float cap = alpha > 1.0f ? focal_reciprocal(alpha) : 1.0f;
  out[FocalLayerFrontR][o] = f.light.x * fk * cap;
  out[FocalLayerFrontG][o] = f.light.y * fk * cap;
  out[FocalLayerFrontB][o] = f.light.z * fk * cap;
  out[FocalLayerAlpha][o] = alpha > 1.0f ? 1.0f : alpha;
  out[FocalLayerFrontRadius][o] = f.radius * fr;
  if (b.light.w > 0.0f) {
    const float bk = focal_reciprocal(b.light.w);
    out[FocalLayerBackR][o] = b.light.x * bk;
    out[FocalLayerBackG][o] = b.light.y * bk;
    out[FocalLayerBackB][o] = b.light.z * bk;
    out[FocalLayerBackRadius][o] = b.radius * bk * toLayer;
  } else {
    // Readers multiply a missing back by a weight of zero, so it must be finite.
    out[FocalLayerBackR][o] = out[FocalLayerBackG][o] = out[FocalLayerBackB][o] = 0.0f;
    out[FocalLayerBackRadius][o] = FOCAL_NO_SURFACE;
  }
}

/// The cells of a run that have a pixel at an edge, a bit each.
FOCAL_FUNCTION uint32_t edgeCells(const float *restrict alpha, size_t pitch, int32_t scale) {
  uint32_t edges = 0;
  for (int32_t j = 0; j < scale; j++) {
    FOCAL_LANE_LOOP
    for (int32_t i = 0; i < FOCAL_GATHER_RUN; i++) {
      edges |= (uint32_t)(alpha[(size_t)j * pitch + (size_t)i] < FOCAL_PLAIN) << i;
    }
  }
  uint32_t cells = 0;
  for (uint32_t i = 0; i < RUN(scale); i++) {
    const uint32_t own = (1u << scale) - 1u;
    cells |= (uint32_t)((edges >> (i * (uint32_t)scale) & own) != 0) << i;
  }
  return cells;
}

/// Picture and matte to layers, at the same size, half, a quarter or an eighth of it.
FOCAL_CLONES FOCAL_ENTRY_POINT(gatherLayers) {
  FOCAL_BUFFERS(gatherLayers)
  const size_t width = (size_t)p->width;
  const size_t layerCount = (size_t)p->layerWidth * (size_t)p->layerHeight;
  struct Gathering in = {
      source, radius, matte, matte + width * (size_t)p->height, {0}};
  for (size_t i = 0; i < FocalLayerPlanes; i++) {
    in.out[i] = layers + i * layerCount;
  }
  const int32_t scale = p->scale, run = FOCAL_GATHER_RUN / scale;
  const size_t blocksAcross = (width + FOCAL_FLAG_BLOCK - 1) / FOCAL_FLAG_BLOCK;
  for (uint32_t line = begin; line < end; line++) {
    const int32_t row = (int32_t)line + p->firstRow;
    const int32_t whole = scale * (row + 1) <= p->height;
    const uint8_t *rowFlags = flags + (size_t)scale * (size_t)row * blocksAcross;
    for (int32_t x = 0; x < p->layerWidth; x += run) {
      if (!whole || scale * x + FOCAL_GATHER_RUN > p->width) {
        for (int32_t i = x; i < x + run && i < p->layerWidth; i++) {
          gatherCell(&in, p, i, row);
        }
        continue;
      }
      const size_t q = (size_t)scale * ((size_t)row * width + (size_t)x);
      gatherPlainRun(in.source, in.radius, in.out, scale, width, q,
                     (size_t)(row + p->layerOriginY) * (size_t)p->layerWidth + (size_t)x);
      if (plainRun(rowFlags + scale * x / FOCAL_FLAG_BLOCK, blocksAcross,
                   FOCAL_GATHER_RUN / FOCAL_FLAG_BLOCK, scale)) {
        continue;
      }
      const uint32_t edges = edgeCells(in.alphas + q, width, scale);
      for (int32_t i = 0; i < run; i++) {
        if (edges >> i & 1) gatherCell(&in, p, x + i, row);
      }
    }
  }
}
