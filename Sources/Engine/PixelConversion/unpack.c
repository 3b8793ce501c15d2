// SPDX-License-Identifier: Apache-2.0
//
// A stored picture to linear RGBA, four floats a pixel, rows without padding.
// Buffers: 0 first plane, 1 second plane (bi-planar formats), 2 destination. Range: rows.

#include "unpackRows.h"

FOCAL_CLONES FOCAL_ENTRY_POINT(unpack) {
  FOCAL_BUFFERS(unpack)
  unpack_rows(p, bytes, chromaBytes, linear, begin, end);
}
