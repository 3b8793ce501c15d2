// SPDX-License-Identifier: Apache-2.0
//
// A chroma sample of a picture of two planes, and its pixels of luma; the filter is explained at the processor's
// version. Reads `lightAt`, as encoded_pixel.h does.
//
// A workgroup encodes the pixels under its chroma samples, and a margin, once, into the memory it
// shares; both filters read them there.
#pragma once

#include "encoded_pixel.h"

FOCAL_FUNCTION void storeLuma(FOCAL_TAKES float value, int32_t x, int32_t y) {
  const bool tenBit = pictureFormat == FOCAL_FORMAT_YUV420_10;
  const FocalCodeRange s = focal_code_range(pictureFullRange, tenBit);
  const int32_t column = x - FOCAL_STORED.planeLeft, row = y - FOCAL_STORED.planeTop;
  const uint32_t code =
      quantise(value * s.lumaScale + s.lumaOffset, pictureDither, x, y, 0u, s.most);
  if (tenBit) {
    lumaWords[row * (FOCAL_STORED.bytesPerRow >> 1) + column] = FOCAL_WORD(code << 6);
  } else {
    lumaBytes[focal_byteAt(row, FOCAL_STORED.bytesPerRow, column)] = FOCAL_BYTE(code);
  }
}

FOCAL_FUNCTION void storeChroma(FOCAL_TAKES float cb, float cr, int32_t x, int32_t y) {
  const bool tenBit = pictureFormat == FOCAL_FORMAT_YUV420_10;
  const FocalCodeRange s = focal_code_range(pictureFullRange, tenBit);
  const int32_t column = x - (FOCAL_STORED.planeLeft >> 1), row = y - (FOCAL_STORED.planeTop >> 1);
  const uint32_t b = quantise(cb * s.chromaScale + s.chromaOffset, pictureDither, x, y, 1u, s.most);
  const uint32_t r = quantise(cr * s.chromaScale + s.chromaOffset, pictureDither, x, y, 2u, s.most);
  if (tenBit) {
    const int32_t o = row * (FOCAL_STORED.chromaBytesPerRow >> 1) + 2 * column;
    chromaWords[o] = FOCAL_WORD(b << 6);
    chromaWords[o + 1] = FOCAL_WORD(r << 6);
  } else {
    const int32_t o = row * FOCAL_STORED.chromaBytesPerRow + 2 * column;
    chromaBytes[o] = FOCAL_BYTE(b);
    chromaBytes[o + 1] = FOCAL_BYTE(r);
  }
}

// Y', B' - Y' and R' - Y' at (x, y), the latter two scaled to Cb and Cr.
FOCAL_FUNCTION float4 lumaChroma(FOCAL_TAKES int32_t x, int32_t y) {
  const FocalMatrixCoefficients m = focal_matrix(pictureMatrix);
  const float4 e = encodedPixel(FOCAL_PASSES x, y);
  const float luma = m.lumaFromRed * e.x + m.lumaFromGreen * e.y + m.lumaFromBlue * e.z;
  return FOCAL_FLOAT4(luma, (e.z - luma) * m.cbFromBlue, (e.x - luma) * m.crFromRed, 0.0f);
}

// Four rows to one. An odd height ends on a row whose chroma lies below it: there it is extended
// from the last two rows in a straight line.
FOCAL_FUNCTION float down(float r0, float r1, float r2, float r3, bool past) {
  const float w0 = past ? -0.5f : -0.25f, w1 = past ? 1.5f : 0.75f;
  const float w2 = past ? 0.0f : 0.75f, w3 = past ? 0.0f : -0.25f;
  return (w0 * r0 + w3 * r3) + (w1 * r1 + w2 * r2);
}

FOCAL_FUNCTION float downCb(FOCAL_TAKES int32_t o, bool past) {
  return down(sharedCb[o], sharedCb[o + FOCAL_CHROMA_PITCH], sharedCb[o + 2 * FOCAL_CHROMA_PITCH],
              sharedCb[o + 3 * FOCAL_CHROMA_PITCH], past);
}

FOCAL_FUNCTION float downCr(FOCAL_TAKES int32_t o, bool past) {
  return down(sharedCr[o], sharedCr[o + FOCAL_CHROMA_PITCH], sharedCr[o + 2 * FOCAL_CHROMA_PITCH],
              sharedCr[o + 3 * FOCAL_CHROMA_PITCH], past);
}

// Writes the chroma sample that a column and a row of the grid stand for, and the luma above it.
FOCAL_FUNCTION void packSample(FOCAL_TAKES int32_t chromaColumn, int32_t chromaRow) {
  const int32_t x = chromaColumn + (FOCAL_STORED.left >> 1), y = chromaRow + (FOCAL_STORED.top >> 1);
  const int32_t right = FOCAL_STORED.left + packedColumns(FOCAL_STORED), bottom = FOCAL_STORED.top + packedRows(FOCAL_STORED);
  // The first pixel of the shared memory: two columns to the left and a row above the first luma
  // pixel of the workgroup.
  const int32_t left = 2 * (x - FOCAL_LOCAL_X()) - 2, top = 2 * (y - FOCAL_LOCAL_Y()) - 1;
  const int32_t own = FOCAL_LOCAL_Y() * FOCAL_CHROMA_WIDTH + FOCAL_LOCAL_X();
  for (int32_t i = own; i < FOCAL_CHROMA_PITCH * FOCAL_CHROMA_ROWS;
       i += FOCAL_CHROMA_WIDTH * FOCAL_CHROMA_HEIGHT) {
    const int32_t column = i % FOCAL_CHROMA_PITCH, row = i / FOCAL_CHROMA_PITCH;
    const int32_t px = left + column, py = top + row;
    const float4 value = lumaChroma(FOCAL_PASSES px, py);
    sharedCb[i] = value.y;
    sharedCr[i] = value.z;
    const bool inside = column >= 2 && column < 2 + 2 * FOCAL_CHROMA_WIDTH && row >= 1 &&
                        row < 1 + 2 * FOCAL_CHROMA_HEIGHT && px < right && py < bottom;
    if (inside) storeLuma(FOCAL_PASSES value.x, px, py);
  }
  FOCAL_BARRIER();
  if (2 * x >= right || 2 * y >= bottom) return;
  const bool past = 2 * y + 1 == FOCAL_STORED.height;
  const int32_t o = 2 * FOCAL_LOCAL_Y() * FOCAL_CHROMA_PITCH + 2 * FOCAL_LOCAL_X();
  const float cb = 0.75f * downCb(FOCAL_PASSES o + 2, past) +
                   0.25f * (downCb(FOCAL_PASSES o + 1, past) + downCb(FOCAL_PASSES o + 3, past)) -
                   0.125f * (downCb(FOCAL_PASSES o, past) + downCb(FOCAL_PASSES o + 4, past));
  const float cr = 0.75f * downCr(FOCAL_PASSES o + 2, past) +
                   0.25f * (downCr(FOCAL_PASSES o + 1, past) + downCr(FOCAL_PASSES o + 3, past)) -
                   0.125f * (downCr(FOCAL_PASSES o, past) + downCr(FOCAL_PASSES o + 4, past));
  storeChroma(FOCAL_PASSES cb, cr, x, y);
}
