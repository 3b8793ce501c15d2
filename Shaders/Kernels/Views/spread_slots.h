// SPDX-License-Identifier: Apache-2.0
//
// Where the slots of a tile lie that are spread over their lens cell: in the pool like all, and in its twin, which has
// room for them alone.
#pragma once

#include "focal_views.h"

/// The first element of slot `j` in the twin. Spread slices are the outermost, so that those in front of the focus come
/// first, and those behind it last.
FOCAL_FUNCTION int32_t twinSlot(FOCAL_TAKES int32_t tile, int32_t j, int32_t plane, int32_t z) {
  const int32_t place =
      tiles[tile].slice[j] > 0 ? j : p.twinSlots - (tiles[tile].slots - j);
  return z * p.twinCapacity + place * plane;
}

/// The first element of slot `j` in the pool.
FOCAL_FUNCTION int32_t poolSlot(FOCAL_TAKES int32_t j, int32_t plane, int32_t z) {
  return z * p.tileCapacity + j * plane;
}
