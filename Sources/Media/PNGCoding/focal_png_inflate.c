// SPDX-License-Identifier: Apache-2.0

#include "focal_png.h"

#include <limits.h>
#include <zlib.h>

size_t focal_png_inflate(const uint8_t *bytes, size_t count, uint8_t *content, size_t capacity) {
  z_stream stream = {0};
  if (inflateInit(&stream) != Z_OK) return 0;
  size_t taken = 0;
  size_t made = 0;
  int status = Z_OK;
  while (status == Z_OK && made < capacity) {
    if (stream.avail_in == 0) {
      if (taken == count) break;
      const size_t more = count - taken < UINT_MAX ? count - taken : UINT_MAX;
      // zlib does not write there.
      stream.next_in = (Bytef *)(uintptr_t)(bytes + taken);
      stream.avail_in = (uInt)more;
      taken += more;
    }
    const size_t room = capacity - made < UINT_MAX ? capacity - made : UINT_MAX;
    stream.next_out = content + made;
    stream.avail_out = (uInt)room;
    status = inflate(&stream, Z_SYNC_FLUSH);
    made += room - stream.avail_out;
  }
  inflateEnd(&stream);
  return made;
}
