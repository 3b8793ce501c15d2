// SPDX-License-Identifier: Apache-2.0
//
// Pixel formats, transfer functions and matrices: between stored codes and linear light.
#pragma once

#include "focal_math.h"

// PixelFormat, as the kernels number it.
#define FOCAL_FORMAT_YUV420_8 0   // planes: luma, Cb Cr; `range` 0 video, 1 full
#define FOCAL_FORMAT_YUV420_10 1  // the same, code in the high bits of 16
#define FOCAL_FORMAT_RGBA8 2
#define FOCAL_FORMAT_RGBA_HALF 3
#define FOCAL_FORMAT_RGBA_FLOAT 4
#define FOCAL_FORMAT_GRAY8 5
#define FOCAL_FORMAT_GRAY16 6
#define FOCAL_FORMAT_DISPARITY_HALF 7
#define FOCAL_FORMAT_DISPARITY_FLOAT 8

// ColorTags.Transfer.
#define FOCAL_TRANSFER_LINEAR 0
#define FOCAL_TRANSFER_SRGB 1
#define FOCAL_TRANSFER_BT709 2
#define FOCAL_TRANSFER_HLG 3
#define FOCAL_TRANSFER_PQ 4

// ColorTags.Matrix.
#define FOCAL_MATRIX_BT601 0
#define FOCAL_MATRIX_BT709 1
#define FOCAL_MATRIX_BT2020 2

// The mark of a map's holes, and the largest magnitude that is taken for a disparity.
#define FOCAL_INVALID_DISPARITY -1.0e30f
#define FOCAL_LARGEST_DISPARITY 1.0e6f

// The largest magnitude of light that is taken from a float: the largest finite half.
#define FOCAL_LARGEST_LIGHT 65504.0f

// A stored picture, for the kernels that unpack it and pack it.
FOCAL_STRUCT(FocalPixelParameters) {
  int32_t width;  // pixels of the picture
  int32_t height;
  int32_t format;             // FOCAL_FORMAT_...
  int32_t transfer;           // FOCAL_TRANSFER_...
  int32_t matrix;             // FOCAL_MATRIX_...
  int32_t fullRange;          // 0 video range, 1 full range (YUV only)
  int32_t bytesPerRow;        // of the first plane
  int32_t chromaBytesPerRow;  // of the second plane, 0 without one
  int32_t dither;             // pack only: 1 adds the dither pattern before rounding
  int32_t turn;               // pack only: clockwise quarter turns from source to destination
  // The part of the picture that is read or written; unpacking knows rows alone.
  int32_t left, top;            // first column and row; even with chroma
  int32_t columns, rows;        // how many, 0 for all
  int32_t planeLeft, planeTop;  // pack only: column and row that the planes' memory begins with
  int32_t originY;  // row, as the source is oriented, that the linear picture begins with
};

/// The place of a byte of a plane, up to 4 GiB: a texture's bytes may be more than signed numbers count.
FOCAL_FUNCTION uint32_t focal_byteAt(int32_t row, int32_t bytesPerRow, int32_t column) {
  return FOCAL_UINT(row) * FOCAL_UINT(bytesPerRow) + FOCAL_UINT(column);
}

// BT.2100 hybrid log-gamma: E' in 0...1 to scene light, 1 at a signal of 0.75 (reference white).
#define FOCAL_HLG_EXPONENT 8.06728566f  // 1 / (a ln 2), a = 0.17883277
#define FOCAL_HLG_SLOPE 0.12395743f     // a ln 2
#define FOCAL_HLG_B 0.28466892f
#define FOCAL_HLG_C 0.55991073f
#define FOCAL_HLG_WHITE 0.26496256f  // scene light at a signal of 0.75
#define FOCAL_HLG_WHITE_INVERSE 3.7741181f

// BT.2100 perceptual quantiser, arranged around 1 - c1 = c2 - c3: written as in the standard, the
// 79th power would turn one last bit of a float into a whole step of a 16-bit code.
#define FOCAL_PQ_GAP 0.1640625f
// log2(1.095) / m2: codes above 1 are read up to the head room of the video range, and no further,
// because the curve rises to infinity soon after.
#define FOCAL_PQ_LARGEST_LOG2 0.0016607f

