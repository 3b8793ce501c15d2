// SPDX-License-Identifier: Apache-2.0
//
// The surfaces hidden in each cell of the finest of several levels of the background pyramid. Grid: workgroups, one
// for FOCAL_HIDDEN_WIDTH x FOCAL_HIDDEN_HEIGHT cells.
//
// A cell takes what is hidden in cells of the next coarser level, and so on to the coarsest. A workgroup finds for
// itself what its cells need of each: the coarser the level, the fewer they are, half as many again in all.

#define FOCAL_BODY pyramidHidden
#include "kernel.h"
#include "hidden_surface.h"

/// A level, and the part of it that a workgroup needs.
FOCAL_STRUCT(LevelPart) {
  int32_t width, height, offset;
  int32_t left, top, right, bottom;  // the last column and row
};

FOCAL_FUNCTION LevelPart partOf(FOCAL_TAKES int32_t groupX, int32_t groupY, int32_t level) {
  LevelPart part;
  part.width = p.width;
  part.height = p.height;
  part.offset = p.offset;
  part.left = groupX * FOCAL_HIDDEN_WIDTH;
  part.top = groupY * FOCAL_HIDDEN_HEIGHT;
  part.right = focal_min_int(part.left + FOCAL_HIDDEN_WIDTH, p.width) - 1;
  part.bottom = focal_min_int(part.top + FOCAL_HIDDEN_HEIGHT, p.height) - 1;
  for (int32_t i = 0; i < level; i++) {
    part.offset += FocalPyramidPlanes * part.width * part.height;
    part.width = (part.width + 1) / 2;
    part.height = (part.height + 1) / 2;
    part.left = focal_max_int((part.left - 1) >> 1, 0);
    part.top = focal_max_int((part.top - 1) >> 1, 0);
    part.right = focal_min_int(((part.right - 1) >> 1) + 1, part.width - 1);
    part.bottom = focal_min_int(((part.bottom - 1) >> 1) + 1, part.height - 1);
  }
  return part;
}

FOCAL_FUNCTION float parentRadius(FOCAL_TAKES CoarseLevel level, int32_t x, int32_t y,
                                  bool isHidden) {
  if (isHidden) return hidden[level.hidden + y * level.hiddenPitch + x].w;
  return levels[level.seen + 3 * level.width * level.height + y * level.width + x];
}

FOCAL_FUNCTION float4 parentColour(FOCAL_TAKES CoarseLevel level, int32_t x, int32_t y,
                                   bool isHidden) {
  if (isHidden) return hidden[level.hidden + y * level.hiddenPitch + x];
  const int32_t count = level.width * level.height, q = level.seen + y * level.width + x;
  return FOCAL_FLOAT4(levels[q], levels[count + q], levels[2 * count + q], 0.0f);
}

FOCAL_FUNCTION void invoke(FOCAL_TAKES int32_t groupX, int32_t groupY, int32_t z) {
  for (int32_t level = p.levels - 2; level >= 0; level--) {
    const LevelPart fine = partOf(FOCAL_PASSES groupX, groupY, level);
    const LevelPart parents = partOf(FOCAL_PASSES groupX, groupY, level + 1);
    const int32_t to = (level & 1) != 0 ? 0 : FOCAL_HIDDEN_FIRST;
    const int32_t across = fine.right - fine.left + 1, down = fine.bottom - fine.top + 1;
    CoarseLevel coarse;
    coarse.width = parents.width;
    coarse.height = parents.height;
    coarse.rowShift = 0;
    coarse.isLast = level + 2 == p.levels;
    coarse.edge = focal_max(p.edge, p.slant * FOCAL_FLOAT(1 << level));
    coarse.seen = parents.offset;
    coarse.hiddenPitch = parents.right - parents.left + 1;
    coarse.hidden =
        FOCAL_HIDDEN_FIRST - to - parents.top * coarse.hiddenPitch - parents.left;
    for (int32_t i = FOCAL_LANE(); i < across * down; i += FOCAL_LANES) {
      const int32_t x = fine.left + i % across, y = fine.top + i / across;
      const int32_t count = fine.width * fine.height, o = fine.offset + y * fine.width + x;
      const float4 found = hiddenBehind(FOCAL_PASSES coarse, x, y, levels[3 * count + o]);
      if (level > 0) {
        hidden[to + i] = found;
        continue;
      }
      levels[7 * count + o] = found.w;
      if (!(found.w > FOCAL_NO_SURFACE)) continue;
      levels[4 * count + o] = found.x;
      levels[5 * count + o] = found.y;
      levels[6 * count + o] = found.z;
    }
    FOCAL_BARRIER();
  }
}

FOCAL_GROUP_ENTRY(pyramidHidden)
