// SPDX-License-Identifier: Apache-2.0
//
// The discs of the lights, added to the picture tile by tile; the method stands with the graphics devices'
// kernel. Sums run over the lights in their order, pixel by pixel, so that only their order counts.

#include "lit_tile.h"

FOCAL_CLONES FOCAL_ENTRY_POINT(drawLights) {
  FOCAL_BUFFERS(drawLights)
  const struct Lighting in = {lights, reach, layers, (const uint64_t *)blocks,
                              radius, matte, opening};
  drawTiles(in, p, destination, begin, end);
}
