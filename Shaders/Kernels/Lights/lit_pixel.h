// SPDX-License-Identifier: Apache-2.0
//
// The body of drawLights and, with FOCAL_SHAPES, of drawShapes.
#pragma once

#include "focal_bits.h"
#include "focal_lights.h"
#include "light_rays.h"
#include "light_shape.h"

/// Where a lane stands among those of its workgroup for which a condition holds.
FOCAL_STRUCT(Place) { int32_t before, all; };

/// Every lane of the workgroup calls this; what it read of shared memory before may then be written. Here and where
/// places are used all lanes write, those that are not counted what nobody reads: PoCL confuses
/// conditions before a barrier with others behind it.
FOCAL_FUNCTION Place placeAmong(FOCAL_TAKES int32_t lane, bool isCounted) {
  FOCAL_BARRIER();
  counted[lane & (FOCAL_GROUP_WORDS - 1)] = 0u;
  FOCAL_BARRIER();
  FOCAL_ATOMIC_OR(counted[lane >> 5], isCounted ? 1u << FOCAL_UINT(lane & 31) : 0u);
  FOCAL_BARRIER();
  const uint32_t below = (1u << FOCAL_UINT(lane & 31)) - 1u;
  Place place = {focal_bitCount(counted[lane >> 5] & below), 0};
  for (int32_t i = 0; i < FOCAL_GROUP_WORDS; i++) {
    const int32_t count = focal_bitCount(counted[i]);
    if (i < lane >> 5) place.before += count;
    place.all += count;
  }
  return place;
}

