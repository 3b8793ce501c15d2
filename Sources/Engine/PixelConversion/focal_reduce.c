// SPDX-License-Identifier: Apache-2.0

#include "focal_reduce.h"

#include <ShaderTypes.h>
#include <stdlib.h>

// A smaller luma column has its middle (n - 1) / 2 columns behind the first that it is made of. Chroma is level with
// the even ones, so that its own square begins (n - 1) / 4 chroma columns earlier: whole columns, and quarters that
// the first one gives up and the one behind the last one gets. Rows lie in the middle of both.
struct Square {
  int32_t before, quarters;
};

FOCAL_FUNCTION struct Square square_of(const struct FocalReduction *p) {
  struct Square s = {0, 0};
  if (!p->isChroma) return s;
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
#define FOCAL_FROM_HALF(code) bounded(focal_half_to_float(code))

#define FOCAL_REDUCE(NAME, VALUE, COUNTED, SUM, RESULT, ROUNDING)                                  \
  FOCAL_FUNCTION void across_##NAME(const SUM *restrict line, RESULT *restrict out, int32_t count, \
                                    int32_t components, int32_t factor, int32_t quarters,          \
                                    float scale) {                                                 \
    for (int32_t k = 0; k < count; k++) {                                                          \
      for (int32_t c = 0; c < components; c++) {                                                   \
        const SUM *first = line + (size_t)k * (size_t)(factor * components) + c;                   \
        SUM total = first[0] * (SUM)(4 - quarters);                                                \
        for (int32_t i = 1; i < factor; i++) total += first[i * components] * (SUM)4;              \
        if (quarters > 0) total += first[factor * components] * (SUM)quarters;                     \
        out[k * components + c] = (RESULT)((float)total * scale + ROUNDING);                       \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  FOCAL_CLONES static void rows_##NAME(const struct FocalReduction *p, SUM *restrict line) {       \
    const struct Square s = square_of(p);                                                          \
    const int32_t n = p->factor, components = p->components;                                       \
    const int32_t count = p->width * components, inner = s.before * components;                    \
    const size_t all = line_count(p, s);                                                           \
    const float scale = 1.0f / (float)(4 * n * n);                                                 \
    for (int32_t y = 0; y < p->resultHeight; y++) {                                                \
      SUM *restrict sums = line + inner;                                                           \
      for (int32_t j = 0; j < n; j++) {                                                            \
        const int32_t from = y * n + j < p->height ? y * n + j : p->height - 1;                    \
        const VALUE *restrict row =                                                                \
            (const VALUE *)(const void *)((const char *)p->source + (size_t)from * p->bytesPerRow); \
        if (j == 0) {                                                                              \
          for (int32_t i = 0; i < count; i++) sums[i] = (SUM)COUNTED(row[i]);                      \
        } else {                                                                                   \
          for (int32_t i = 0; i < count; i++) sums[i] += (SUM)COUNTED(row[i]);                     \
        }                                                                                          \
      }                                                                                            \
      for (int32_t i = inner - 1; i >= 0; i--) line[i] = line[i + components];                     \
      for (size_t i = (size_t)(inner + count); i < all; i++) line[i] = line[i - (size_t)components]; \
      RESULT *out =                                                                                \
          (RESULT *)(void *)((char *)p->result + (size_t)y * p->resultBytesPerRow);                \
      /* The factors and forms that are usual are loops of their own. */                           \
      if (n == 2 && components == 1) {                                                             \
        across_##NAME(line, out, p->resultWidth, 1, 2, 0, scale);                                  \
      } else if (n == 2 && components == 2 && s.quarters == 3) {                                   \
        across_##NAME(line, out, p->resultWidth, 2, 2, 3, scale);                                  \
      } else if (n == 3 && components == 1) {                                                      \
        across_##NAME(line, out, p->resultWidth, 1, 3, 0, scale);                                  \
      } else if (n == 4 && components == 1) {                                                      \
        across_##NAME(line, out, p->resultWidth, 1, 4, 0, scale);                                  \
      } else if (components == 4) {                                                                \
        across_##NAME(line, out, p->resultWidth, 4, n, 0, scale);                                  \
      } else {                                                                                     \
        across_##NAME(line, out, p->resultWidth, components, n, s.quarters, scale);                \
      }                                                                                            \
    }                                                                                              \
  }                                                                                                \
                                                                                                   \
  int focal_reduce_##NAME(const struct FocalReduction *p) {                                        \
    SUM *line = calloc(line_count(p, square_of(p)), sizeof *line);                                 \
    if (!line) return 0;                                                                           \
    rows_##NAME(p, line);                                                                          \
    free(line);                                                                                    \
    return 1;                                                                                      \
  }

FOCAL_REDUCE(bytes, uint8_t, FOCAL_AS_IT_IS, uint32_t, uint8_t, 0.5f)
FOCAL_REDUCE(words, uint16_t, FOCAL_AS_IT_IS, uint32_t, uint16_t, 0.5f)
FOCAL_REDUCE(halves, uint16_t, FOCAL_FROM_HALF, float, float, 0.0f)
FOCAL_REDUCE(floats, float, bounded, float, float, 0.0f)
