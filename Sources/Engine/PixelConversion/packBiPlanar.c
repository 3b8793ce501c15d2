// SPDX-License-Identifier: Apache-2.0
//
// Linear RGBA to luma and half-size chroma: a quarter turn, the transfer function, the matrix, the
// chroma filter, and a dither.
// Buffers: 0 linear RGBA (4 floats a pixel, as the source is oriented), 1 luma, 2 Cb Cr.
// Range: rows of chroma, each with its two rows of luma.

#include "packPlanes.h"

FOCAL_CLONES FOCAL_ENTRY_POINT(packBiPlanar) {
  FOCAL_BUFFERS(packBiPlanar)
  pack_planes(p, load_linear, linear, lumaBytes, chromaBytes, begin, end);
}
