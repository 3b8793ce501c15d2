// SPDX-License-Identifier: Apache-2.0
//
// Rows of a stored picture to linear RGBA, four floats a pixel, rows without padding.
#pragma once

#include "ShaderTypes.h"

// Columns that are worked on together, so that every loop runs over short contiguous arrays.
#define SPAN 256

// One of Cb and Cr in the columns x0 ..< x0 + count of a luma row by linear interpolation. Chroma
// is sited as HEVC has it: level with even luma columns, half-way between two luma rows; `near` and
// `far` are the chroma rows on either side. All sums are exact.
FOCAL_FUNCTION void chroma_span(const uint8_t *near, const uint8_t *far, int32_t component,
                                int32_t x0, int32_t count, int32_t lastColumn, int tenBit,
                                float *restrict out) {
  float column[SPAN / 2 + 1];
  int32_t first = x0 >> 1;
  int32_t columns = (count >> 1) + 1;
  int32_t there = focal_min_int(columns, lastColumn + 1 - first);
  for (int32_t i = 0; i < there; i++) {
    int32_t k = 2 * (first + i) + component;
    float a = tenBit ? (float)((const uint16_t *)(const void *)near)[k] : (float)near[k];
    float b = tenBit ? (float)((const uint16_t *)(const void *)far)[k] : (float)far[k];
    column[i] = 0.75f * a + 0.25f * b;
  }
  if (there < columns) column[there] = column[there - 1];
  for (int32_t i = 0; i < (count >> 1); i++) {
    out[2 * i] = column[i];
    out[2 * i + 1] = 0.5f * (column[i] + column[i + 1]);
  }
  if (count & 1) out[count - 1] = column[count >> 1];
}

FOCAL_FUNCTION void decode_span(float *restrict values, int32_t count, int32_t transfer) {
  for (int32_t i = 0; i < count; i++) values[i] = focal_decode(values[i], transfer);
}

FOCAL_FUNCTION void unpack_yuv_row(const struct FocalPixelParameters *p, const uint8_t *luma,
                                   const uint8_t *chroma, float *restrict out, int32_t y,
                                   int tenBit, int32_t transfer) {
  FocalCodeScale s = focal_code_scale(p->fullRange, tenBit);
  struct FocalMatrixCoefficients m = focal_matrix(p->matrix);
  int32_t width = p->width;
  int32_t chromaHeight = (p->height + 1) >> 1;
  int32_t lastColumn = ((width + 1) >> 1) - 1;
  int32_t near = y >> 1;
  int32_t far = focal_clamp_int((y & 1) ? near + 1 : near - 1, 0, chromaHeight - 1);
  const uint8_t *nearRow = chroma + (int64_t)near * p->chromaBytesPerRow;
  const uint8_t *farRow = chroma + (int64_t)far * p->chromaBytesPerRow;
  const uint8_t *row = luma + (int64_t)y * p->bytesPerRow;
  float cb[SPAN], cr[SPAN], red[SPAN], green[SPAN], blue[SPAN];
  for (int32_t x0 = 0; x0 < width; x0 += SPAN) {
    int32_t count = focal_min_int(SPAN, width - x0);
    chroma_span(nearRow, farRow, 0, x0, count, lastColumn, tenBit, cb);
    chroma_span(nearRow, farRow, 1, x0, count, lastColumn, tenBit, cr);
    for (int32_t i = 0; i < count; i++) {
      float code =
          tenBit ? (float)((const uint16_t *)(const void *)row)[x0 + i] : (float)row[x0 + i];
      float e = (code + s.lumaOffset) * s.lumaScale;
      float u = (cb[i] + s.chromaOffset) * s.chromaScale;
      float v = (cr[i] + s.chromaOffset) * s.chromaScale;
      red[i] = e + m.redFromCr * v;
      green[i] = e + m.greenFromCb * u + m.greenFromCr * v;
      blue[i] = e + m.blueFromCb * u;
    }
    decode_span(red, count, transfer);
    decode_span(green, count, transfer);
    decode_span(blue, count, transfer);
    float *restrict pixels = out + 4 * (int64_t)x0;
    for (int32_t i = 0; i < count; i++) {
      pixels[4 * i + 0] = red[i];
      pixels[4 * i + 1] = green[i];
      pixels[4 * i + 2] = blue[i];
      pixels[4 * i + 3] = 1.0f;
    }
  }
}

// Codes of 8 bits have 256 lights: a table gives what the function would, for less than a curve a component.
FOCAL_FUNCTION void unpack_codes_row(const uint8_t *row, const float *table, int32_t width,
                                     float *restrict out) {
  for (int32_t x = 0; x < width; x++) {
    out[4 * x + 0] = table[row[4 * x + 0]];
    out[4 * x + 1] = table[row[4 * x + 1]];
    out[4 * x + 2] = table[row[4 * x + 2]];
    out[4 * x + 3] = (float)row[4 * x + 3] * (1.0f / 255.0f);
  }
}

