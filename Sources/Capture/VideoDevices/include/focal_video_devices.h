// SPDX-License-Identifier: Apache-2.0
//
// The cameras of a Linux machine and what they offer, asked of the kernel (Video for Linux 2).

#ifndef FOCAL_VIDEO_DEVICES_H
#define FOCAL_VIDEO_DEVICES_H

#include <stdint.h>

/// A size and a rate of pictures that a camera offers.
typedef struct {
  /// Four characters, the first in the lowest byte.
  uint32_t coding;
  uint32_t width, height;
  /// Pictures a second, as fractions of least and most.
  uint32_t slowest_count, slowest_seconds, fastest_count, fastest_seconds;
} FocalVideoFormat;

/// Asks a camera what it is and offers.
///
/// Returns how many formats it has, of which at most `capacity` are stored; below zero the number of an error:
/// ENODEV for a device that takes no pictures.
int focal_video_formats(
    const char *path, char name[64], FocalVideoFormat *formats, int capacity);

#endif
