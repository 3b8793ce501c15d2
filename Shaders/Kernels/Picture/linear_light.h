// SPDX-License-Identifier: Apache-2.0
//
// The light of a picture that is packed as it is. Reads `linear`.
#pragma once

#include "picture_modes.h"

// As the source is oriented, its rows are as long as the turned picture's columns.
FOCAL_FUNCTION float4 lightAt(FOCAL_TAKES int32_t x, int32_t y) {
  return linear[y * ((pictureTurn & 1) != 0 ? p.height : p.width) + x];
}