// Light from a stored value. The sign is kept: values below black survive a round trip.
FOCAL_FUNCTION float focal_decode_magnitude(float e, int32_t transfer) {
  if (transfer == FOCAL_TRANSFER_SRGB) {
    return e <= 0.04045f ? e * 0.077399381f : focal_pow(e * 0.94786730f + 0.052132701f, 2.4f);
  }
  if (transfer == FOCAL_TRANSFER_BT709) {
    return e < 0.081242858f ? e * 0.22222222f
                            : focal_pow(e * 0.90967242f + 0.090327583f, 2.2222222f);
  }
  if (transfer == FOCAL_TRANSFER_HLG) {
    float light = e <= 0.5f ? e * e * 0.33333333f
                            : (focal_exp2((e - FOCAL_HLG_C) * FOCAL_HLG_EXPONENT) + FOCAL_HLG_B) *
                                  0.083333333f;
    return light * FOCAL_HLG_WHITE_INVERSE;
  }
  if (transfer == FOCAL_TRANSFER_PQ) {
    // With u = 1 - e^(1/m2): (1 - u - c1) / (c2 - c3 (1 - u)), where 1 - c1 = c2 - c3.
    float power = focal_clamp(focal_log2(e) * 0.012683314f, -0.26f, FOCAL_PQ_LARGEST_LOG2);
    float u = -focal_exp2_minus_one(power);
    float ratio = focal_max(FOCAL_PQ_GAP - u, 0.0f) * focal_reciprocal(FOCAL_PQ_GAP + 18.6875f * u);
    return focal_pow(ratio, 6.2773946f) * 49.261084f;
  }
  return e;
}

// A stored value from light: the inverse of the above.
FOCAL_FUNCTION float focal_encode_magnitude(float light, int32_t transfer) {
  if (transfer == FOCAL_TRANSFER_SRGB) {
    return light <= 0.0031308f ? light * 12.92f
                               : 1.055f * (focal_pow(light, 0.41666667f) - 1.0f) + 1.0f;
  }
  if (transfer == FOCAL_TRANSFER_BT709) {
    return light < 0.018053969f ? light * 4.5f
                                : 1.0992968f * (focal_pow(light, 0.45f) - 1.0f) + 1.0f;
  }
  if (transfer == FOCAL_TRANSFER_HLG) {
    float scene = light * FOCAL_HLG_WHITE;
    return scene <= 0.083333333f
               ? focal_sqrt(3.0f * scene)
               : FOCAL_HLG_SLOPE * focal_log2(focal_max(12.0f * scene - FOCAL_HLG_B, 1e-6f)) +
                     FOCAL_HLG_C;
  }
  if (transfer == FOCAL_TRANSFER_PQ) {
    float p = focal_pow(light * 0.0203f, 0.1593017578125f);
    float q = FOCAL_PQ_GAP * (1.0f - p) * focal_reciprocal(1.0f + 18.6875f * p);
    return focal_exp2(78.84375f * focal_log2_one_minus(q));
  }
  return light;
}

FOCAL_FUNCTION float focal_decode(float e, int32_t transfer) {
  float light = focal_decode_magnitude(focal_abs(e), transfer);
  return e < 0.0f ? -light : light;
}

FOCAL_FUNCTION float focal_encode(float light, int32_t transfer) {
  float e = focal_encode_magnitude(focal_abs(light), transfer);
  return light < 0.0f ? -e : e;
}

// Between R'G'B' and Y'CbCr, Y' in 0...1 and chroma in -0.5...0.5.
FOCAL_STRUCT(FocalMatrixCoefficients) {
  float lumaFromRed, lumaFromGreen, lumaFromBlue;
  float cbFromBlue, crFromRed;  // Cb = (B' - Y') * cbFromBlue
  float redFromCr, greenFromCb, greenFromCr, blueFromCb;
};

// From the luma weights kr and kb: kg = 1 - kr - kb, R' = Y' + 2 (1 - kr) Cr and so on.
FOCAL_FUNCTION FocalMatrixCoefficients focal_matrix(int32_t matrix) {
  FocalMatrixCoefficients bt601 = {0.299f, 0.587f,       0.114f,       0.56433409f, 0.71326676f,
                                   1.402f, -0.34413629f, -0.71413629f, 1.772f};
  FocalMatrixCoefficients bt709 = {0.2126f, 0.7152f,      0.0722f,      0.53890924f, 0.63500127f,
                                   1.5748f, -0.18732427f, -0.46812427f, 1.8556f};
  FocalMatrixCoefficients bt2020 = {0.2627f, 0.678f,       0.0593f,      0.53151909f, 0.67815000f,
                                    1.4746f, -0.16455313f, -0.57135313f, 1.8814f};
  if (matrix == FOCAL_MATRIX_BT601) return bt601;
  if (matrix == FOCAL_MATRIX_BT709) return bt709;
  return bt2020;
}

// A dither offset in (-0.49, 0.49) code steps: the plastic-number sequence over x and y, whose
// values spread evenly over every small neighbourhood. A value that is a code already stays it.
FOCAL_FUNCTION float focal_dither(uint32_t x, uint32_t y, uint32_t channel) {
  uint32_t phase = x * 3242174889u + y * 2447445414u + channel * 1640531527u;
  return (FOCAL_FLOAT(FOCAL_INT(phase >> 8)) * 5.9604645e-8f - 0.5f) * 0.98f;
}

