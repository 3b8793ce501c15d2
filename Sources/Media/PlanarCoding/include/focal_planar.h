// SPDX-License-Identifier: Apache-2.0
//
// Between the stored codes of pictures of any subsampling and depth, and R'G'B' and alpha as floats.
// C, because target clones give loops over rows the width of the machine's vectors.

#ifndef FOCAL_PLANAR_H
#define FOCAL_PLANAR_H

#include <stddef.h>
#include <stdint.h>

#include "focal_log.h"

enum FocalPlanarKind { FocalPlanarYCbCr = 0, FocalPlanarRGB = 1, FocalPlanarGray = 2 };

/// Where the codes of a component lie.
struct FocalPlanarComponent {
  /// The first code of the first row; NULL if there is no such component.
  uint8_t *base;
  ptrdiff_t bytesPerRow;
  /// Bytes from a code to the next.
  int32_t step;
  /// Bits below the code.
  int32_t shift;
  /// Bits of the code, 1 to 16.
  int32_t depth;
  /// Bytes of what holds the code: 1, 2 or 4.
  int32_t size;
};

struct FocalPlanarPicture {
  /// Luma, Cb, Cr, or red, green, blue, or luma alone; then alpha.
  struct FocalPlanarComponent components[4];
  int32_t width;
  int32_t height;
  /// Of FocalPlanarKind.
  int32_t kind;
  int32_t isBigEndian;
  /// Whether luma and chroma use all codes. Red, green, blue and alpha always do.
  int32_t isFullRange;
  /// Of FOCAL_MATRIX_….
  int32_t matrix;
  /// Luma columns and rows of a chroma sample: 1, 2 or 4.
  int32_t chromaColumns;
  int32_t chromaRows;
  /// Where chroma lies between the luma samples that it is for, in 1/256: 0 on the first, 128 in the middle.
  int32_t sitingX;
  int32_t sitingY;
};

/// Codes to floats, four a pixel: R'G'B' where luma and chroma become such, and alpha, 1 without one.
/// Chroma is interpolated linearly. Codes outside the nominal range keep their values. Zero without memory.
int focal_planar_read(const struct FocalPlanarPicture *picture, float *pixels, size_t floatsPerRow);

/// The same the other way, to codes of 8 to 16 bits, dithered up to 10; chroma of one or two columns and
/// rows, sited left. A picture that was only read gives the codes that it had. Zero without memory.
int focal_planar_write(
    const struct FocalPlanarPicture *picture, const float *pixels, size_t floatsPerRow);

#endif
