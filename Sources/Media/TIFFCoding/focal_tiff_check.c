// SPDX-License-Identifier: Apache-2.0

#include "focal_tiff_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

int focal_tiff_is_deflated(uint16_t compression) {
  return compression == COMPRESSION_ADOBE_DEFLATE || compression == COMPRESSION_DEFLATE;
}

enum FocalTIFFSoundness focal_tiff_check_piece(TIFF *file, uint32_t piece, uint64_t fileSize,
                                               char *text, size_t size) {
  const uint64_t count = TIFFGetStrileByteCount(file, piece);
  // Pieces of more than this are no stream that zlib takes at once, and the library refuses them.
  if (count == 0 || count > fileSize || count > UINT32_MAX) {
    snprintf(text, size, "a piece has %llu bytes", (unsigned long long)count);
    return FocalTIFFUnsound;
  }
  uint8_t *const stored = malloc((size_t)count);
  if (!stored) return FocalTIFFUnchecked;
  const tmsize_t got = TIFFIsTiled(file) ? TIFFReadRawTile(file, piece, stored, (tmsize_t)count)
                                         : TIFFReadRawStrip(file, piece, stored, (tmsize_t)count);
  uint8_t room[1 << 15];
  z_stream stream = {.next_in = stored, .avail_in = got > 0 ? (uInt)got : 0};
  int state = inflateInit(&stream);
  while (state == Z_OK) {
    stream.next_out = room;
    stream.avail_out = sizeof room;
    state = inflate(&stream, Z_NO_FLUSH);
  }
  if (state != Z_STREAM_END) {
    snprintf(text, size, "%s",
             stream.msg ? stream.msg : "the coded pixels of a piece end too early");
  }
  inflateEnd(&stream);
  free(stored);
  if (state == Z_MEM_ERROR) return FocalTIFFUnchecked;
  return state == Z_STREAM_END ? FocalTIFFSound : FocalTIFFUnsound;
}

uint64_t focal_tiff_largest_size(TIFF *file, uint16_t compression, uint64_t fileSize) {
  // The most bytes of one byte: RFC 1951's longest match in two bits, LZW's longest entry in twelve, a run.
  uint64_t most = 0;
  switch (compression) {
    case COMPRESSION_NONE: most = 1; break;
    case COMPRESSION_PACKBITS: most = 64; break;
    case COMPRESSION_LZW: most = 4096; break;
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE: most = 1032; break;
    default: return UINT64_MAX;
  }
  const uint32_t pieces = TIFFIsTiled(file) ? TIFFNumberOfTiles(file) : TIFFNumberOfStrips(file);
  uint64_t stored = 0;
  for (uint32_t piece = 0; piece < pieces; ++piece) {
    const uint64_t count = TIFFGetStrileByteCount(file, piece);
    stored += count < fileSize ? count : fileSize;
  }
  // Pieces may be shared, but not more often than there are some.
  return stored > UINT64_MAX / most ? UINT64_MAX : stored * most;
}
