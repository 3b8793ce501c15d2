// SPDX-License-Identifier: Apache-2.0
//
// The rendered half with the picture's detail, to a picture of one plane. Range: rows.

#include "detail_strip.h"
#include <packPlane.h>

FOCAL_CLONES FOCAL_ENTRY_POINT(packDetail) {
  FOCAL_BUFFERS(packDetail)
  const struct DetailSource source = detail_source(p, sharp, rendered, share, picture);
  pack_plane(&p->stored, load_detail, &source, bytes, begin, end);
}
