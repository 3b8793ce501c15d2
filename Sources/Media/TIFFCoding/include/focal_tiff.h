// SPDX-License-Identifier: Apache-2.0
//
// TIFF files in memory through libtiff, whose functions take a variable number of arguments, which
// Swift cannot express.

#ifndef FOCAL_TIFF_H
#define FOCAL_TIFF_H

#include <stddef.h>
#include <stdint.h>

enum { FOCAL_TIFF_MESSAGE_SIZE = 256 };

enum FocalTIFFStatus { FocalTIFFRead = 0, FocalTIFFDamaged = 1, FocalTIFFUnsupported = 2 };

/// A decoded picture.
struct FocalTIFFPicture {
  int32_t width;
  int32_t height;
  /// 1 gray, 2 gray and alpha, 3 red, green and blue, 4 with alpha.
  int32_t components;
  /// Bytes of a sample: 1 or 2 for codes, 4 for floats.
  int32_t sampleSize;
  int32_t isFloatingPoint;
  /// Rows of pixels without padding; for focal_tiff_free.
  void *samples;
};

/// Reads the first picture of a file.
///
/// - message: at least FOCAL_TIFF_MESSAGE_SIZE bytes; what is wrong.
enum FocalTIFFStatus focal_tiff_read(const uint8_t *bytes, size_t count, int32_t largestSize,
                                     struct FocalTIFFPicture *result, char *message);
void focal_tiff_free(struct FocalTIFFPicture *picture);

#endif
