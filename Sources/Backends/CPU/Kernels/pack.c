// SPDX-License-Identifier: Apache-2.0
//
// Linear RGBA to a stored picture: a quarter turn, the transfer function, the matrix, and where
// bits are dropped a dither.
//
// pack: formats of one plane. Buffers: 0 linear RGBA (4 floats a pixel, as the source is oriented),
// 1 the plane. Range: rows.
// pack_bi_planar: buffers: 0 linear RGBA, 1 luma, 2 Cb Cr. Range: rows of chroma, each with its two
// rows of luma.

#pragma STDC FP_CONTRACT OFF

#include "CPUKernels.h"

// Columns that are encoded together; with one more on either side for the chroma filter.
#define STRIP 64
#define STRIP_ROW (STRIP + 2)

// R'G'B' of a piece of a row, by component, and alpha.
struct Strip {
  float red[STRIP_ROW], green[STRIP_ROW], blue[STRIP_ROW], alpha[STRIP_ROW];
};

// The index in the source of the destination's pixel (x, y).
FOCAL_FUNCTION int64_t source_index(const struct FocalPixelParameters *p, int32_t x, int32_t y) {
  switch (p->turn) {
    case 1: return (int64_t)(p->width - 1 - x) * p->height + y;
    case 2: return (int64_t)(p->height - 1 - y) * p->width + (p->width - 1 - x);
    case 3: return (int64_t)x * p->height + (p->height - 1 - y);
    default: return (int64_t)y * p->width + x;
  }
}

// `count` pixels from (x, y) on; columns and rows past the picture repeat its border.
FOCAL_FUNCTION void load_strip(const struct FocalPixelParameters *p, const float *linear, int32_t x,
                               int32_t y, int32_t count, int32_t transfer,
                               struct Strip *restrict strip) {
  int32_t row = focal_min_int(y, p->height - 1);
  for (int32_t i = 0; i < count; i++) {
    const float *pixel =
        linear + 4 * source_index(p, focal_clamp_int(x + i, 0, p->width - 1), row);
    strip->red[i] = pixel[0];
    strip->green[i] = pixel[1];
    strip->blue[i] = pixel[2];
    strip->alpha[i] = pixel[3];
  }
  for (int32_t i = 0; i < count; i++) strip->red[i] = focal_encode(strip->red[i], transfer);
  for (int32_t i = 0; i < count; i++) strip->green[i] = focal_encode(strip->green[i], transfer);
  for (int32_t i = 0; i < count; i++) strip->blue[i] = focal_encode(strip->blue[i], transfer);
}

FOCAL_FUNCTION void encode_strip(const struct FocalPixelParameters *p, const float *linear,
                                 int32_t x, int32_t y, int32_t count,
                                 struct Strip *restrict strip) {
  switch (p->transfer) {
    case FOCAL_TRANSFER_SRGB:
      load_strip(p, linear, x, y, count, FOCAL_TRANSFER_SRGB, strip);
      break;
    case FOCAL_TRANSFER_BT709:
      load_strip(p, linear, x, y, count, FOCAL_TRANSFER_BT709, strip);
      break;
    case FOCAL_TRANSFER_HLG:
      load_strip(p, linear, x, y, count, FOCAL_TRANSFER_HLG, strip);
      break;
    case FOCAL_TRANSFER_PQ:
      load_strip(p, linear, x, y, count, FOCAL_TRANSFER_PQ, strip);
      break;
    default:
      load_strip(p, linear, x, y, count, FOCAL_TRANSFER_LINEAR, strip);
      break;
  }
}

// A code from a value in code steps: dithered, clamped, rounded.
FOCAL_FUNCTION int32_t quantise(const struct FocalPixelParameters *p, float code, int32_t x,
                                int32_t y, int32_t channel, float maximum) {
  float offset = p->dither ? focal_dither((uint32_t)x, (uint32_t)y, (uint32_t)channel) : 0.0f;
  return (int32_t)(focal_clamp(code + offset, 0.0f, maximum) + 0.5f);
}

FOCAL_FUNCTION void store_rgba(const struct FocalPixelParameters *p, const struct Strip *strip,
                               uint8_t *row, int32_t x0, int32_t y, int32_t count) {
  uint16_t *row16 = (uint16_t *)(void *)row;
  float *rowFloat = (float *)(void *)row;
  for (int32_t i = 0; i < count; i++) {
    int32_t x = x0 + i;
    float value[4] = {strip->red[i], strip->green[i], strip->blue[i], strip->alpha[i]};
    for (int c = 0; c < 4; c++) {
      if (p->format == FOCAL_FORMAT_RGBA8) {
        row[4 * x + c] = (uint8_t)quantise(p, value[c] * 255.0f, x, y, c, 255.0f);
      } else if (p->format == FOCAL_FORMAT_RGBA_HALF) {
        row16[4 * x + c] = (uint16_t)focal_float_to_half(value[c]);
      } else {
        rowFloat[4 * x + c] = value[c];
      }
    }
  }
}

FOCAL_FUNCTION void store_gray(const struct FocalPixelParameters *p, const struct Strip *strip,
                               uint8_t *row, int32_t x0, int32_t y, int32_t count) {
  struct FocalMatrixCoefficients m = focal_matrix(p->matrix);
  uint16_t *row16 = (uint16_t *)(void *)row;
  for (int32_t i = 0; i < count; i++) {
    float luma = m.lumaFromRed * strip->red[i] + m.lumaFromGreen * strip->green[i] +
                 m.lumaFromBlue * strip->blue[i];
    if (p->format == FOCAL_FORMAT_GRAY8) {
      row[x0 + i] = (uint8_t)quantise(p, luma * 255.0f, x0 + i, y, 0, 255.0f);
    } else {
      row16[x0 + i] = (uint16_t)quantise(p, luma * 65535.0f, x0 + i, y, 0, 65535.0f);
    }
  }
}

