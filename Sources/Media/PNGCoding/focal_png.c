// SPDX-License-Identifier: Apache-2.0

// For pread, ssize_t and the like beside the C standard.
#define _POSIX_C_SOURCE 200809L

#include "focal_png.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <png.h>

/// The common part of reading and writing.
struct State {
  int descriptor;
  int errorNumber;
  char message[FOCAL_PNG_MESSAGE_SIZE];
};

struct FocalPNGReader {
  struct State state;
  int isDamaged;
  png_structp png;
  png_infop info;
};

struct FocalPNGWriter {
  struct State state;
  png_structp png;
  png_infop info;
  /// A file in memory.
  uint8_t *bytes;
  size_t count;
  size_t capacity;
};

static void leave(png_structp png, png_const_charp text) {
  struct State *state = png_get_error_ptr(png);
  snprintf(state->message, sizeof state->message, "%s", text);
  longjmp(png_jmpbuf(png), 1);
}

// The library prints nothing.
static void keepSilent(png_structp png, png_const_charp text) {
  (void)png;
  (void)text;
}

static void tell(png_structp png, png_const_charp text) {
  struct FocalPNGReader *reader = png_get_error_ptr(png);
  if (strstr(text, "CRC")) reader->isDamaged = 1;
}

static void readBytes(png_structp png, png_bytep bytes, size_t count) {
  struct State *state = png_get_io_ptr(png);
  while (count > 0) {
    const ssize_t done = read(state->descriptor, bytes, count);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) png_error(png, "the file ends too early");
    bytes += done;
    count -= (size_t)done;
  }
}

static void hold(png_structp png, png_bytep bytes, size_t count) {
  struct FocalPNGWriter *writer = png_get_io_ptr(png);
  const size_t end = writer->count + count;
  if (end > writer->capacity) {
    const size_t capacity = end + end / 2 + 65536;
    uint8_t *grown = realloc(writer->bytes, capacity);
    if (!grown) png_error(png, "no memory left");
    writer->bytes = grown;
    writer->capacity = capacity;
  }
  memcpy(writer->bytes + writer->count, bytes, count);
  writer->count = end;
}

static void writeBytes(png_structp png, png_bytep bytes, size_t count) {
  struct State *state = &((struct FocalPNGWriter *)png_get_io_ptr(png))->state;
  while (count > 0) {
    const ssize_t done = write(state->descriptor, bytes, count);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      state->errorNumber = done < 0 ? errno : EIO;
      png_error(png, "cannot write");
    }
    bytes += done;
    count -= (size_t)done;
  }
}

static void flush(png_structp png) { (void)png; }

struct FocalPNGReader *focal_png_open(int descriptor, struct FocalPNGFacts *facts, char *message) {
  struct FocalPNGReader *reader = calloc(1, sizeof *reader);
  message[0] = 0;
  if (!reader) return NULL;
  reader->state.descriptor = descriptor;
  reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader->state, leave, keepSilent);
  if (!reader->png) {
    free(reader);
    return NULL;
  }
  if (setjmp(png_jmpbuf(reader->png))) {
    snprintf(message, FOCAL_PNG_MESSAGE_SIZE, "%s", reader->state.message);
    focal_png_close(reader);
    return NULL;
  }
  reader->info = png_create_info_struct(reader->png);
  if (!reader->info) png_error(reader->png, "no memory left");
  png_set_read_fn(reader->png, &reader->state, readBytes);
  png_set_crc_action(reader->png, PNG_CRC_ERROR_QUIT, PNG_CRC_QUIET_USE);
  // The chunks beside the pixels are read elsewhere.
  png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
  png_read_info(reader->png, reader->info);
  // Palettes, packed bits and colours that stand for nothing become whole samples.
  png_set_expand(reader->png);
  facts->isInterlaced = png_get_interlace_type(reader->png, reader->info) != PNG_INTERLACE_NONE;
  if (facts->isInterlaced) png_set_interlace_handling(reader->png);
  png_read_update_info(reader->png, reader->info);
  facts->width = (int32_t)png_get_image_width(reader->png, reader->info);
  facts->height = (int32_t)png_get_image_height(reader->png, reader->info);
  facts->components = png_get_channels(reader->png, reader->info);
  facts->bits = png_get_bit_depth(reader->png, reader->info);
  return reader;
}

