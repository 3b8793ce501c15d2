// SPDX-License-Identifier: Apache-2.0
//
// Strips of light for the kernels that pack: the rendered half at the picture's size, with the picture's detail where
// it is sharp. The sums are those of detailed_pixel.h, many pixels of a row at a time.
#pragma once

#include <packStrip.h>

#define FOCAL_TAKES                                                                  \
  const float4 *restrict sharp, const float4 *restrict rendered,                     \
      const float *restrict share, const float4 *restrict picture,                   \
      const FocalPackDetailParameters p,
#include <Detail/detailed_pixel.h>

// What a strip is made of.
struct DetailSource {
  FocalPackDetailParameters p;
  int32_t width;  // of the picture, as it is oriented
  const float4 *sharp, *rendered;
  const float *share;
  const float4 *picture;
};

// Pixels of the half that are enlarged at once.
#define HALF_LANES 16
typedef float HalfLanes __attribute__((ext_vector_type(HALF_LANES), aligned(4)));

// Room for the columns of the half under a strip that begins at an odd one, in whole vectors, and one on either side.
#define HALF_STRIP ((STRIP_ROW / 2 + HALF_LANES) / HALF_LANES * HALF_LANES + 2)

// A piece of a row of the half, by component; the border repeats.
struct HalfStrip {
  float red[HALF_STRIP], green[HALF_STRIP], blue[HALF_STRIP];
};

// A row of the half, the one beyond, and the columns under a strip.
struct HalfRows {
  int64_t own, beyond;
  int32_t column, count, last;
};

FOCAL_FUNCTION void load_half(const float4 *restrict row, const struct HalfRows *r,
                              struct HalfStrip *restrict to) {
  const float *restrict values = (const float *)row + 4 * (int64_t)r->column;
  for (int32_t i = 0; i < r->count; i++) {
    to->red[i + 1] = values[4 * i];
    to->green[i + 1] = values[4 * i + 1];
    to->blue[i + 1] = values[4 * i + 2];
  }
  const float4 left = row[focal_max_int(r->column - 1, 0)];
  const float4 right = row[focal_min_int(r->column + r->count, r->last)];
  to->red[0] = left.x;
  to->green[0] = left.y;
  to->blue[0] = left.z;
  to->red[r->count + 1] = right.x;
  to->green[r->count + 1] = right.y;
  to->blue[r->count + 1] = right.z;
}

// The same of numbers.
FOCAL_FUNCTION void load_half_share(const float *restrict row, const struct HalfRows *r,
                                    float *restrict to) {
  for (int32_t i = 0; i < r->count; i++) to[i + 1] = row[r->column + i];
  to[0] = row[focal_max_int(r->column - 1, 0)];
  to[r->count + 1] = row[focal_min_int(r->column + r->count, r->last)];
}

FOCAL_FUNCTION void load_lanes(const float *from, HalfLanes *to) { memcpy(to, from, sizeof *to); }

// Two pixels of the picture for each of the half's, in whole vectors.
FOCAL_FUNCTION void enlarge(const float *own, const float *beyond, int32_t count, float *out) {
  for (int32_t i = 0; i < count; i += HALF_LANES) {
    HalfLanes left, middle, right, leftBeyond, middleBeyond, rightBeyond;
    load_lanes(own + i, &left);
    load_lanes(own + i + 1, &middle);
    load_lanes(own + i + 2, &right);
    load_lanes(beyond + i, &leftBeyond);
    load_lanes(beyond + i + 1, &middleBeyond);
    load_lanes(beyond + i + 2, &rightBeyond);
    middle *= 0.5625f;
    middleBeyond *= 0.1875f;
    const HalfLanes even = middle + 0.1875f * left + middleBeyond + 0.0625f * leftBeyond;
    const HalfLanes odd = middle + 0.1875f * right + middleBeyond + 0.0625f * rightBeyond;
    const HalfLanes first = __builtin_shufflevector(even, odd, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20,
                                                    5, 21, 6, 22, 7, 23);
    const HalfLanes second = __builtin_shufflevector(even, odd, 8, 24, 9, 25, 10, 26, 11, 27, 12,
                                                     28, 13, 29, 14, 30, 15, 31);
    memcpy(out + 2 * i, &first, sizeof first);
    memcpy(out + 2 * i + HALF_LANES, &second, sizeof second);
  }
}

// How much of the detail a strip keeps.
enum Kept { KEPT_NOWHERE, KEPT_WHOLE, KEPT_PARTLY };

FOCAL_FUNCTION enum Kept kept_of(const float *restrict kept, int32_t count) {
  int32_t some = 0, lacking = 0;
  for (int32_t i = 0; i < count; i++) {
    some |= kept[i] != 0.0f;
    lacking |= kept[i] != 1.0f;
  }
  return some == 0 ? KEPT_NOWHERE : lacking == 0 ? KEPT_WHOLE : KEPT_PARTLY;
}

