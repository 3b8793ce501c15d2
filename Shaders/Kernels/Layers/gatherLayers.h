// SPDX-License-Identifier: Apache-2.0
//
// Picture and matte to layers, at the same size, half, a quarter or an eighth of it. Grid: cells of the
// layers.
//
// As on the processor, a cell of plain pixels inside a whole run is the mean of its pixels, in
// pairs; any other parts its surfaces one by one. Which of the two a cell takes is asked of its own
// pixels, not of the run's flags, with the same answer. Surfaces are not kept: the second walk over
// a cell's pixels reads them again.

FOCAL_FUNCTION FocalSurfaces surfacesOf(FOCAL_TAKES int32_t q) {
  const int32_t edge = p.width * p.height + q * FocalMatteRecordFloats;
  float frontRadius = radius[q];
  float4 back = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, FOCAL_NO_SURFACE);
  if (matte[q] != FOCAL_PLAIN) {
    frontRadius = matte[edge + FocalMatteFrontRadius];
    back = FOCAL_FLOAT4(matte[edge + FocalMatteBackR], matte[edge + FocalMatteBackG],
                        matte[edge + FocalMatteBackB], matte[edge + FocalMatteBackRadius]);
  }
  return focal_surfacesOf(source[q], matte[q], frontRadius, back);
}

/// Writes a cell.
FOCAL_FUNCTION void store(FOCAL_TAKES int32_t o, float4 front, float frontRadius, float4 back) {
  const int32_t count = p.layerWidth * p.layerHeight;
  layers[FocalLayerFrontR * count + o] = front.x;
  layers[FocalLayerFrontG * count + o] = front.y;
  layers[FocalLayerFrontB * count + o] = front.z;
  layers[FocalLayerAlpha * count + o] = front.w;
  layers[FocalLayerFrontRadius * count + o] = frontRadius;
  layers[FocalLayerBackR * count + o] = back.x;
  layers[FocalLayerBackG * count + o] = back.y;
  layers[FocalLayerBackB * count + o] = back.z;
  layers[FocalLayerBackRadius * count + o] = back.w;
}

/// The sums of eight pixels one above the other, from `q` on.
FOCAL_STRUCT(FocalPixelColumn) {
  float4 colour;
  float radius;
};

FOCAL_FUNCTION FocalPixelColumn columnOf(FOCAL_TAKES int32_t q) {
  const int32_t w = p.width;
  FocalPixelColumn column;
  column.colour =
      ((source[q] + source[q + 7 * w]) + (source[q + w] + source[q + 6 * w])) +
      ((source[q + 2 * w] + source[q + 5 * w]) + (source[q + 3 * w] + source[q + 4 * w]));
  column.radius =
      ((radius[q] + radius[q + 7 * w]) + (radius[q + w] + radius[q + 6 * w])) +
      ((radius[q + 2 * w] + radius[q + 5 * w]) + (radius[q + 3 * w] + radius[q + 4 * w]));
  return column;
}

/// A cell of plain pixels from `q` on: sums in pairs, so that a mirrored picture gives mirrored
/// means to the bit.
FOCAL_FUNCTION void plainCell(FOCAL_TAKES int32_t q, int32_t o) {
  const float4 noBack = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, FOCAL_NO_SURFACE);
  const int32_t w = p.width;
  float4 mean = source[q];
  float meanRadius = radius[q];
  if (p.scale == 2) {
    mean = 0.25f * ((mean + source[q + w]) + (source[q + 1] + source[q + w + 1]));
    meanRadius = 0.125f * ((meanRadius + radius[q + w]) + (radius[q + 1] + radius[q + w + 1]));
  } else if (p.scale == 8) {
    float4 sum = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), first = sum;
    float sumRadius = 0.0f, firstRadius = 0.0f;
    for (int32_t i = 0; i < 4; i++) {
      const FocalPixelColumn left = columnOf(FOCAL_PASSES q + i);
      const FocalPixelColumn right = columnOf(FOCAL_PASSES q + 7 - i);
      const float4 pair = left.colour + right.colour;
      const float pairRadius = left.radius + right.radius;
      // (first + second) + (third + last).
      if (i % 2 == 0) {
        first = pair;
        firstRadius = pairRadius;
      } else if (i == 1) {
        sum = first + pair;
        sumRadius = firstRadius + pairRadius;
      } else {
        sum = sum + (first + pair);
        sumRadius = sumRadius + (firstRadius + pairRadius);
      }
    }
    mean = 0.015625f * sum;
    meanRadius = 0.001953125f * sumRadius;
  } else if (p.scale == 4) {
    float4 outer = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f), inner = outer;
    float outerRadius = 0.0f, innerRadius = 0.0f;
    for (int32_t i = 0; i < 4; i++) {
      const int32_t c = q + i;
      const float4 column = (source[c] + source[c + 3 * w]) + (source[c + w] + source[c + 2 * w]);
      const float columnRadius =
          (radius[c] + radius[c + 3 * w]) + (radius[c + w] + radius[c + 2 * w]);
      // (first + last) + (second + third).
      if (i == 0) {
        outer = column;
        outerRadius = columnRadius;
      } else if (i == 1) {
        inner = column;
        innerRadius = columnRadius;
      } else if (i == 2) {
        inner = inner + column;
        innerRadius = innerRadius + columnRadius;
      } else {
        outer = outer + column;
        outerRadius = outerRadius + columnRadius;
      }
    }
    mean = 0.0625f * (outer + inner);
    meanRadius = 0.015625f * (outerRadius + innerRadius);
  }
  mean.w = 1.0f;
  store(FOCAL_PASSES o, mean, meanRadius, noBack);
}

