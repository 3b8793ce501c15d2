// SPDX-License-Identifier: Apache-2.0

#include "focal_planar.h"

#include <ShaderTypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Codes are read by their bytes, so that neither alignment nor the machine's order matters.
static inline uint32_t load_code(const uint8_t *at, int32_t size, int32_t isBigEndian) {
  if (size == 1) return at[0];
  if (size == 2) {
    return isBigEndian ? (uint32_t)at[0] << 8 | at[1] : (uint32_t)at[1] << 8 | at[0];
  }
  return isBigEndian
             ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]
             : (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

// A row of codes as floats: (code + offset) * scale.
FOCAL_CLONES static void load_row(const struct FocalPlanarComponent *c, int32_t isBigEndian,
                                  int32_t row, int32_t count, float offset, float scale,
                                  float *restrict out) {
  const uint8_t *source = c->base + (ptrdiff_t)row * c->bytesPerRow;
  const uint32_t mask = (1u << c->depth) - 1;
  const int32_t step = c->step, shift = c->shift;
  // The layouts that are usual are loops of their own.
  if (c->size == 1 && step == 1 && shift == 0) {
    for (int32_t i = 0; i < count; i++) {
      out[i] = ((float)(int32_t)(source[i] & mask) + offset) * scale;
    }
  } else if (c->size == 2 && step == 2 && shift == 0 && !isBigEndian) {
    for (int32_t i = 0; i < count; i++) {
      uint16_t code;
      memcpy(&code, source + 2 * i, 2);
      out[i] = ((float)(int32_t)(code & mask) + offset) * scale;
    }
  } else {
    for (int32_t i = 0; i < count; i++) {
      const uint32_t code = load_code(source + i * step, c->size, isBigEndian) >> shift & mask;
      out[i] = ((float)(int32_t)code + offset) * scale;
    }
  }
}

struct Scale {
  float lumaOffset, lumaScale, chromaOffset, chromaScale;
};

// The value of a code of luma and of chroma: (code + offset) * scale (ITU-T H.273, 8.3).
static struct Scale scale_of(int32_t depth, int32_t isFullRange) {
  const double unit = ldexp(1, depth - 8);
  const double most = ldexp(1, depth) - 1;
  struct Scale s;
  s.lumaOffset = isFullRange ? 0 : (float)(-16 * unit);
  s.lumaScale = (float)(1 / (isFullRange ? most : 219 * unit));
  s.chromaOffset = (float)(-128 * unit);
  s.chromaScale = (float)(1 / (isFullRange ? most : 224 * unit));
  return s;
}

static float whole_scale(int32_t depth) { return (float)(1 / (ldexp(1, depth) - 1)); }

// Between which two samples a luma sample lies, and how far from the first.
static float place(int32_t luma, int32_t count, int32_t ratio, int32_t siting, int32_t *first,
                   int32_t *second) {
  const float at = ((float)luma - (float)siting * (float)(ratio - 1) / 256) / (float)ratio;
  const float below = floorf(at);
  const int32_t index = (int32_t)below;
  *first = focal_clamp_int(index, 0, count - 1);
  *second = focal_clamp_int(index + 1, 0, count - 1);
  return at - below;
}

// The columns between which each luma column lies.
struct Columns {
  int32_t *first, *second;
  float *weight;
};

FOCAL_CLONES static void mix(const float *restrict a, const float *restrict b, float weight,
                             int32_t count, float *restrict out) {
  for (int32_t i = 0; i < count; i++) out[i] = a[i] + (b[i] - a[i]) * weight;
}

static void spread(const float *restrict row, const struct Columns *columns, int32_t count,
                   float *restrict out) {
  for (int32_t i = 0; i < count; i++) {
    const float a = row[columns->first[i]];
    out[i] = a + (row[columns->second[i]] - a) * columns->weight[i];
  }
}

// Chroma on even columns, the mean of its neighbours between them.
FOCAL_CLONES static void spread_in_two(const float *restrict row, int32_t chroma, int32_t count,
                                       float *restrict out) {
  for (int32_t i = 0; i < count / 2; i++) {
    out[2 * i] = row[i];
    out[2 * i + 1] = 0.5f * (row[i] + row[focal_min_int(i + 1, chroma - 1)]);
  }
  if (count & 1) out[count - 1] = row[count / 2];
}

FOCAL_CLONES static void interleave(const float *restrict red, const float *restrict green,
                                    const float *restrict blue, const float *restrict alpha,
                                    int32_t count, float *restrict out) {
  for (int32_t i = 0; i < count; i++) {
    out[4 * i] = red[i];
    out[4 * i + 1] = green[i];
    out[4 * i + 2] = blue[i];
    out[4 * i + 3] = alpha[i];
  }
}

FOCAL_CLONES static void to_rgb(float *restrict luma, float *restrict cb, float *restrict cr,
                                FocalMatrixCoefficients m, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    const float e = luma[i], u = cb[i], v = cr[i];
    luma[i] = e + m.redFromCr * v;
    cb[i] = e + m.greenFromCb * u + m.greenFromCr * v;
    cr[i] = e + m.blueFromCb * u;
  }
}

