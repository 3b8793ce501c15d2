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
  /// Whether elements are level with the even ones of luma, and shall be level with the smaller luma's.
  int32_t isChroma;
};

/// Each element becomes the mean of a square of the source's; at the borders the last ones count for those that are
/// missing. Halves become floats. Of both, what is not a number counts as 0, and light has the bounds of unpacking.
///
/// - Returns: 0 where there is no memory.
int focal_reduce_bytes(const struct FocalReduction *reduction);
int focal_reduce_words(const struct FocalReduction *reduction);
int focal_reduce_halves(const struct FocalReduction *reduction);
int focal_reduce_floats(const struct FocalReduction *reduction);

#endif
