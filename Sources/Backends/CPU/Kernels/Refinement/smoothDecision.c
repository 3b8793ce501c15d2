// SPDX-License-Identifier: Apache-2.0
//
// Mean of the decision over the 3 x 3 pixels of like colour, run by run of edge cells.
#include "ShaderTypes.h"

struct SmoothRows {
  const uint32_t *guide[3];
  const float *source[3];
};

FOCAL_FUNCTION float smoothPixel(struct SmoothRows rows, int32_t l, int32_t x, int32_t r) {
  const int32_t columns[3] = {l, x, r};
  const uint32_t own = rows.guide[1][x];
  const int32_t red = (int32_t)(own & 255u), green = (int32_t)((own >> 8) & 255u),
                blue = (int32_t)((own >> 16) & 255u);
  float weights = 0, sum = 0;
  FOCAL_TAP_LOOP
  for (int32_t j = 0; j < 3; j++) {
    FOCAL_TAP_LOOP
    for (int32_t k = 0; k < 3; k++) {
      const uint32_t c = rows.guide[j][columns[k]];
      const float d = rows.source[j][columns[k]];
      const int32_t dr = (int32_t)(c & 255u) - red, dg = (int32_t)((c >> 8) & 255u) - green;
      const int32_t db = (int32_t)((c >> 16) & 255u) - blue;
      const float like =
          focal_max(1.0f - (float)(dr * dr + dg * dg + db * db) * (1.0f / FOCAL_UNLIKE), 0.0f);
      const float weight = d < FOCAL_UNDECIDED ? like * like : 0.0f;
      weights += weight;
      sum += weight * focal_clamp(d, -FOCAL_DECISION_MOST, FOCAL_DECISION_MOST);
    }
  }
  return sum * focal_reciprocal(weights);
}

FOCAL_CLONES FOCAL_ENTRY_POINT(smoothDecision) {
  FOCAL_BUFFERS(smoothDecision)
  const struct FocalRefineSize *s = &p->size;
  const int32_t w = s->mapWidth, W = s->width;
  const int32_t count = focal_rows(s->rows, s->height);
  for (uint32_t line = begin; line < end; line++) {
    struct SmoothRows rows;
    for (int32_t j = 0; j < 3; j++) {
      int32_t v = (int32_t)line + j - 1;
      v = v < 0 ? 0 : v < count ? v : count - 1;
      rows.guide[j] = guide + (size_t)v * W;
      rows.source[j] = source + (size_t)v * W;
    }
    const int32_t y = (int32_t)line + s->originY;
    const uint8_t *kinds = kind + (size_t)focal_cell_of(y, s->mapHeight, s->height) * w;
    float *out = result + (size_t)line * W;
    for (int32_t c = 0; c < w;) {
      int32_t e = c;
      while (e < w && kinds[e] != FocalCellFlat) e++;
      if (e > c) {
        int32_t x0 = focal_cell_begin(c, w, W), x1 = focal_cell_begin(e, w, W);
        if (x0 == 0) {
          out[0] = smoothPixel(rows, 0, 0, W > 1 ? 1 : 0);
          x0 = 1;
        }
        if (x1 == W && W > 1) {
          out[W - 1] = smoothPixel(rows, W - 2, W - 1, W - 1);
          x1 = W - 1;
        }
        for (int32_t x = x0; x < x1; x++) out[x] = smoothPixel(rows, x - 1, x, x + 1);
      }
      c = e + 1;
    }
  }
}
