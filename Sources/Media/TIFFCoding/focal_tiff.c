// SPDX-License-Identifier: Apache-2.0

#include "focal_tiff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

struct Memory {
  const uint8_t *bytes;
  size_t count;
  size_t place;
  char *message;
};

static tmsize_t readBytes(thandle_t handle, void *buffer, tmsize_t size) {
  struct Memory *memory = handle;
  const size_t rest = memory->place < memory->count ? memory->count - memory->place : 0;
  const size_t count = (size_t)size < rest ? (size_t)size : rest;
  memcpy(buffer, memory->bytes + memory->place, count);
  memory->place += count;
  return (tmsize_t)count;
}

static tmsize_t writeBytes(thandle_t handle, void *buffer, tmsize_t size) {
  (void)handle;
  (void)buffer;
  (void)size;
  return -1;
}

static toff_t seek(thandle_t handle, toff_t offset, int from) {
  struct Memory *memory = handle;
  const toff_t base = from == SEEK_SET ? 0 : from == SEEK_CUR ? memory->place : memory->count;
  memory->place = (size_t)(base + offset);
  return memory->place;
}

static int closeFile(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t byteCount(thandle_t handle) { return ((struct Memory *)handle)->count; }

static int keepMessage(TIFF *file, void *data, const char *module, const char *format,
                       va_list arguments) {
  (void)file;
  (void)module;
  struct Memory *memory = data;
  if (!memory->message[0])
    vsnprintf(memory->message, FOCAL_TIFF_MESSAGE_SIZE, format, arguments);
  return 1;
}

static int keepSilent(TIFF *file, void *data, const char *module, const char *format,
                      va_list arguments) {
  (void)file;
  (void)data;
  (void)module;
  (void)format;
  (void)arguments;
  return 1;
}

/// How samples are stored.
struct Layout {
  uint32_t width, height;
  uint16_t components, bits, kind, planes, light;
  int isTiled;
  uint32_t pieceWidth, pieceHeight;
};

static float halfValue(uint16_t half) {
  const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
  const uint32_t exponent = half >> 10 & 31, fraction = half & 1023;
  union {
    uint32_t bits;
    float value;
  } result;
  if (exponent == 0) {
    result.value = (float)fraction * 0x1p-24f;
    result.bits |= sign;
  } else {
    result.bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
  }
  return result.value;
}

/// A stored sample as it is delivered. The library has put it into the machine's order of bytes.
static void store(const struct Layout *layout, const uint8_t *from, uint8_t *to) {
  if (layout->kind == SAMPLEFORMAT_IEEEFP) {
    float value = 0;
    if (layout->bits == 16) {
      uint16_t half;
      memcpy(&half, from, 2);
      value = halfValue(half);
    } else if (layout->bits == 32) {
      memcpy(&value, from, 4);
    } else {
      double wide;
      memcpy(&wide, from, 8);
      value = (float)wide;
    }
    memcpy(to, &value, 4);
  } else if (layout->bits == 8) {
    *to = layout->light == PHOTOMETRIC_MINISWHITE ? (uint8_t)~*from : *from;
  } else {
    uint16_t code;
    memcpy(&code, from, 2);
    if (layout->light == PHOTOMETRIC_MINISWHITE) code = (uint16_t)~code;
    memcpy(to, &code, 2);
  }
}

static int readPieces(TIFF *file, const struct Layout *layout, struct FocalTIFFPicture *picture) {
  const size_t stored = layout->bits / 8;
  const size_t delivered = (size_t)picture->sampleSize;
  const uint32_t samples = layout->planes == PLANARCONFIG_SEPARATE ? 1 : layout->components;
  const tmsize_t size = layout->isTiled ? TIFFTileSize(file) : TIFFStripSize(file);
  const tmsize_t needed =
      (tmsize_t)((uint64_t)layout->pieceWidth * layout->pieceHeight * samples * stored);
  if (size <= 0 || size < needed) return 0;
  uint8_t *piece = _TIFFmalloc(size);
  if (!piece) return 0;
  int isRead = 1;
  const uint32_t planes = layout->planes == PLANARCONFIG_SEPARATE ? layout->components : 1;
  for (uint32_t plane = 0; isRead && plane < planes; ++plane) {
    for (uint32_t y = 0; isRead && y < layout->height; y += layout->pieceHeight) {
      for (uint32_t x = 0; isRead && x < layout->width; x += layout->pieceWidth) {
        const uint32_t rows =
            layout->height - y < layout->pieceHeight ? layout->height - y : layout->pieceHeight;
        const uint32_t columns =
            layout->width - x < layout->pieceWidth ? layout->width - x : layout->pieceWidth;
        const tmsize_t count =
            layout->isTiled
                ? TIFFReadEncodedTile(file, TIFFComputeTile(file, x, y, 0, (uint16_t)plane),
                                      piece, size)
                : TIFFReadEncodedStrip(file, TIFFComputeStrip(file, y, (uint16_t)plane), piece,
                                       size);
        isRead = count >= (tmsize_t)((uint64_t)layout->pieceWidth *
                                     (layout->isTiled ? layout->pieceHeight : rows) * samples *
                                     stored);
        for (uint32_t row = 0; isRead && row < rows; ++row) {
          const uint8_t *from = piece + (size_t)row * layout->pieceWidth * samples * stored;
          uint8_t *to = (uint8_t *)picture->samples +
                        (((size_t)(y + row) * layout->width + x) * layout->components + plane) *
                            delivered;
          for (uint32_t column = 0; column < columns; ++column) {
            for (uint32_t sample = 0; sample < samples; ++sample)
              store(layout, from + (column * samples + sample) * stored,
                    to + ((size_t)column * layout->components + sample) * delivered);
          }
        }
      }
    }
  }
  _TIFFfree(piece);
  return isRead;
}

static enum FocalTIFFStatus readPicture(TIFF *file, int32_t largestSize,
                                        struct FocalTIFFPicture *result, char *message) {
  struct Layout layout = {.components = 1, .bits = 1, .kind = SAMPLEFORMAT_UINT};
  layout.planes = PLANARCONFIG_CONTIG;
  if (!TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &layout.width) ||
      !TIFFGetField(file, TIFFTAG_IMAGELENGTH, &layout.height))
    return FocalTIFFDamaged;
  TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &layout.components);
  TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &layout.bits);
  TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &layout.kind);
  TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &layout.planes);
  layout.light = PHOTOMETRIC_MINISBLACK;
  TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &layout.light);
  const int isFloatingPoint = layout.kind == SAMPLEFORMAT_IEEEFP;
  const int isCode = layout.kind == SAMPLEFORMAT_UINT || layout.kind == SAMPLEFORMAT_VOID;
  const int isKnownLight = layout.light == PHOTOMETRIC_MINISBLACK ||
                           layout.light == PHOTOMETRIC_MINISWHITE ||
                           layout.light == PHOTOMETRIC_RGB;
  if (layout.width > (uint32_t)largestSize || layout.height > (uint32_t)largestSize ||
      layout.components < 1 || layout.components > 4 || !isKnownLight ||
      !(isFloatingPoint ? layout.bits == 16 || layout.bits == 32 || layout.bits == 64
                        : isCode && (layout.bits == 8 || layout.bits == 16))) {
    snprintf(message, FOCAL_TIFF_MESSAGE_SIZE,
             "%ux%u pixels of %u samples of %u bits, sample format %u, photometric %u",
             layout.width, layout.height, layout.components, layout.bits, layout.kind,
             layout.light);
    return FocalTIFFUnsupported;
  }
  layout.isTiled = TIFFIsTiled(file);
  if (layout.isTiled) {
    if (!TIFFGetField(file, TIFFTAG_TILEWIDTH, &layout.pieceWidth) ||
        !TIFFGetField(file, TIFFTAG_TILELENGTH, &layout.pieceHeight))
      return FocalTIFFDamaged;
  } else {
    layout.pieceWidth = layout.width;
    TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &layout.pieceHeight);
    if (layout.pieceHeight > layout.height) layout.pieceHeight = layout.height;
  }
  if (!layout.width || !layout.height || !layout.pieceWidth || !layout.pieceHeight ||
      layout.pieceWidth > (uint32_t)largestSize * 2 ||
      layout.pieceHeight > (uint32_t)largestSize * 2)
    return FocalTIFFDamaged;
  result->width = (int32_t)layout.width;
  result->height = (int32_t)layout.height;
  result->components = layout.components;
  result->isFloatingPoint = isFloatingPoint;
  result->sampleSize = isFloatingPoint ? 4 : layout.bits / 8;
  result->samples = calloc((size_t)layout.width * layout.height,
                           (size_t)layout.components * (size_t)result->sampleSize);
  if (!result->samples) return FocalTIFFUnsupported;
  return readPieces(file, &layout, result) ? FocalTIFFRead : FocalTIFFDamaged;
}

enum FocalTIFFStatus focal_tiff_read(const uint8_t *bytes, size_t count, int32_t largestSize,
                                     struct FocalTIFFPicture *result, char *message) {
  memset(result, 0, sizeof *result);
  message[0] = 0;
  struct Memory memory = {.bytes = bytes, .count = count, .message = message};
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options) return FocalTIFFUnsupported;
  TIFFOpenOptionsSetErrorHandlerExtR(options, keepMessage, &memory);
  TIFFOpenOptionsSetWarningHandlerExtR(options, keepSilent, &memory);
  TIFF *file = TIFFClientOpenExt("picture", "rm", &memory, readBytes, writeBytes, seek, closeFile,
                                 byteCount, NULL, NULL, options);
  TIFFOpenOptionsFree(options);
  if (!file) return FocalTIFFDamaged;
  const enum FocalTIFFStatus status = readPicture(file, largestSize, result, message);
  TIFFClose(file);
  if (status != FocalTIFFRead) focal_tiff_free(result);
  return status;
}

void focal_tiff_free(struct FocalTIFFPicture *picture) {
  free(picture->samples);
  picture->samples = NULL;
}