/// A cell whose pixels may be at edges: its surfaces are parted at the middle of their radii into a
/// front and a back; the front's alpha is its share of the cell.
FOCAL_FUNCTION void partedCell(FOCAL_TAKES int32_t x, int32_t y, int32_t o) {
  const int32_t scale = p.scale;
  const float toLayer = focal_toLayer(scale), perCell = toLayer * toLayer;
  float low = 1.0e30f, high = -1.0e30f;
  for (int32_t j = 0; j < scale; j++) {
    for (int32_t i = 0; i < scale; i++) {
      const int32_t q = focal_min_int(scale * y + j, p.height - 1) * p.width +
                        focal_min_int(scale * x + i, p.width - 1);
      const bool isPlain = matte[q] == FOCAL_PLAIN;
      const int32_t edge = p.width * p.height + q * FocalMatteRecordFloats;
      const float front = isPlain ? radius[q] : matte[edge + FocalMatteFrontRadius];
      const float back = isPlain ? FOCAL_NO_SURFACE : matte[edge + FocalMatteBackRadius];
      low = focal_min(low, front);
      high = focal_max(high, front);
      if (back != FOCAL_NO_SURFACE) {
        low = focal_min(low, back);
        high = focal_max(high, back);
      }
    }
  }
  const bool isParted = high - low > focal_edgeStep(p.edge, low, high);
  const float middle = isParted ? 0.5f * (high + low) : -2.0e9f;
  const float4 none = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  float4 f = none, b = none;
  float frontRadius = 0.0f, backRadius = 0.0f;
  for (int32_t j = 0; j < scale; j++) {
    for (int32_t i = 0; i < scale; i++) {
      const int32_t q = focal_min_int(scale * y + j, p.height - 1) * p.width +
                        focal_min_int(scale * x + i, p.width - 1);
      const FocalSurfaces s = surfacesOf(FOCAL_PASSES q);
      if (s.frontRadius > middle) {
        f = f + s.front;
        frontRadius += s.front.w * s.frontRadius;
      } else {
        b = b + s.front;
        backRadius += s.front.w * s.frontRadius;
      }
      if (!s.hasBack) continue;
      if (s.backRadius > middle) {
        f = f + s.back;
        frontRadius += s.back.w * s.backRadius;
      } else {
        b = b + s.back;
        backRadius += s.back.w * s.backRadius;
      }
    }
  }
  const float alpha = f.w * perCell;
  // Shares of hidden backs are virtual, so a front may not exceed one.
  const float cap = alpha > 1.0f ? focal_reciprocal(alpha) : 1.0f;
  const float4 front = FOCAL_FLOAT4(f.x * perCell * cap, f.y * perCell * cap, f.z * perCell * cap,
                                    alpha > 1.0f ? 1.0f : alpha);
  // Readers multiply a missing back by a weight of zero, so it must be finite.
  float4 back = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, FOCAL_NO_SURFACE);
  if (b.w > 0.0f) {
    const float k = focal_reciprocal(b.w);
    back = FOCAL_FLOAT4(b.x * k, b.y * k, b.z * k, backRadius * k * toLayer);
  }
  const float toMean = toLayer * focal_reciprocal(f.w);
  store(FOCAL_PASSES o, front, frontRadius * toMean, back);
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  if (x >= p.layerWidth || y >= focal_rows(p.rows, p.layerHeight)) return;
  y += p.firstRow;
  const int32_t scale = p.scale, run = FOCAL_GATHER_RUN / scale;
  const int32_t o = (y + p.layerOriginY) * p.layerWidth + x;
  const int32_t q = scale * (y * p.width + x);
  bool isPlain = scale * (y + 1) <= p.height && scale * (x / run * run) + FOCAL_GATHER_RUN <= p.width;
  if (isPlain) {
    for (int32_t j = 0; j < scale; j++) {
      for (int32_t i = 0; i < scale; i++) {
        isPlain = isPlain && !(matte[q + j * p.width + i] < FOCAL_PLAIN);
      }
    }
  }
  if (isPlain) {
    plainCell(FOCAL_PASSES q, o);
  } else {
    partedCell(FOCAL_PASSES x, y, o);
  }
}

FOCAL_ENTRY(gatherLayers)
