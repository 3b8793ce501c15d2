// SPDX-License-Identifier: Apache-2.0
//
// Front or back, pixel by pixel: log-odds from the colours of both sides around it plus log-odds from the map
// itself. Groups of pixels of a row go through their neighbours together, whatever cells they lie in.
#include "ShaderTypes.h"
#include "cells.h"

/// Pixels of a row that are decided together.
#define LANES 8

/// A group: the sides between which each of its pixels decides, and what the map says. Pixels of no edge
/// have `isEdge` 0.
struct Group {
  float farther[LANES], perEdge[LANES], share[LANES], step[LANES];
  int32_t red[LANES], green[LANES], blue[LANES];
  int32_t isEdge[LANES];
  /// How much a sharp rim would show.
  float shows[LANES];
};

/// What a group sees at one place beside each of its pixels.
struct Neighbours {
  uint32_t codes[LANES];
  float values[LANES];
};

/// The rows that a line is decided from, and where it lies in them.
struct Rows {
  const uint32_t *guide;
  const float *values;
  int32_t width, count, line;
};

/// Fills in pixels [x0, x1) of an edge cell; the first group begins at pixel `start`.
FOCAL_FUNCTION void fillCell(struct Group *groups, int32_t start, const struct Rows *rows,
                             const struct FocalCircles *circles, struct FocalCellSides sides,
                             int32_t x0, int32_t x1) {
  const int has = sides.hasMiddle;
  const float upper = has ? focal_reciprocal(sides.front - sides.middle) : 0.0f;
  const float lower = focal_reciprocal((has ? sides.middle : sides.front) - sides.back);
  const size_t row = (size_t)rows->line * (size_t)rows->width;
  for (int32_t x = x0; x < x1; x++) {
    struct Group *group = groups + (x - start) / LANES;
    const int32_t k = (x - start) % LANES;
    const float v = rows->values[row + (size_t)x];
    const int above = has & (v > sides.middle);
    const float nearer = (has & !above) ? sides.middle : sides.front;
    const float farther = above ? sides.middle : sides.back, perEdge = above ? upper : lower;
    group->step[k] = nearer - farther;
    group->farther[k] = farther;
    group->perEdge[k] = FOCAL_PER_PURITY * perEdge;
    group->share[k] = focal_unit((v - farther) * perEdge);
    const struct FocalGuideColour own = focal_guide_colour(rows->guide[row + (size_t)x]);
    group->red[k] = own.red;
    group->green[k] = own.green;
    group->blue[k] = own.blue;
    group->isEdge[k] = 1;
    group->shows[k] = focal_rim_shows(focal_circleRadius(*circles, nearer),
                                      focal_circleRadius(*circles, farther));
  }
}

/// Leaves pixels [x0, x1) of a flat cell undecided where colours are known.
FOCAL_FUNCTION void leave(const struct Rows *rows, int32_t x0, int32_t x1, float *result) {
  const float *values = rows->values + (size_t)rows->line * (size_t)rows->width;
  for (int32_t x = x0; x < x1; x++)
    if (values[x] < FOCAL_NO_LABEL) result[x] = FOCAL_UNDECIDED;
}

/// The neighbours at (x + dx, line + dy) and after. Past the border lies nothing.
FOCAL_FUNCTION void look(const struct Rows *rows, int32_t x, int32_t row, int32_t inside,
                         struct Neighbours *out) {
  const size_t first = (size_t)row * (size_t)rows->width;
  if (inside) {
    memcpy(out->codes, rows->guide + first + x, sizeof out->codes);
    memcpy(out->values, rows->values + first + x, sizeof out->values);
    return;
  }
  for (int32_t k = 0; k < LANES; k++) {
    const int there = x + k >= 0 && x + k < rows->width;
    out->codes[k] = there ? rows->guide[first + (size_t)(x + k)] : 0u;
    out->values[k] = there ? rows->values[first + (size_t)(x + k)] : FOCAL_NO_LABEL;
  }
}

/// The neighbours that are looked at, row by row, and how much each counts.
struct Taps {
  int32_t count;
  struct Tap {
    int32_t dx, dy;
    float weight;
  } taps[FOCAL_MOST_TAPS];
};

FOCAL_FUNCTION void findTaps(const struct FocalDecideSidesParameters *p, struct Taps *out) {
  out->count = 0;
  for (int32_t j = -p->down; j <= p->down; j++) {
    const int32_t tapY = focal_tap(j, p->dense);
    for (int32_t i = -p->across; i <= p->across; i++) {
      const int32_t tapX = focal_tap(i, p->dense), away = tapY * tapY + tapX * tapX;
      if (away == 0 || away > p->farthest) continue;
      out->taps[out->count++] =
          (struct Tap){tapX * p->stepX, tapY * p->stepY,
                       focal_reciprocal(1.0f + FOCAL_COLOUR_FALLOFF * (float)away)};
    }
  }
}

