// SPDX-License-Identifier: Apache-2.0
//
// Common to the pack kernels: a piece of a row of the picture's light, turned and encoded by the
// transfer function, and codes from values.
//
// Under a quarter turn a row of the destination is a column of the source: kernels that go down the picture strip by
// strip then keep a narrow strip's cache lines for the rows that follow.
#pragma once

#include "ShaderTypes.h"

// Columns of the destination that are worked on together, and what the chroma filter needs on
// either side of them.
#define STRIP 256
#define STRIP_MARGIN 2
#define STRIP_ROW (STRIP + 2 * STRIP_MARGIN)

// R'G'B' and alpha of a piece of a row, by component.
struct Strip {
  float red[STRIP_ROW], green[STRIP_ROW], blue[STRIP_ROW], alpha[STRIP_ROW];
};

// A caller's memory is aligned to the component only.
typedef uint32_t __attribute__((aligned(1), may_alias)) UnalignedWord;

// A row of the destination in the source: the index of its first pixel, and from one to the next.
struct SourceRow {
  int64_t first, step;
};

FOCAL_FUNCTION struct SourceRow source_row(const struct FocalPixelParameters *p, int32_t y) {
  int64_t width = p->width, height = p->height;
  struct SourceRow row;
  switch (p->turn) {
    case 1:
      row.first = (width - 1) * height + y;
      row.step = -height;
      break;
    case 2:
      row.first = (height - 1 - y) * width + (width - 1);
      row.step = -1;
      break;
    case 3:
      row.first = height - 1 - y;
      row.step = height;
      break;
    default:
      row.first = y * width;
      row.step = 1;
      break;
  }
  return row;
}

// How many columns are written.
FOCAL_FUNCTION int32_t packed_columns(const struct FocalPixelParameters *p) {
  return p->columns > 0 ? p->columns : p->width - p->left;
}

// Not a number is stored as black: no code stands for it, and a float would carry it on.
FOCAL_FUNCTION float number_or_zero(float x) { return focal_is_number(x) ? x : 0.0f; }

FOCAL_FUNCTION void encode_component(float *restrict values, int32_t first, int32_t end,
                                     int32_t transfer) {
  // Of a cut-out most strips are empty: one code is that of all.
  const UnalignedWord *words = (const UnalignedWord *)(const void *)values;
  uint32_t bits = 0;
  for (int32_t i = first; i < end; i++) bits |= words[i];
  if (bits == 0) {
    const float empty = focal_encode(0.0f, transfer);
    for (int32_t i = first; i < end; i++) values[i] = empty;
    return;
  }
  for (int32_t i = first; i < end; i++) values[i] = focal_encode(values[i], transfer);
}

FOCAL_FUNCTION void copy_pixel(struct Strip *strip, int32_t from, int32_t to) {
  strip->red[to] = strip->red[from];
  strip->green[to] = strip->green[from];
  strip->blue[to] = strip->blue[from];
  strip->alpha[to] = strip->alpha[from];
}

// Where a strip begins in a window of the source.
FOCAL_FUNCTION struct SourceRow strip_row(const struct FocalPixelParameters *p, int32_t x,
                                          int32_t y) {
  struct SourceRow row = source_row(p, focal_clamp_int(y, 0, p->height - 1));
  // As the source is oriented, its rows are as long as the turned picture's columns.
  row.first += row.step * x - (int64_t)p->originY * (p->turn & 1 ? p->height : p->width);
  return row;
}

// Gives a strip the light of `first` ..< `end`, the first of which is where `row` begins.
typedef void LoadStrip(const struct FocalPixelParameters *p, const void *source,
                       struct SourceRow row, int32_t first, int32_t end,
                       struct Strip *restrict strip);

// The light of a linear picture, 4 floats a pixel.
FOCAL_FUNCTION void load_linear(const struct FocalPixelParameters *p, const void *linear,
                                struct SourceRow row, int32_t first, int32_t end,
                                struct Strip *restrict strip) {
  (void)p;
  const float *restrict source = (const float *)linear + 4 * row.first;
  if (row.step == 1) {
    for (int32_t i = first; i < end; i++) {
      strip->red[i] = number_or_zero(source[4 * (i - first)]);
      strip->green[i] = number_or_zero(source[4 * (i - first) + 1]);
      strip->blue[i] = number_or_zero(source[4 * (i - first) + 2]);
      strip->alpha[i] = number_or_zero(source[4 * (i - first) + 3]);
    }
  } else {
    for (int32_t i = first; i < end; i++, source += 4 * row.step) {
      strip->red[i] = number_or_zero(source[0]);
      strip->green[i] = number_or_zero(source[1]);
      strip->blue[i] = number_or_zero(source[2]);
      strip->alpha[i] = number_or_zero(source[3]);
    }
  }
}

FOCAL_FUNCTION void encode_colours(struct Strip *strip, int32_t first, int32_t end,
                                   int32_t transfer) {
  encode_component(strip->red, first, end, transfer);
  encode_component(strip->green, first, end, transfer);
  encode_component(strip->blue, first, end, transfer);
}

// `count` pixels from (x, y) on; columns and rows past the picture repeat its border. Each transfer function is
// compiled on its own.
FOCAL_FUNCTION void encode_strip(const struct FocalPixelParameters *p, LoadStrip *load,
                                 const void *source, int32_t x, int32_t y, int32_t count,
                                 struct Strip *restrict strip) {
  const int32_t first = focal_max_int(-x, 0);
  const int32_t end = focal_min_int(count, p->width - x);
  load(p, source, strip_row(p, x + first, y), first, end, strip);
  switch (p->transfer) {
    case FOCAL_TRANSFER_SRGB:
      encode_colours(strip, first, end, FOCAL_TRANSFER_SRGB);
      break;
    case FOCAL_TRANSFER_BT709:
      encode_colours(strip, first, end, FOCAL_TRANSFER_BT709);
      break;
    case FOCAL_TRANSFER_HLG:
      encode_colours(strip, first, end, FOCAL_TRANSFER_HLG);
      break;
    case FOCAL_TRANSFER_PQ:
      encode_colours(strip, first, end, FOCAL_TRANSFER_PQ);
      break;
    default:
      encode_colours(strip, first, end, FOCAL_TRANSFER_LINEAR);
      break;
  }
  for (int32_t i = 0; i < first; i++) copy_pixel(strip, first, i);
  for (int32_t i = end; i < count; i++) copy_pixel(strip, end - 1, i);
}

// A code from a value in code steps: dithered by `dither` (0 or 1), clamped, rounded.
FOCAL_FUNCTION uint32_t quantise(float code, float dither, int32_t x, int32_t y, uint32_t channel,
                                 float maximum) {
  float offset = dither * focal_dither((uint32_t)x, (uint32_t)y, channel);
  return (uint32_t)(int32_t)(focal_clamp(code + offset, 0.0f, maximum) + 0.5f);
}
