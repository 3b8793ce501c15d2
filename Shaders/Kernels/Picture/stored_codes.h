// SPDX-License-Identifier: Apache-2.0
//
// A pixel of a picture of one plane. Reads `lightAt`, as encoded_pixel.h does, and writes `bytes`, `words` or `longs`.
#pragma once

#include "encoded_pixel.h"

FOCAL_FUNCTION void storeCodes(FOCAL_TAKES float4 e, int32_t x, int32_t y) {
  const int32_t column = x - FOCAL_STORED.planeLeft, row = y - FOCAL_STORED.planeTop;
  const uint32_t red = quantise(e.x * 255.0f, pictureDither, x, y, 0u, 255.0f);
  const uint32_t green = quantise(e.y * 255.0f, pictureDither, x, y, 1u, 255.0f);
  const uint32_t blue = quantise(e.z * 255.0f, pictureDither, x, y, 2u, 255.0f);
  const uint32_t alpha = quantise(e.w * 255.0f, pictureDither, x, y, 3u, 255.0f);
  if ((FOCAL_STORED.bytesPerRow & 3) == 0) {
    longs[row * (FOCAL_STORED.bytesPerRow >> 2) + column] = red | green << 8 | blue << 16 | alpha << 24;
    return;
  }
  const uint32_t o = focal_byteAt(row, FOCAL_STORED.bytesPerRow, 4 * column);
  bytes[o] = FOCAL_BYTE(red);
  bytes[o + 1u] = FOCAL_BYTE(green);
  bytes[o + 2u] = FOCAL_BYTE(blue);
  bytes[o + 3u] = FOCAL_BYTE(alpha);
}

FOCAL_FUNCTION void storeHalves(FOCAL_TAKES float4 e, int32_t x, int32_t y) {
  const int32_t column = x - FOCAL_STORED.planeLeft, row = y - FOCAL_STORED.planeTop;
  const uint32_t red = focal_float_to_half(e.x), green = focal_float_to_half(e.y);
  const uint32_t blue = focal_float_to_half(e.z), alpha = focal_float_to_half(e.w);
  if ((FOCAL_STORED.bytesPerRow & 3) == 0) {
    const int32_t o = row * (FOCAL_STORED.bytesPerRow >> 2) + 2 * column;
    longs[o] = red | green << 16;
    longs[o + 1] = blue | alpha << 16;
    return;
  }
  const int32_t o = row * (FOCAL_STORED.bytesPerRow >> 1) + 4 * column;
  words[o] = FOCAL_WORD(red);
  words[o + 1] = FOCAL_WORD(green);
  words[o + 2] = FOCAL_WORD(blue);
  words[o + 3] = FOCAL_WORD(alpha);
}

FOCAL_FUNCTION void storeFloats(FOCAL_TAKES float4 e, int32_t x, int32_t y) {
  const int32_t column = x - FOCAL_STORED.planeLeft, row = y - FOCAL_STORED.planeTop;
  const int32_t o = row * (FOCAL_STORED.bytesPerRow >> 2) + 4 * column;
  longs[o] = focal_float_to_bits(e.x);
  longs[o + 1] = focal_float_to_bits(e.y);
  longs[o + 2] = focal_float_to_bits(e.z);
  longs[o + 3] = focal_float_to_bits(e.w);
}

FOCAL_FUNCTION void storeGray(FOCAL_TAKES float4 e, int32_t x, int32_t y) {
  const int32_t column = x - FOCAL_STORED.planeLeft, row = y - FOCAL_STORED.planeTop;
  const FocalMatrixCoefficients m = focal_matrix(pictureMatrix);
  const float luma = m.lumaFromRed * e.x + m.lumaFromGreen * e.y + m.lumaFromBlue * e.z;
  if (pictureFormat == FOCAL_FORMAT_GRAY8) {
    bytes[focal_byteAt(row, FOCAL_STORED.bytesPerRow, column)] =
        FOCAL_BYTE(quantise(luma * 255.0f, pictureDither, x, y, 0u, 255.0f));
  } else {
    words[row * (FOCAL_STORED.bytesPerRow >> 1) + column] =
        FOCAL_WORD(quantise(luma * 65535.0f, pictureDither, x, y, 0u, 65535.0f));
  }
}

// Writes the pixel that a column and a row of the grid stand for.
FOCAL_FUNCTION void packPixel(FOCAL_TAKES int32_t column, int32_t row) {
  if (column >= packedColumns(FOCAL_STORED) || row >= packedRows(FOCAL_STORED)) return;
  const int32_t x = column + FOCAL_STORED.left, y = row + FOCAL_STORED.top;
  const float4 e = encodedPixel(FOCAL_PASSES x, y);
  if (pictureFormat == FOCAL_FORMAT_RGBA8) {
    storeCodes(FOCAL_PASSES e, x, y);
  } else if (pictureFormat == FOCAL_FORMAT_RGBA_HALF) {
    storeHalves(FOCAL_PASSES e, x, y);
  } else if (pictureFormat == FOCAL_FORMAT_RGBA_FLOAT) {
    storeFloats(FOCAL_PASSES e, x, y);
  } else {
    storeGray(FOCAL_PASSES e, x, y);
  }
}
