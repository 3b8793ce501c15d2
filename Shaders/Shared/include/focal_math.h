// SPDX-License-Identifier: Apache-2.0
//
// Scalar maths of the kernels. Only multiplications, additions and integer operations on the bits:
// these are correctly rounded in every kernel language, so results are the same bits everywhere.
// Divisions, square roots and library functions are not, and have no place in a kernel.
#pragma once

#include "focal_dialect.h"

#if defined(FOCAL_GLSL)
#define focal_bits_to_float(bits) uintBitsToFloat(bits)
#define focal_float_to_bits(value) floatBitsToUint(value)
#elif defined(FOCAL_OPENCL)
#define focal_bits_to_float(bits) as_float(bits)
#define focal_float_to_bits(value) as_uint(value)
#else
FOCAL_FUNCTION float focal_bits_to_float(uint32_t bits) {
  union {
    uint32_t bits;
    float value;
  } cast = {.bits = bits};
  return cast.value;
}

FOCAL_FUNCTION uint32_t focal_float_to_bits(float value) {
  union {
    float value;
    uint32_t bits;
  } cast = {.value = value};
  return cast.bits;
}
#endif

// The highest bit that is set, of bits that are not all 0.
#if defined(FOCAL_GLSL)
#define focal_highestBit(bits) findMSB(bits)
#elif defined(FOCAL_OPENCL)
#define focal_highestBit(bits) (31 - FOCAL_INT(clz(bits)))
#else
FOCAL_FUNCTION int32_t focal_highestBit(uint32_t bits) { return 31 - __builtin_clz(bits); }
#endif

// How many bits are set.
FOCAL_FUNCTION int32_t focal_bitCount(uint32_t bits) {
  bits = bits - ((bits >> 1) & 0x55555555u);
  bits = (bits & 0x33333333u) + ((bits >> 2) & 0x33333333u);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0Fu;
  return FOCAL_INT((bits * 0x01010101u) >> 24);
}

// Not NaN. By the bits: a compiler of shaders may hold `x == x` for true.
FOCAL_FUNCTION bool focal_is_number(float x) {
  return (focal_float_to_bits(x) & 0x7FFFFFFFu) <= 0x7F800000u;
}

FOCAL_FUNCTION float focal_min(float a, float b) { return a < b ? a : b; }
FOCAL_FUNCTION float focal_max(float a, float b) { return a > b ? a : b; }
FOCAL_FUNCTION float focal_clamp(float x, float low, float high) {
  return focal_min(focal_max(x, low), high);
}
// x, at least 0 and at most 1.
FOCAL_FUNCTION float focal_unit(float x) { return focal_clamp(x, 0.0f, 1.0f); }
FOCAL_FUNCTION float focal_abs(float x) {
  return focal_bits_to_float(focal_float_to_bits(x) & 0x7FFFFFFFu);
}
FOCAL_FUNCTION int32_t focal_min_int(int32_t a, int32_t b) { return a < b ? a : b; }
FOCAL_FUNCTION int32_t focal_max_int(int32_t a, int32_t b) { return a > b ? a : b; }
FOCAL_FUNCTION int32_t focal_clamp_int(int32_t x, int32_t low, int32_t high) {
  return focal_min_int(focal_max_int(x, low), high);
}

// The rows of a window, where 0 says that it is the whole picture.
FOCAL_FUNCTION int32_t focal_rows(int32_t rows, int32_t all) { return rows > 0 ? rows : all; }

// Largest integer not above x, for |x| < 2^31.
FOCAL_FUNCTION int32_t focal_floor_int(float x) {
  int32_t truncated = FOCAL_INT(x);
  return x < FOCAL_FLOAT(truncated) ? truncated - 1 : truncated;
}

// The same as a float.
FOCAL_FUNCTION float focal_floor(float x) {
  float truncated = FOCAL_FLOAT(FOCAL_INT(x));
  return truncated > x ? truncated - 1.0f : truncated;
}

// Cubic step from 0 at `low` to 1 at `high`; inverseWidth = 1 / (high - low).
FOCAL_FUNCTION float focal_smooth_step(float low, float inverseWidth, float x) {
  float t = focal_unit((x - low) * inverseWidth);
  return t * t * (3.0f - 2.0f * t);
}

