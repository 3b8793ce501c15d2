// SPDX-License-Identifier: Apache-2.0

// For lseek, off_t and the like beside the C standard.
#define _POSIX_C_SOURCE 200809L

#include "focal_tiff_check.h"
#include "focal_tiff_layout.h"
#include "focal_tiff_place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct FocalTIFFReader {
  struct FocalTIFFPlace source;
  TIFF *file;
  struct Layout layout;
  struct FocalTIFFPicture picture;
  tmsize_t pieceSize;
  uint8_t *piece;
  /// The rows of the pieces that were decoded last.
  uint8_t *rows;
  uint32_t firstRow, rowCount;
  int isDeflated, toleratesDamage, lacksMemory;
  int32_t damagedRow;
};

/// Whether a piece is of its own sum, where it has one.
static int isPieceSound(struct FocalTIFFReader *reader, uint32_t piece) {
  if (!reader->isDeflated) return 1;
  const enum FocalTIFFSoundness result =
      focal_tiff_check_piece(reader->file, piece, reader->source.count, reader->source.message,
                             FOCAL_TIFF_MESSAGE_SIZE);
  if (result == FocalTIFFUnchecked) reader->lacksMemory = 1;
  return result == FocalTIFFSound;
}

/// Decodes the pieces that begin with a row.
static int readPieces(struct FocalTIFFReader *reader, uint32_t y) {
  TIFF *file = reader->file;
  const struct Layout *layout = &reader->layout;
  const size_t stored = layout->bits / 8;
  const size_t delivered = (size_t)reader->picture.sampleSize;
  const int isSeparate = layout->planes == PLANARCONFIG_SEPARATE;
  // Of separate planes, those that are not delivered are not decoded.
  const uint32_t samples = isSeparate ? 1 : layout->samples;
  const uint32_t planes = isSeparate ? layout->components : 1;
  const uint32_t delivers = isSeparate ? 1 : layout->components;
  const uint32_t rest = layout->height - y;
  const uint32_t rows = rest < layout->pieceHeight ? rest : layout->pieceHeight;
  for (uint32_t plane = 0; plane < planes; ++plane) {
    for (uint32_t x = 0; x < layout->width; x += layout->pieceWidth) {
      const uint32_t columns =
          layout->width - x < layout->pieceWidth ? layout->width - x : layout->pieceWidth;
      const uint16_t storedPlane = isSeparate ? (uint16_t)storedSample(layout, plane) : 0;
      const uint32_t number = layout->isTiled ? TIFFComputeTile(file, x, y, 0, storedPlane)
                                              : TIFFComputeStrip(file, y, storedPlane);
      const int isSound = isPieceSound(reader, number);
      if (reader->lacksMemory) return 0;
      // Of the rest of a damaged piece nothing is known.
      if (reader->toleratesDamage) memset(reader->piece, 0, (size_t)reader->pieceSize);
      const tmsize_t count =
          layout->isTiled
              ? TIFFReadEncodedTile(file, number, reader->piece, reader->pieceSize)
              : TIFFReadEncodedStrip(file, number, reader->piece, reader->pieceSize);
      const int isWhole =
          count >= (tmsize_t)((uint64_t)layout->pieceWidth *
                              (layout->isTiled ? layout->pieceHeight : rows) * samples * stored);
      if (!isSound || !isWhole || reader->source.isDamaged) {
        reader->source.isDamaged = 0;
        if (reader->damagedRow < 0) reader->damagedRow = (int32_t)y;
        if (!reader->toleratesDamage) return 0;
      }
      for (uint32_t row = 0; row < rows; ++row) {
        const uint8_t *from = reader->piece + (size_t)row * layout->pieceWidth * samples * stored;
        uint8_t *to = reader->rows +
                      (((size_t)row * layout->width + x) * layout->components + plane) * delivered;
        for (uint32_t column = 0; column < columns; ++column) {
          for (uint32_t component = 0; component < delivers; ++component) {
            const uint32_t sample = isSeparate ? 0 : storedSample(layout, component);
            store(layout, plane + component, from + (column * samples + sample) * stored,
                  to + ((size_t)column * layout->components + component) * delivered);
          }
        }
      }
    }
  }
  reader->firstRow = y;
  reader->rowCount = rows;
  return 1;
}

