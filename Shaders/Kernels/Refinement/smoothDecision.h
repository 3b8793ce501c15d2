// SPDX-License-Identifier: Apache-2.0
//
// Mean of the decision over the 3 x 3 pixels of like colour. Grid: pixels.

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const FocalRefineSize s = p.size;
  const int32_t rows = focal_rows(s.rows, s.height);
  if (x >= s.width || y >= rows) return;
  const int32_t cell = focal_cell_of(y + s.originY, s.mapHeight, s.height) * s.mapWidth +
                       focal_cell_of(x, s.mapWidth, s.width);
  if (FOCAL_INT(kind[cell]) == FocalCellFlat) return;
  const uint32_t own = guide[y * s.width + x];
  const int32_t red = FOCAL_INT(own & 255u), green = FOCAL_INT((own >> 8) & 255u);
  const int32_t blue = FOCAL_INT((own >> 16) & 255u);
  float weights = 0.0f, sum = 0.0f;
  for (int32_t j = -1; j <= 1; j++) {
    const int32_t row = focal_clamp_int(y + j, 0, rows - 1) * s.width;
    for (int32_t k = -1; k <= 1; k++) {
      const int32_t o = row + focal_clamp_int(x + k, 0, s.width - 1);
      const uint32_t c = guide[o];
      const float d = source[o];
      const int32_t dr = FOCAL_INT(c & 255u) - red, dg = FOCAL_INT((c >> 8) & 255u) - green;
      const int32_t db = FOCAL_INT((c >> 16) & 255u) - blue;
      const float like =
          focal_max(1.0f - FOCAL_FLOAT(dr * dr + dg * dg + db * db) * (1.0f / FOCAL_UNLIKE), 0.0f);
      const float weight = d < FOCAL_UNDECIDED ? like * like : 0.0f;
      weights += weight;
      sum += weight * focal_clamp(d, -FOCAL_DECISION_MOST, FOCAL_DECISION_MOST);
    }
  }
  result[y * s.width + x] = sum * focal_reciprocal(weights);
}

FOCAL_ENTRY(smoothDecision)
