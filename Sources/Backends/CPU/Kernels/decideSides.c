// SPDX-License-Identifier: Apache-2.0
//
// Front or back, pixel by pixel: log-odds from the colour models plus log-odds from the map itself.
#include "CPUKernels.h"
#include "cells.h"
/// ln of front's over back's likelihood for the lanes' colours; 0 where one side has no model.
FOCAL_FUNCTION void colourOdds(const struct FocalSideModel *front,
                               const struct FocalSideModel *back, const float *r, const float *g,
                               const float *b, float *odds) {
  const float known = front->count > 0 && back->count > 0 ? 1.0f : 0.0f;
  const float norm = front->logNorm - back->logNorm;
  FOCAL_LANE_LOOP
  for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) {
    const float fr = r[k] - front->red, fg = g[k] - front->green, fb = b[k] - front->blue;
    const float br = r[k] - back->red, bg = g[k] - back->green, bb = b[k] - back->blue;
    const float f =
        focal_min((fr * fr + fg * fg + fb * fb) * front->perVariance, FOCAL_COLOUR_CUTOFF);
    const float z =
        focal_min((br * br + bg * bg + bb * bb) * back->perVariance, FOCAL_COLOUR_CUTOFF);
    odds[k] = known * focal_clamp(z - f + norm, -FOCAL_COLOUR_MOST, FOCAL_COLOUR_MOST);
  }
}

/// One past the last pixel that whole groups of cell c may spill over: what they leave in the cells
/// to the right is overwritten in its turn, but only where a cell is in reach of an edge.
FOCAL_FUNCTION int32_t spillEnd(const uint8_t *reach, const struct FocalRefineSize *s, int32_t c,
                                int32_t end) {
  const int32_t w = s->mapWidth, ahead = FOCAL_CELL_LANES * w / s->width + 1;
  for (int32_t n = c + 1; n < w && n <= c + ahead; n++) {
    if (!reach[n]) return n == c + 1 ? end : focal_cell_begin(n, w, s->width);
  }
  return s->width;
}

FOCAL_KERNEL void focal_decideSides(void *const *buffers, const void *parameters, uint32_t begin,
                                    uint32_t end) {
  const struct FocalDecideSidesParameters *p = parameters;
  const float *map = buffers[FocalDecideSidesMap], *front = buffers[FocalDecideSidesFront];
  const float *back = buffers[FocalDecideSidesBack];
  const uint8_t *kind = buffers[FocalDecideSidesKind], *reach = buffers[FocalDecideSidesReach];
  const uint32_t *guide = buffers[FocalDecideSidesGuide];
  const struct FocalSideModel *models = buffers[FocalDecideSidesModels];
  float *decision = buffers[FocalDecideSidesDecision];
  const struct FocalRefineSize *s = &p->size;
  const int32_t w = s->mapWidth;
  for (uint32_t line = begin; line < end; line++) {
    const int32_t y = (int32_t)line + s->originY;
    const struct FocalRowPair rows = focal_row_pair(*s, (uint32_t)y);
    const int32_t cy = focal_cell_of(y, s->mapHeight, s->height);
    const struct FocalSideModel *rowModels =
        models + (size_t)(cy - s->mapOriginY) * w * FocalSideCount;
    struct FocalCellWalk walk = focal_cell_walk(w, s->width);
    for (int32_t c = 0; c < w; c++) {
      const size_t i = (size_t)cy * w + c;
      const int32_t x0 = walk.end;
      focal_cell_next(&walk);
      const int32_t x1 = walk.end;
      if (kind[i] == FocalCellFlat) {
        // Beside an edge the smoothing looks in here.
        if (reach[i]) {
          for (int32_t x = x0; x < x1; x++) decision[(size_t)line * s->width + x] = FOCAL_UNDECIDED;
        }
        continue;
      }
      const struct FocalSideModel *m = rowModels + (size_t)c * FocalSideCount;
      const struct FocalCellSides sides = focal_cell_sides(map, front, back, kind, i);
      const struct FocalCellSlope slope = focal_cell_slope(map, w, &rows, c);
      const int32_t room = spillEnd(reach + (size_t)cy * w, s, c, x1);
      for (int32_t x = x0; x < x1; x += FOCAL_CELL_LANES) {
        const int32_t n = x1 - x < FOCAL_CELL_LANES ? x1 - x : FOCAL_CELL_LANES;
        const size_t at = (size_t)line * s->width + x;
        float r[FOCAL_CELL_LANES], g[FOCAL_CELL_LANES], b[FOCAL_CELL_LANES], v[FOCAL_CELL_LANES],
            t[FOCAL_CELL_LANES];
        float upper[FOCAL_CELL_LANES], lower[FOCAL_CELL_LANES], odds[FOCAL_CELL_LANES];
        // Whole groups read into the next cell's colours, but not past the row.
        focal_load_colours(guide + at, s->width - x, r, g, b);
        focal_edge_shares(s, slope, sides, c, x, v, t);
        if (sides.hasMiddle) {
          colourOdds(m + FocalSideFront, m + FocalSideMiddle, r, g, b, upper);
          colourOdds(m + FocalSideMiddle, m + FocalSideBack, r, g, b, lower);
          FOCAL_LANE_LOOP
          for (int32_t k = 0; k < FOCAL_CELL_LANES; k++)
            odds[k] = v[k] > sides.middle ? upper[k] : lower[k];
        } else {
          colourOdds(m + FocalSideFront, m + FocalSideBack, r, g, b, odds);
        }
        FOCAL_LANE_LOOP
        for (int32_t k = 0; k < FOCAL_CELL_LANES; k++) {
          const float share = focal_clamp(t[k], FOCAL_SHARE_LEAST, 1.0f - FOCAL_SHARE_LEAST);
          const float mapOdds = FOCAL_LN2 * (focal_log2(share) - focal_log2(1.0f - share));
          odds[k] = p->colourWeight * odds[k] + p->mapWeight * mapOdds;
        }
        focal_store_lanes(decision + at, odds, n, room - x);
      }
    }
  }
}

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

FOCAL_KERNEL void focal_smoothDecision(void *const *buffers, const void *parameters, uint32_t begin,
                                       uint32_t end) {
  const struct FocalSmoothDecisionParameters *p = parameters;
  const uint8_t *kind = buffers[FocalSmoothDecisionKind];
  const uint32_t *guide = buffers[FocalSmoothDecisionGuide];
  const float *source = buffers[FocalSmoothDecisionSource];
  float *restrict result = buffers[FocalSmoothDecisionResult];
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
