// SPDX-License-Identifier: Apache-2.0
//
// The excess of each cell of a block as one light. Grid: workgroups of FOCAL_GROUP_WIDTH lanes, one for each block.
//
// Lanes take the pixels of the block, then its cells, whose pixels they add in order.
// A cell at an edge may have pixels of two surfaces: those like its brightest pixel count. A light's rim may lie in
// cells of its own, and is a light there.

#define FOCAL_BODY findLights
#include "kernel.h"
#include "focal_lights.h"
#include "light_blocks.h"

/// Whether a pixel of radius `own` has no nearer surface beside it: such a light may go on behind it.
FOCAL_FUNCTION bool isFree(FOCAL_TAKES int32_t x, int32_t y, float own) {
  const float limit = own + focal_edgeStep(p.edge, own, own);
  bool isFree = true;
  for (int32_t j = -FOCAL_LIGHT_FREE; j <= FOCAL_LIGHT_FREE; j++) {
    const int32_t row = focal_clamp_int(y + j, 0, p.height - 1) * p.width;
    for (int32_t i = -FOCAL_LIGHT_FREE; i <= FOCAL_LIGHT_FREE; i++) {
      isFree = isFree && radius[row + focal_clamp_int(x + i, 0, p.width - 1)] <= limit;
    }
  }
  return isFree;
}

/// The radius of the brightest surface beside a pixel that is nearer and so much brighter that the pixel's light, the
/// largest component, is that of a rim; otherwise the pixel's own.
FOCAL_FUNCTION float radiusOfLight(FOCAL_TAKES int32_t x, int32_t y, float light) {
  const float own = radius[y * p.width + x];
  const float limit = own + focal_edgeStep(p.edge, own, own);
  float result = own, most = FOCAL_LIGHT_RIM * light;
  for (int32_t j = focal_max_int(y - 1, 0); j <= focal_min_int(y + 1, p.height - 1); j++) {
    for (int32_t i = focal_max_int(x - 1, 0); i <= focal_min_int(x + 1, p.width - 1); i++) {
      const int32_t q = j * p.width + i;
      const float4 c = source[q];
      const float beside = focal_max(c.x, focal_max(c.y, c.z));
      if (radius[q] > limit && beside >= most) {
        most = beside;
        result = radius[q];
      }
    }
  }
  return result;
}

/// The place in the block of pixel `n` of a cell.
FOCAL_FUNCTION int32_t pixelOf(FOCAL_TAKES int32_t cell, int32_t n) {
  const int32_t shift = cellShift(p.cell), across = cellsAcross(p.cell);
  const int32_t i = (cell % across << shift) + (n & (p.cell - 1));
  return ((cell / across << shift) + (n >> shift)) * FOCAL_LIGHT_BLOCK + i;
}

FOCAL_FUNCTION bool isRim(FOCAL_TAKES int32_t i) {
  return ((rimWords[i >> 5] >> FOCAL_UINT(i & 31)) & 1u) != 0u;
}

/// How much brighter than the ceiling each pixel of the block is, and the radius of its light.
FOCAL_FUNCTION void findExcess(FOCAL_TAKES int32_t left, int32_t top, float ceiling) {
  for (int32_t i = FOCAL_LANE(); i < FOCAL_LIGHT_PIXELS; i += FOCAL_ROW_LANES) {
    const int32_t x = left + i % FOCAL_LIGHT_BLOCK, y = top + i / FOCAL_LIGHT_BLOCK;
    float above = 0.0f;
    if (x < p.width && y < p.height) {
      const int32_t q = y * p.width + x;
      const float4 c = source[q];
      const float brightest = focal_max(c.x, focal_max(c.y, c.z));
      above = focal_max(brightest - ceiling, 0.0f);
      if (above > 0.0f) {
        const float own = radiusOfLight(FOCAL_PASSES x, y, brightest);
        if (own != radius[q]) FOCAL_ATOMIC_OR(rimWords[i >> 5], 1u << FOCAL_UINT(i & 31));
        lightRadius[i] = own;
      }
    }
    excess[i] = above;
  }
}

/// The radius of each cell's light: of its brightest pixel that may be of a light.
FOCAL_FUNCTION void findRadii(FOCAL_TAKES int32_t cells) {
  for (int32_t cell = FOCAL_LANE(); cell < cells; cell += FOCAL_ROW_LANES) {
    float peak = 0.0f, own = 0.0f;
    for (int32_t n = 0; n < p.cell * p.cell; n++) {
      const int32_t i = pixelOf(FOCAL_PASSES cell, n);
      if (excess[i] > peak && focal_abs(lightRadius[i]) >= FOCAL_LIGHT_LEAST_RADIUS_ALONE) {
        peak = excess[i];
        own = lightRadius[i];
      }
    }
    cellRadius[cell] = own;
  }
}

/// What each pixel adds to the light of its cell: its colour's excess and the largest component, 0 where it adds none.
FOCAL_FUNCTION void findParts(FOCAL_TAKES int32_t left, int32_t top, float ceiling) {
  for (int32_t i = FOCAL_LANE(); i < FOCAL_LIGHT_PIXELS; i += FOCAL_ROW_LANES) {
    const int32_t x = left + i % FOCAL_LIGHT_BLOCK, y = top + i / FOCAL_LIGHT_BLOCK;
    const float own = cellRadius[cellOf(p.cell, i)];
    float4 part = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
    if (excess[i] > 0.0f && own != 0.0f) {
      const float4 c = source[y * p.width + x];
      const float share = focal_excessShare(c, ceiling);
      if (share > 0.0f && isOfLight(FOCAL_PASSES isRim(FOCAL_PASSES i), x, y, own)) {
        part = share * c;
        part.w = share * focal_max(c.x, focal_max(c.y, c.z));
      }
    }
    parts[i] = part;
  }
}

