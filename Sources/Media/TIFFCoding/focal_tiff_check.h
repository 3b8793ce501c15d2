// SPDX-License-Identifier: Apache-2.0
//
// A check that the library leaves out: whether a deflated piece ends where its pixels do, with the stated sum.

#ifndef FOCAL_TIFF_CHECK_H
#define FOCAL_TIFF_CHECK_H

#include <stdint.h>
#include <tiffio.h>

/// Whether a file's pieces are deflated.
int focal_tiff_is_deflated(uint16_t compression);

enum FocalTIFFSoundness { FocalTIFFUnsound = 0, FocalTIFFSound = 1, FocalTIFFUnchecked = 2 };

/// Whether a deflated strip or tile is whole and of its own sum (RFC 1950). `text`, of `size`, says why not;
/// unchecked without memory.
enum FocalTIFFSoundness focal_tiff_check_piece(TIFF *file, uint32_t piece, uint64_t fileSize,
                                               char *text, size_t size);

/// The largest number of bytes that a file's pieces can become; UINT64_MAX for codings without a bound.
uint64_t focal_tiff_largest_size(TIFF *file, uint16_t compression, uint64_t fileSize);

#endif
