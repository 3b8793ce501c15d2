// SPDX-License-Identifier: Apache-2.0
//
// The rendered half with the picture's detail, to luma and half-size chroma. Grid: chroma samples.

#include "detailed_light.h"
#include "luma_chroma.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t column, int32_t row, int32_t z) {
  packSample(FOCAL_PASSES column, row);
}

FOCAL_ENTRY(packDetailBiPlanar)
