// SPDX-License-Identifier: Apache-2.0
//
// Rows of a picture of one plane, from light by a quarter turn, the transfer function, and where bits are dropped a
// dither.
#pragma once

#include "packStrip.h"

// The code below stores `count` pixels of `s` from `row` on; (x0, y) is the first one's place.

FOCAL_FUNCTION void store_rgba8(float dither, const struct Strip *restrict s, uint8_t *restrict row,
                                int32_t x0, int32_t y, int32_t count) {
  UnalignedWord *restrict words = (UnalignedWord *)(void *)row;
  for (int32_t i = 0; i < count; i++) {
    words[i] = quantise(s->red[i] * 255.0f, dither, x0 + i, y, 0, 255.0f) |
               quantise(s->green[i] * 255.0f, dither, x0 + i, y, 1, 255.0f) << 8 |
               quantise(s->blue[i] * 255.0f, dither, x0 + i, y, 2, 255.0f) << 16 |
               quantise(s->alpha[i] * 255.0f, dither, x0 + i, y, 3, 255.0f) << 24;
  }
}

FOCAL_FUNCTION void store_half(const struct Strip *restrict s, uint8_t *restrict row,
                               int32_t count) {
  UnalignedWord *restrict words = (UnalignedWord *)(void *)row;
  for (int32_t i = 0; i < count; i++) {
    words[2 * i] = focal_float_to_half(s->red[i]) | focal_float_to_half(s->green[i]) << 16;
    words[2 * i + 1] = focal_float_to_half(s->blue[i]) | focal_float_to_half(s->alpha[i]) << 16;
  }
}

FOCAL_FUNCTION void store_float(const struct Strip *restrict s, uint8_t *restrict row,
                                int32_t count) {
  float *restrict values = (float *)(void *)row;
  for (int32_t i = 0; i < count; i++) {
    values[4 * i] = s->red[i];
    values[4 * i + 1] = s->green[i];
    values[4 * i + 2] = s->blue[i];
    values[4 * i + 3] = s->alpha[i];
  }
}

FOCAL_FUNCTION void store_gray(const struct FocalPixelParameters *p, float dither,
                               const struct Strip *restrict s, uint8_t *restrict row, int32_t x0,
                               int32_t y, int32_t count) {
  struct FocalMatrixCoefficients m = focal_matrix(p->matrix);
  float luma[STRIP];
  for (int32_t i = 0; i < count; i++) {
    luma[i] =
        m.lumaFromRed * s->red[i] + m.lumaFromGreen * s->green[i] + m.lumaFromBlue * s->blue[i];
  }
  if (p->format == FOCAL_FORMAT_GRAY8) {
    for (int32_t i = 0; i < count; i++) {
      row[i] = (uint8_t)quantise(luma[i] * 255.0f, dither, x0 + i, y, 0, 255.0f);
    }
  } else {
    uint16_t *restrict row16 = (uint16_t *)(void *)row;
    for (int32_t i = 0; i < count; i++) {
      row16[i] = (uint16_t)quantise(luma[i] * 65535.0f, dither, x0 + i, y, 0, 65535.0f);
    }
  }
}

// `count` pixels from (x, y) on, of `size` bytes each.
FOCAL_FUNCTION void pack_strip(const struct FocalPixelParameters *p, LoadStrip *load,
                               const void *source, uint8_t *restrict bytes, int32_t size,
                               int32_t x, int32_t y, int32_t count) {
  const float dither = p->dither ? 1.0f : 0.0f;
  struct Strip strip;
  uint8_t *row = bytes + (int64_t)(y - p->planeTop) * p->bytesPerRow +
                 (int64_t)(x - p->planeLeft) * size;
  encode_strip(p, load, source, x, y, count, &strip);
  switch (p->format) {
    case FOCAL_FORMAT_RGBA8:
      store_rgba8(dither, &strip, row, x, y, count);
      break;
    case FOCAL_FORMAT_RGBA_HALF:
      store_half(&strip, row, count);
      break;
    case FOCAL_FORMAT_RGBA_FLOAT:
      store_float(&strip, row, count);
      break;
    default:
      store_gray(p, dither, &strip, row, x, y, count);
      break;
  }
}

// - load, source: where the light comes from.
FOCAL_FUNCTION void pack_plane(const struct FocalPixelParameters *p, LoadStrip *load,
                               const void *source, uint8_t *restrict bytes, uint32_t begin,
                               uint32_t end) {
  const int32_t left = p->left, past = left + packed_columns(p);
  const int32_t size = p->format == FOCAL_FORMAT_GRAY8       ? 1
                       : p->format == FOCAL_FORMAT_GRAY16    ? 2
                       : p->format == FOCAL_FORMAT_RGBA8     ? 4
                       : p->format == FOCAL_FORMAT_RGBA_HALF ? 8
                                                             : 16;
  // Down the picture under a quarter turn. Otherwise along its rows, which memory is fetched ahead for.
  const int32_t strips = (past - left + STRIP - 1) / STRIP, lines = (int32_t)(end - begin);
  const int32_t isTurned = p->turn & 1;
  for (int32_t outer = 0; outer < (isTurned ? strips : lines); outer++) {
    for (int32_t inner = 0; inner < (isTurned ? lines : strips); inner++) {
      const int32_t x = left + STRIP * (isTurned ? outer : inner);
      const int32_t y = p->top + (int32_t)begin + (isTurned ? inner : outer);
      pack_strip(p, load, source, bytes, size, x, y, focal_min_int(STRIP, past - x));
    }
  }
}