// 1 / x for positive normal x below 2^126, within 1 ULP or so: a linear first guess on the bits
// (12 % off), then Newton steps e -> e^2 (four reach 24 bits).
FOCAL_FUNCTION float focal_reciprocal(float x) {
  float y = focal_bits_to_float(0x7EF311C7u - focal_float_to_bits(x));
  y = y * (2.0f - x * y);
  y = y * (2.0f - x * y);
  y = y * (2.0f - x * y);
  y = y * (2.0f - x * y);
  return y;
}

// q * d - p, where p is q * d rounded: both are cut into halves of 12 bits, whose products are exact.
FOCAL_FUNCTION float focal_product_error(float q, float d, float p) {
  const float qHigh = focal_bits_to_float(focal_float_to_bits(q) & 0xFFFFF000u), qLow = q - qHigh;
  const float dHigh = focal_bits_to_float(focal_float_to_bits(d) & 0xFFFFF000u), dLow = d - dHigh;
  return ((qHigh * dHigh - p) + qHigh * dLow + qLow * dHigh) + qLow * dLow;
}

// n - q * d without a rounding, for q within a step of n / d.
FOCAL_FUNCTION float focal_remainder(float n, float q, float d) {
  const float product = q * d;
  return (n - product) - focal_product_error(q, d, product);
}

// a / b correctly rounded, for a >= 0 and normal b > 0; 0 where the result is below the normal
// floats or a is. Graphics devices round divisions as they like: this gives the bits of IEEE's by
// multiplications and additions. With the numbers scaled to a quotient in [1, 2), an estimate is
// corrected once by the exact remainder, after which it is less than a step off; then the remainder
// says whether its neighbour is nearer. It is never half-way: the quotient of two floats is not.
FOCAL_FUNCTION float focal_quotient_by_steps(float a, float b) {
  const uint32_t aBits = focal_float_to_bits(a), bBits = focal_float_to_bits(b);
  const float step = 1.1920929e-7f;
  float n = focal_bits_to_float((aBits & 0x7FFFFFu) | 0x3F800000u);
  const float d = focal_bits_to_float((bBits & 0x7FFFFFu) | 0x3F800000u);
  int32_t exponent = FOCAL_INT(aBits >> 23) - FOCAL_INT(bBits >> 23) + 127;
  exponent = n < d ? exponent - 1 : exponent;
  n = n < d ? 2.0f * n : n;
  const float r = focal_reciprocal(d);
  float q = n * r;
  q = q + focal_remainder(n, q, d) * r;
  const float rest = focal_remainder(n, q, d);
  q = 2.0f * rest > step * d ? q + step : q;
  q = -2.0f * rest > step * d ? q - step : q;
  const uint32_t bits =
      (focal_float_to_bits(q) & 0x7FFFFFu) | (FOCAL_UINT(exponent) << 23);
  return aBits < 0x00800000u || exponent < 1 ? 0.0f : focal_bits_to_float(bits);
}

// The same where the language divides as IEEE has it.
FOCAL_FUNCTION float focal_quotient(float a, float b) {
#if defined(FOCAL_HOST)
  const float q = a / b;
  return a < 1.17549435e-38f || q < 1.17549435e-38f ? 0.0f : q;
#else
  return focal_quotient_by_steps(a, b);
#endif
}

// 1 / sqrt(x) for positive normal x, within 2 ULP or so: first guess on the bits, four Newton
// steps.
FOCAL_FUNCTION float focal_reciprocal_sqrt(float x) {
  float y = focal_bits_to_float(0x5F375A86u - (focal_float_to_bits(x) >> 1));
  float halved = 0.5f * x;
  y = y * (1.5f - halved * y * y);
  y = y * (1.5f - halved * y * y);
  y = y * (1.5f - halved * y * y);
  y = y * (1.5f - halved * y * y);
  return y;
}

// sqrt(x) for x >= 0; 0 for anything below 2^-100.
FOCAL_FUNCTION float focal_sqrt(float x) {
  return x > 7.9e-31f ? x * focal_reciprocal_sqrt(x) : 0.0f;
}

// 2/ln2 * atanh(s) for |s| <= 0.172, which is log2((1 + s) / (1 - s)): the odd series in s.
FOCAL_FUNCTION float focal_log2_series(float s) {
  float s2 = s * s;
  float p = 0.26230819f;
  p = p * s2 + 0.3205989f;
  p = p * s2 + 0.41219859f;
  p = p * s2 + 0.57707802f;
  p = p * s2 + 0.96179669f;
  p = p * s2 + 2.88539008f;
  return s * p;
}