/// Decodes the whole picture, in 8 bits.
static int readConverted(struct FocalTIFFReader *reader) {
  const struct Layout *layout = &reader->layout;
  const size_t count = (size_t)layout->width * layout->height;
  uint32_t *raster = calloc(count, sizeof *raster);
  if (!raster) {
    reader->lacksMemory = 1;
    return 0;
  }
  int isSound = 1;
  const uint32_t pieces = TIFFIsTiled(reader->file) ? TIFFNumberOfTiles(reader->file)
                                                    : TIFFNumberOfStrips(reader->file);
  for (uint32_t piece = 0; reader->isDeflated && isSound && piece < pieces; ++piece)
    isSound = isPieceSound(reader, piece);
  // The orientation of the file itself: nothing is turned.
  uint16_t orientation = ORIENTATION_TOPLEFT;
  TIFFGetFieldDefaulted(reader->file, TIFFTAG_ORIENTATION, &orientation);
  const int isWhole = TIFFReadRGBAImageOriented(reader->file, layout->width, layout->height, raster,
                                                orientation, !reader->toleratesDamage);
  if (!isSound || !isWhole || reader->source.isDamaged) reader->damagedRow = 0;
  const int isRead = reader->damagedRow < 0 || reader->toleratesDamage;
  const size_t components = layout->components;
  for (size_t pixel = 0; isRead && pixel < count; ++pixel) {
    for (size_t component = 0; component < components; ++component)
      reader->rows[pixel * components + component] = (uint8_t)(raster[pixel] >> (8 * component));
  }
  free(raster);
  reader->firstRow = 0;
  reader->rowCount = isRead ? layout->height : 0;
  return isRead;
}

/// How many bytes are held to decode a row.
///
/// - isBounded: whether the coding has a bound. Decoders of others may hold a strip or tile themselves, too.
static int64_t bytesAtOnce(const struct FocalTIFFReader *reader, int isBounded) {
  const struct Layout *layout = &reader->layout;
  const uint32_t rows = layout->pieceHeight < layout->height ? layout->pieceHeight : layout->height;
  int64_t pixel = (int64_t)layout->components * reader->picture.sampleSize;
  int64_t pieces = isBounded ? 1 : 2;
  if (layout->isConverted) {
    // The library makes a raster of four bytes a pixel, and of planes it holds a piece each.
    pixel += (int64_t)sizeof(uint32_t);
    if (layout->planes == PLANARCONFIG_SEPARATE) pieces += layout->components - 1;
  }
  return (int64_t)layout->width * rows * pixel + pieces * (int64_t)reader->pieceSize;
}

/// Goes to the first page that is neither a smaller version nor the mask of another one, or stays at the first.
static uint32_t findPicture(struct FocalTIFFReader *reader) {
  const uint32_t most = FOCAL_TIFF_MOST_PAGES;
  for (uint32_t page = 0; page < most; ++page) {
    uint32_t kind = 0;
    TIFFGetFieldDefaulted(reader->file, TIFFTAG_SUBFILETYPE, &kind);
    if (!(kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK))) return page;
    focal_tiff_limit_reads(&reader->source);
    if (!TIFFReadDirectory(reader->file)) break;
  }
  focal_tiff_limit_reads(&reader->source);
  TIFFSetDirectory(reader->file, 0);
  return 0;
}

