// SPDX-License-Identifier: Apache-2.0
//
// drawLights for openings that are no plain disc or polygon, or let light through unevenly. Grid: as there.

#define FOCAL_SHAPES 1
#include "lit_pixel.h"

FOCAL_ENTRY(drawShapes)
