// SPDX-License-Identifier: Apache-2.0

// For pread, ssize_t and the like beside the C standard.
#define _POSIX_C_SOURCE 200809L

#include "focal_tiff_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static tmsize_t readBytes(thandle_t handle, void *buffer, tmsize_t size) {
  struct FocalTIFFPlace *file = handle;
  const uint64_t rest = file->place < file->count ? file->count - file->place : 0;
  const size_t count = (uint64_t)size < rest ? (size_t)size : (size_t)rest;
  if (file->isLimited) {
    if (count > file->allowance) return 0;
    file->allowance -= count;
  }
  size_t done = 0;
  while (done < count) {
    if (file->bytes) {
      memcpy(buffer, file->bytes + file->place, count);
      done = count;
      break;
    }
    const ssize_t part = pread(file->descriptor, (uint8_t *)buffer + done, count - done,
                               (off_t)(file->place + done));
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) break;
    done += (size_t)part;
  }
  file->place += done;
  return (tmsize_t)done;
}

static tmsize_t writeBytes(thandle_t handle, void *buffer, tmsize_t size) {
  struct FocalTIFFPlace *file = handle;
  size_t done = 0;
  while (!file->bytes && done < (size_t)size) {
    const ssize_t part = pwrite(file->descriptor, (const uint8_t *)buffer + done,
                                (size_t)size - done, (off_t)(file->place + done));
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) {
      file->errorNumber = part < 0 ? errno : EIO;
      return -1;
    }
    done += (size_t)part;
  }
  file->place += done;
  if (file->place > file->count) file->count = file->place;
  return done < (size_t)size ? -1 : size;
}

static toff_t seek(thandle_t handle, toff_t offset, int from) {
  struct FocalTIFFPlace *file = handle;
  const toff_t base = from == SEEK_SET ? 0 : from == SEEK_CUR ? file->place : file->count;
  file->place = base + offset;
  return file->place;
}

static int closeFile(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t byteCount(thandle_t handle) { return ((struct FocalTIFFPlace *)handle)->count; }

static int keepMessage(TIFF *file, void *data, const char *module, const char *format,
                       va_list arguments) {
  (void)file;
  (void)module;
  struct FocalTIFFPlace *place = data;
  if (!place->message[0])
    vsnprintf(place->message, FOCAL_TIFF_MESSAGE_SIZE, format, arguments);
  return 1;
}

/// Decoders warn of codes that do not fit their pixels. All other warnings are about what is said.
static int keepDamage(TIFF *file, void *data, const char *module, const char *format,
                      va_list arguments) {
  static const char *const decoders[] = {"PackBitsDecode", "LZWDecode", "ZIPDecode", "JPEGLib"};
  for (size_t index = 0; module && index < sizeof decoders / sizeof *decoders; ++index) {
    if (strcmp(module, decoders[index]) != 0) continue;
    ((struct FocalTIFFPlace *)data)->isDamaged = 1;
    return keepMessage(file, data, module, format, arguments);
  }
  return 1;
}

void focal_tiff_limit_reads(struct FocalTIFFPlace *place) {
  // Entries and a few values are read twice, and of JPEG a first piece of the pixels.
  const uint64_t others = 1 << 16;
  place->allowance = place->count < UINT64_MAX / 4 ? 2 * place->count + others : UINT64_MAX;
  place->isLimited = 1;
}

void focal_tiff_free_reads(struct FocalTIFFPlace *place) { place->isLimited = 0; }

TIFF *focal_tiff_open_place(struct FocalTIFFPlace *place, const char *mode) {
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (!options) return NULL;
  TIFFOpenOptionsSetErrorHandlerExtR(options, keepMessage, place);
  TIFFOpenOptionsSetWarningHandlerExtR(options, keepDamage, place);
  TIFF *file = TIFFClientOpenExt("picture", mode, place, readBytes, writeBytes, seek, closeFile,
                                 byteCount, NULL, NULL, options);
  TIFFOpenOptionsFree(options);
  return file;
}
