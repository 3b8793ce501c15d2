// SPDX-License-Identifier: Apache-2.0
//
// Rows of a linear picture as its light or its coverage, in place. Grid: pixels of the rows.

#define FOCAL_BODY splitAlpha
#include "kernel.h"
#include "focal_alpha.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t row, int32_t z) {
  if (x >= p.width || row >= p.rows) return;
  const int32_t o = 4 * ((p.firstRow + row) * p.width + x);
  const float alpha = focal_alpha(picture[o + 3]);
  const bool isCoverage = p.part == FocalAlphaCoverage;
  const float factor = p.part == FocalAlphaStoredLight ? 1.0f : alpha;
  picture[o] = isCoverage ? alpha : picture[o] * factor;
  picture[o + 1] = isCoverage ? alpha : picture[o + 1] * factor;
  picture[o + 2] = isCoverage ? alpha : picture[o + 2] * factor;
  picture[o + 3] = p.part == FocalAlphaMultiplication ? alpha : 1.0f;
}

FOCAL_ENTRY(splitAlpha)
