// SPDX-License-Identifier: Apache-2.0
//
// The body of drawLights and, with FOCAL_SHAPES, of drawShapes.
#pragma once

#include "ShaderTypes.h"

#define FOCAL_TAKES const float *restrict opening, const FocalDrawLightsParameters p,
#define FOCAL_PASSES opening, p,
#include <Lights/light_rays.h>
#include <Lights/light_shape.h>

/// The first arguments of the functions of these headers.
#define OPENING in->opening, *p,

#define WIDTH FOCAL_COMPOSITE_WIDTH
#define HEIGHT FOCAL_COMPOSITE_HEIGHT
/// Lights of a tile that are drawn together.
#define PORTION 64

/// Inputs of the kernel.
struct Lighting {
  const FocalSmallLight *lights;
  const float *reach, *layers;
  const uint64_t *blocks;
  const float *radius, *matte, *opening;
};

/// A tile: its window's part, the sums of its discs, and what may hide them.
struct LitTile {
  int32_t left, top, columns, rows;
  uint64_t slices;
  /// Steps of radius at which the focus plate draws something in the tile or near it, and whether
  /// everything in the tile is sharp and opaque; known once a light behind the focus asks for them.
  uint32_t plateSteps;
  int32_t isSolid;
  float r[HEIGHT][WIDTH], g[HEIGHT][WIDTH], b[HEIGHT][WIDTH];
  int32_t first[HEIGHT], end[HEIGHT];  ///< columns of each row that discs reach
};

