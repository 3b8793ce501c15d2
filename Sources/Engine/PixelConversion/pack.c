// SPDX-License-Identifier: Apache-2.0
//
// Linear RGBA to a stored picture of one plane: a quarter turn, the transfer function, and where
// bits are dropped a dither.
// Buffers: 0 linear RGBA (4 floats a pixel, as the source is oriented), 1 the plane. Range: rows.

#include "packPlane.h"

FOCAL_CLONES FOCAL_ENTRY_POINT(pack) {
  FOCAL_BUFFERS(pack)
  pack_plane(p, load_linear, linear, bytes, begin, end);
}