static int32_t covering(int32_t length, int32_t ratio) { return (length + ratio - 1) / ratio; }

static void read_chroma(const struct FocalPlanarPicture *p, int32_t component, int32_t y,
                        const struct Columns *columns, struct Scale s, float *near, float *far,
                        float *out) {
  const struct FocalPlanarComponent *c = &p->components[component];
  const int32_t chroma = covering(p->width, p->chromaColumns);
  int32_t first, second;
  const float weight =
      place(y, covering(p->height, p->chromaRows), p->chromaRows, p->sitingY, &first, &second);
  load_row(c, p->isBigEndian, first, chroma, s.chromaOffset, s.chromaScale, near);
  if (weight > 0 && second != first) {
    load_row(c, p->isBigEndian, second, chroma, s.chromaOffset, s.chromaScale, far);
    mix(near, far, weight, chroma, near);
  }
  if (p->chromaColumns == 1) {
    memcpy(out, near, (size_t)p->width * sizeof(float));
  } else if (p->chromaColumns == 2 && p->sitingX == 0) {
    spread_in_two(near, chroma, p->width, out);
  } else {
    spread(near, columns, p->width, out);
  }
}

int focal_planar_read(const struct FocalPlanarPicture *p, float *pixels, size_t floatsPerRow) {
  const int32_t width = p->width;
  const size_t room = (size_t)width;
  float *memory = malloc(room * (6 * sizeof(float) + sizeof(float) + 2 * sizeof(int32_t)));
  if (!memory) return 0;
  float *const red = memory, *const green = red + room, *const blue = green + room;
  float *const alpha = blue + room, *const near = alpha + room, *const far = near + room;
  struct Columns columns = {(int32_t *)(void *)(far + 2 * room), NULL, far + room};
  columns.second = columns.first + room;
  for (int32_t x = 0; x < width; x++) {
    columns.weight[x] = place(x, covering(width, p->chromaColumns), p->chromaColumns, p->sitingX,
                              &columns.first[x], &columns.second[x]);
  }
  const struct FocalPlanarComponent *c = p->components;
  const struct Scale s = scale_of(c[0].depth, p->isFullRange);
  const FocalMatrixCoefficients m = focal_matrix(p->matrix);
  for (int32_t x = 0; x < width; x++) alpha[x] = 1;
  for (int32_t y = 0; y < p->height; y++) {
    if (p->kind == FocalPlanarRGB) {
      load_row(&c[0], p->isBigEndian, y, width, 0, whole_scale(c[0].depth), red);
      load_row(&c[1], p->isBigEndian, y, width, 0, whole_scale(c[1].depth), green);
      load_row(&c[2], p->isBigEndian, y, width, 0, whole_scale(c[2].depth), blue);
    } else {
      load_row(&c[0], p->isBigEndian, y, width, s.lumaOffset, s.lumaScale, red);
      if (p->kind == FocalPlanarYCbCr) {
        read_chroma(p, 1, y, &columns, s, near, far, green);
        read_chroma(p, 2, y, &columns, s, near, far, blue);
        to_rgb(red, green, blue, m, width);
      } else {
        memcpy(green, red, room * sizeof(float));
        memcpy(blue, red, room * sizeof(float));
      }
    }
    if (c[3].base) load_row(&c[3], p->isBigEndian, y, width, 0, whole_scale(c[3].depth), alpha);
    interleave(red, green, blue, alpha, width, pixels + (size_t)y * floatsPerRow);
  }
  free(memory);
  return 1;
}

