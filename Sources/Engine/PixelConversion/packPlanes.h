// SPDX-License-Identifier: Apache-2.0
//
// Rows of luma and half-size chroma, from light by a quarter turn, the transfer function, the matrix, the
// chroma filter, and a dither.
//
// HEVC sites chroma level with even luma columns, half-way between two luma rows. The filter is
// the one that undoes the linear interpolation of `unpack`: (-1 2 6 2 -1)/8 across, the low-pass
// of the 5/3 wavelet, and (-1 3 3 -1)/4 down. Its average is 1, it is 0 at the highest frequency,
// and a picture that was only unpacked packs to the chroma that it had, also at the borders. A
// plain average would soften the colours of everything that is in focus.
#pragma once

#include "packStrip.h"

// A piece of a row, Y' and the colour differences; it starts STRIP_MARGIN columns to the left.
struct LumaChromaRow {
  float luma[STRIP_ROW], cb[STRIP_ROW], cr[STRIP_ROW];
};

// How luma and chroma become codes.
struct CodeScale {
  FocalCodeRange codes;
  float dither;
  int32_t tenBit;  // 10-bit codes stand in the high bits of 16
};

FOCAL_FUNCTION void luma_chroma_row(const struct FocalPixelParameters *p, LoadStrip *load,
                                    const void *source, int32_t x0, int32_t y, int32_t count,
                                    struct Strip *restrict strip,
                                    struct LumaChromaRow *restrict row) {
  struct FocalMatrixCoefficients m = focal_matrix(p->matrix);
  int32_t all = count + 2 * STRIP_MARGIN;
  encode_strip(p, load, source, x0 - STRIP_MARGIN, y, all, strip);
  for (int32_t i = 0; i < all; i++) {
    float luma = m.lumaFromRed * strip->red[i] + m.lumaFromGreen * strip->green[i] +
                 m.lumaFromBlue * strip->blue[i];
    row->luma[i] = luma;
    row->cb[i] = (strip->blue[i] - luma) * m.cbFromBlue;
    row->cr[i] = (strip->red[i] - luma) * m.crFromRed;
  }
}

FOCAL_FUNCTION void store_luma(const struct FocalPixelParameters *p, const struct CodeScale *scale,
                               const struct LumaChromaRow *restrict row, uint8_t *restrict plane,
                               int32_t x0, int32_t y, int32_t count) {
  struct CodeScale s = *scale;
  const int64_t before = (int64_t)(x0 - p->planeLeft) * (s.tenBit ? 2 : 1);
  uint8_t *restrict bytes = plane + (int64_t)(y - p->planeTop) * p->bytesPerRow + before;
  uint16_t *restrict words = (uint16_t *)(void *)bytes;
  const float *restrict luma = row->luma + STRIP_MARGIN;
  if (s.tenBit) {
    for (int32_t i = 0; i < count; i++) {
      words[i] = (uint16_t)(quantise(luma[i] * s.codes.lumaScale + s.codes.lumaOffset, s.dither,
                                     x0 + i, y, 0, s.codes.most)
                            << 6);
    }
  } else {
    for (int32_t i = 0; i < count; i++) {
      bytes[i] = (uint8_t)quantise(luma[i] * s.codes.lumaScale + s.codes.lumaOffset, s.dither,
                                   x0 + i, y, 0, s.codes.most);
    }
  }
}

// Four rows to one. An odd height ends on a row whose chroma lies below it: there it is extended
// from the last two rows in a straight line, which again undoes the interpolation.
FOCAL_FUNCTION void filter_down(const float *restrict r0, const float *restrict r1,
                                const float *restrict r2, const float *restrict r3, int past,
                                float *restrict out, int32_t count) {
  float w0 = past ? -0.5f : -0.25f, w1 = past ? 1.5f : 0.75f;
  float w2 = past ? 0.0f : 0.75f, w3 = past ? 0.0f : -0.25f;
  for (int32_t i = 0; i < count; i++) {
    out[i] = (w0 * r0[i] + w3 * r3[i]) + (w1 * r1[i] + w2 * r2[i]);
  }
}

