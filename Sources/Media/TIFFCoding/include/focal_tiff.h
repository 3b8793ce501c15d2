// SPDX-License-Identifier: Apache-2.0
//
// TIFF files through libtiff, whose functions take a variable number of arguments, which
// Swift cannot express.

#ifndef FOCAL_TIFF_H
#define FOCAL_TIFF_H

#include <stddef.h>
#include <stdint.h>

enum {
  FOCAL_TIFF_MESSAGE_SIZE = 256,
  /// Among how many pages the picture is sought. A few are enough: previews are one or two.
  FOCAL_TIFF_MOST_PAGES = 8
};

enum FocalTIFFStatus { FocalTIFFRead = 0, FocalTIFFDamaged = 1, FocalTIFFUnsupported = 2 };

/// The first picture of a file that is neither a smaller version nor the mask of another one.
struct FocalTIFFPicture {
  int32_t width;
  int32_t height;
  /// 1 gray, 2 gray and alpha, 3 red, green and blue, 4 with alpha.
  int32_t components;
  /// Bytes of a sample: 1 or 2 for codes, 4 for floats.
  int32_t sampleSize;
  int32_t isFloatingPoint;
  /// Whether a picture that is read has colours multiplied by its alpha. Pictures are written without.
  int32_t isPremultiplied;
  /// Samples behind the colours in a file that is read, and which of them is the alpha, from 1; 0 for none.
  int32_t extraSamples;
  int32_t alphaSample;
  /// Pictures in a file that is read, this one included.
  int32_t pages;
  /// How many bytes are held to decode a row of a picture that is read: a strip or tile as the library makes it,
  /// which may be larger than the picture, and the rows that become of it.
  int64_t bytesAtOnce;
};

/// A file that is read.
struct FocalTIFFReader;

/// Opens a file in memory, which must outlive the reader.
///
/// - message: at least FOCAL_TIFF_MESSAGE_SIZE bytes; what is wrong.
enum FocalTIFFStatus focal_tiff_open(const uint8_t *bytes, size_t count, int32_t largestSize,
                                     struct FocalTIFFReader **reader,
                                     struct FocalTIFFPicture *picture, char *message);
/// Opens a file on the disk. The descriptor stays the caller's.
enum FocalTIFFStatus focal_tiff_open_file(int descriptor, int32_t largestSize,
                                          struct FocalTIFFReader **reader,
                                          struct FocalTIFFPicture *picture, char *message);
/// A row of pixels without padding, which lives until another one is asked for; NULL for a failure. Rows in
/// order are decoded once.
const void *focal_tiff_row(struct FocalTIFFReader *reader, int32_t y);
/// Makes damaged pieces black instead of an error.
void focal_tiff_tolerate_damage(struct FocalTIFFReader *reader);
/// Whether reading failed because there is no memory left.
int focal_tiff_lacks_memory(const struct FocalTIFFReader *reader);
/// The first row of the first piece that was damaged so far; -1 if none was.
int32_t focal_tiff_damaged_row(const struct FocalTIFFReader *reader);
/// The library's words for the failure.
const char *focal_tiff_message(const struct FocalTIFFReader *reader);
void focal_tiff_close(struct FocalTIFFReader *reader);

/// A file that is written: strips compressed by Deflate.
struct FocalTIFFWriter;

/// Begins a file on the disk; NULL for a failure. Rows and codes are as in a picture that is read.
///
/// - isBig: whether places are of 64 bits: BigTIFF.
/// - descriptor: stays the caller's.
/// - message: as above.
struct FocalTIFFWriter *focal_tiff_begin(int descriptor, const struct FocalTIFFPicture *picture,
                                         int isBig, char *message);
/// Adds a row. Zero for a failure.
int focal_tiff_write_row(struct FocalTIFFWriter *writer, const void *row);
/// Ends the file: its directory, and what that refers to, stand behind the pixels. Zero for a failure.
int focal_tiff_finish(struct FocalTIFFWriter *writer);
/// The number of the system's error where writing failed; 0 for another failure.
int focal_tiff_error_number(const struct FocalTIFFWriter *writer);
const char *focal_tiff_writer_message(const struct FocalTIFFWriter *writer);
void focal_tiff_free(struct FocalTIFFWriter *writer);

#endif