// Luma and chroma codes to 0...1 and -0.5...0.5: (code + offset) * scale. 10-bit codes stand in the
// high bits of 16.
FOCAL_STRUCT(FocalCodeScale) { float lumaScale, lumaOffset, chromaScale, chromaOffset; };

FOCAL_FUNCTION FocalCodeScale focal_code_scale(int32_t fullRange, bool tenBit) {
  const float unit = tenBit ? 256.0f : 1.0f;  // one 8-bit code step, in stored units
  FocalCodeScale s;
  if (fullRange != 0) {
    const float most = tenBit ? 65472.0f : 255.0f;
    s.lumaScale = focal_reciprocal(most);
    s.lumaOffset = 0.0f;
    s.chromaScale = focal_reciprocal(most);
  } else {
    s.lumaScale = focal_reciprocal(219.0f * unit);
    s.lumaOffset = -16.0f * unit;
    s.chromaScale = focal_reciprocal(224.0f * unit);
  }
  s.chromaOffset = -128.0f * unit;
  return s;
}

// Values to codes: value * scale + offset, at most `most`.
FOCAL_STRUCT(FocalCodeRange) { float lumaScale, lumaOffset, chromaScale, chromaOffset, most; };

FOCAL_FUNCTION FocalCodeRange focal_code_range(int32_t fullRange, bool tenBit) {
  const float unit = tenBit ? 4.0f : 1.0f;
  FocalCodeRange s;
  s.most = unit * 256.0f - 1.0f;
  s.lumaScale = fullRange != 0 ? s.most : 219.0f * unit;
  s.lumaOffset = fullRange != 0 ? 0.0f : 16.0f * unit;
  s.chromaScale = fullRange != 0 ? s.most : 224.0f * unit;
  s.chromaOffset = 128.0f * unit;
  return s;
}

// Whether a stored value is a disparity, and not a hole; false for NaN.
FOCAL_FUNCTION bool focal_is_disparity(float d) {
  return (focal_float_to_bits(d) & 0x7FFFFFFFu) <= focal_float_to_bits(FOCAL_LARGEST_DISPARITY);
}

// packBiPlanar's workgroup in chroma samples (Kernel.workgroup), and the pixels that it shares.
#define FOCAL_CHROMA_WIDTH 32
#define FOCAL_CHROMA_HEIGHT 4
#define FOCAL_CHROMA_PITCH (2 * FOCAL_CHROMA_WIDTH + 4)
#define FOCAL_CHROMA_ROWS (2 * FOCAL_CHROMA_HEIGHT + 2)

/// A stored picture to linear RGBA, rows without padding. Pixels.
#define FOCAL_KERNEL_unpack(_)                \
  _(parameters, FocalPixelParameters)         \
  _(reads, uint8_t, bytes)                    \
  _(view, uint16_t, words, bytes)             \
  _(view, float, floats, bytes)               \
  _(reads, uint8_t, chromaBytes)              \
  _(view, uint16_t, chromaWords, chromaBytes) \
  _(writes, float4, linear)
FOCAL_KERNEL(unpack)

/// A stored map to floats, rows without padding, holes marked. Cells.
#define FOCAL_KERNEL_unpackDisparity(_) \
  _(parameters, FocalPixelParameters)   \
  _(reads, uint16_t, words)             \
  _(view, float, floats, words)         \
  _(writes, float, map)
FOCAL_KERNEL(unpackDisparity)

/// Linear RGBA to a picture of one plane: a quarter turn, the transfer function, a dither. Pixels of
/// the destination.
#define FOCAL_KERNEL_pack(_)          \
  _(parameters, FocalPixelParameters) \
  _(reads, float4, linear)            \
  _(writes, uint8_t, bytes)           \
  _(view, uint16_t, words, bytes)     \
  _(view, uint32_t, longs, bytes)
FOCAL_KERNEL(pack)

/// Linear RGBA to luma and chroma planes. Chroma samples.
#define FOCAL_KERNEL_packBiPlanar(_)                                 \
  _(parameters, FocalPixelParameters)                                \
  _(workgroup, FOCAL_CHROMA_WIDTH, FOCAL_CHROMA_HEIGHT)              \
  _(reads, float4, linear)                                           \
  _(writes, uint8_t, lumaBytes)                                      \
  _(view, uint16_t, lumaWords, lumaBytes)                            \
  _(writes, uint8_t, chromaBytes)                                    \
  _(view, uint16_t, chromaWords, chromaBytes)                        \
  _(shares, float, sharedCb, FOCAL_CHROMA_PITCH * FOCAL_CHROMA_ROWS) \
  _(shares, float, sharedCr, FOCAL_CHROMA_PITCH * FOCAL_CHROMA_ROWS)
FOCAL_KERNEL(packBiPlanar)
