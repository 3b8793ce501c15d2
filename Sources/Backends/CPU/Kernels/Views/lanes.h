// SPDX-License-Identifier: Apache-2.0
//
// Sixteen pixels of a tile at once, seen from one point of the lens: what the steps of blurTiles share.
#pragma once

#include "tile.h"

/// Sixteen neighbouring destination pixels. An extension of GCC and clang; on
/// a GPU one lane is one invocation.
typedef float Lanes __attribute__((vector_size(64), aligned(4)));
typedef int32_t LaneMask __attribute__((vector_size(64)));

/// Whether any lane is set.
FOCAL_FUNCTION int anyOf(const LaneMask *mask) { return __builtin_reduce_or(*mask) != 0; }

/// Whether any lane still lets light through.
FOCAL_FUNCTION int anyOpen(const Lanes *through) {
  const LaneMask open = *through > 0.0f;
  return anyOf(&open);
}

FOCAL_FUNCTION void store(float *p, const Lanes *v, int32_t count) {
  if (count == FOCAL_VIEW_LANES) {
    memcpy(p, v, sizeof *v);
    return;
  }
  for (int32_t i = 0; i < count; i++) p[i] = (*v)[i];
}

struct Group {
  Lanes r, g, b, through;
};

/// What the lens points show sixteen columns of a band of rows of a slot.
enum Presence {
  PresentInPart,  ///< in some cells nothing
  PresentAll,     ///< something in every cell
  PresentOpaque,  ///< nothing shines through, anywhere
};

/// The slots that a part of a tile sees, nearest first; those behind an opaque one are left out.
struct SeenSlots {
  int32_t near, count;
  struct SeenSlot {
    const float *pixels;
    const int32_t *extents;
    int32_t number;
    enum Presence presence;
  } slots[FOCAL_MAXIMUM_SLOTS];
};

/// A tile's slots as its views read them.
struct SlotWindow {
  const float *pool;
  const int32_t *extents, *shifts;
  size_t size;
  int32_t stride, rows, reach;
  int32_t count, near;
  /// How far the lens points shift each slot: left to right, top to bottom.
  struct ShiftRange {
    int32_t left, right, top, bottom;
  } ranges[FOCAL_MAXIMUM_SLOTS];
};

/// `near` slots are in front of the focus.
FOCAL_FUNCTION void openWindow(const struct TileWork *work, int32_t lensCount, int32_t near,
                               struct SlotWindow *out) {
  const struct FocalTile *t = work->tile;
  out->pool = work->pool;
  out->extents = (const int32_t *)(work->pool + focal_tileExtents(t));
  out->shifts = (const int32_t *)(work->pool + focal_tileShifts(t));
  out->size = focal_tilePlane(t);
  out->stride = t->stride;
  out->rows = t->rows;
  out->reach = t->reach;
  out->count = t->slots;
  out->near = near;
  for (int32_t j = 0; j < t->slots; j++) {
    struct ShiftRange range = {0, 0, 0, 0};
    for (int32_t v = 0; v < lensCount; v++) {
      const int32_t *shift = out->shifts + 2 * (v * t->slots + j);
      range.left = focal_min_int(range.left, shift[0]);
      range.right = focal_max_int(range.right, shift[0]);
      range.top = focal_min_int(range.top, shift[1]);
      range.bottom = focal_max_int(range.bottom, shift[1]);
    }
    out->ranges[j] = range;
  }
}

/// Lists the slots of which any lens point shows something to columns [x, x + FOCAL_VIEW_LANES) of rows [y, end).
FOCAL_FUNCTION void findSeenSlots(const struct SlotWindow *window, int32_t x, int32_t y,
                                  int32_t end, struct SeenSlots *out) {
  const int32_t across = tileCells(window->stride, FOCAL_CELL_WIDTH);
  const size_t cellCount = (size_t)across * (size_t)tileCells(window->rows, FOCAL_CELL_HEIGHT);
  const uint8_t *all = tileCellStates(window->pool, window->count, window->size);
  out->near = out->count = 0;
  for (int32_t j = 0; j < window->count; j++) {
    const struct ShiftRange *range = window->ranges + j;
    const uint8_t *cells = all + (size_t)j * cellCount;
    const int32_t x0 = (x + window->reach - range->right) / FOCAL_CELL_WIDTH;
    const int32_t x1 = (x + window->reach - range->left + FOCAL_VIEW_LANES - 1) / FOCAL_CELL_WIDTH;
    const int32_t y0 = (y + window->reach - range->bottom) / FOCAL_CELL_HEIGHT;
    const int32_t y1 = (end + window->reach - range->top - 1) / FOCAL_CELL_HEIGHT;
    int32_t any = 0, every = ~0;
    for (int32_t cy = y0; cy <= y1; cy++) {
      for (int32_t cx = x0; cx <= x1; cx++) {
        const int32_t state = cells[cy * across + cx];
        any |= state;
        every &= state;
      }
    }
    if (!(any & CellHolds)) continue;
    out->slots[out->count] = (struct SeenSlot){
        window->pool + (size_t)j * 4 * window->size, window->extents + 2 * j * window->rows, j,
        every & CellIsOpaque ? PresentOpaque
                             : (every & CellHolds ? PresentAll : PresentInPart)};
    out->count += 1;
    if (j < window->near) out->near = out->count;
    if (every & CellIsOpaque) return;
  }
}

/// Composes slots [from, to) of the list under what `through` lets pass; `isOpen` if that is everything.
FOCAL_FUNCTION void compose(struct Group *sum, const struct SlotWindow *window,
                            const struct SeenSlots *seen, const int32_t *shifts, int32_t x,
                            int32_t y, int32_t from, int32_t to, int32_t isOpen) {
  const size_t size = window->size;
  for (int32_t i = from; i < to; i++) {
    const struct SeenSlot *slot = seen->slots + i;
    const int32_t *shift = shifts + 2 * slot->number;
    const int32_t column = x - shift[0], row = y - shift[1];
    if (slot->presence == PresentInPart) {
      const int32_t *extent = slot->extents + 2 * row;
      if (column >= extent[1] || column + FOCAL_VIEW_LANES <= extent[0]) continue;
    }
    const float *q = slot->pixels + (row * window->stride + column);
    Lanes r, g, b, a;
    memcpy(&r, q, sizeof r);
    memcpy(&g, q + size, sizeof g);
    memcpy(&b, q + 2 * size, sizeof b);
    // The first one is seen whole: times one.
    sum->r += isOpen ? r : sum->through * r;
    sum->g += isOpen ? g : sum->through * g;
    sum->b += isOpen ? b : sum->through * b;
    if (slot->presence == PresentOpaque) {
      sum->through = (Lanes){0};
      return;
    }
    memcpy(&a, q + 3 * size, sizeof a);
    const Lanes left = sum->through - (isOpen ? a : sum->through * a);
    isOpen = 0;
    // Cut to nothing lane by lane, so that a pixel does not depend on
    // whether its neighbours go on.
    sum->through = (Lanes)((LaneMask)left & (LaneMask)(left > FOCAL_NO_LIGHT));
    if (i + 1 < to && !anyOpen(&sum->through)) return;
  }
}
