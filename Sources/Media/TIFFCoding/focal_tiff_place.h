// SPDX-License-Identifier: Apache-2.0

#ifndef FOCAL_TIFF_PLACE_H
#define FOCAL_TIFF_PLACE_H

#include "focal_tiff.h"

#include <tiffio.h>

/// Where a file's bytes are: in memory, or on the disk.
struct FocalTIFFPlace {
  const uint8_t *bytes;
  int descriptor;
  int errorNumber;
  uint64_t count;
  uint64_t place;
  /// Whether a directory is being read, and how many bytes it may still take.
  int isLimited;
  uint64_t allowance;
  /// Whether a decoder warned of what it decoded.
  int isDamaged;
  char message[FOCAL_TIFF_MESSAGE_SIZE];
};

/// Before a directory is read: the library copies each value, and thousands may lie in the same bytes. What goes
/// beyond the bytes that there are comes to nothing, and the library leaves out values that it can do without.
void focal_tiff_limit_reads(struct FocalTIFFPlace *place);
/// Before pixels are read, in any order and again.
void focal_tiff_free_reads(struct FocalTIFFPlace *place);

/// Opens a file for libtiff, whose messages are kept; NULL for a failure. The place has to outlive it.
TIFF *focal_tiff_open_place(struct FocalTIFFPlace *place, const char *mode);

#endif