FOCAL_KERNEL void focal_pack(void *const *buffers, const void *parameters, uint32_t begin,
                             uint32_t end) {
  const struct FocalPixelParameters *p = parameters;
  int gray = p->format == FOCAL_FORMAT_GRAY8 || p->format == FOCAL_FORMAT_GRAY16;
  struct Strip strip;
  for (uint32_t y = begin; y < end; y++) {
    uint8_t *row = (uint8_t *)buffers[1] + (int64_t)y * p->bytesPerRow;
    for (int32_t x = 0; x < p->width; x += STRIP) {
      int32_t count = focal_min_int(STRIP, p->width - x);
      encode_strip(p, buffers[0], x, (int32_t)y, count, &strip);
      if (gray) {
        store_gray(p, &strip, row, x, (int32_t)y, count);
      } else {
        store_rgba(p, &strip, row, x, (int32_t)y, count);
      }
    }
  }
}

// How luma and chroma become codes of a bi-planar format.
struct CodeScale {
  float lumaScale, lumaOffset, chromaScale, chromaOffset, maximum;
  int32_t shift;  // 10-bit codes stand in the high bits of 16
};

FOCAL_FUNCTION struct CodeScale code_scale(const struct FocalPixelParameters *p) {
  float unit = p->format == FOCAL_FORMAT_YUV420_10 ? 4.0f : 1.0f;
  struct CodeScale s;
  s.maximum = unit * 256.0f - 1.0f;
  s.lumaScale = p->fullRange ? s.maximum : 219.0f * unit;
  s.lumaOffset = p->fullRange ? 0.0f : 16.0f * unit;
  s.chromaScale = p->fullRange ? s.maximum : 224.0f * unit;
  s.chromaOffset = 128.0f * unit;
  s.shift = p->format == FOCAL_FORMAT_YUV420_10 ? 6 : 0;
  return s;
}

FOCAL_FUNCTION void store_code(const struct CodeScale *s, void *row, int32_t index, int32_t code) {
  if (s->shift) {
    ((uint16_t *)row)[index] = (uint16_t)(code << s->shift);
  } else {
    ((uint8_t *)row)[index] = (uint8_t)code;
  }
}

// `strip` starts one column left of x0.
FOCAL_FUNCTION void store_luma(const struct FocalPixelParameters *p, const struct CodeScale *s,
                               const struct Strip *strip, void *row, int32_t x0, int32_t y,
                               int32_t count) {
  struct FocalMatrixCoefficients m = focal_matrix(p->matrix);
  for (int32_t i = 0; i < count; i++) {
    float luma = m.lumaFromRed * strip->red[i + 1] + m.lumaFromGreen * strip->green[i + 1] +
                 m.lumaFromBlue * strip->blue[i + 1];
    store_code(s, row, x0 + i,
               quantise(p, luma * s->lumaScale + s->lumaOffset, x0 + i, y, 0, s->maximum));
  }
}

// HEVC sites chroma level with even columns and half-way between rows: a low-pass of three columns
// (1 2 1) and two rows.
FOCAL_FUNCTION void store_chroma(const struct FocalPixelParameters *p, const struct CodeScale *s,
                                 const struct Strip *top, const struct Strip *bottom, void *row,
                                 int32_t column0, int32_t y, int32_t count) {
  struct FocalMatrixCoefficients m = focal_matrix(p->matrix);
  for (int32_t i = 0; i < count; i++) {
    int32_t c = 2 * i;
#define LOW_PASS(component)                                                              \
  (0.125f * (top->component[c] + top->component[c + 2] + bottom->component[c] +          \
             bottom->component[c + 2]) +                                                 \
   0.25f * (top->component[c + 1] + bottom->component[c + 1]))
    float red = LOW_PASS(red), green = LOW_PASS(green), blue = LOW_PASS(blue);
#undef LOW_PASS
    float luma = m.lumaFromRed * red + m.lumaFromGreen * green + m.lumaFromBlue * blue;
    float cb = (blue - luma) * m.cbFromBlue * s->chromaScale + s->chromaOffset;
    float cr = (red - luma) * m.crFromRed * s->chromaScale + s->chromaOffset;
    int32_t x = column0 + i;
    store_code(s, row, 2 * x, quantise(p, cb, x, y, 1, s->maximum));
    store_code(s, row, 2 * x + 1, quantise(p, cr, x, y, 2, s->maximum));
  }
}

FOCAL_KERNEL void focal_pack_bi_planar(void *const *buffers, const void *parameters, uint32_t begin,
                                       uint32_t end) {
  const struct FocalPixelParameters *p = parameters;
  struct CodeScale s = code_scale(p);
  struct Strip strips[2];
  for (uint32_t chromaY = begin; chromaY < end; chromaY++) {
    int32_t y = 2 * (int32_t)chromaY;
    for (int32_t x = 0; x < p->width; x += STRIP) {
      int32_t count = focal_min_int(STRIP, p->width - x);
      for (int32_t line = 0; line < 2; line++) {
        encode_strip(p, buffers[0], x - 1, y + line, count + 2, &strips[line]);
        if (y + line < p->height) {
          store_luma(p, &s, &strips[line],
                     (uint8_t *)buffers[1] + (int64_t)(y + line) * p->bytesPerRow, x, y + line,
                     count);
        }
      }
      store_chroma(p, &s, &strips[0], &strips[1],
                   (uint8_t *)buffers[2] + (int64_t)chromaY * p->chromaBytesPerRow, x >> 1,
                   (int32_t)chromaY, (count + 1) >> 1);
    }
  }
}
