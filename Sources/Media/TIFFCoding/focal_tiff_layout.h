// SPDX-License-Identifier: Apache-2.0
//
// How a TIFF file's samples are stored, and what is made of them.

#ifndef FOCAL_TIFF_LAYOUT_H
#define FOCAL_TIFF_LAYOUT_H

#include <stdint.h>
#include <string.h>
#include <tiffio.h>

/// How samples are stored.
struct Layout {
  uint32_t width, height;
  /// Of a pixel: those that are stored, and those that are delivered, of which the last may be alpha.
  uint16_t samples, components;
  /// The number of the alpha among the stored samples.
  uint16_t alpha;
  uint16_t bits, kind, planes, light;
  int isTiled;
  /// Whether the library makes colours of 8 bits of what is stored: palettes, few bits, luma and chroma.
  int isConverted;
  uint32_t pieceWidth, pieceHeight;
};

/// The most samples of a pixel: pictures have up to 56 channels in Photoshop.
enum { mostSamples = 64 };

/// The samples of a colour.
static inline uint16_t colorCount(const struct Layout *layout) {
  const int isColored = layout->light != PHOTOMETRIC_MINISBLACK &&
                        layout->light != PHOTOMETRIC_MINISWHITE;
  return isColored && layout->samples >= 3 ? 3 : 1;
}

/// The stored sample that becomes a component.
static inline uint32_t storedSample(const struct Layout *layout, uint32_t component) {
  return component < colorCount(layout) ? component : layout->alpha;
}

/// Decides which samples behind the colours are delivered: a single one, or of several the first that is called alpha.
///
/// - Returns: whether colours are multiplied by it.
static inline int chooseComponents(TIFF *file, struct Layout *layout) {
  const uint16_t colors = colorCount(layout);
  uint16_t count = 0, *kinds = NULL;
  if (!TIFFGetField(file, TIFFTAG_EXTRASAMPLES, &count, &kinds)) count = 0;
  layout->components = colors;
  for (uint16_t sample = colors; sample < layout->samples; ++sample) {
    const uint16_t extra = (uint16_t)(sample - colors);
    const uint16_t kind = extra < count ? kinds[extra] : EXTRASAMPLE_UNSPECIFIED;
    if (layout->samples > colors + 1 && kind == EXTRASAMPLE_UNSPECIFIED) continue;
    layout->components = (uint16_t)(colors + 1);
    layout->alpha = sample;
    return kind == EXTRASAMPLE_ASSOCALPHA;
  }
  return 0;
}

static inline float halfValue(uint16_t half) {
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
///
/// - component: the number of the component. Where 0 is white, it is so of gray, which comes first, and not of the
///   alpha and other samples behind it.
static inline void store(const struct Layout *layout, uint32_t component, const uint8_t *from,
                         uint8_t *to) {
  const int isInverted = component == 0 && layout->light == PHOTOMETRIC_MINISWHITE;
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
    *to = isInverted ? (uint8_t)~*from : *from;
  } else {
    uint16_t code;
    memcpy(&code, from, 2);
    if (isInverted) code = (uint16_t)~code;
    memcpy(to, &code, 2);
  }
}

/// Whether the library makes colours of 8 bits of the samples, and nothing is lost by that.
static inline int isConvertible(TIFF *file, const struct Layout *layout) {
  char text[1024];
  const int isFewBits = layout->samples == 1 && layout->bits <= 8 &&
                        (layout->light == PHOTOMETRIC_MINISBLACK ||
                         layout->light == PHOTOMETRIC_MINISWHITE);
  const int isPalette = layout->light == PHOTOMETRIC_PALETTE && layout->samples == 1 &&
                        layout->bits <= 8;
  const int isLumaChroma = layout->light == PHOTOMETRIC_YCBCR && layout->samples == 3 &&
                           layout->bits == 8;
  return (isFewBits || isPalette || isLumaChroma) && TIFFRGBAImageOK(file, text);
}

#endif
