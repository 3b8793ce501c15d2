// SPDX-License-Identifier: Apache-2.0
//
// Linear RGBA to luma and half-size chroma: a quarter turn, the transfer function, the matrix, the
// chroma filter and a dither. Grid: chroma samples.

#include "linear_light.h"
#include "luma_chroma.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t column, int32_t row, int32_t z) {
  packSample(FOCAL_PASSES column, row);
}

FOCAL_ENTRY(packBiPlanar)
