// SPDX-License-Identifier: Apache-2.0
//
// Of the lanes of a workgroup those for which a condition holds, so that lanes that follow each other can do their work:
// a wave takes as long as if all its lanes had some. Kernels that include this share `counted`, FOCAL_GROUP_WORDS words.
#pragma once

#include "focal_bits.h"
#include "focal_blur.h"

/// Where a lane stands among those of its workgroup for which a condition holds.
FOCAL_STRUCT(Place) { int32_t before, all; };

/// Every lane of the workgroup calls this; what it read of shared memory before may then be written. Here and where
/// places are used all lanes write, those that are not counted what nobody reads: PoCL confuses
/// conditions before a barrier with others behind it.
FOCAL_FUNCTION Place placeAmong(FOCAL_TAKES int32_t lane, bool isCounted) {
  FOCAL_BARRIER();
  counted[lane & (FOCAL_GROUP_WORDS - 1)] = 0u;
  FOCAL_BARRIER();
  FOCAL_ATOMIC_OR(counted[lane >> 5], isCounted ? 1u << FOCAL_UINT(lane & 31) : 0u);
  FOCAL_BARRIER();
  const uint32_t below = (1u << FOCAL_UINT(lane & 31)) - 1u;
  Place place = {focal_bitCount(counted[lane >> 5] & below), 0};
  for (int32_t i = 0; i < FOCAL_GROUP_WORDS; i++) {
    const int32_t count = focal_bitCount(counted[i]);
    if (i < lane >> 5) place.before += count;
    place.all += count;
  }
  return place;
}