// 1 / x for x in [1.7, 2.42] within 3 ULP: the straight line through the middle (1.5 % off), then
// two Newton steps. Half the work of focal_reciprocal, for the logarithms.
FOCAL_FUNCTION float focal_reciprocal_near_two(float x) {
  float y = 0.98506623f - 0.23901833f * x;
  y = y * (2.0f - x * y);
  y = y * (2.0f - x * y);
  return y;
}

// log2(x) for positive normal x, within 2e-7 plus the rounding of the result: the exponent, plus
// for the mantissa m in [sqrt(1/2), sqrt(2)) the series at s = (m-1)/(m+1).
FOCAL_FUNCTION float focal_log2(float x) {
  uint32_t bits = focal_float_to_bits(x);
  int32_t exponent = (FOCAL_INT(bits - 0x3F3504F3u) >> 23);
  float m = focal_bits_to_float(bits - (FOCAL_UINT(exponent) << 23));
  return FOCAL_FLOAT(exponent) +
         focal_log2_series((m - 1.0f) * focal_reciprocal_near_two(m + 1.0f));
}

// log2(1 - q) for |q| <= 0.29, within 6 ULP also where it is small: what q holds below the last bit
// of 1 - q is not lost.
FOCAL_FUNCTION float focal_log2_one_minus(float q) {
  return -focal_log2_series(q * focal_reciprocal_near_two(2.0f - q));
}

// 2^f - 1 for |f| <= 0.5, within 3 ULP also where it is small: the Taylor series of e^(f ln 2).
FOCAL_FUNCTION float focal_exp2_minus_one(float f) {
  float p = 1.5252734e-5f;
  p = p * f + 1.5403530e-4f;
  p = p * f + 1.3333558e-3f;
  p = p * f + 9.6181291e-3f;
  p = p * f + 5.5504109e-2f;
  p = p * f + 2.4022651e-1f;
  p = p * f + 6.9314718e-1f;
  return p * f;
}

// 2^x for -126 <= x <= 127 (clamped; -126 for NaN), relative error below 1e-7: the whole part goes
// to the exponent, the rest in [-0.5, 0.5] to the series.
FOCAL_FUNCTION float focal_exp2(float x) {
  x = focal_clamp(x, -126.0f, 127.0f);
  int32_t whole = focal_floor_int(x + 0.5f);
  float p = focal_exp2_minus_one(x - FOCAL_FLOAT(whole)) + 1.0f;
  return p * focal_bits_to_float(FOCAL_UINT(whole + 127) << 23);
}

// x^y for x >= 0; 0 for x below the normal floats.
FOCAL_FUNCTION float focal_pow(float x, float y) {
  return x > 1.2e-38f ? focal_exp2(y * focal_log2(x)) : 0.0f;
}

// IEEE half to float; infinities and NaNs keep their kind.
FOCAL_FUNCTION float focal_half_to_float(uint32_t code) {
  uint32_t sign = (code & 0x8000u) << 16;
  uint32_t magnitude = (code & 0x7FFFu) << 13;
  uint32_t exponent = magnitude & 0x0F800000u;
  // Subnormal halves: let a float subtraction normalise them.
  float small = focal_bits_to_float((magnitude & 0x007FE000u) | 0x38800000u) - 6.103515625e-5f;
  uint32_t normal = magnitude + (exponent == 0x0F800000u ? 0x70000000u : 0x38000000u);
  uint32_t bits = exponent == 0u ? focal_float_to_bits(small) : normal;
  return focal_bits_to_float(bits | sign);
}

// Float to IEEE half, to nearest even; above 65504 the largest finite half, NaN stays NaN. A
// highlight beyond the format's range must stay a highlight, and not become an infinity that
// spoils whatever is computed from it.
FOCAL_FUNCTION uint32_t focal_float_to_half(float value) {
  uint32_t bits = focal_float_to_bits(value);
  uint32_t sign = (bits >> 16) & 0x8000u;
  uint32_t magnitude = bits & 0x7FFFFFFFu;
  // Subnormal results: adding 0.5 moves the half's last bit to the float's last bit, rounded.
  uint32_t small = focal_float_to_bits(focal_bits_to_float(magnitude) + 0.5f) - 0x3F000000u;
  uint32_t rounded = (magnitude + 0x0FFFu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  uint32_t code = magnitude < 0x38800000u ? small : rounded;
  code = code > 0x7BFFu ? 0x7BFFu : code;
  code = magnitude > 0x7F800000u ? 0x7E00u : code;
  return code | sign;
}