// One component of a strip, in the place of the picture's.
FOCAL_FUNCTION void detail_component(const float *restrict rendered,
                                     const float *restrict renderedBeyond,
                                     const float *restrict sharp,
                                     const float *restrict sharpBeyond, enum Kept keeps,
                                     const float *restrict kept, int32_t halves, int32_t odd,
                                     int32_t count, float *restrict values) {
  float blurred[2 * HALF_STRIP], difference[2 * HALF_STRIP], enlarged[2 * HALF_STRIP];
  if (keeps != KEPT_WHOLE) enlarge(rendered, renderedBeyond, halves, blurred);
  if (keeps == KEPT_NOWHERE) {
    for (int32_t i = 0; i < count; i++) values[i] = number_or_zero(blurred[odd + i]);
    return;
  }
  float own[HALF_STRIP], beyond[HALF_STRIP];
  for (int32_t i = 0; i < halves + 2; i++) {
    own[i] = rendered[i] - sharp[i];
    beyond[i] = renderedBeyond[i] - sharpBeyond[i];
  }
  enlarge(own, beyond, halves, difference);
  if (keeps == KEPT_WHOLE) {
    for (int32_t i = 0; i < count; i++) {
      values[i] = number_or_zero(values[i] + difference[odd + i]);
    }
    return;
  }
  enlarge(sharp, sharpBeyond, halves, enlarged);
  for (int32_t i = 0; i < count; i++) {
    const float whole = values[i] + difference[odd + i];
    const float part = whole - (1.0f - kept[i]) * (values[i] - enlarged[odd + i]);
    const float result = kept[i] == 0.0f   ? blurred[odd + i]
                         : kept[i] != 1.0f ? part
                                           : whole;
    values[i] = number_or_zero(result);
  }
}

// A strip that lies along a row of the picture, `count` pixels from (x, y) of its window on.
FOCAL_FUNCTION void load_detail_row(const struct DetailSource *s, int32_t x, int32_t y,
                                    int32_t first, int32_t count, struct Strip *restrict strip) {
  const int32_t width = s->p.halfWidth, line = y >> 1, odd = x & 1;
  const int32_t beyond = focal_clamp_int(line + 2 * (y & 1) - 1, 0, s->p.halfRows - 1);
  const struct HalfRows r = {(int64_t)line * width, (int64_t)beyond * width, x >> 1,
                             (odd + count + 1) >> 1, width - 1};
  float shares[2][HALF_STRIP], kept[2 * HALF_STRIP];
  load_half_share(s->share + r.own, &r, shares[0]);
  load_half_share(s->share + r.beyond, &r, shares[1]);
  enlarge(shares[0], shares[1], r.count, kept);
  const enum Kept keeps = kept_of(kept + odd, count);

  const float *restrict source = (const float *)(s->picture + (int64_t)y * s->width + x);
  float *restrict red = strip->red + first, *restrict green = strip->green + first;
  float *restrict blue = strip->blue + first, *restrict alpha = strip->alpha + first;
  for (int32_t i = 0; i < count; i++) {
    red[i] = source[4 * i];
    green[i] = source[4 * i + 1];
    blue[i] = source[4 * i + 2];
    alpha[i] = number_or_zero(source[4 * i + 3]);
  }
  struct HalfStrip rendered[2], sharp[2];
  load_half(s->rendered + r.own, &r, &rendered[0]);
  load_half(s->rendered + r.beyond, &r, &rendered[1]);
  if (keeps != KEPT_NOWHERE) {
    load_half(s->sharp + r.own, &r, &sharp[0]);
    load_half(s->sharp + r.beyond, &r, &sharp[1]);
  }
  detail_component(rendered[0].red, rendered[1].red, sharp[0].red, sharp[1].red, keeps, kept + odd,
                   r.count, odd, count, red);
  detail_component(rendered[0].green, rendered[1].green, sharp[0].green, sharp[1].green, keeps,
                   kept + odd, r.count, odd, count, green);
  detail_component(rendered[0].blue, rendered[1].blue, sharp[0].blue, sharp[1].blue, keeps,
                   kept + odd, r.count, odd, count, blue);
}

// A strip as the kernels that pack load it; `source` is a DetailSource.
FOCAL_FUNCTION void load_detail(const struct FocalPixelParameters *p, const void *source,
                                struct SourceRow row, int32_t first, int32_t end,
                                struct Strip *restrict strip) {
  (void)p;
  const struct DetailSource *s = source;
  int32_t x = (int32_t)(row.first % s->width), y = (int32_t)(row.first / s->width);
  if (row.step == 1) {
    load_detail_row(s, x, y, first, end - first, strip);
    return;
  }
  const int32_t right = row.step == -1 ? -1 : 0, down = row.step > 0 ? 1 : row.step < -1 ? -1 : 0;
  for (int32_t i = first; i < end; i++, x += right, y += down) {
    const float4 light =
        detailedPixel(s->sharp, s->rendered, s->share, s->picture, s->p, x, y, s->width);
    strip->red[i] = number_or_zero(light.x);
    strip->green[i] = number_or_zero(light.y);
    strip->blue[i] = number_or_zero(light.z);
    strip->alpha[i] = number_or_zero(light.w);
  }
}

// What the kernels' buffers hold; `p` is theirs.
FOCAL_FUNCTION struct DetailSource detail_source(const struct FocalPackDetailParameters *p,
                                                 const float4 *sharp, const float4 *rendered,
                                                 const float *share, const float4 *picture) {
  const int32_t width = p->stored.turn & 1 ? p->stored.height : p->stored.width;
  return (struct DetailSource){*p, width, sharp, rendered, share, picture};
}
