// SPDX-License-Identifier: Apache-2.0
//
// JPEG files written row by row through libjpeg. libjpeg leaves a failed call by a jump that Swift
// cannot express, so that the calls are made here.

#ifndef FOCAL_JPEG_H
#define FOCAL_JPEG_H

#include <stddef.h>
#include <stdint.h>

/// A JPEG file in memory that is being written.
struct FocalJPEGWriter;

/// The head of a file.
struct FocalJPEGSettings {
  int32_t width;
  int32_t height;
  /// 1 for gray, 3 for red, green and blue.
  int32_t components;
  /// 1 to 100.
  int32_t quality;
  /// Whether chroma has half the picture's width and height.
  int32_t halvesChroma;
  /// Dots per inch; 0 if not stated.
  int32_t densityX;
  int32_t densityY;
};

/// Begins a file; NULL without memory.
struct FocalJPEGWriter *focal_jpeg_begin(const struct FocalJPEGSettings *settings);
/// Adds an application's segment, at most 65533 bytes. Before the first row. Zero for a failure.
int focal_jpeg_write_segment(struct FocalJPEGWriter *writer, int marker, const uint8_t *bytes,
                             size_t count);
/// Adds a row of bytes. Zero for a failure.
int focal_jpeg_write_row(struct FocalJPEGWriter *writer, const uint8_t *row);
/// Ends the file, which lives as long as the writer; NULL for a failure.
const uint8_t *focal_jpeg_finish(struct FocalJPEGWriter *writer, size_t *count);
/// The library's words for the failure.
const char *focal_jpeg_message(const struct FocalJPEGWriter *writer);
void focal_jpeg_free(struct FocalJPEGWriter *writer);

#endif