/// Adds to `nearer` what may hide lights from the pixels of a workgroup, whose first is (left, top) of the window: the
/// slices, the steps of the focus plate, and whether it leaves a hole.
FOCAL_FUNCTION void findNearer(FOCAL_TAKES int32_t lane, int32_t left, int32_t top) {
  const CrossedBlocks around =
      blocksAround(FOCAL_PASSES left, left + FOCAL_GROUP_WIDTH - 1, top + p.originY,
                   top + p.originY + FOCAL_GROUP_HEIGHT - 1);
  const int32_t across = (p.layerWidth + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  const int32_t columns = focal_max_int(around.right - around.left + 1, 0);
  const int32_t count = columns * focal_max_int(around.bottom - around.top + 1, 0);
  uint32_t low = 0u, high = 0u;
  for (int32_t i = lane; i < count; i += FOCAL_GROUP_SIZE) {
    const int32_t o = 2 * ((around.top + i / columns) * across + around.left + i % columns);
    low |= blocks[o];
    high |= blocks[o + 1];
  }
  uint32_t steps = 0u, holes = 0u;
  if (p.groups.split != 0) {
    // The focus is drawn by the plate.
    if (p.firstSlice <= 0 && p.firstSlice > -32) low &= ~(1u << FOCAL_UINT(-p.firstSlice));
    if (p.firstSlice <= -32) high &= ~(1u << FOCAL_UINT(-p.firstSlice - 32));
    const int32_t width = FOCAL_GROUP_WIDTH + 2 * FOCAL_COMPOSITE_APRON;
    const int32_t height = FOCAL_GROUP_HEIGHT + 2 * FOCAL_COMPOSITE_APRON;
    for (int32_t i = lane; i < width * height; i += FOCAL_GROUP_SIZE) {
      const int32_t dx = i % width - FOCAL_COMPOSITE_APRON;
      const int32_t dy = i / width - FOCAL_COMPOSITE_APRON;
      const int32_t x = left + dx, y = top + dy;
      if (x < 0 || x >= p.width || y < 0 || y >= p.height) continue;
      const int32_t q = y * p.width + x;
      const bool isPlain = matte[q] == FOCAL_PLAIN;
      steps |= stepsOf(FOCAL_PASSES radius[q]);
      if (!isPlain) {
        const int32_t edge = p.width * p.height + q * FocalMatteRecordFloats;
        steps |= stepsOf(FOCAL_PASSES matte[edge + FocalMatteFrontRadius]) |
                 stepsOf(FOCAL_PASSES matte[edge + FocalMatteBackRadius]);
      }
      const bool isOwn =
          dx >= 0 && dx < FOCAL_GROUP_WIDTH && dy >= 0 && dy < FOCAL_GROUP_HEIGHT;
      if (isOwn && !(isPlain && focal_isCrossing(p.focus, radius[q], 0.0f))) holes = FOCAL_GROUP_HOLES;
    }
  } else {
    holes = FOCAL_GROUP_HOLES;
  }
  if (low != 0u) FOCAL_ATOMIC_OR(nearer[FocalNearerLow], low);
  if (high != 0u) FOCAL_ATOMIC_OR(nearer[FocalNearerHigh], high);
  if (steps != 0u) FOCAL_ATOMIC_OR(nearer[FocalNearerSteps], steps);
  if (holes != 0u) FOCAL_ATOMIC_OR(nearer[FocalNearerFlags], holes);
}

/// Those that may hide a light at (cx, cy) from pixels between x0, x1, y0 and y1 of the picture.
FOCAL_FUNCTION FocalBits slicesBefore(FOCAL_TAKES FocalSmallLight light, float cx, float cy,
                                      float x0, float x1, float y0, float y1) {
  const float positive = focal_reciprocal(focal_abs(light.radius));
  const float perRadius = light.radius < 0.0f ? -positive : positive;
  const float toLayer = focal_toLayer(p.scale);
  const float own = focal_sliceOf(p.slicing, light.radius * toLayer) + FOCAL_LIGHT_OWN_SLICES;
  const int32_t across = (p.layerWidth + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  const FocalBits from = focal_bitsFrom(-focal_floor_int(-own) - p.firstSlice);
  const FocalBits past = focal_bitsFrom(p.lastSlice - p.firstSlice + 1);
  FocalBits bits = {0u, 0u};
  FocalBits left = {nearer[FocalNearerLow] & from.low & ~past.low,
                    nearer[FocalNearerHigh] & from.high & ~past.high};
  while (true) {
    const int32_t i = focal_highestOf(left);
    const bool isAsked = (left.low | left.high) != 0u;
    if (isAsked) left = focal_toggled(left, i);
    const int32_t k = p.firstSlice + i;
    const float t = focal_radiusOf(p.slicing, FOCAL_FLOAT(k)) * FOCAL_FLOAT(p.scale) * perRadius;
    const CrossedBlocks crossed =
        crossedBlocks(FOCAL_PASSES cx, cy, light.softness, t, x0, x1, y0, y1);
    bool isCrossed = crossed.isBeyond;
    int32_t bx = crossed.left, by = crossed.top;
    while (true) {
      if (isAsked && !isCrossed && bx <= crossed.right && by <= crossed.bottom) {
        const uint32_t word = blocks[2 * (by * across + bx) + (i >> 5)];
        isCrossed = ((word >> FOCAL_UINT(i & 31)) & 1u) != 0u;
      }
      bx++;
      if (bx > crossed.right) {
        bx = crossed.left;
        by++;
      }
      if (!isAsked || isCrossed || by > crossed.bottom) break;
    }
    if (isAsked && isCrossed) bits = focal_toggled(bits, i);
    if ((left.low | left.high) == 0u) break;
  }
  return bits;
}

/// The share that surfaces of the focus plate let through of what the slices do: step by step, as the
/// processor multiplies.
FOCAL_FUNCTION float throughPlate(FOCAL_TAKES int32_t x, int32_t y, float dx, float dy,
                                  uint32_t steps, float perRadius, float through) {
  while (true) {
    const uint32_t lowest = steps & (~steps + 1u);
    const float step = plateStep(focal_highestBit(lowest)), t = step * perRadius;
    steps ^= lowest;
    const int32_t column =
        focal_clamp_int(focal_floor_int(FOCAL_FLOAT(x) + 0.5f - dx * t), 0, p.width - 1);
    const int32_t row =
        focal_clamp_int(focal_floor_int(FOCAL_FLOAT(y) + 0.5f - dy * t), 0, p.height - 1);
    const int32_t q = row * p.width + column;
    const int32_t edge = p.width * p.height + q * FocalMatteRecordFloats;
    const float alpha = matte[q];
    const bool isPlain = alpha == FOCAL_PLAIN;
    const float front = isPlain ? radius[q] : matte[edge + FocalMatteFrontRadius];
    float opacity = focal_plateCrossing(p.focus, p.focusLow, p.focusInverseWidth, front, step);
    if (!isPlain) {
      opacity = alpha * opacity + (1.0f - alpha) * focal_plateCrossing(
                                                       p.focus, p.focusLow, p.focusInverseWidth,
                                                       matte[edge + FocalMatteBackRadius], step);
    }
    through *= 1.0f - opacity;
    if (steps == 0u) break;
  }
  return through;
}

/// Coverage of slice `k` between the middles of four cells of the layers, at (column, row) of the picture: shadows
/// of thin things in a disc are sharp, and cells may be several pixels wide.
FOCAL_FUNCTION float coverageAt(FOCAL_TAKES float column, float row, int32_t k) {
  const float toLayer = focal_toLayer(p.scale);
  const int32_t count = p.layerWidth * p.layerRows;
  const float cx = column * toLayer - 0.5f, cy = row * toLayer - 0.5f;
  const int32_t x = focal_floor_int(cx), y = focal_floor_int(cy);
  float columns[2];
  for (int32_t i = 0; i < 2; i++) {
    const int32_t lx = focal_mirrored(x + i, p.layerWidth);
    float cells[2];
    for (int32_t j = 0; j < 2; j++) {
      const int32_t ly = focal_mirrored(y + j, p.layerHeight) - p.layerOriginY;
      const int32_t o = focal_clamp_int(ly, 0, p.layerRows - 1) * p.layerWidth + lx;
      cells[j] = focal_layerCoverage(p.slicing, p.groups, layers[FocalLayerAlpha * count + o],
                                     layers[FocalLayerFrontRadius * count + o],
                                     layers[FocalLayerBackRadius * count + o],
                                     layers[FocalLayerReach * count + o], k);
    }
    columns[i] = cells[0] + (cells[1] - cells[0]) * (cy - FOCAL_FLOAT(y));
  }
  return columns[0] + (columns[1] - columns[0]) * (cx - FOCAL_FLOAT(x));
}

/// The share of a light that the slices `bits` and the steps `near` of the focus plate let through to a pixel of the
/// window, (dx, dy) from the disc's centre.
FOCAL_FUNCTION float throughNearer(FOCAL_TAKES int32_t x, int32_t y, float dx, float dy, float own,
                                   FocalBits bits, uint32_t near) {
  const float positive = focal_reciprocal(focal_abs(own));
  const float perRadius = own < 0.0f ? -positive : positive;
  float through = 1.0f;
  while (true) {
    // The nearest first.
    const bool isHidden = (bits.low | bits.high) != 0u;
    const int32_t i = focal_highestOf(bits);
    if (isHidden) bits = focal_toggled(bits, i);
    const int32_t k = p.firstSlice + i;
    const float moved = focal_radiusOf(p.slicing, FOCAL_FLOAT(k)) * FOCAL_FLOAT(p.scale);
    const float most = focal_abs(moved), t = moved * perRadius;
    const float column = FOCAL_FLOAT(x) + 0.5f - focal_clamp(dx * t, -most, most);
    const float row = FOCAL_FLOAT(y + p.originY) + 0.5f - focal_clamp(dy * t, -most, most);
    if (isHidden) through *= 1.0f - coverageAt(FOCAL_PASSES column, row, k);
    if ((bits.low | bits.high) == 0u) break;
  }
  const uint32_t steps = near != 0u ? near & stepsBefore(own) : 0u;
  return steps == 0u || through == 0.0f
             ? through
             : throughPlate(FOCAL_PASSES x, y, dx, dy, steps, perRadius, through);
}

/// The light added to a pixel of the window by light `n` of those that are held. Of most lights a pixel
/// lies outside: the others' colours and slices are read when they count.
FOCAL_FUNCTION float4 lightAt(FOCAL_TAKES int32_t x, int32_t y, int32_t n, uint32_t near) {
  const float4 none = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  const int32_t held = heldLights[n], image = heldImages[n];
  const float own = lights[held].radius, softness = lights[held].softness;
  const float outline = lights[held].outline;
  const float cx = imagePlace(image % 3, lights[held].x, p.width);
  const float cy = imagePlace(image / 3, lights[held].y, p.pictureHeight);
  const float dx = FOCAL_FLOAT(x) + 0.5f - cx;
  const float dy = FOCAL_FLOAT(y + p.originY) + 0.5f - cy;
  const float most = focal_discReach(focal_abs(own), softness, p.rim);
  if (focal_abs(dx) >= most || focal_abs(dy) >= most) return none;
#if defined(FOCAL_SHAPES)
  const FocalSmallLight light = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, own, outline, softness, 0.0f, 0.0f, 0.0f};
  const LightShape shape = shapeOf(FOCAL_PASSES light, cx, cy);
  float weight = shapeCoverage(FOCAL_PASSES shape, dx, dy);
#else
  float weight = focal_discCoverage(insideOf(FOCAL_PASSES dx, dy, own, outline),
                                    focal_reciprocal(softness));
#endif
  if (!(weight > 0.0f)) return none;
  const FocalBits bits = {heldLow[n], heldHigh[n]};
  weight *= throughNearer(FOCAL_PASSES x, y, dx, dy, own, bits, near);
  const float share = image == 0 ? 1.0f : lights[held].image;
  const float red = lights[held].red * share, green = lights[held].green * share;
  const float blue = lights[held].blue * share;
#if defined(FOCAL_SHAPES)
  const float away = shapeDistance(FOCAL_PASSES shape, dx, dy);
  return FOCAL_FLOAT4(weight * shapeLight(shape.base.x, shape.slope.x, away) * red,
                      weight * shapeLight(shape.base.y, shape.slope.y, away) * green,
                      weight * shapeLight(shape.base.z, shape.slope.z, away) * blue, 0.0f);
#else
  return FOCAL_FLOAT4(weight * red, weight * green, weight * blue, 0.0f);
#endif
}

/// Blocks of lights in reach of a group where a mirror image of the picture shows it.
FOCAL_STRUCT(SeenBlocks) {
  int32_t first, line;           ///< the group's first pixel there
  int32_t left, top, columns, count;
};

FOCAL_FUNCTION SeenBlocks seenBlocks(FOCAL_TAKES int32_t image, int32_t left, int32_t top) {
  const int32_t far = FOCAL_INT(p.farthest) + 1;
  SeenBlocks seen;
  seen.first = imagePixels(image % 3, left, FOCAL_GROUP_WIDTH, p.width);
  seen.line = imagePixels(image / 3, top + p.originY, FOCAL_GROUP_HEIGHT, p.pictureHeight);
  const int32_t last = seen.first + FOCAL_GROUP_WIDTH - 1 + far;
  const int32_t lastLine = seen.line + FOCAL_GROUP_HEIGHT - 1 + far;
  const int32_t end = p.firstBlockRow + p.blocksDown - 1;
  seen.left = focal_max_int(seen.first - far, 0) / FOCAL_LIGHT_BLOCK;
  seen.top = focal_max_int(focal_max_int(seen.line - far, 0) / FOCAL_LIGHT_BLOCK, p.firstBlockRow);
  seen.columns = focal_min_int(last / FOCAL_LIGHT_BLOCK, p.blocksAcross - 1) - seen.left + 1;
  const int32_t rows = focal_min_int(lastLine / FOCAL_LIGHT_BLOCK, end) - seen.top + 1;
  seen.count = last < 0 || lastLine < 0 || seen.columns <= 0 || rows <= 0 ? 0 : seen.columns * rows;
  return seen;
}

/// The blocks of lights in reach of a group, in all images.
FOCAL_FUNCTION int32_t seenCount(FOCAL_TAKES int32_t left, int32_t top) {
  int32_t count = 0;
  for (int32_t image = 0; image < FOCAL_LIGHT_IMAGES; image++) {
    count += seenBlocks(FOCAL_PASSES image, left, top).count;
  }
  return count;
}

/// A block whose lights may reach a group, -1 for none, and the image that shows it.
FOCAL_STRUCT(LitBlock) { int32_t block, image; };

/// Block `i` of those in reach, image by image, if its lights may reach the group.
FOCAL_FUNCTION LitBlock litBlock(FOCAL_TAKES int32_t i, int32_t left, int32_t top) {
  LitBlock lit = {-1, 0};
  SeenBlocks seen = seenBlocks(FOCAL_PASSES 0, left, top);
  int32_t place = i;
  for (int32_t image = 1; image < FOCAL_LIGHT_IMAGES; image++) {
    const bool isBehind = place >= seen.count;
    if (isBehind) {
      place -= seen.count;
      seen = seenBlocks(FOCAL_PASSES image, left, top);
      lit.image = image;
    }
  }
  if (place >= seen.count) return lit;
  const int32_t x = seen.left + place % seen.columns, y = seen.top + place / seen.columns;
  const int32_t block = (y - p.firstBlockRow) * p.blocksAcross + x;
  const int32_t d =
      focal_max_int(outside(x * FOCAL_LIGHT_BLOCK, seen.first, seen.first + FOCAL_GROUP_WIDTH - 1),
                    outside(y * FOCAL_LIGHT_BLOCK, seen.line, seen.line + FOCAL_GROUP_HEIGHT - 1));
  if (reach[block] > 0.0f && FOCAL_FLOAT(d) <= reach[block]) lit.block = block;
  return lit;
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t lane = FOCAL_LOCAL_Y() * FOCAL_GROUP_WIDTH + FOCAL_LOCAL_X();
  // Rows count from the first tile's.
  y += p.firstTile / p.tilesAcross * FOCAL_COMPOSITE_HEIGHT;
  const int32_t left = x - FOCAL_LOCAL_X(), top = y - FOCAL_LOCAL_Y();
  const int32_t item = y / FOCAL_COMPOSITE_HEIGHT * p.tilesAcross + x / FOCAL_COMPOSITE_WIDTH -
                       p.firstTile;
  const bool isDrawn = x < p.width && y < p.height && item < p.tileCount;
  // Middles of the first and the last pixels.
  const float firstX = FOCAL_FLOAT(left) + 0.5f;
  const float lastX = FOCAL_FLOAT(left + FOCAL_GROUP_WIDTH - 1) + 0.5f;
  const float firstY = FOCAL_FLOAT(top + p.originY) + 0.5f;
  const float lastY = FOCAL_FLOAT(top + p.originY + FOCAL_GROUP_HEIGHT - 1) + 0.5f;

  nearer[lane & (FOCAL_NEARER_WORDS - 1)] = 0u;
  litRange[lane & 1] = (lane & 1) == 0 ? FOCAL_NO_BLOCK : -1;
  FOCAL_BARRIER();
  const int32_t seen = seenCount(FOCAL_PASSES left, top);
  int32_t firstLit = FOCAL_NO_BLOCK, lastLit = -1;
  for (int32_t i = lane; i < seen; i += FOCAL_GROUP_SIZE) {
    const bool isLit = litBlock(FOCAL_PASSES i, left, top).block >= 0;
    firstLit = isLit ? focal_min_int(firstLit, i) : firstLit;
    lastLit = isLit ? i : lastLit;
  }
  if (lastLit >= 0) {
    FOCAL_ATOMIC_MIN(litRange[0], firstLit);
    FOCAL_ATOMIC_MAX(litRange[1], lastLit);
  }
  FOCAL_BARRIER();
  firstLit = litRange[0];
  lastLit = litRange[1];
  if (lastLit >= 0) findNearer(FOCAL_PASSES lane, left, top);
  FOCAL_BARRIER();

  float4 sum = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
  // A lane looks at one cell of one block at a time.
  const int32_t cell = lane % p.cells, own = lane / p.cells, step = FOCAL_GROUP_SIZE / p.cells;
  const uint32_t near = nearer[FocalNearerSteps], flags = nearer[FocalNearerFlags];
  for (int32_t portion = firstLit; portion <= lastLit; portion += step) {
    const LitBlock lit = litBlock(FOCAL_PASSES portion + own, left, top);
    const int32_t found = focal_max_int(lit.block, 0) * p.cells + cell, image = lit.image;
    bool reaches = false;
    FocalBits bits = {0u, 0u};
    if (lit.block >= 0) {
      const FocalSmallLight light = lights[found];
      const bool isHole = (flags & FOCAL_GROUP_HOLES) != 0u;
      if (light.energy > 0.0f && (image == 0 || light.image > 0.0f) &&
          (light.radius > 0.0f || isHole)) {
        const float most = focal_discReach(focal_abs(light.radius), light.softness, p.rim);
        const float cx = imagePlace(image % 3, light.x, p.width);
        const float cy = imagePlace(image / 3, light.y, p.pictureHeight);
        reaches = firstX - cx < most && cx - lastX < most && firstY - cy < most &&
                  cy - lastY < most;
        if (reaches) {
          bits = slicesBefore(FOCAL_PASSES light, cx, cy,
                              focal_max(firstX - 0.5f, cx - most - 1.0f),
                              focal_min(lastX + 0.5f, cx + most + 1.0f),
                              focal_max(firstY - 0.5f, cy - most - 1.0f),
                              focal_min(lastY + 0.5f, cy + most + 1.0f));
        }
      }
    }
    const Place held = placeAmong(FOCAL_PASSES lane, reaches);
    const int32_t o = reaches ? held.before : FOCAL_GROUP_SIZE;
    heldLights[o] = found;
    heldImages[o] = image;
    heldLow[o] = bits.low;
    heldHigh[o] = bits.high;
    FOCAL_BARRIER();
    int32_t n = 0;
    while (true) {
      if (isDrawn && n < held.all) sum += lightAt(FOCAL_PASSES x, y, n, near);
      n++;
      if (n >= held.all) break;
    }
  }
  if (!isDrawn || (sum.x == 0.0f && sum.y == 0.0f && sum.z == 0.0f)) return;
  const int32_t o = y * p.width + x;
  float4 result = destination[o];
  result.x += sum.x;
  result.y += sum.y;
  result.z += sum.z;
  destination[o] = result;
}
