// SPDX-License-Identifier: Apache-2.0
//
// Pictures at a whole part of their size, by means of their codes.

#ifndef FOCAL_REDUCE_H
#define FOCAL_REDUCE_H

#include <stddef.h>
#include <stdint.h>

/// A plane, and the smaller one that is made of it.
struct FocalReduction {
  const void *source;
  size_t bytesPerRow;
  /// In elements of so many components that lie side by side.
  int32_t width, height, components;
  void *result;
  size_t resultBytesPerRow;
  int32_t resultWidth, resultHeight;
  /// How many elements become one, along each side.
  int32_t factor;
  /// Of luma and colours FOCAL_LEVEL; of chroma, what its elements shall be level with.
  int32_t place;
};

enum {
  FOCAL_LEVEL,
  /// Elements are level with the even ones of luma, and shall be so with the smaller luma's.
  FOCAL_LEVEL_WITH_EVEN,
  /// Elements are level with the even ones of luma, and there shall be one for each of a luma that becomes smaller by
  /// twice the factor.
  FOCAL_LEVEL_WITH_EACH
};

/// Each element becomes the mean of a square of the source's; at the borders the last ones count for those that are
/// missing. Halves become floats. Of both, what is not a number counts as 0, and light has the bounds of unpacking.
///
/// - Returns: 0 where there is no memory.
int focal_reduce_bytes(const struct FocalReduction *reduction);
int focal_reduce_words(const struct FocalReduction *reduction);
int focal_reduce_halves(const struct FocalReduction *reduction);
int focal_reduce_floats(const struct FocalReduction *reduction);

/// The same with R'G'B'A of floats as the result: of four bytes 0 to 1, of luma and chroma by their matrix; codes outside
/// the nominal range keep their values, alpha is 1 where there is none.
///
/// - Parameters:
///   - planes: luma, and chroma at FOCAL_LEVEL_WITH_EACH with half the factor, of one result.
/// - Returns: 0 where there is no memory.
int focal_reduce_pixels(const struct FocalReduction *reduction);
int focal_reduce_luma_chroma(const struct FocalReduction planes[2], int32_t tenBit,
                             int32_t fullRange, int32_t matrix);

#endif
