// SPDX-License-Identifier: Apache-2.0
//
// The rendered half with the picture's detail, to luma and half-size chroma. Range: rows of chroma, each with its two
// rows of luma.

#include "detail_strip.h"
#include <packPlanes.h>

FOCAL_CLONES FOCAL_ENTRY_POINT(packDetailBiPlanar) {
  FOCAL_BUFFERS(packDetailBiPlanar)
  const struct DetailSource source = detail_source(p, sharp, rendered, share, picture);
  pack_planes(&p->stored, load_detail, &source, lumaBytes, chromaBytes, begin, end);
}
