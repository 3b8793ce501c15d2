// SPDX-License-Identifier: Apache-2.0
//
// A pixel of a stored picture as linear RGBA.
#pragma once

#include "picture_modes.h"

FOCAL_FUNCTION float lumaCode(FOCAL_TAKES int32_t x, int32_t y) {
  return FOCAL_FLOAT(pictureFormat == FOCAL_FORMAT_YUV420_10
                         ? FOCAL_UINT(words[y * (p.bytesPerRow >> 1) + x])
                         : FOCAL_UINT(bytes[focal_byteAt(y, p.bytesPerRow, x)]));
}

FOCAL_FUNCTION float chromaCode(FOCAL_TAKES int32_t i) {
  return FOCAL_FLOAT(pictureFormat == FOCAL_FORMAT_YUV420_10 ? FOCAL_UINT(chromaWords[i])
                                                             : FOCAL_UINT(chromaBytes[i]));
}

// A chroma column between the two chroma rows on either side of a luma row.
FOCAL_FUNCTION float chromaColumn(FOCAL_TAKES int32_t near, int32_t far, int32_t i) {
  return 0.75f * chromaCode(FOCAL_PASSES near + i) + 0.25f * chromaCode(FOCAL_PASSES far + i);
}

// One of Cb and Cr at a pixel: level with even luma columns, half-way between two luma rows.
FOCAL_FUNCTION float chromaAt(FOCAL_TAKES int32_t near, int32_t far, int32_t x, int32_t component) {
  const int32_t last = ((p.width + 1) >> 1) - 1, column = x >> 1;
  const float left = chromaColumn(FOCAL_PASSES near, far, 2 * column + component);
  if ((x & 1) == 0) return left;
  const int32_t next = focal_min_int(column + 1, last);
  return 0.5f * (left + chromaColumn(FOCAL_PASSES near, far, 2 * next + component));
}

FOCAL_FUNCTION float4 yuvPixel(FOCAL_TAKES int32_t x, int32_t y) {
  const bool tenBit = pictureFormat == FOCAL_FORMAT_YUV420_10;
  const int32_t unitBytes = tenBit ? 2 : 1;
  const FocalCodeScale s = focal_code_scale(pictureFullRange, tenBit);
  const FocalMatrixCoefficients m = focal_matrix(pictureMatrix);
  const int32_t chromaPitch = p.chromaBytesPerRow / unitBytes;
  const int32_t chromaHeight = (p.height + 1) >> 1, near = y >> 1;
  const int32_t far = focal_clamp_int((y & 1) != 0 ? near + 1 : near - 1, 0, chromaHeight - 1);
  const float code = lumaCode(FOCAL_PASSES x, y);
  const float cb = chromaAt(FOCAL_PASSES near * chromaPitch, far * chromaPitch, x, 0);
  const float cr = chromaAt(FOCAL_PASSES near * chromaPitch, far * chromaPitch, x, 1);
  const float e = (code + s.lumaOffset) * s.lumaScale;
  const float u = (cb + s.chromaOffset) * s.chromaScale;
  const float v = (cr + s.chromaOffset) * s.chromaScale;
  return FOCAL_FLOAT4(focal_decode(e + m.redFromCr * v, pictureTransfer),
                      focal_decode(e + m.greenFromCb * u + m.greenFromCr * v, pictureTransfer),
                      focal_decode(e + m.blueFromCb * u, pictureTransfer), 1.0f);
}

FOCAL_FUNCTION float4 grayPixel(FOCAL_TAKES int32_t x, int32_t y) {
  const float e =
      pictureFormat == FOCAL_FORMAT_GRAY8
          ? FOCAL_FLOAT(FOCAL_UINT(bytes[focal_byteAt(y, p.bytesPerRow, x)])) * (1.0f / 255.0f)
          : FOCAL_FLOAT(FOCAL_UINT(words[y * (p.bytesPerRow >> 1) + x])) * (1.0f / 65535.0f);
  const float light = focal_decode(e, pictureTransfer);
  return FOCAL_FLOAT4(light, light, light, 1.0f);
}

FOCAL_FUNCTION float component(FOCAL_TAKES int32_t i, int32_t y) {
  if (pictureFormat == FOCAL_FORMAT_RGBA8) {
    return FOCAL_FLOAT(FOCAL_UINT(bytes[focal_byteAt(y, p.bytesPerRow, i)])) * (1.0f / 255.0f);
  }
  if (pictureFormat == FOCAL_FORMAT_RGBA_HALF) {
    return focal_half_to_float(FOCAL_UINT(words[y * (p.bytesPerRow >> 1) + i]));
  }
  return floats[y * (p.bytesPerRow >> 2) + i];
}

// Not a number, or light without bounds, would spread over a whole circle of confusion.
FOCAL_FUNCTION float lightOf(float e, int32_t transfer) {
  const float number = focal_is_number(e) ? e : 0.0f;
  return focal_clamp(focal_decode(number, transfer), -FOCAL_LARGEST_LIGHT, FOCAL_LARGEST_LIGHT);
}

FOCAL_FUNCTION float4 rgbaPixel(FOCAL_TAKES int32_t x, int32_t y) {
  return FOCAL_FLOAT4(lightOf(component(FOCAL_PASSES 4 * x, y), pictureTransfer),
                      lightOf(component(FOCAL_PASSES 4 * x + 1, y), pictureTransfer),
                      lightOf(component(FOCAL_PASSES 4 * x + 2, y), pictureTransfer),
                      lightOf(component(FOCAL_PASSES 4 * x + 3, y), FOCAL_TRANSFER_LINEAR));
}

// The pixel at (x, y) of the planes.
FOCAL_FUNCTION float4 storedPixel(FOCAL_TAKES int32_t x, int32_t y) {
  if (pictureFormat == FOCAL_FORMAT_YUV420_8 || pictureFormat == FOCAL_FORMAT_YUV420_10) {
    return yuvPixel(FOCAL_PASSES x, y);
  }
  if (pictureFormat == FOCAL_FORMAT_GRAY8 || pictureFormat == FOCAL_FORMAT_GRAY16) {
    return grayPixel(FOCAL_PASSES x, y);
  }
  return rgbaPixel(FOCAL_PASSES x, y);
}
