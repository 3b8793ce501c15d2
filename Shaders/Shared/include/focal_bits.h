// SPDX-License-Identifier: Apache-2.0
//
// Sets of up to 64 slices or slots, a bit each.
#pragma once

#include "focal_math.h"

FOCAL_STRUCT(FocalBits) { uint32_t low, high; };

/// Bit `i` of a set of two words.
FOCAL_FUNCTION bool focal_hasBit(uint32_t low, uint32_t high, int32_t i) {
  const uint32_t word = i < 32 ? low : high;
  return ((word >> FOCAL_UINT(i & 31)) & 1u) != 0u;
}

/// The highest number in a set that is not empty.
FOCAL_FUNCTION int32_t focal_highestOf(FocalBits bits) {
  return bits.high != 0u ? 32 + focal_highestBit(bits.high) : focal_highestBit(bits.low);
}

/// The set with `i` added, or taken out where it was in it.
FOCAL_FUNCTION FocalBits focal_toggled(FocalBits bits, int32_t i) {
  if (i < 32) {
    bits.low ^= 1u << FOCAL_UINT(i);
  } else {
    bits.high ^= 1u << FOCAL_UINT(i - 32);
  }
  return bits;
}

/// The numbers from `i` on, which may lie outside the set.
FOCAL_FUNCTION FocalBits focal_bitsFrom(int32_t i) {
  const uint32_t low = 0xFFFFFFFFu << FOCAL_UINT(focal_clamp_int(i, 0, 31));
  const uint32_t high = 0xFFFFFFFFu << FOCAL_UINT(focal_clamp_int(i - 32, 0, 31));
  FocalBits bits = {i > 31 ? 0u : low, i > 63 ? 0u : high};
  return bits;
}
