// SPDX-License-Identifier: Apache-2.0

#include "focal_tiff_place.h"

#include <stdlib.h>
#include <string.h>

struct FocalTIFFWriter {
  struct FocalTIFFPlace target;
  TIFF *file;
  uint32_t row;
};

struct FocalTIFFWriter *focal_tiff_begin(int descriptor, const struct FocalTIFFPicture *picture,
                                         int isBig, char *message) {
  message[0] = 0;
  struct FocalTIFFWriter *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  writer->target.descriptor = descriptor;
  // Little-endian, whatever the machine is.
  writer->file = focal_tiff_open_place(&writer->target, isBig ? "wl8m" : "wlm");
  TIFF *file = writer->file;
  const int isGray = picture->components < 3;
  const int hasAlpha = picture->components % 2 == 0;
  const uint16_t extra = EXTRASAMPLE_UNASSALPHA;
  const int isSet =
      file && TIFFSetField(file, TIFFTAG_IMAGEWIDTH, picture->width) &&
      TIFFSetField(file, TIFFTAG_IMAGELENGTH, picture->height) &&
      TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, picture->components) &&
      TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, 8 * picture->sampleSize) &&
      TIFFSetField(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
      TIFFSetField(file, TIFFTAG_PHOTOMETRIC,
                   isGray ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB) &&
      (!hasAlpha || TIFFSetField(file, TIFFTAG_EXTRASAMPLES, 1, &extra)) &&
      TIFFSetField(file, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE) &&
      TIFFSetField(file, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL) &&
      TIFFSetField(file, TIFFTAG_ZIPQUALITY, 4) &&
      TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(file, 16));
  if (!isSet) {
    memcpy(message, writer->target.message, FOCAL_TIFF_MESSAGE_SIZE);
    focal_tiff_free(writer);
    return NULL;
  }
  return writer;
}

int focal_tiff_write_row(struct FocalTIFFWriter *writer, const void *row) {
  return TIFFWriteScanline(writer->file, (void *)(uintptr_t)row, writer->row++, 0) == 1;
}

int focal_tiff_finish(struct FocalTIFFWriter *writer) {
  // Directories are written by a flush, whose failure a close would not tell.
  const int isWritten = TIFFFlush(writer->file) == 1;
  TIFFClose(writer->file);
  writer->file = NULL;
  return isWritten && !writer->target.errorNumber;
}

int focal_tiff_error_number(const struct FocalTIFFWriter *writer) {
  return writer->target.errorNumber;
}

const char *focal_tiff_writer_message(const struct FocalTIFFWriter *writer) {
  return writer->target.message;
}

void focal_tiff_free(struct FocalTIFFWriter *writer) {
  if (!writer) return;
  if (writer->file) TIFFClose(writer->file);
  free(writer);
}