FOCAL_FUNCTION void filter_across(const float *restrict row, float *restrict out, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    out[i] = 0.75f * row[2 * i + 2] + 0.25f * (row[2 * i + 1] + row[2 * i + 3]) -
             0.125f * (row[2 * i] + row[2 * i + 4]);
  }
}

FOCAL_FUNCTION void store_chroma(const struct FocalPixelParameters *p,
                                 const struct CodeScale *scale, const float *restrict cb,
                                 const float *restrict cr, uint8_t *restrict plane, int32_t column0,
                                 int32_t y, int32_t count) {
  struct CodeScale s = *scale;
  const int64_t before = (int64_t)(column0 - (p->planeLeft >> 1)) * (s.tenBit ? 4 : 2);
  uint8_t *restrict bytes =
      plane + (int64_t)(y - (p->planeTop >> 1)) * p->chromaBytesPerRow + before;
  uint16_t *restrict words = (uint16_t *)(void *)bytes;
  for (int32_t i = 0; i < count; i++) {
    int32_t x = column0 + i;
    uint32_t b = quantise(cb[i] * s.codes.chromaScale + s.codes.chromaOffset, s.dither, x, y, 1,
                          s.codes.most);
    uint32_t r = quantise(cr[i] * s.codes.chromaScale + s.codes.chromaOffset, s.dither, x, y, 2,
                          s.codes.most);
    if (s.tenBit) {
      words[2 * i] = (uint16_t)(b << 6);
      words[2 * i + 1] = (uint16_t)(r << 6);
    } else {
      bytes[2 * i] = (uint8_t)b;
      bytes[2 * i + 1] = (uint8_t)r;
    }
  }
}

// - load, source: where the light comes from.
FOCAL_FUNCTION void pack_planes(const struct FocalPixelParameters *p, LoadStrip *load,
                                const void *source, uint8_t *restrict lumaBytes,
                                uint8_t *restrict chromaBytes, uint32_t begin, uint32_t end) {
  const int32_t tenBit = p->format == FOCAL_FORMAT_YUV420_10;
  const struct CodeScale s = {focal_code_range(p->fullRange, tenBit), p->dither ? 1.0f : 0.0f,
                              tenBit};
  struct Strip strip;
  struct LumaChromaRow rows[4];  // row y - 1 + k in rows[(y + 3 + k) & 3]
  float down[STRIP_ROW], cb[STRIP / 2], cr[STRIP / 2];
  const int32_t left = p->left, right = left + packed_columns(p);
  for (int32_t x = left; x < right; x += STRIP) {
    int32_t count = focal_min_int(STRIP, right - x);
    int32_t chromaCount = (count + 1) >> 1;
    for (uint32_t line = begin; line < end; line++) {
      int32_t chromaY = (int32_t)line + (p->top >> 1);
      int32_t y = 2 * chromaY;
      struct LumaChromaRow *r[4];
      for (int32_t k = 0; k < 4; k++) {
        r[k] = &rows[(y + 3 + k) & 3];
        if (k >= 2 || line == begin) {
          luma_chroma_row(p, load, source, x, y - 1 + k, count, &strip, r[k]);
        }
      }
      int past = y + 1 == p->height;
      store_luma(p, &s, r[1], lumaBytes, x, y, count);
      if (!past) store_luma(p, &s, r[2], lumaBytes, x, y + 1, count);
      int32_t all = count + 2 * STRIP_MARGIN;
      filter_down(r[0]->cb, r[1]->cb, r[2]->cb, r[3]->cb, past, down, all);
      filter_across(down, cb, chromaCount);
      filter_down(r[0]->cr, r[1]->cr, r[2]->cr, r[3]->cr, past, down, all);
      filter_across(down, cr, chromaCount);
      store_chroma(p, &s, cb, cr, chromaBytes, x >> 1, chromaY, chromaCount);
    }
  }
}
