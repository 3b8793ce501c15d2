// SPDX-License-Identifier: Apache-2.0

#include "focal_reduce.h"

#include <ShaderTypes.h>
#include <stdlib.h>

// A smaller luma column has its middle (n - 1) / 2 columns behind the first that it is made of. Chroma is level with
// the even ones, so that its own square begins (n - 1) / 4 chroma columns earlier: whole columns, and quarters that
// the first one gives up and the one behind the last one gets. Of m chroma columns for each of 2 m luma columns the square
// begins a quarter later. Rows lie in the middle of both.
struct Square {
  int32_t before, quarters;
};

FOCAL_FUNCTION struct Square square_of(const struct FocalReduction *p) {
  struct Square s = {0, 0};
  if (p->place == FOCAL_LEVEL_WITH_EACH) s.quarters = 1;
  if (p->place != FOCAL_LEVEL_WITH_EVEN) return s;
  s.before = (p->factor + 2) / 4;
  s.quarters = 4 * s.before - (p->factor - 1);
  return s;
}

// Elements of the line of sums: those of a row, and repeated ones on both sides.
FOCAL_FUNCTION size_t line_count(const struct FocalReduction *p, struct Square s) {
  const size_t made = (size_t)p->resultWidth * (size_t)p->factor + 1;
  const size_t there = (size_t)(p->width + s.before);
  return (made > there ? made : there) * (size_t)p->components;
}

// A code's part in a mean. Not a number, or light without bounds, would spread over a whole square.
FOCAL_FUNCTION float bounded(float code) {
  return focal_is_number(code) ? focal_clamp(code, -FOCAL_LARGEST_LIGHT, FOCAL_LARGEST_LIGHT) : 0.0f;
}
#define FOCAL_AS_IT_IS(code) (code)

// Halves that are finite need no bounds as floats.
FOCAL_FUNCTION float bounded_half(uint16_t code) {
  const uint16_t magnitude = code & 0x7FFF;
  const uint16_t finite = magnitude > 0x7C00 ? 0 : magnitude > 0x7BFF ? 0x7BFF : magnitude;
  return focal_half_to_float((uint32_t)(finite | (code & 0x8000)));
}

