// SPDX-License-Identifier: Apache-2.0
//
// Cuts the layers around the tiles of a batch into slices of one shift each. Grid: pixels of the
// largest window by tiles of the batch, in workgroups of FOCAL_CELL_WIDTH x FOCAL_CELL_HEIGHT. The
// pool holds, tile after tile, the slots' planes of premultiplied RGBA; those that are to be spread at once go to
// its twin.
//
// The processor goes slot by slot over the covered columns of each row; here an invocation reads
// its pixel of the layers once and writes it to every slot. A pixel whose block has nothing in a
// slice gets zero there, which the formulas give as well. Every cell notes the slots in which it
// holds something, so that the next kernels can pass over the others.

#include "focal_bits.h"
#include "spread_slots.h"

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t x, int32_t y, int32_t z) {
  const int32_t tile = p.firstTile + z;
  const int32_t slots = tiles[tile].slots, nearSlots = tiles[tile].nearSlots;
  const int32_t stride = tiles[tile].stride, rows = tiles[tile].rows;
  const int32_t lane = FOCAL_LOCAL_Y() * FOCAL_CELL_WIDTH + FOCAL_LOCAL_X();
  if (lane < 2) occupied[lane] = 0u;
  FOCAL_BARRIER();
  if (x < stride && y < rows) {
    const int32_t reach = tiles[tile].reach;
    const int32_t left = tiles[tile].x - reach, top = tiles[tile].y - reach;
    // Columns beyond the picture repeat those of the window's part inside it.
    const int32_t firstColumn = focal_max_int(left, 0);
    const int32_t endColumn = focal_min_int(left + stride, p.width);
    const int32_t sx = focal_clamp_int(focal_mirrored(left + x, p.width), firstColumn, endColumn - 1);
    const int32_t sy = focal_mirrored(top + y, p.height) - p.originY;
    const int32_t blocksAcross = (p.width + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
    const int32_t block = 2 * (sy / FOCAL_BLOCK * blocksAcross + sx / FOCAL_BLOCK);
    const uint32_t low = blocks[block], high = blocks[block + 1];

    const int32_t count = p.width * focal_rows(p.rows, p.height), o = sy * p.width + sx;
    const float alpha = layers[FocalLayerAlpha * count + o];
    const float front = layers[FocalLayerFrontRadius * count + o];
    const float back = layers[FocalLayerBackRadius * count + o];
    const float lowest = layers[FocalLayerReach * count + o];
    const float4 frontColour =
        FOCAL_FLOAT4(layers[FocalLayerFrontR * count + o], layers[FocalLayerFrontG * count + o],
                     layers[FocalLayerFrontB * count + o], 1.0f);
    const float4 backColour =
        FOCAL_FLOAT4(layers[FocalLayerBackR * count + o], layers[FocalLayerBackG * count + o],
                     layers[FocalLayerBackB * count + o], 1.0f);
    const float own = focal_sliceOf(p.slicing, front);
    // A missing back lies at no slice at all; keep its index in range.
    const float behind = focal_sliceOf(p.slicing, focal_max(back, -1.0e6f));
    const float nearFront = focal_groupShare(p.groups, true, front);
    const float farFront = focal_groupShare(p.groups, false, front);
    const float nearBack = focal_groupShare(p.groups, true, back);
    const float farBack = focal_groupShare(p.groups, false, back);
    // Alpha of a visible pixel is never 0; colours are premultiplied by it.
    const float perAlpha = focal_reciprocal(focal_max(alpha, 1.0e-3f));

    const int32_t plane = stride * rows;
    const int32_t q = y * stride + x, set = tiles[tile].lensSet;
    uint32_t ownLow = 0u, ownHigh = 0u;
    for (int32_t j = 0; j < slots; j++) {
      const int32_t slice = tiles[tile].slice[j];
      float4 value = FOCAL_FLOAT4(0.0f, 0.0f, 0.0f, 0.0f);
      if (focal_hasBit(low, high, slice - p.firstSlice)) {
        const bool isNear = j < nearSlots;
        const float k = FOCAL_FLOAT(slice);
        const float f =
            focal_sliceCoverage(alpha * (isNear ? nearFront : farFront), own, lowest, k);
        const float hidden = isNear ? nearBack : farBack;
        // Where both lie between the same two slices, the nearer one has only a part of the front,
        // and a part of the back there would lie before the rest of the front.
        const float c = k > own ? 0.0f : hidden * focal_sliceCoverage(hidden, behind, 1.0e9f, k);
        const float unscaled = alpha >= 1.0f ? f : f * perAlpha;
        const float w = (1.0f - f) * c;
        value = unscaled * frontColour + w * backColour;
        value.w = f + w;
        if (value.w != 0.0f) {
          if (j < 32) {
            ownLow |= 1u << FOCAL_UINT(j);
          } else {
            ownHigh |= 1u << FOCAL_UINT(j - 32);
          }
        }
      }
      const float width = focal_spreadWidth(focal_radiusOf(p.slicing, FOCAL_FLOAT(slice)),
                                            p.lensCount[set], p.cell[set]);
      if (p.boxes > 1 && width > 1.0f) {
        twin[twinSlot(FOCAL_PASSES tile, j, plane, z) + q] = value;
      } else {
        pool[poolSlot(FOCAL_PASSES j, plane, z) + q] = value;
      }
    }
    if (ownLow != 0u) FOCAL_ATOMIC_OR(occupied[0], ownLow);
    if (ownHigh != 0u) FOCAL_ATOMIC_OR(occupied[1], ownHigh);
  }
  FOCAL_BARRIER();
  const int32_t cx = x / FOCAL_CELL_WIDTH, cy = y / FOCAL_CELL_HEIGHT;
  if (lane < 2 && cx < p.cellsAcross && cy < p.cellsDown) {
    cells[2 * ((z * p.cellsDown + cy) * p.cellsAcross + cx) + lane] = occupied[lane];
  }
}

FOCAL_ENTRY(assembleSlices)
