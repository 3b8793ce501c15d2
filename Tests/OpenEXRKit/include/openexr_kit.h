// SPDX-License-Identifier: Apache-2.0
//
// Writes OpenEXR files of every layout, for the tests.

#ifndef OPENEXR_KIT_H
#define OPENEXR_KIT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One picture of a file.
struct KitPart {
  /// Left, top, width and height.
  int32_t display[4];
  int32_t data[4];
  /// As in OpenEXR's files: 0 for none to 9 for DWAB.
  int32_t compression;
  /// The side of tiles; 0 for scan lines.
  int32_t tile;
  int32_t channelCount;
  /// Integers 0, halves 1, floats 2.
  int32_t types[16];
  /// Every how many pixels there is a value; 0 stands for 1.
  int32_t sampling[16];
  /// Rows of floats of the stored window, for channels of one value a pixel.
  const float *planes[16];
};

/// Every part says that its owner is "somebody", and 7 as "kitShot". Zero for a failure.
///
/// - names: first of the parts, empty in files of one, then of their channels, in the order of their
///   letters, with a line break behind each.
int kit_write_exr(const char *path, const struct KitPart *parts, int32_t partCount,
                  const char *names);

#ifdef __cplusplus
}
#endif

#endif