FOCAL_FUNCTION void unpack_codes(const struct FocalPixelParameters *p, const uint8_t *bytes,
                                 float4 *linear, uint32_t begin, uint32_t end, int32_t transfer) {
  float table[256];
  for (int32_t k = 0; k < 256; k++) table[k] = (float)k * (1.0f / 255.0f);
  decode_span(table, 256, transfer);
  for (uint32_t y = begin; y < end; y++)
    unpack_codes_row(bytes + (int64_t)((int32_t)y + p->top) * p->bytesPerRow, table, p->width,
                     (float *)linear + (int64_t)y * p->width * 4);
}

// `format` and `transfer` are constants wherever this is called, so that each row loop is compiled
// for one format and one transfer function.
FOCAL_FUNCTION void unpack_row(const struct FocalPixelParameters *p, const uint8_t *bytes,
                               const uint8_t *chromaBytes, float4 *linear, int32_t line,
                               int32_t format, int32_t transfer) {
  const int32_t y = line + p->top;
  const uint8_t *row = bytes + (int64_t)y * p->bytesPerRow;
  float *restrict out = (float *)linear + (int64_t)line * p->width * 4;
  int32_t width = p->width;
  if (format == FOCAL_FORMAT_YUV420_8 || format == FOCAL_FORMAT_YUV420_10) {
    unpack_yuv_row(p, bytes, chromaBytes, out, y, format == FOCAL_FORMAT_YUV420_10, transfer);
  } else if (format == FOCAL_FORMAT_GRAY8 || format == FOCAL_FORMAT_GRAY16) {
    for (int32_t x = 0; x < width; x++) {
      float e = format == FOCAL_FORMAT_GRAY8
                    ? (float)row[x] * (1.0f / 255.0f)
                    : (float)((const uint16_t *)(const void *)row)[x] * (1.0f / 65535.0f);
      float light = focal_decode(e, transfer);
      out[4 * x + 0] = light;
      out[4 * x + 1] = light;
      out[4 * x + 2] = light;
      out[4 * x + 3] = 1.0f;
    }
  } else {
    for (int32_t i = 0; i < 4 * width; i++) {
      float e;
      if (format == FOCAL_FORMAT_RGBA_HALF) {
        e = focal_half_to_float(((const uint16_t *)(const void *)row)[i]);
      } else {
        e = ((const float *)(const void *)row)[i];
      }
      // Not a number, or light without bounds, would spread over a whole circle of confusion.
      e = focal_is_number(e) ? e : 0.0f;
      float light = (i & 3) == 3 ? e : focal_decode(e, transfer);
      out[i] = focal_clamp(light, -FOCAL_LARGEST_LIGHT, FOCAL_LARGEST_LIGHT);
    }
  }
}

FOCAL_FUNCTION void unpack_lines(const struct FocalPixelParameters *p, const uint8_t *bytes,
                                const uint8_t *chromaBytes, float4 *linear,
                                uint32_t begin, uint32_t end, int32_t transfer) {
  if (p->format == FOCAL_FORMAT_RGBA8) {
    unpack_codes(p, bytes, linear, begin, end, transfer);
    return;
  }
  for (uint32_t y = begin; y < end; y++) {
    switch (p->format) {
      case FOCAL_FORMAT_YUV420_8:
        unpack_row(p, bytes, chromaBytes, linear, (int32_t)y, FOCAL_FORMAT_YUV420_8, transfer);
        break;
      case FOCAL_FORMAT_YUV420_10:
        unpack_row(p, bytes, chromaBytes, linear, (int32_t)y, FOCAL_FORMAT_YUV420_10, transfer);
        break;
      case FOCAL_FORMAT_RGBA_HALF:
        unpack_row(p, bytes, chromaBytes, linear, (int32_t)y, FOCAL_FORMAT_RGBA_HALF, transfer);
        break;
      case FOCAL_FORMAT_GRAY8:
        unpack_row(p, bytes, chromaBytes, linear, (int32_t)y, FOCAL_FORMAT_GRAY8, transfer);
        break;
      case FOCAL_FORMAT_GRAY16:
        unpack_row(p, bytes, chromaBytes, linear, (int32_t)y, FOCAL_FORMAT_GRAY16, transfer);
        break;
      default:
        unpack_row(p, bytes, chromaBytes, linear, (int32_t)y, FOCAL_FORMAT_RGBA_FLOAT, transfer);
        break;
    }
  }
}

FOCAL_FUNCTION void unpack_rows(const struct FocalPixelParameters *p, const uint8_t *bytes,
                                const uint8_t *chromaBytes, float4 *linear, uint32_t begin,
                                uint32_t end) {
  switch (p->transfer) {
    case FOCAL_TRANSFER_SRGB:
      unpack_lines(p, bytes, chromaBytes, linear, begin, end, FOCAL_TRANSFER_SRGB);
      break;
    case FOCAL_TRANSFER_BT709:
      unpack_lines(p, bytes, chromaBytes, linear, begin, end, FOCAL_TRANSFER_BT709);
      break;
    case FOCAL_TRANSFER_HLG:
      unpack_lines(p, bytes, chromaBytes, linear, begin, end, FOCAL_TRANSFER_HLG);
      break;
    case FOCAL_TRANSFER_PQ:
      unpack_lines(p, bytes, chromaBytes, linear, begin, end, FOCAL_TRANSFER_PQ);
      break;
    default:
      unpack_lines(p, bytes, chromaBytes, linear, begin, end, FOCAL_TRANSFER_LINEAR);
      break;
  }
}