void focal_png_tolerate_damage(struct FocalPNGReader *reader) {
  // The state is the reader's first part.
  png_set_error_fn(reader->png, reader, leave, tell);
  png_set_crc_action(reader->png, PNG_CRC_WARN_USE, PNG_CRC_QUIET_USE);
}

int focal_png_is_damaged(const struct FocalPNGReader *reader) { return reader->isDamaged; }

int focal_png_read_row(struct FocalPNGReader *reader, uint8_t *row) {
  if (reader->state.message[0]) return 0;
  if (setjmp(png_jmpbuf(reader->png))) return 0;
  png_read_row(reader->png, row, NULL);
  return 1;
}

const char *focal_png_reader_message(const struct FocalPNGReader *reader) {
  return reader->state.message;
}

void focal_png_close(struct FocalPNGReader *reader) {
  if (!reader) return;
  png_destroy_read_struct(&reader->png, &reader->info, NULL);
  free(reader);
}

struct FocalPNGWriter *focal_png_begin(int descriptor, const struct FocalPNGFacts *facts,
                                       int isSRGB) {
  struct FocalPNGWriter *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  writer->state.descriptor = descriptor;
  writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer->state, leave, keepSilent);
  if (!writer->png) {
    free(writer);
    return NULL;
  }
  if (setjmp(png_jmpbuf(writer->png))) return writer;
  writer->info = png_create_info_struct(writer->png);
  if (!writer->info) png_error(writer->png, "no memory left");
  png_set_write_fn(writer->png, writer, descriptor < 0 ? hold : writeBytes, flush);
  png_set_user_limits(writer->png, 0x7FFFFFFF, 0x7FFFFFFF);
  static const int types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                              PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_IHDR(writer->png, writer->info, (png_uint_32)facts->width, (png_uint_32)facts->height,
               facts->bits, types[facts->components], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  // One filter, and not the best of five for each row: a fifth of the time, for some per cent of size. Paeth's at level 4
  // takes nearly twice the time of this, for photographs 3 % smaller.
  png_set_filter(writer->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
  png_set_compression_level(writer->png, 2);
  // Fewer chunks, and fewer calls of the system.
  png_set_compression_buffer_size(writer->png, 1 << 18);
  if (isSRGB) png_set_sRGB(writer->png, writer->info, PNG_sRGB_INTENT_RELATIVE);
  png_write_info(writer->png, writer->info);
  return writer;
}

int focal_png_write_chunk(struct FocalPNGWriter *writer, const char *type, const uint8_t *bytes,
                          size_t count) {
  if (writer->state.message[0]) return 0;
  if (setjmp(png_jmpbuf(writer->png))) return 0;
  png_write_chunk(writer->png, (png_const_bytep)type, bytes, count);
  return 1;
}

int focal_png_write_row(struct FocalPNGWriter *writer, const uint8_t *row) {
  if (writer->state.message[0]) return 0;
  if (setjmp(png_jmpbuf(writer->png))) return 0;
  png_write_row(writer->png, row);
  return 1;
}

int focal_png_finish(struct FocalPNGWriter *writer) {
  if (writer->state.message[0]) return 0;
  if (setjmp(png_jmpbuf(writer->png))) return 0;
  png_write_end(writer->png, NULL);
  return 1;
}

const uint8_t *focal_png_bytes(const struct FocalPNGWriter *writer, size_t *count) {
  *count = writer->count;
  return writer->bytes;
}

int focal_png_error_number(const struct FocalPNGWriter *writer) {
  return writer->state.errorNumber;
}

const char *focal_png_writer_message(const struct FocalPNGWriter *writer) {
  return writer->state.message;
}

void focal_png_free(struct FocalPNGWriter *writer) {
  if (!writer) return;
  png_destroy_write_struct(&writer->png, &writer->info);
  free(writer->bytes);
  free(writer);
}
