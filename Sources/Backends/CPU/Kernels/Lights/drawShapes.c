// SPDX-License-Identifier: Apache-2.0
//
// drawLights for openings that are no plain disc or polygon, or let light through unevenly.

#define FOCAL_SHAPES 1
#include "lit_tile.h"

FOCAL_CLONES FOCAL_ENTRY_POINT(drawShapes) {
  FOCAL_BUFFERS(drawShapes)
  const struct Lighting in = {lights, reach, layers, (const uint64_t *)blocks,
                              radius, matte, opening};
  drawTiles(in, p, destination, begin, end);
}
