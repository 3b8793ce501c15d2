// SPDX-License-Identifier: Apache-2.0
//
// PNG files row by row through libpng: all that are written, and those that are read and too large to be held
// whole. libpng leaves a failed call by a jump that Swift cannot express, so that the calls are made here.

#ifndef FOCAL_PNG_H
#define FOCAL_PNG_H

#include <stddef.h>
#include <stdint.h>

enum { FOCAL_PNG_MESSAGE_SIZE = 256 };

/// The content of rows.
struct FocalPNGFacts {
  int32_t width;
  int32_t height;
  /// 1 gray, 2 gray and alpha, 3 red, green and blue, 4 with alpha.
  int32_t components;
  /// 8, or 16 in the order of bytes of files: the high one first.
  int32_t bits;
  /// Whether rows do not come from top to bottom.
  int32_t isInterlaced;
};

/// A file that is read.
struct FocalPNGReader;

/// Reads a file's header from the start; NULL for a failure.
///
/// - descriptor: stays the caller's.
/// - message: at least FOCAL_PNG_MESSAGE_SIZE bytes; the library's words for the failure.
struct FocalPNGReader *focal_png_open(int descriptor, struct FocalPNGFacts *facts, char *message);
/// Rows behind a wrong sum are read, too, from now on.
void focal_png_tolerate_damage(struct FocalPNGReader *reader);
/// Whether a wrong sum was passed over.
int focal_png_is_damaged(const struct FocalPNGReader *reader);
/// The next row. Zero for a failure, and behind one.
int focal_png_read_row(struct FocalPNGReader *reader, uint8_t *row);
const char *focal_png_reader_message(const struct FocalPNGReader *reader);
void focal_png_close(struct FocalPNGReader *reader);

/// Inflates a stream as far as it makes sense and as there is room, whatever its sums say.
///
/// - Returns: how many bytes came out.
size_t focal_png_inflate(const uint8_t *bytes, size_t count, uint8_t *content, size_t capacity);

/// A file that is written.
struct FocalPNGWriter;

/// Begins a file; NULL without memory.
///
/// - descriptor: at whose place the file begins; below 0 for a file in memory.
/// - isSRGB: whether the file says that its colours are sRGB's.
struct FocalPNGWriter *focal_png_begin(int descriptor, const struct FocalPNGFacts *facts, int isSRGB);
/// Adds a chunk. Before the first row. Zero for a failure.
int focal_png_write_chunk(struct FocalPNGWriter *writer, const char *type, const uint8_t *bytes,
                          size_t count);
/// Adds a row. Zero for a failure.
int focal_png_write_row(struct FocalPNGWriter *writer, const uint8_t *row);
/// Ends the file. Zero for a failure.
int focal_png_finish(struct FocalPNGWriter *writer);
/// The file so far, where it is in memory, until the next call.
const uint8_t *focal_png_bytes(const struct FocalPNGWriter *writer, size_t *count);
/// The number of the system's error where writing failed; 0 for another failure.
int focal_png_error_number(const struct FocalPNGWriter *writer);
const char *focal_png_writer_message(const struct FocalPNGWriter *writer);
void focal_png_free(struct FocalPNGWriter *writer);

#endif
