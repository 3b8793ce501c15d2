// SPDX-License-Identifier: Apache-2.0
//
// Common to the pack kernels: a piece of a row of the linear picture, turned and encoded by the
// transfer function, and codes from values.
//
// Both kernels go down the picture strip by strip: under a quarter turn a row of the destination is
// a column of the source, and a narrow strip keeps its cache lines for the rows that follow.
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

// `count` pixels from (x, y) on; columns and rows past the picture repeat its border.
FOCAL_FUNCTION void load_strip(const struct FocalPixelParameters *p, const float *linear, int32_t x,
                               int32_t y, int32_t count, int32_t transfer,
                               struct Strip *restrict strip) {
  struct SourceRow row = source_row(p, focal_clamp_int(y, 0, p->height - 1));
  int32_t first = focal_max_int(-x, 0);
  int32_t end = focal_min_int(count, p->width - x);
  // As the source is oriented, its rows are as long as the turned picture's columns.
  const int64_t before = (int64_t)p->originY * (p->turn & 1 ? p->height : p->width);
  const float *restrict source = linear + 4 * (row.first + row.step * (x + first) - before);
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
  encode_component(strip->red, first, end, transfer);
  encode_component(strip->green, first, end, transfer);
  encode_component(strip->blue, first, end, transfer);
  for (int32_t i = 0; i < first; i++) copy_pixel(strip, first, i);
  for (int32_t i = end; i < count; i++) copy_pixel(strip, end - 1, i);
}

// The same with the transfer function that `p` names; each is compiled on its own.
FOCAL_FUNCTION void encode_strip(const struct FocalPixelParameters *p, const float *linear,
                                 int32_t x, int32_t y, int32_t count,
                                 struct Strip *restrict strip) {
  switch (p->transfer) {
    case FOCAL_TRANSFER_SRGB:
      load_strip(p, linear, x, y, count, FOCAL_TRANSFER_SRGB, strip);
      break;
    case FOCAL_TRANSFER_BT709:
      load_strip(p, linear, x, y, count, FOCAL_TRANSFER_BT709, strip);
      break;
    case FOCAL_TRANSFER_HLG:
      load_strip(p, linear, x, y, count, FOCAL_TRANSFER_HLG, strip);
      break;
    case FOCAL_TRANSFER_PQ:
      load_strip(p, linear, x, y, count, FOCAL_TRANSFER_PQ, strip);
      break;
    default:
      load_strip(p, linear, x, y, count, FOCAL_TRANSFER_LINEAR, strip);
      break;
  }
}

// A code from a value in code steps: dithered by `dither` (0 or 1), clamped, rounded.
FOCAL_FUNCTION uint32_t quantise(float code, float dither, int32_t x, int32_t y, uint32_t channel,
                                 float maximum) {
  float offset = dither * focal_dither((uint32_t)x, (uint32_t)y, channel);
  return (uint32_t)(int32_t)(focal_clamp(code + offset, 0.0f, maximum) + 0.5f);
}