FOCAL_FUNCTION void decideGroup(const struct Group *group, const struct Rows *rows,
                                const struct Taps *taps,
                                const struct FocalDecideSidesParameters *p, int32_t x,
                                float *result) {
  float front[LANES] = {0}, allFront[LANES] = {0}, back[LANES] = {0}, allBack[LANES] = {0};
  const int32_t reach = focal_tap(p->across, p->dense) * p->stepX;
  const int32_t inside = x >= reach && x + LANES + reach <= rows->width;
  for (int32_t i = 0; i < taps->count; i++) {
    const struct Tap tap = taps->taps[i];
    const int32_t row = rows->line + tap.dy;
    if (row < 0 || row >= rows->count) continue;
    struct Neighbours there;
    look(rows, x + tap.dx, row, inside, &there);
    FOCAL_LANE_LOOP
    for (int32_t k = 0; k < LANES; k++) {
      const struct FocalSideWeights sums = {front[k], allFront[k], back[k], allBack[k]};
      const struct FocalGuideColour own = {group->red[k], group->green[k], group->blue[k]};
      const float rise = (there.values[k] - group->farther[k]) * group->perEdge[k];
      const struct FocalSideWeights all =
          focal_with_neighbour(sums, tap.weight, own, there.codes[k], rise);
      front[k] = all.front;
      allFront[k] = all.allFront;
      back[k] = all.back;
      allBack[k] = all.allBack;
    }
  }
  FOCAL_LANE_LOOP
  for (int32_t k = 0; k < LANES; k++) {
    const struct FocalSideWeights sums = {front[k], allFront[k], back[k], allBack[k]};
    result[k] = focal_decision(sums, group->share[k], group->step[k] * p->perThreshold);
  }
}

/// Adds what the far surface in focus, on a ring around each pixel, says about those given to it.
FOCAL_FUNCTION void lookBeyond(const struct Group *group, const struct Rows *rows,
                               const struct FocalDecideSidesParameters *p, int32_t x,
                               float *result) {
  int32_t any = 0;
  for (int32_t k = 0; k < LANES; k++) any |= group->shows[k] > 0.0f && result[k] <= 0.0f;
  if (!any) return;
  int32_t count[LANES] = {0}, red[LANES] = {0}, green[LANES] = {0}, blue[LANES] = {0};
  int32_t squares[LANES] = {0};
  const int32_t inside = x >= p->ringX && x + LANES + p->ringX <= rows->width;
  for (int32_t i = 0; i < FOCAL_RING_PLACES; i++) {
    const int32_t row = rows->line + focal_ring_offset(i, p->ringY);
    if (row < 0 || row >= rows->count) continue;
    struct Neighbours there;
    look(rows, x + focal_ring_offset(i + FOCAL_RING_PLACES / 4, p->ringX), row, inside, &there);
    FOCAL_LANE_LOOP
    for (int32_t k = 0; k < LANES; k++) {
      const struct FocalRing ring = {count[k], red[k], green[k], blue[k], squares[k]};
      const struct FocalRing all = focal_with_place(
          ring, there.codes[k], (there.values[k] - group->farther[k]) * group->perEdge[k]);
      count[k] = all.count;
      red[k] = all.red;
      green[k] = all.green;
      blue[k] = all.blue;
      squares[k] = all.squares;
    }
  }
  for (int32_t k = 0; k < LANES; k++) {
    const struct FocalRing ring = {count[k], red[k], green[k], blue[k], squares[k]};
    const struct FocalGuideColour own = {group->red[k], group->green[k], group->blue[k]};
    if (result[k] <= 0.0f) result[k] += group->shows[k] * focal_beyond(ring, own);
  }
}

/// Pixels of a row that are prepared at a time.
#define RUN 512

FOCAL_CLONES FOCAL_ENTRY_POINT(decideSides) {
  FOCAL_BUFFERS(decideSides)
  const struct FocalRefineSize *s = &p->size;
  const int32_t w = s->mapWidth;
  struct Group groups[RUN / LANES];
  struct Taps taps;
  findTaps(p, &taps);
  for (uint32_t line = begin; line < end; line++) {
    const int32_t y = (int32_t)line + p->firstRow;
    const size_t cells = (size_t)focal_cell_of(y, s->mapHeight, s->height) * (size_t)w;
    const struct Rows rows = {guide, values, s->width, focal_rows(s->rows, s->height),
                              y - s->originY};
    struct FocalCellWalk walk = focal_cell_walk(w, s->width);
    int32_t c = -1, x0 = 0;
    for (int32_t start = 0; start < s->width; start += RUN) {
      const int32_t past = start + RUN < s->width ? start + RUN : s->width;
      memset(groups, 0, sizeof groups);
      float *to = decision + (size_t)line * (size_t)s->width;
      // A cell may begin before the run, and go on after it.
      for (;;) {
        const int32_t x1 = c < 0 ? 0 : walk.end;
        const int32_t first = x0 > start ? x0 : start, last = x1 < past ? x1 : past;
        if (c >= 0 && kind[cells + (size_t)c] != FocalCellFlat && first < last) {
          const struct FocalCellSides sides =
              focal_cell_sides(map, front, back, kind, cells + (size_t)c);
          fillCell(groups, start, &rows, &p->circles, sides, first, last);
        } else {
          leave(&rows, first, last, to);
        }
        if (x1 >= past || c + 1 >= w) break;
        x0 = x1;
        c += 1;
        focal_cell_next(&walk);
      }
      for (int32_t x = start; x < past; x += LANES) {
        const struct Group *group = groups + (x - start) / LANES;
        int32_t any = 0;
        for (int32_t k = 0; k < LANES; k++) any |= group->isEdge[k];
        if (!any) continue;
        float decided[LANES];
        decideGroup(group, &rows, &taps, p, x, decided);
        lookBeyond(group, &rows, p, x, decided);
        for (int32_t k = 0; k < LANES && x + k < past; k++)
          if (group->isEdge[k]) to[x + k] = decided[k];
      }
    }
  }
}