/// The light of a cell whose first pixel is (left, top), all but the share that is free.
FOCAL_FUNCTION FocalSmallLight lightOf(FOCAL_TAKES int32_t cell, int32_t left, int32_t top) {
  FocalSmallLight light = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f};
  light.radius = cellRadius[cell];
  if (light.radius == 0.0f) return light;
  float x = 0.0f, y = 0.0f, squares = 0.0f;
  for (int32_t n = 0; n < p.cell * p.cell; n++) {
    const float4 part = parts[pixelOf(FOCAL_PASSES cell, n)];
    if (!(part.w > 0.0f)) continue;
    const int32_t i = n & (p.cell - 1), j = n >> cellShift(p.cell);
    light.energy += part.w;
    light.red += part.x;
    light.green += part.y;
    light.blue += part.z;
    x += part.w * FOCAL_FLOAT(i);
    y += part.w * FOCAL_FLOAT(j);
    squares += part.w * FOCAL_FLOAT(i * i + j * j);
  }
  const float share = focal_reciprocal(light.energy);
  x = x * share;
  y = y * share;
  light.x = FOCAL_FLOAT(left) + x + 0.5f;
  light.y = FOCAL_FLOAT(p.originY + top) + y + 0.5f;
  // A box of width w has the variance w²/12 along each axis; a pixel is one of width 1.
  const float twice = focal_max(squares * share - (x * x + y * y), 0.0f);
  light.softness = focal_sqrt(6.0f * twice + 1.0f);
  return light;
}

FOCAL_FUNCTION void findCells(FOCAL_TAKES int32_t block, int32_t cells, int32_t left, int32_t top,
                              float mean) {
  const int32_t across = cellsAcross(p.cell);
  for (int32_t cell = FOCAL_LANE(); cell < cells; cell += FOCAL_ROW_LANES) {
    const FocalSmallLight light =
        lightOf(FOCAL_PASSES cell, left + cell % across * p.cell, top + cell / across * p.cell);
    found[block * cells + cell] = light;
    cellEnergy[cell] = light.energy;
    // If all its neighbours were as bright, the disc would not be drawn.
    const float size = focal_abs(light.radius);
    if (9.0f * light.energy <= FOCAL_LIGHT_LEAST_SHARE * mean * p.area * size * size) {
      cellRadius[cell] = 0.0f;
    }
  }
}

/// The share of each light that no nearer surface touches; `excess` is no longer needed.
FOCAL_FUNCTION void findFreeParts(FOCAL_TAKES int32_t left, int32_t top) {
  for (int32_t i = FOCAL_LANE(); i < FOCAL_LIGHT_PIXELS; i += FOCAL_ROW_LANES) {
    const float own = cellRadius[cellOf(p.cell, i)];
    const bool isCounted = own != 0.0f && parts[i].w > 0.0f;
    excess[i] = isCounted && isFree(FOCAL_PASSES left + i % FOCAL_LIGHT_BLOCK,
                                    top + i / FOCAL_LIGHT_BLOCK, own)
                    ? parts[i].w
                    : 0.0f;
  }
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t block = y * p.blocksAcross + x;
  const int32_t left = x * FOCAL_LIGHT_BLOCK, top = y * FOCAL_LIGHT_BLOCK;
  const int32_t across = cellsAcross(p.cell), cells = across * across;
  const float ceiling = ceilingOf(FOCAL_PASSES x, y);
  if (!(blocks[block].y > ceiling)) {
    for (int32_t i = FOCAL_LANE(); i < cells; i += FOCAL_ROW_LANES) energies[block * cells + i] = 0.0f;
    return;
  }
  for (int32_t i = FOCAL_LANE(); i < FOCAL_LIGHT_RIM_WORDS; i += FOCAL_ROW_LANES) rimWords[i] = 0u;
  FOCAL_BARRIER();
  findExcess(FOCAL_PASSES left, top, ceiling);
  FOCAL_BARRIER();
  findRadii(FOCAL_PASSES cells);
  FOCAL_BARRIER();
  findParts(FOCAL_PASSES left, top, ceiling);
  FOCAL_BARRIER();
  findCells(FOCAL_PASSES block, cells, left, top, meanAround(FOCAL_PASSES x, y));
  FOCAL_BARRIER();
  findFreeParts(FOCAL_PASSES left, top);
  FOCAL_BARRIER();
  for (int32_t cell = FOCAL_LANE(); cell < cells; cell += FOCAL_ROW_LANES) {
    energies[block * cells + cell] = cellEnergy[cell];
    if (cellRadius[cell] == 0.0f) continue;
    float free = 0.0f;
    for (int32_t n = 0; n < p.cell * p.cell; n++) free += excess[pixelOf(FOCAL_PASSES cell, n)];
    found[block * cells + cell].free = free * focal_reciprocal(cellEnergy[cell]);
  }
  // By one lane: PoCL lets sixteen of them write on processors with AVX-512, over the next block's words.
  if (FOCAL_LANE() == 0) {
    for (int32_t i = 0; i < FOCAL_LIGHT_RIM_WORDS; i++) {
      rims[block * FOCAL_LIGHT_RIM_WORDS + i] = rimWords[i];
    }
  }
}

FOCAL_GROUP_ENTRY(findLights)