// MARK: - To codes

// Columns on either side that the chroma filter looks at.
enum { Margin = 2 };

// Values to codes: value * scale + offset. A value that is a code already stays it under the dither.
FOCAL_CLONES static void store_row(const struct FocalPlanarComponent *c, int32_t isBigEndian,
                                   int32_t row, int32_t count, float scale, float offset,
                                   float dither, uint32_t channel, const float *restrict values) {
  uint8_t *out = c->base + (ptrdiff_t)row * c->bytesPerRow;
  const float most = (float)((1u << c->depth) - 1);
  const int32_t step = c->step, shift = c->shift, size = c->size;
  for (int32_t i = 0; i < count; i++) {
    const float exact = values[i] * scale + offset;
    const float dithered =
        (focal_is_number(exact) ? exact : 0.0f) +
        dither * focal_dither((uint32_t)i, (uint32_t)row, channel);
    const uint32_t code = (uint32_t)(int32_t)(focal_clamp(dithered, 0.0f, most) + 0.5f) << shift;
    if (size == 1) {
      out[i * step] = (uint8_t)code;
    } else if (isBigEndian) {
      out[i * step] = (uint8_t)(code >> 8);
      out[i * step + 1] = (uint8_t)code;
    } else {
      const uint16_t wide = (uint16_t)code;
      memcpy(out + i * step, &wide, 2);
    }
  }
}

FOCAL_CLONES static void component(const float *restrict pixels, int32_t index, int32_t count,
                                   float *restrict out) {
  for (int32_t i = 0; i < count; i++) out[i] = pixels[4 * i + index];
}

// Luma and both differences of a row of pixels; differences with a margin that repeats the ends.
FOCAL_CLONES static void luma_and_chroma(const float *restrict pixels, FocalMatrixCoefficients m,
                                         int32_t count, float *restrict luma, float *restrict cb,
                                         float *restrict cr) {
  for (int32_t i = 0; i < count; i++) {
    const float red = pixels[4 * i], green = pixels[4 * i + 1], blue = pixels[4 * i + 2];
    const float y = m.lumaFromRed * red + m.lumaFromGreen * green + m.lumaFromBlue * blue;
    luma[i] = y;
    cb[Margin + i] = (blue - y) * m.cbFromBlue;
    cr[Margin + i] = (red - y) * m.crFromRed;
  }
  for (int32_t i = 0; i < Margin; i++) {
    cb[i] = cb[Margin];
    cr[i] = cr[Margin];
    cb[Margin + count + i] = cb[Margin + count - 1];
    cr[Margin + count + i] = cr[Margin + count - 1];
  }
}

// The filters that undo the interpolation: (-1 2 6 2 -1)/8 across, (-1 3 3 -1)/4 down, as packBiPlanar has
// them and says why.
FOCAL_CLONES static void halve_across(const float *restrict row, int32_t count,
                                      float *restrict out) {
  for (int32_t i = 0; i < count; i++) {
    out[i] = 0.75f * row[2 * i + 2] + 0.25f * (row[2 * i + 1] + row[2 * i + 3]) -
             0.125f * (row[2 * i] + row[2 * i + 4]);
  }
}

FOCAL_CLONES static void add(const float *restrict row, float weight, int32_t count,
                             float *restrict sum) {
  for (int32_t i = 0; i < count; i++) sum[i] += weight * row[i];
}