static enum FocalTIFFStatus readLayout(struct FocalTIFFReader *reader, int32_t largestSize,
                                       char *message) {
  TIFF *file = reader->file;
  struct FocalTIFFPicture *result = &reader->picture;
  const uint32_t page = findPicture(reader);
  struct Layout layout = {.samples = 1, .bits = 1, .kind = SAMPLEFORMAT_UINT};
  layout.planes = PLANARCONFIG_CONTIG;
  if (!TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &layout.width) ||
      !TIFFGetField(file, TIFFTAG_IMAGELENGTH, &layout.height))
    return FocalTIFFDamaged;
  TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &layout.samples);
  TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &layout.bits);
  TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &layout.kind);
  TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &layout.planes);
  layout.light = PHOTOMETRIC_MINISBLACK;
  TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &layout.light);
  uint16_t compression = COMPRESSION_NONE;
  TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &compression);
  // JPEG's own decoder makes RGB of luma and chroma.
  if (compression == COMPRESSION_JPEG && layout.light == PHOTOMETRIC_YCBCR &&
      layout.planes == PLANARCONFIG_CONTIG) {
    TIFFSetField(file, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    layout.light = PHOTOMETRIC_RGB;
  }
  const int isFloatingPoint = layout.kind == SAMPLEFORMAT_IEEEFP;
  const int isCode = layout.kind == SAMPLEFORMAT_UINT || layout.kind == SAMPLEFORMAT_VOID;
  const int isKnownLight = layout.light == PHOTOMETRIC_MINISBLACK ||
                           layout.light == PHOTOMETRIC_MINISWHITE ||
                           layout.light == PHOTOMETRIC_RGB;
  const int isPlain = isKnownLight && layout.samples >= 1 && layout.samples <= mostSamples &&
                      (isFloatingPoint ? layout.bits == 16 || layout.bits == 32 || layout.bits == 64
                                       : isCode && (layout.bits == 8 || layout.bits == 16));
  if (!isPlain && isCode) layout.isConverted = isConvertible(file, &layout);
  if (layout.width > (uint32_t)largestSize || layout.height > (uint32_t)largestSize ||
      !(isPlain || layout.isConverted) || !TIFFIsCODECConfigured(compression)) {
    snprintf(message, FOCAL_TIFF_MESSAGE_SIZE,
             "%ux%u pixels of %u samples of %u bits, sample format %u, photometric %u, compression %u",
             layout.width, layout.height, layout.samples, layout.bits, layout.kind,
             layout.light, compression);
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
  result->isPremultiplied = 0;
  if (layout.isConverted) {
    layout.components = layout.light == PHOTOMETRIC_MINISBLACK ||
                                layout.light == PHOTOMETRIC_MINISWHITE
                            ? 1
                            : 3;
    layout.pieceHeight = layout.height;
  } else {
    result->isPremultiplied = chooseComponents(file, &layout);
    result->extraSamples = layout.samples - colorCount(&layout);
    result->alphaSample = layout.alpha ? layout.alpha - colorCount(&layout) + 1 : 0;
  }
  result->width = (int32_t)layout.width;
  result->height = (int32_t)layout.height;
  result->components = layout.components;
  result->isFloatingPoint = isFloatingPoint;
  result->sampleSize = isFloatingPoint ? 4 : layout.isConverted ? 1 : layout.bits / 8;
  // Pages, without the small versions and the masks of others.
  result->pages = 0;
  do {
    uint32_t kind = 0;
    TIFFGetFieldDefaulted(file, TIFFTAG_SUBFILETYPE, &kind);
    if (!(kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK))) ++result->pages;
    focal_tiff_limit_reads(&reader->source);
  } while (result->pages < 1000 && TIFFReadDirectory(file));
  focal_tiff_limit_reads(&reader->source);
  if (!TIFFSetDirectory(file, (tdir_t)page)) return FocalTIFFDamaged;
  focal_tiff_free_reads(&reader->source);
  if (layout.light == PHOTOMETRIC_RGB && compression == COMPRESSION_JPEG)
    TIFFSetField(file, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  reader->layout = layout;
  reader->isDeflated = focal_tiff_is_deflated(compression);
  const uint64_t largest = focal_tiff_largest_size(file, compression, reader->source.count);
  if (largest <
      ((uint64_t)layout.width * (layout.isConverted ? 1u : (uint64_t)layout.samples * layout.bits) +
       7) / 8 * layout.height / (layout.isConverted ? 8u : 1u)) {
    snprintf(message, FOCAL_TIFF_MESSAGE_SIZE, "its bytes cannot hold the %ux%u pixels that it claims",
             layout.width, layout.height);
    return FocalTIFFDamaged;
  }
  reader->pieceSize = layout.isTiled ? TIFFTileSize(file) : TIFFStripSize(file);
  if (layout.isConverted && reader->pieceSize < 0) reader->pieceSize = 0;
  result->bytesAtOnce = bytesAtOnce(reader, largest != UINT64_MAX);
  if (layout.isConverted) return FocalTIFFRead;
  const uint32_t samples = layout.planes == PLANARCONFIG_SEPARATE ? 1 : layout.samples;
  const tmsize_t needed = (tmsize_t)((uint64_t)layout.pieceWidth * layout.pieceHeight * samples *
                                     (layout.bits / 8u));
  return reader->pieceSize > 0 && reader->pieceSize >= needed ? FocalTIFFRead : FocalTIFFDamaged;
}

static enum FocalTIFFStatus openReader(const uint8_t *bytes, int descriptor, uint64_t count,
                                       int32_t largestSize, struct FocalTIFFReader **result,
                                       struct FocalTIFFPicture *picture, char *message) {
  message[0] = 0;
  *result = NULL;
  struct FocalTIFFReader *reader = calloc(1, sizeof *reader);
  if (!reader) return FocalTIFFUnsupported;
  reader->damagedRow = -1;
  reader->source.bytes = bytes;
  reader->source.descriptor = descriptor;
  reader->source.count = count;
  focal_tiff_limit_reads(&reader->source);
  reader->file = focal_tiff_open_place(&reader->source, "rm");
  const enum FocalTIFFStatus status =
      reader->file ? readLayout(reader, largestSize, message) : FocalTIFFDamaged;
  if (status == FocalTIFFRead) {
    *picture = reader->picture;
    *result = reader;
  } else {
    if (!message[0]) memcpy(message, reader->source.message, FOCAL_TIFF_MESSAGE_SIZE);
    focal_tiff_close(reader);
  }
  return status;
}

enum FocalTIFFStatus focal_tiff_open(const uint8_t *bytes, size_t count, int32_t largestSize,
                                     struct FocalTIFFReader **reader,
                                     struct FocalTIFFPicture *picture, char *message) {
  return openReader(bytes, -1, count, largestSize, reader, picture, message);
}

enum FocalTIFFStatus focal_tiff_open_file(int descriptor, int32_t largestSize,
                                          struct FocalTIFFReader **reader,
                                          struct FocalTIFFPicture *picture, char *message) {
  const off_t end = lseek(descriptor, 0, SEEK_END);
  return openReader(NULL, descriptor, end > 0 ? (uint64_t)end : 0, largestSize, reader, picture,
                    message);
}

const void *focal_tiff_row(struct FocalTIFFReader *reader, int32_t y) {
  const struct Layout *layout = &reader->layout;
  if (y < 0 || (uint32_t)y >= layout->height) return NULL;
  const size_t rowBytes =
      (size_t)layout->width * layout->components * (size_t)reader->picture.sampleSize;
  if (!reader->rows) {
    if (!layout->isConverted) reader->piece = _TIFFmalloc(reader->pieceSize);
    const uint32_t rows =
        layout->pieceHeight < layout->height ? layout->pieceHeight : layout->height;
    reader->rows = calloc(rows, rowBytes);
    if ((!reader->piece && !layout->isConverted) || !reader->rows) {
      reader->lacksMemory = 1;
      return NULL;
    }
  }
  const uint32_t row = (uint32_t)y;
  if (row < reader->firstRow || row >= reader->firstRow + reader->rowCount) {
    reader->rowCount = 0;
    const int isRead = layout->isConverted
                           ? readConverted(reader)
                           : readPieces(reader, row / layout->pieceHeight * layout->pieceHeight);
    if (!isRead) return NULL;
  }
  return reader->rows + (row - reader->firstRow) * rowBytes;
}

void focal_tiff_tolerate_damage(struct FocalTIFFReader *reader) { reader->toleratesDamage = 1; }

int32_t focal_tiff_damaged_row(const struct FocalTIFFReader *reader) { return reader->damagedRow; }

int focal_tiff_lacks_memory(const struct FocalTIFFReader *reader) { return reader->lacksMemory; }

const char *focal_tiff_message(const struct FocalTIFFReader *reader) {
  return reader->source.message;
}

void focal_tiff_close(struct FocalTIFFReader *reader) {
  if (!reader) return;
  if (reader->file) TIFFClose(reader->file);
  if (reader->piece) _TIFFfree(reader->piece);
  free(reader->rows);
  free(reader);
}
