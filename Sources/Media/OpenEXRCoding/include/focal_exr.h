// SPDX-License-Identifier: Apache-2.0
//
// OpenEXR files in memory and on the disk, some rows at a time, through OpenEXR's own library, which is C++. (Its interface in C has no DWA in
// version 3.1.)

#ifndef FOCAL_EXR_H
#define FOCAL_EXR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A file that is read.
struct FocalEXRFile;

/// One of the pictures of a file.
struct FocalEXRPart {
  /// NULL in files of one part.
  const char *name;
  /// Whether pixels have many values each.
  int32_t isDeep;
  /// Whether all of its pixels are in the file.
  int32_t isComplete;
  /// Left, top, width and height of what is shown.
  int32_t display[4];
  /// The same of what is stored.
  int32_t data[4];
  int32_t channelCount;
  float pixelAspectRatio;
  /// Whether the file says what its colours are: x and y of red, green, blue and white.
  int32_t hasChromaticities;
  float chromaticities[8];
};

/// One channel of a part.
struct FocalEXRChannel {
  const char *name;
  int32_t isHalf;
  /// Every how many pixels there is a value, in x and in y.
  int32_t samplingX;
  int32_t samplingY;
};

/// One attribute of a part's header, as files store it.
struct FocalEXRAttribute {
  const char *name;
  const char *type;
  const uint8_t *bytes;
  size_t count;
};

enum { FOCAL_EXR_MESSAGE_SIZE = 256 };

/// The message for a file whose pixels are compressed in a way that is newer than the library.
#define FOCAL_EXR_NEWER_COMPRESSION "compressed in a way that is newer than the library that reads it"

/// Opens a file and reads its headers; NULL for a failure.
///
/// - bytes: must outlive the file.
/// - message: at least FOCAL_EXR_MESSAGE_SIZE bytes; the library's words for the failure.
struct FocalEXRFile *focal_exr_open(const uint8_t *bytes, size_t count, char *message);
/// The same of a file on the disk. The descriptor stays the caller's, and must outlive the file.
struct FocalEXRFile *focal_exr_open_file(int descriptor, char *message);
void focal_exr_close(struct FocalEXRFile *file);
int32_t focal_exr_part_count(const struct FocalEXRFile *file);
/// Zero for a failure.
int focal_exr_part(struct FocalEXRFile *file, int32_t part, struct FocalEXRPart *result);
int focal_exr_channel(struct FocalEXRFile *file, int32_t part, int32_t number,
                      struct FocalEXRChannel *result);

/// The attributes of a part that say something about the picture and not how it is stored, for as long as
/// no other part is asked for. Zero for a failure.
int focal_exr_attributes(struct FocalEXRFile *file, int32_t part,
                         const struct FocalEXRAttribute **result, int32_t *count);

/// Reads channels of a part. Zero for a failure. Rows in order are decoded once.
///
/// - firstRow: counted from the stored window's top; with `rowCount` within that window.
/// - planes: one for each channel, rows of floats as wide as the stored window.
int focal_exr_read(struct FocalEXRFile *file, int32_t part, const char *const *names,
                   float *const *planes, int32_t channelCount, int32_t firstRow,
                   int32_t rowCount);
/// Whether each piece of the pixels lies at a place of its own; zero where one is missing, is another's or shares
/// bytes.
int focal_exr_check_chunks(struct FocalEXRFile *file);
/// Whether reading failed because there is no memory left.
int focal_exr_lacks_memory(const struct FocalEXRFile *file);
/// The library's words for the failure of a call above.
const char *focal_exr_message(const struct FocalEXRFile *file);

/// A picture to write: scan lines, compressed by ZIP.
struct FocalEXRPicture {
  int32_t width;
  int32_t height;
  int32_t channelCount;
  /// In the order of their names.
  const char *const *names;
  int32_t storesHalves;
  float pixelAspectRatio;
  /// Eight numbers, or NULL.
  const float *chromaticities;
  /// Where the picture lies on its plane.
  int32_t left;
  int32_t top;
  int32_t attributeCount;
  const struct FocalEXRAttribute *attributes;
};

/// A file that is written.
struct FocalEXRWriter;

/// Begins a file; NULL for a failure.
///
/// - descriptor: of an empty file, which stays the caller's; below 0 for a file in memory.
/// - picture: not used afterwards.
struct FocalEXRWriter *focal_exr_begin(int descriptor, const struct FocalEXRPicture *picture,
                                       char *message);
/// Adds rows. Zero for a failure.
///
/// - planes: one for each channel, rows of floats without padding.
int focal_exr_write_rows(struct FocalEXRWriter *writer, const float *const *planes,
                         int32_t rowCount);
/// Ends the file. Zero for a failure.
int focal_exr_finish(struct FocalEXRWriter *writer);
/// The whole file, where it is in memory, for as long as the writer lives.
const uint8_t *focal_exr_bytes(const struct FocalEXRWriter *writer, size_t *count);
/// The number of the system's error where writing failed; 0 for another failure.
int focal_exr_error_number(const struct FocalEXRWriter *writer);
const char *focal_exr_writer_message(const struct FocalEXRWriter *writer);
void focal_exr_writer_free(struct FocalEXRWriter *writer);

#ifdef __cplusplus
}
#endif

#endif