/// The slices that may hide a light from a pixel of a tile.
FOCAL_FUNCTION uint64_t slicesAround(const struct Lighting *in,
                                     const struct FocalDrawLightsParameters *p,
                                     const struct LitTile *t) {
  const int32_t top = t->top + p->originY;
  const CrossedBlocks around =
      blocksAround(OPENING t->left, t->left + WIDTH - 1, top, top + HEIGHT - 1);
  const int32_t across = (p->layerWidth + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  uint64_t all = 0;
  for (int32_t y = around.top; y <= around.bottom; y++) {
    for (int32_t x = around.left; x <= around.right; x++) all |= in->blocks[y * across + x];
  }
  // The focus is drawn by the plate.
  if (p->groups.split && p->firstSlice <= 0) all &= ~((uint64_t)1 << -p->firstSlice);
  return all;
}

/// Finds where the focus plate draws anything in a tile or within its circles' reach.
FOCAL_FUNCTION void findPlate(const struct Lighting *in, const struct FocalDrawLightsParameters *p,
                              struct LitTile *t) {
  const int32_t y0 = focal_max_int(t->top - FOCAL_COMPOSITE_APRON, 0);
  const int32_t y1 = focal_min_int(t->top + HEIGHT + FOCAL_COMPOSITE_APRON, p->height);
  const int32_t x0 = focal_max_int(t->left - FOCAL_COMPOSITE_APRON, 0);
  const int32_t x1 = focal_min_int(t->left + WIDTH + FOCAL_COMPOSITE_APRON, p->width);
  const size_t records = (size_t)p->width * (size_t)p->height;
  // Beyond these no radius has a step.
  const float lowest = plateStep(0) - FOCAL_LIGHT_PLATE_STEP;
  const float highest = plateStep(FOCAL_LIGHT_PLATE_RADII - 1) + FOCAL_LIGHT_PLATE_STEP;
  uint32_t steps = 0, holes = 0;
  for (int32_t y = y0; y < y1; y++) {
    const size_t o = (size_t)y * (size_t)p->width;
    const float *restrict r = in->radius + o, *restrict alpha = in->matte + o;
    uint32_t edges = 0, crossing = 0;
    for (int32_t x = x0; x < x1; x++) {
      edges |= alpha[x] < FOCAL_PLAIN;
      crossing |= (r[x] >= lowest) & (r[x] <= highest);
    }
    for (int32_t x = x0; crossing && x < x1; x++) steps |= stepsOf(OPENING r[x]);
    for (int32_t x = x0; edges && x < x1; x++) {
      if (alpha[x] == FOCAL_PLAIN) continue;
      const float *edge = in->matte + records + (o + (size_t)x) * FocalMatteRecordFloats;
      steps |= stepsOf(OPENING edge[FocalMatteFrontRadius]) | stepsOf(OPENING edge[FocalMatteBackRadius]);
    }
    if (holes || y < t->top || y >= t->top + t->rows) continue;
    for (int32_t x = t->left; x < t->left + t->columns; x++) {
      holes |= (alpha[x] < FOCAL_PLAIN) | !focal_isCrossing(p->focus, r[x], 0.0f);
    }
  }
  t->plateSteps = steps;
  t->isSolid = !holes;
}

/// How much of a light surfaces of the focus plate at one step of radius hide along a row of pixels.
FOCAL_FUNCTION void hidePlateRow(const struct Lighting *in,
                                 const struct FocalDrawLightsParameters *p, const float *dx,
                                 float dy, float step, float perRadius, int32_t left, int32_t count,
                                 int32_t y, float *restrict through) {
  const float t = step * perRadius;
  const int32_t row = focal_clamp_int(focal_floor_int((float)y + 0.5f - dy * t), 0, p->height - 1);
  const size_t o = (size_t)row * (size_t)p->width;
  const float *restrict radius = in->radius + o, *restrict alpha = in->matte + o;
  int32_t columns[WIDTH];
  float opacity[WIDTH];
  int32_t edges = 0;
  for (int32_t i = 0; i < count; i++) {
    const float at = (float)(left + i) + 0.5f - dx[i] * t;
    const int32_t column = focal_clamp_int(focal_floor_int(at), 0, p->width - 1);
    columns[i] = column;
    edges |= alpha[column] < FOCAL_PLAIN;
    opacity[i] = focal_plateCrossing(p->focus, p->focusLow, p->focusInverseWidth, radius[column],
                                     step);
  }
  const size_t records = (size_t)p->width * (size_t)p->height;
  for (int32_t i = 0; edges && i < count; i++) {
    const float a = alpha[columns[i]];
    if (a == FOCAL_PLAIN) continue;
    const float *edge = in->matte + records + (o + (size_t)columns[i]) * FocalMatteRecordFloats;
    const float front = focal_plateCrossing(p->focus, p->focusLow, p->focusInverseWidth,
                                            edge[FocalMatteFrontRadius], step);
    opacity[i] = a * front +
                 (1.0f - a) * focal_plateCrossing(p->focus, p->focusLow, p->focusInverseWidth,
                                                  edge[FocalMatteBackRadius], step);
  }
  for (int32_t i = 0; i < count; i++) through[i] *= 1.0f - opacity[i];
}

/// A light as a tile sees it, at the place of its image.
struct Disc {
  FocalSmallLight light;
  float x, y;
};

/// Whether a slice holds anything where the rays to some pixels of a tile pass it.
FOCAL_FUNCTION bool isCrossed(const struct Lighting *in, const struct FocalDrawLightsParameters *p,
                              const struct Disc *disc, int32_t slice, float t, float x0, float x1,
                              float y0, float y1) {
  const CrossedBlocks crossed =
      crossedBlocks(OPENING disc->x, disc->y, disc->light.softness, t, x0, x1, y0, y1);
  if (crossed.isBeyond) return true;
  const int32_t across = (p->layerWidth + FOCAL_BLOCK - 1) / FOCAL_BLOCK;
  const uint64_t bit = (uint64_t)1 << (slice - p->firstSlice);
  for (int32_t y = crossed.top; y <= crossed.bottom; y++) {
    for (int32_t x = crossed.left; x <= crossed.right; x++) {
      if (in->blocks[y * across + x] & bit) return true;
    }
  }
  return false;
}

/// Cells of a row whose coverage is known at a time.
#define CELLS (2 * WIDTH)

/// A row of the layers.
struct CellRow {
  const float *alpha, *front, *back, *reach;
};

FOCAL_FUNCTION struct CellRow cellRow(const struct Lighting *in,
                                      const struct FocalDrawLightsParameters *p, int32_t y) {
  const size_t plane = (size_t)p->layerWidth * (size_t)p->layerRows;
  const int32_t ly = focal_mirrored(y, p->layerHeight) - p->layerOriginY;
  const float *line =
      in->layers + (size_t)focal_clamp_int(ly, 0, p->layerRows - 1) * (size_t)p->layerWidth;
  return (struct CellRow){line + FocalLayerAlpha * plane, line + FocalLayerFrontRadius * plane,
                          line + FocalLayerBackRadius * plane, line + FocalLayerReach * plane};
}

/// The row where the cells of a picture go on beyond its border, as far as `count` cells from `first` on are asked for.
FOCAL_FUNCTION struct CellRow mirroredCells(const struct CellRow row, int32_t width, int32_t first,
                                            int32_t count, float room[4][CELLS]) {
  for (int32_t i = 0; i < count; i++) {
    const int32_t x = focal_mirrored(first + i, width);
    room[0][i] = row.alpha[x];
    room[1][i] = row.front[x];
    room[2][i] = row.back[x];
    room[3][i] = row.reach[x];
  }
  return (struct CellRow){room[0], room[1], room[2], room[3]};
}

/// Coverage of a slice in `count` cells from `first` on, between the rows `y` and `y` + 1 of the layers.
FOCAL_FUNCTION void coverCells(const struct Lighting *in, const struct FocalDrawLightsParameters *p,
                               int32_t slice, int32_t y, float down, int32_t first, int32_t count,
                               float *restrict coverage) {
  struct CellRow upper = cellRow(in, p, y), lower = cellRow(in, p, y + 1);
  float room[2][4][CELLS];
  int32_t o = first;
  if (first < 0 || first + count > p->layerWidth) {
    upper = mirroredCells(upper, p->layerWidth, first, count, room[0]);
    lower = mirroredCells(lower, p->layerWidth, first, count, room[1]);
    o = 0;
  }
  for (int32_t i = 0; i < count; i++) {
    const float above = focal_layerCoverage(p->slicing, p->groups, upper.alpha[o + i], upper.front[o + i],
                                            upper.back[o + i], upper.reach[o + i], slice);
    const float below = focal_layerCoverage(p->slicing, p->groups, lower.alpha[o + i], lower.front[o + i],
                                            lower.back[o + i], lower.reach[o + i], slice);
    coverage[i] = above + (below - above) * down;
  }
}

/// How much of a light the slices hide along a row of pixels. Rays to neighbouring pixels pass neighbouring cells: each
/// cell's coverage is found once.
FOCAL_FUNCTION void hideRow(const struct Lighting *in, const struct FocalDrawLightsParameters *p,
                            const struct Disc *disc, int32_t slice, float t, int32_t left,
                            int32_t count, int32_t y, float *restrict weight) {
  const float toLayer = focal_toLayer(p->scale);
  const float most =
      focal_abs(focal_radiusOf(p->slicing, (float)slice) * (float)p->scale);
  const float at = (float)(y + p->originY) + 0.5f;
  // Between the middles of four cells.
  const float cy = (at - focal_clamp((at - disc->y) * t, -most, most)) * toLayer - 0.5f;
  const int32_t ly = focal_floor_int(cy);
  const float down = cy - (float)ly;
  int32_t cells[WIDTH];
  float across[WIDTH];
  for (int32_t i = 0; i < count; i++) {
    const float x = (float)(left + i) + 0.5f;
    const float cx = (x - focal_clamp((x - disc->x) * t, -most, most)) * toLayer - 0.5f;
    cells[i] = focal_floor_int(cx);
    across[i] = cx - (float)cells[i];
  }
  for (int32_t begin = 0; begin < count;) {
    // The pixels whose cells fit.
    int32_t low = cells[begin], high = low, end = begin + 1;
    for (; end < count; end++) {
      const int32_t least = focal_min_int(low, cells[end]), last = focal_max_int(high, cells[end]);
      if (last - least + 2 > CELLS) break;
      low = least;
      high = last;
    }
    float coverage[CELLS];
    coverCells(in, p, slice, ly, down, low, high - low + 2, coverage);
    for (int32_t i = begin; i < end; i++) {
      const float *cell = coverage + (cells[i] - low);
      weight[i] *= 1.0f - (cell[0] + (cell[1] - cell[0]) * across[i]);
    }
    begin = end;
  }
}

/// Adds a disc to a tile.
FOCAL_FUNCTION void drawDisc(const struct Lighting *in, const struct FocalDrawLightsParameters *p,
                             struct LitTile *tile, const struct Disc *disc) {
  const float own = disc->light.radius, size = focal_abs(own);
#if defined(FOCAL_SHAPES)
  const LightShape shape = shapeOf(OPENING disc->light, disc->x, disc->y);
#else
  const float outline = disc->light.outline;
  const float perSoftness = focal_reciprocal(disc->light.softness);
#endif
  const float most = focal_discReach(size, disc->light.softness, p->rim);
  const float top = (float)(tile->top + p->originY);
  const int32_t x0 = focal_max_int(tile->left, focal_floor_int(disc->x - most - 1.0f));
  const int32_t x1 =
      focal_min_int(tile->left + tile->columns, focal_floor_int(disc->x + most) + 2);
  const int32_t y0 = focal_max_int(0, focal_floor_int(disc->y - most - 1.0f - top));
  const int32_t y1 = focal_min_int(tile->rows, focal_floor_int(disc->y + most - top) + 2);
  if (x1 <= x0 || y1 <= y0) return;

  // The slices that may hide it, nearest first.
  const float toLayer = focal_toLayer(p->scale);
  const float positive = focal_reciprocal(size), perRadius = own < 0.0f ? -positive : positive;
  const float nearer = focal_sliceOf(p->slicing, own * toLayer) + FOCAL_LIGHT_OWN_SLICES;
  int32_t slices[FOCAL_MAXIMUM_SLOTS], count = 0;
  float shares[FOCAL_MAXIMUM_SLOTS];
  for (int32_t k = p->lastSlice; k >= p->firstSlice && (float)k >= nearer; k--) {
    if (!(tile->slices >> (k - p->firstSlice) & 1)) continue;
    const float t = focal_radiusOf(p->slicing, (float)k) * (float)p->scale * perRadius;
    if (!isCrossed(in, p, disc, k, t, (float)x0, (float)x1, top + (float)y0, top + (float)y1)) {
      continue;
    }
    slices[count] = k;
    shares[count++] = t;
  }
  const uint32_t plate = tile->plateSteps & stepsBefore(own);

  for (int32_t y = y0; y < y1; y++) {
    const float dy = (float)(tile->top + y + p->originY) + 0.5f - disc->y;
    if (focal_abs(dy) >= most) continue;
    // The columns of the circle around the outline.
    const float half = focal_sqrt(focal_max(most * most - dy * dy, 0.0f)) + 1.0f;
    const int32_t first = focal_max_int(x0, focal_floor_int(disc->x - half));
    const int32_t end = focal_min_int(x1, focal_floor_int(disc->x + half) + 1);
    const int32_t n = end - first;
    if (n <= 0) continue;
    float weight[WIDTH], dx[WIDTH];
    for (int32_t i = 0; i < n; i++) dx[i] = (float)(first + i) + 0.5f - disc->x;
#if defined(FOCAL_SHAPES)
    for (int32_t i = 0; i < n; i++) weight[i] = shapeCoverage(OPENING shape, dx[i], dy);
#else
    if (p->blades == 0) {
      for (int32_t i = 0; i < n; i++) {
        const float inside = outline - focal_sqrt(dx[i] * dx[i] + dy * dy);
        weight[i] = focal_discCoverage(inside, perSoftness);
      }
    } else {
      for (int32_t i = 0; i < n; i++) {
        float least = -1.0e30f;
        for (int32_t j = 0; j < p->blades; j++) {
          const float along = in->opening[2 * j] * dx[i] + in->opening[2 * j + 1] * dy;
          least = focal_max(least, own < 0.0f ? -along : along);
        }
        weight[i] = focal_discCoverage(p->apothem * outline - least, perSoftness);
      }
    }
#endif
    // Through what is nearer, in the order of the slices.
    if (count > 0 || plate) {
      float through[WIDTH];
      for (int32_t i = 0; i < n; i++) through[i] = 1.0f;
      for (int32_t j = 0; j < count; j++) {
        hideRow(in, p, disc, slices[j], shares[j], first, n, tile->top + y, through);
      }
      for (int32_t i = 0; i < FOCAL_LIGHT_PLATE_RADII; i++) {
        if (!(plate >> i & 1)) continue;
        hidePlateRow(in, p, dx, dy, plateStep(i), perRadius, first, n, tile->top + y, through);
      }
      for (int32_t i = 0; i < n; i++) weight[i] *= through[i];
    }
    tile->first[y] = focal_min_int(tile->first[y], first - tile->left);
    tile->end[y] = focal_max_int(tile->end[y], end - tile->left);
    float *restrict r = tile->r[y] + (first - tile->left);
    float *restrict g = tile->g[y] + (first - tile->left);
    float *restrict b = tile->b[y] + (first - tile->left);
#if defined(FOCAL_SHAPES)
    for (int32_t i = 0; i < n; i++) {
      const float away = shapeDistance(OPENING shape, dx[i], dy);
      r[i] += weight[i] * shapeLight(shape.base.x, shape.slope.x, away) * disc->light.red;
      g[i] += weight[i] * shapeLight(shape.base.y, shape.slope.y, away) * disc->light.green;
      b[i] += weight[i] * shapeLight(shape.base.z, shape.slope.z, away) * disc->light.blue;
    }
#else
    for (int32_t i = 0; i < n; i++) {
      r[i] += weight[i] * disc->light.red;
      g[i] += weight[i] * disc->light.green;
      b[i] += weight[i] * disc->light.blue;
    }
#endif
  }
}

/// The discs that may reach a tile from the picture or one of its mirror images; returns their count,
/// and writes those from `skipped` on to `out`, as many as fit.
FOCAL_FUNCTION int32_t listDiscs(const struct Lighting *in,
                                 const struct FocalDrawLightsParameters *p, const struct LitTile *t,
                                 int32_t skipped, struct Disc *out) {
  const int32_t far = (int32_t)p->farthest + 1, top = t->top + p->originY;
  int32_t count = 0;
  for (int32_t image = 0; image < FOCAL_LIGHT_IMAGES; image++) {
    const int32_t across = image % 3, down = image / 3;
    // The tile where the image shows it.
    const int32_t first = imagePixels(across, t->left, WIDTH, p->width);
    const int32_t line = imagePixels(down, top, HEIGHT, p->pictureHeight);
    const int32_t last = first + WIDTH - 1, lastLine = line + HEIGHT - 1;
    if (last + far < 0 || lastLine + far < 0) continue;
    const int32_t x0 = focal_max_int(first - far, 0) / FOCAL_LIGHT_BLOCK;
    const int32_t x1 = focal_min_int((last + far) / FOCAL_LIGHT_BLOCK, p->blocksAcross - 1);
    const int32_t y0 =
        focal_max_int(focal_max_int(line - far, 0) / FOCAL_LIGHT_BLOCK, p->firstBlockRow);
    const int32_t y1 = focal_min_int((lastLine + far) / FOCAL_LIGHT_BLOCK,
                                     p->firstBlockRow + p->blocksDown - 1);
    for (int32_t by = y0; by <= y1; by++) {
      for (int32_t bx = x0; bx <= x1; bx++) {
        const int32_t block = (by - p->firstBlockRow) * p->blocksAcross + bx;
        const float reach = in->reach[block];
        if (!(reach > 0.0f)) continue;
        const int32_t dx = outside(bx * FOCAL_LIGHT_BLOCK, first, last);
        const int32_t dy = outside(by * FOCAL_LIGHT_BLOCK, line, lastLine);
        if ((float)focal_max_int(dx, dy) > reach) continue;
        for (int32_t c = 0; c < p->cells; c++) {
          const FocalSmallLight *light = in->lights + (size_t)block * (size_t)p->cells + (size_t)c;
          if (!(light->energy > 0.0f) || (image > 0 && !(light->image > 0.0f))) continue;
          const int32_t place = count++ - skipped;
          if (place < 0 || place >= PORTION) continue;
          out[place].light = *light;
          out[place].x = imagePlace(across, light->x, p->width);
          out[place].y = imagePlace(down, light->y, p->pictureHeight);
          const float share = image == 0 ? 1.0f : light->image;
          out[place].light.red *= share;
          out[place].light.green *= share;
          out[place].light.blue *= share;
        }
      }
    }
  }
  return count;
}

/// Tiles of FOCAL_COMPOSITE_WIDTH x FOCAL_COMPOSITE_HEIGHT picture pixels.
FOCAL_FUNCTION void drawTiles(const struct Lighting in, const struct FocalDrawLightsParameters *p,
                              float4 *restrict destination, uint32_t begin, uint32_t end) {
  struct LitTile tile;
  struct Disc discs[PORTION];
  for (uint32_t item = begin; item < end; item++) {
    const int32_t index = (int32_t)item + p->firstTile;
    tile.left = index % p->tilesAcross * WIDTH;
    tile.top = index / p->tilesAcross * HEIGHT;
    tile.columns = focal_min_int(p->width - tile.left, WIDTH);
    tile.rows = focal_min_int(p->height - tile.top, HEIGHT);
    int32_t count = listDiscs(&in, p, &tile, 0, discs);
    if (count == 0) continue;
    tile.slices = slicesAround(&in, p, &tile);
    tile.plateSteps = 0;
    tile.isSolid = 0;
    int32_t isPlateKnown = !p->groups.split;
    memset(tile.r, 0, sizeof tile.r);
    memset(tile.g, 0, sizeof tile.g);
    memset(tile.b, 0, sizeof tile.b);
    for (int32_t y = 0; y < HEIGHT; y++) {
      tile.first[y] = WIDTH;
      tile.end[y] = 0;
    }
    for (int32_t first = 0; first < count; first += PORTION) {
      if (first > 0) listDiscs(&in, p, &tile, first, discs);
      const int32_t held = focal_min_int(count - first, PORTION);
      for (int32_t i = 0; i < held; i++) {
        // Lights in front of the focus are before the plate.
        if (!isPlateKnown && discs[i].light.radius < 0.0f) {
          findPlate(&in, p, &tile);
          isPlateKnown = 1;
        }
        // Nothing behind the focus shows through a tile in focus.
        if (tile.isSolid && discs[i].light.radius < 0.0f) continue;
        drawDisc(&in, p, &tile, discs + i);
      }
    }
    for (int32_t y = 0; y < tile.rows; y++) {
      float4 *restrict out = destination + (size_t)(tile.top + y) * (size_t)p->width + tile.left;
      for (int32_t x = tile.first[y]; x < tile.end[y]; x++) {
        const float4 sum = {tile.r[y][x], tile.g[y][x], tile.b[y][x], 0.0f};
        if (sum.x == 0.0f && sum.y == 0.0f && sum.z == 0.0f) continue;
        float4 result = out[x] + sum;
        result.w = out[x].w;
        out[x] = result;
      }
    }
  }
}