// SUM holds a column of a square, TOTAL the square. Rows are taken two at once: the line of sums is written half as often.
#define FOCAL_REDUCE(NAME, VALUE, COUNTED, SUM, TOTAL, RESULT, ROUNDING)                           \
  FOCAL_FUNCTION void across_##NAME(const SUM *restrict line, RESULT *restrict out, int32_t count, \
                                    int32_t components, int32_t factor, int32_t quarters,          \
                                    float scale) {                                                 \
    for (int32_t k = 0; k < count; k++) {                                                          \
      const SUM *first = line + (size_t)k * (size_t)(factor * components);                         \
      TOTAL total[4];                                                                              \
      for (int32_t c = 0; c < components; c++) total[c] = (TOTAL)first[c] * (TOTAL)(4 - quarters); \
      for (int32_t i = 1; i < factor; i++)                                                         \
        for (int32_t c = 0; c < components; c++)                                                   \
          total[c] += (TOTAL)first[i * components + c] * (TOTAL)4;                                 \
      if (quarters > 0)                                                                            \
        for (int32_t c = 0; c < components; c++)                                                   \
          total[c] += (TOTAL)first[factor * components + c] * (TOTAL)quarters;                     \
      for (int32_t c = 0; c < components; c++)                                                     \
        out[k * components + c] = (RESULT)((float)total[c] * scale + ROUNDING);                    \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  /* A row of means, times `unit`. */                                                              \
  FOCAL_CLONES static void row_##NAME(const struct FocalReduction *p, SUM *restrict line,          \
                                      int32_t y, float unit, RESULT *restrict out) {               \
    const struct Square s = square_of(p);                                                          \
    const int32_t n = p->factor, components = p->components;                                       \
    const int32_t count = p->width * components, inner = s.before * components;                    \
    const size_t all = line_count(p, s);                                                           \
    const float scale = unit / (float)(4 * n * n);                                                 \
    SUM *restrict sums = line + inner;                                                             \
    for (int32_t j = 0; j < n; j += 2) {                                                           \
      const VALUE *rows[2];                                                                        \
      for (int32_t i = 0; i < 2; i++) {                                                            \
        const int32_t from = y * n + j + i < p->height ? y * n + j + i : p->height - 1;            \
        rows[i] =                                                                                  \
            (const VALUE *)(const void *)((const char *)p->source + (size_t)from * p->bytesPerRow); \
      }                                                                                            \
      const VALUE *restrict first = rows[0], *restrict second = rows[1];                           \
      if (j + 1 == n) {                                                                            \
        for (int32_t i = 0; i < count; i++)                                                        \
          sums[i] = (SUM)((j ? sums[i] : (SUM)0) + (SUM)COUNTED(first[i]));                        \
      } else if (j == 0) {                                                                         \
        for (int32_t i = 0; i < count; i++)                                                        \
          sums[i] = (SUM)((SUM)COUNTED(first[i]) + (SUM)COUNTED(second[i]));                       \
      } else {                                                                                     \
        for (int32_t i = 0; i < count; i++)                                                        \
          sums[i] = (SUM)(sums[i] + (SUM)COUNTED(first[i]) + (SUM)COUNTED(second[i]));             \
      }                                                                                            \
    }                                                                                              \
    for (int32_t i = inner - 1; i >= 0; i--) line[i] = line[i + components];                       \
    for (size_t i = (size_t)(inner + count); i < all; i++) line[i] = line[i - (size_t)components]; \
    /* The factors and forms that are usual are loops of their own. */                             \
    if (n == 2 && components == 1) {                                                               \
      across_##NAME(line, out, p->resultWidth, 1, 2, 0, scale);                                    \
    } else if (n == 2 && components == 2 && s.quarters == 3) {                                     \
      across_##NAME(line, out, p->resultWidth, 2, 2, 3, scale);                                    \
    } else if (n == 2 && components == 2 && s.quarters == 1) {                                     \
      across_##NAME(line, out, p->resultWidth, 2, 2, 1, scale);                                    \
    } else if (n == 3 && components == 1) {                                                        \
      across_##NAME(line, out, p->resultWidth, 1, 3, 0, scale);                                    \
    } else if (n == 4 && components == 1) {                                                        \
      across_##NAME(line, out, p->resultWidth, 1, 4, 0, scale);                                    \
    } else if (components == 4) {                                                                  \
      across_##NAME(line, out, p->resultWidth, 4, n, 0, scale);                                    \
    } else if (components == 2) {                                                                  \
      across_##NAME(line, out, p->resultWidth, 2, n, s.quarters, scale);                           \
    } else {                                                                                       \
      across_##NAME(line, out, p->resultWidth, 1, n, s.quarters, scale);                           \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  FOCAL_FUNCTION int reduce_##NAME(const struct FocalReduction *p, float unit) {                   \
    SUM *line = calloc(line_count(p, square_of(p)), sizeof *line);                                 \
    if (!line) return 0;                                                                           \
    for (int32_t y = 0; y < p->resultHeight; y++)                                                  \
      row_##NAME(p, line, y, unit,                                                                 \
                 (RESULT *)(void *)((char *)p->result + (size_t)y * p->resultBytesPerRow));        \
    free(line);                                                                                    \
    return 1;                                                                                      \
  }

// The largest sums: of 128 bytes 32640; of 128 x 128 words, counted four times, a little below 2^32.
FOCAL_REDUCE(bytes, uint8_t, FOCAL_AS_IT_IS, uint16_t, uint32_t, uint8_t, 0.5f)
FOCAL_REDUCE(words, uint16_t, FOCAL_AS_IT_IS, uint32_t, uint32_t, uint16_t, 0.5f)
FOCAL_REDUCE(halves, uint16_t, bounded_half, float, float, float, 0.0f)
FOCAL_REDUCE(floats, float, bounded, float, float, float, 0.0f)
FOCAL_REDUCE(byte_means, uint8_t, FOCAL_AS_IT_IS, uint16_t, uint32_t, float, 0.0f)
FOCAL_REDUCE(word_means, uint16_t, FOCAL_AS_IT_IS, uint32_t, uint32_t, float, 0.0f)

int focal_reduce_bytes(const struct FocalReduction *p) { return reduce_bytes(p, 1.0f); }
int focal_reduce_words(const struct FocalReduction *p) { return reduce_words(p, 1.0f); }
int focal_reduce_halves(const struct FocalReduction *p) { return reduce_halves(p, 1.0f); }
int focal_reduce_floats(const struct FocalReduction *p) { return reduce_floats(p, 1.0f); }
int focal_reduce_pixels(const struct FocalReduction *p) {
  return reduce_byte_means(p, 1.0f / 255.0f);
}

FOCAL_CLONES static void mix_row(const float *restrict luma, const float *restrict chroma,
                                 int32_t count, FocalCodeScale s, struct FocalMatrixCoefficients m,
                                 float *restrict out) {
  for (int32_t x = 0; x < count; x++) {
    const float e = (luma[x] + s.lumaOffset) * s.lumaScale;
    const float u = (chroma[2 * x] + s.chromaOffset) * s.chromaScale;
    const float v = (chroma[2 * x + 1] + s.chromaOffset) * s.chromaScale;
    out[4 * x + 0] = e + m.redFromCr * v;
    out[4 * x + 1] = e + m.greenFromCb * u + m.greenFromCr * v;
    out[4 * x + 2] = e + m.blueFromCb * u;
    out[4 * x + 3] = 1.0f;
  }
}

int focal_reduce_luma_chroma(const struct FocalReduction planes[2], int32_t tenBit,
                             int32_t fullRange, int32_t matrix) {
  const struct FocalReduction *luma = planes, *chroma = planes + 1;
  const FocalCodeScale scale = focal_code_scale(fullRange, tenBit != 0);
  const struct FocalMatrixCoefficients coefficients = focal_matrix(matrix);
  const size_t width = (size_t)luma->resultWidth;
  // Sums of bytes need less.
  uint32_t *lines[2] = {calloc(line_count(luma, square_of(luma)), sizeof **lines),
                        calloc(line_count(chroma, square_of(chroma)), sizeof **lines)};
  float *means = malloc(3 * width * sizeof *means);
  const int isDone = lines[0] && lines[1] && means;
  for (int32_t y = 0; isDone && y < luma->resultHeight; y++) {
    for (int32_t k = 0; k < 2; k++) {
      float *row = k ? means + width : means;
      if (tenBit) {
        row_word_means(planes + k, lines[k], y, 1.0f, row);
      } else {
        row_byte_means(planes + k, (uint16_t *)(void *)lines[k], y, 1.0f, row);
      }
    }
    mix_row(means, means + width, luma->resultWidth, scale, coefficients,
            (float *)(void *)((char *)luma->result + (size_t)y * luma->resultBytesPerRow));
  }
  free(lines[0]);
  free(lines[1]);
  free(means);
  return isDone;
}