struct WriteRows {
  float *luma, *cb, *cr, *cbSum, *crSum, *across;
};

static void write_chroma(const struct FocalPlanarPicture *p, const float *cb, const float *cr,
                         int32_t row, struct Scale s, float dither, struct WriteRows *rows) {
  const int32_t count = covering(p->width, p->chromaColumns);
  const float *planes[2] = {cb, cr};
  for (int32_t i = 0; i < 2; i++) {
    const float *values = planes[i] + Margin;
    if (p->chromaColumns == 2) {
      halve_across(planes[i], count, rows->across);
      values = rows->across;
    }
    store_row(&p->components[1 + i], p->isBigEndian, row, count, 1 / s.chromaScale,
              -s.chromaOffset, dither, (uint32_t)(1 + i), values);
  }
}

int focal_planar_write(const struct FocalPlanarPicture *p, const float *pixels,
                       size_t floatsPerRow) {
  const int32_t width = p->width, height = p->height;
  // An odd width has its last chroma sample two columns further on.
  const size_t room = (size_t)width + 2 * Margin + 2;
  float *memory = calloc(room * 6, sizeof(float));
  if (!memory) return 0;
  struct WriteRows rows = {memory,
                           memory + room,
                           memory + 2 * room,
                           memory + 3 * room,
                           memory + 4 * room,
                           memory + 5 * room};
  const struct FocalPlanarComponent *c = p->components;
  const struct Scale s = scale_of(c[0].depth, p->isFullRange);
  const FocalMatrixCoefficients m = focal_matrix(p->matrix);
  const float dither = c[0].depth <= 10 ? 1 : 0;
  for (int32_t y = 0; y < height; y++) {
    const float *row = pixels + (size_t)y * floatsPerRow;
    if (p->kind == FocalPlanarRGB) {
      for (int32_t i = 0; i < 3; i++) {
        component(row, i, width, rows.luma);
        store_row(&c[i], p->isBigEndian, y, width, 1 / whole_scale(c[i].depth), 0, dither,
                  (uint32_t)i, rows.luma);
      }
    } else {
      luma_and_chroma(row, m, width, rows.luma, rows.cb, rows.cr);
      store_row(&c[0], p->isBigEndian, y, width, 1 / s.lumaScale, -s.lumaOffset, dither, 0,
                rows.luma);
      if (p->kind == FocalPlanarYCbCr && p->chromaRows == 1) {
        write_chroma(p, rows.cb, rows.cr, y, s, dither, &rows);
      }
    }
    if (c[3].base) {
      component(row, 3, width, rows.luma);
      store_row(&c[3], p->isBigEndian, y, width, 1 / whole_scale(c[3].depth), 0, 0, 3, rows.luma);
    }
  }
  if (p->kind == FocalPlanarYCbCr && p->chromaRows == 2) {
    for (int32_t chroma = 0; chroma < covering(height, 2); chroma++) {
      // An odd height ends on a row whose chroma lies below it: a straight line goes on to there.
      const int32_t isPast = 2 * chroma + 1 >= height;
      const float whole[4] = {-0.25f, 0.75f, 0.75f, -0.25f}, past[4] = {-0.5f, 1.5f, 0, 0};
      memset(rows.cbSum, 0, room * sizeof(float));
      memset(rows.crSum, 0, room * sizeof(float));
      for (int32_t i = 0; i < (isPast ? 2 : 4); i++) {
        const int32_t y = focal_clamp_int(2 * chroma - 1 + i, 0, height - 1);
        const float weight = isPast ? past[i] : whole[i];
        luma_and_chroma(pixels + (size_t)y * floatsPerRow, m, width, rows.luma, rows.cb, rows.cr);
        add(rows.cb, weight, width + 2 * Margin, rows.cbSum);
        add(rows.cr, weight, width + 2 * Margin, rows.crSum);
      }
      write_chroma(p, rows.cbSum, rows.crSum, chroma, s, dither, &rows);
    }
  }
  free(memory);
  return 1;
}
