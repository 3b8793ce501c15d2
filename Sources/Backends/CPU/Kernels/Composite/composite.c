// SPDX-License-Identifier: Apache-2.0
#include "focus_plate.h"

// Last pass: the group in focus at picture resolution with its small circles,
// the blurred groups brought to picture resolution, and all three composed:
//     near + (1 - nearAlpha) (focus + (1 - focusAlpha) far).
// The far group is an average over the lens points that near objects leave
// open, so it is normalised by their weight and no rim appears at borders.

#define WIDTH FOCAL_COMPOSITE_WIDTH
#define HEIGHT FOCAL_COMPOSITE_HEIGHT
#define APRON FOCAL_COMPOSITE_APRON

struct Rows {
  float r[WIDTH], g[WIDTH], b[WIDTH], a[WIDTH];
};

/// One row of the plate after its circles. The weight of a source at distance
/// d is clamp(circle - d, 0, 1): a disc with a soft edge.
///
/// Where circles change from pixel to pixel, as on a slanted floor, their sum misses or exceeds one
/// by some hundredths. The missing part would be filled with the far group, which no lens sees there, so
/// that the alpha is at least the mean opacity under the pixel's own circle; a `solid` plate is
/// opaque. `distance` are the lengths of steps, see
/// focal_plateStep.
///
/// What is hidden by something before the plate (`isBefore`) shows in its gaps alone: it does not spread over what is
/// seen beside it.
FOCAL_FUNCTION void blurPlateRow(const struct FocalPlate *plate, const float *distance, int32_t y,
                                 int32_t taps, int32_t solid, int32_t isBefore, struct Rows *out) {
  const int32_t centre = (y + APRON) * FOCAL_PLATE_WIDTH + APRON;
  if (taps == 0) {
    for (int32_t x = 0; x < WIDTH; x++) {
      out->r[x] = plate->r[centre + x];
      out->g[x] = plate->g[centre + x];
      out->b[x] = plate->b[centre + x];
      out->a[x] = plate->a[centre + x];
    }
    return;
  }
  const float *restrict own = plate->circle + centre;
  float opaque[WIDTH], weights[WIDTH];
  for (int32_t x = 0; x < WIDTH; x++) {
    out->r[x] = out->g[x] = out->b[x] = out->a[x] = opaque[x] = weights[x] = 0.0f;
  }
  for (int32_t j = -taps; j <= taps; j++) {
    for (int32_t i = -taps; i <= taps; i++) {
      const int32_t square = i * i + j * j;
      if (square >= (taps + 1) * (taps + 1)) continue;
      const float d = distance[focal_plateStep(i, j)];
      const int32_t o = centre + j * FOCAL_PLATE_WIDTH + i;
      const float *restrict r = plate->r + o, *restrict g = plate->g + o;
      const float *restrict b = plate->b + o, *restrict a = plate->a + o;
      const float *circle = plate->circle + o;
      float reach[WIDTH];
      if (isBefore) {
        for (int32_t x = 0; x < WIDTH; x++)
          reach[x] = own[x] < 0.0f ? focal_abs(circle[x]) : circle[x];
        circle = reach;
      }
      for (int32_t x = 0; x < WIDTH; x++) {
        const float w = focal_clamp(circle[x] - d, 0.0f, 1.0f);
        out->r[x] += w * r[x];
        out->g[x] += w * g[x];
        out->b[x] += w * b[x];
        out->a[x] += w * a[x];
      }
      if (solid) continue;
      const float *restrict opacity = plate->opacity + o;
      for (int32_t x = 0; x < WIDTH; x++) {
        const float w = focal_clamp(focal_abs(own[x]) - d, 0.0f, 1.0f);
        opaque[x] += w * opacity[x];
        weights[x] += w;
      }
    }
  }
  for (int32_t x = 0; x < WIDTH; x++) {
    const float a = out->a[x];
    const float least = solid ? 1.0f : opaque[x] * focal_reciprocal(weights[x]);
    const float alpha = focal_min(focal_max(a, least), 1.0f);
    // Nothing has no colour to scale; a sharp pixel stays what it is, to the bit.
    const int changes = (alpha != a) & (a > 0.0f);
    const float k = changes ? alpha * focal_reciprocal(a) : 1.0f;
    out->r[x] *= k;
    out->g[x] *= k;
    out->b[x] *= k;
    out->a[x] = changes ? alpha : a;
  }
}

/// One row of what lies before the plate, laid over it.
///
/// A pixel's own surface covers as much of its circle as the surfaces there that are not farther: where circles change from
/// pixel to pixel, their sum misses that by some hundredths. What the near group draws of it lies over the rest, so
/// that the two together cover as much as one.
FOCAL_FUNCTION void coverPlateRow(const struct FocalNearPlate *near, const float *distance,
                                  int32_t y, int32_t taps, struct Rows *out) {
  const int32_t centre = (y + APRON) * FOCAL_PLATE_WIDTH + APRON;
  const float *restrict own = near->circle + centre, *restrict limit = near->limit + centre;
  float r[WIDTH], g[WIDTH], b[WIDTH], a[WIDTH], whole[WIDTH], covered[WIDTH], weights[WIDTH];
  for (int32_t x = 0; x < WIDTH; x++)
    r[x] = g[x] = b[x] = a[x] = whole[x] = covered[x] = weights[x] = 0.0f;
  for (int32_t j = -taps; j <= taps; j++) {
    for (int32_t i = -taps; i <= taps; i++) {
      const int32_t square = i * i + j * j;
      if (square >= (taps + 1) * (taps + 1)) continue;
      const float d = distance[focal_plateStep(i, j)];
      const int32_t o = centre + j * FOCAL_PLATE_WIDTH + i;
      const float *restrict red = near->r + o, *restrict green = near->g + o;
      const float *restrict blue = near->b + o, *restrict alpha = near->a + o;
      const float *restrict all = near->whole + o, *restrict circle = near->circle + o;
      const float *restrict front = near->front + o, *restrict back = near->back + o;
      const float *restrict cover = near->cover + o;
      for (int32_t x = 0; x < WIDTH; x++) {
        const float w = focal_clamp(circle[x] - d, 0.0f, 1.0f);
        r[x] += w * red[x];
        g[x] += w * green[x];
        b[x] += w * blue[x];
        a[x] += w * alpha[x];
        whole[x] += w * all[x];
      }
      for (int32_t x = 0; x < WIDTH; x++) {
        const float w = focal_clamp(own[x] - d, 0.0f, 1.0f);
        const float first = front[x] > limit[x] ? cover[x] : 0.0f;
        covered[x] += w * (back[x] > limit[x] ? 1.0f : first);
        weights[x] += w;
      }
    }
  }
  for (int32_t x = 0; x < WIDTH; x++) {
    const float least = weights[x] > 0.0f ? covered[x] * focal_reciprocal(weights[x]) : 0.0f;
    const float aim = focal_min(focal_max(whole[x], least), 1.0f);
    const float k = whole[x] > 0.0f ? aim * focal_reciprocal(whole[x]) : 0.0f;
    const float drawn = k * (whole[x] - a[x]);
    const float scale = k * focal_reciprocal(focal_max(1.0f - drawn, 1.0e-3f));
    const float open = 1.0f - focal_min(scale * a[x], 1.0f);
    out->r[x] = scale * r[x] + open * out->r[x];
    out->g[x] = scale * g[x] + open * out->g[x];
    out->b[x] = scale * b[x] + open * out->b[x];
    out->a[x] = 1.0f - open * (1.0f - out->a[x]);
  }
}

/// Rows of the layers that a tile's rows lie between, at scale 1 the most.
#define LAYER_ROWS (HEIGHT + 2)

/// Four planes of the views under one tile, brought to the picture's columns
/// but not yet to its rows.
struct Columns {
  float plane[4][LAYER_ROWS][WIDTH + 16];
};

/// One row of a plane of the views at the picture's columns, linear.
FOCAL_FUNCTION void enlargeColumns(const float *row, const struct FocalCompositeParameters *p,
                                   int32_t left, float *restrict out) {
  if (p->scale == 1) {
    for (int32_t x = 0; x < WIDTH; x++) {
      out[x] = row[left + x < p->layerWidth ? left + x : p->layerWidth - 1];
    }
    return;
  }
  float line[WIDTH / 2 + 2];
  const int32_t first = left / p->scale - 1, columns = WIDTH / p->scale + 2;
  if (first >= 0 && first + columns <= p->layerWidth) {
    memcpy(line, row + first, (size_t)columns * 4);
  } else {
    for (int32_t i = 0; i < columns; i++)
      line[i] = row[focal_clamp_int(first + i, 0, p->layerWidth - 1)];
  }
  if (p->scale == 2) {
    for (int32_t x = 0; x < WIDTH / 2; x++) {
      out[2 * x] = 0.25f * line[x] + 0.75f * line[x + 1];
      out[2 * x + 1] = 0.75f * line[x + 1] + 0.25f * line[x + 2];
    }
    return;
  }
  if (p->scale == 8) {
    static const float weights[4] = {0.0625f, 0.1875f, 0.3125f, 0.4375f};
    for (int32_t x = 0; x < WIDTH / 8; x++) {
      for (int32_t i = 0; i < 4; i++) {
        const float farther = weights[3 - i], nearer = weights[i];
        out[8 * x + i] = farther * line[x] + (1.0f - farther) * line[x + 1];
        out[8 * x + 4 + i] = (1.0f - nearer) * line[x + 1] + nearer * line[x + 2];
      }
    }
    return;
  }
  for (int32_t x = 0; x < WIDTH / 4; x++) {
    out[4 * x] = 0.375f * line[x] + 0.625f * line[x + 1];
    out[4 * x + 1] = 0.125f * line[x] + 0.875f * line[x + 1];
    out[4 * x + 2] = 0.875f * line[x + 1] + 0.125f * line[x + 2];
    out[4 * x + 3] = 0.625f * line[x + 1] + 0.375f * line[x + 2];
  }
}

/// Position of a row of the picture's window between two rows of the layers.
FOCAL_FUNCTION void layerRow(const struct FocalCompositeParameters *p, int32_t y, int32_t *row,
                             float *weight) {
  if (p->scale == 1) {
    *row = y + p->layerOriginY;
    *weight = 0.0f;
    return;
  }
  const float at = ((float)y + 0.5f) * focal_toLayer(p->scale) - 0.5f;
  const int32_t above = (int32_t)focal_floor(at);
  *row = above + p->layerOriginY;
  *weight = at - (float)above;
}

FOCAL_FUNCTION void fillColumns(const float *views, size_t layerCount, int32_t firstPlane,
                                const struct FocalCompositeParameters *p, int32_t left, int32_t top,
                                int32_t rows, struct Columns *out) {
  int32_t first, last;
  float weight;
  layerRow(p, top, &first, &weight);
  layerRow(p, top + rows - 1, &last, &weight);
  for (int32_t c = 0; c < 4; c++) {
    const float *plane = views + (size_t)(firstPlane + c) * layerCount;
    for (int32_t y = first; y <= last + 1; y++) {
      const size_t q = (size_t)focal_clamp_int(y, 0, p->layerHeight - 1) * (size_t)p->layerWidth;
      enlargeColumns(plane + q, p, left, out->plane[c][y - first]);
    }
  }
}

FOCAL_FUNCTION void enlargeRow(const struct Columns *in, const struct FocalCompositeParameters *p,
                               int32_t top, int32_t y, struct Rows *out) {
  int32_t first, row;
  float weight;
  layerRow(p, top, &first, &weight);
  layerRow(p, y, &row, &weight);
  row -= first;
  for (int32_t x = 0; x < WIDTH; x++) {
    out->r[x] = in->plane[0][row][x] + weight * (in->plane[0][row + 1][x] - in->plane[0][row][x]);
    out->g[x] = in->plane[1][row][x] + weight * (in->plane[1][row + 1][x] - in->plane[1][row][x]);
    out->b[x] = in->plane[2][row][x] + weight * (in->plane[2][row + 1][x] - in->plane[2][row][x]);
    out->a[x] = in->plane[3][row][x] + weight * (in->plane[3][row + 1][x] - in->plane[3][row][x]);
  }
}

/// Whether a plane of the views exceeds `limit` (or, inverted, falls short of
/// it) anywhere under the tile.
FOCAL_FUNCTION int32_t present(const float *plane, const struct FocalCompositeParameters *p,
                               int32_t left, int32_t top, float limit, int32_t inverted) {
  const int32_t x0 = focal_clamp_int(left / p->scale - 1, 0, p->layerWidth - 1);
  const int32_t x1 = focal_clamp_int((left + WIDTH) / p->scale + 1, 0, p->layerWidth - 1);
  const int32_t last = p->layerHeight - 1;
  const int32_t y0 = focal_clamp_int(top / p->scale - 1 + p->layerOriginY, 0, last);
  const int32_t y1 = focal_clamp_int((top + HEIGHT) / p->scale + 1 + p->layerOriginY, 0, last);
  int32_t any = 0;
  for (int32_t y = y0; y <= y1; y++) {
    const float *restrict row = plane + (size_t)y * (size_t)p->layerWidth;
    for (int32_t x = x0; x <= x1; x++) any |= inverted ? row[x] < limit : row[x] > limit;
  }
  return any;
}

/// Whether anything of a tile and its apron lies before the plate.
FOCAL_FUNCTION int32_t hasBefore(const struct FocalPlateInput *in,
                                 const struct FocalCompositeParameters *p, int32_t left,
                                 int32_t top, int32_t apron) {
  if (apron == 0) return 0;
  const int32_t x0 = focal_max_int(left - apron, 0), y0 = focal_max_int(top - apron, 0);
  const int32_t x1 = focal_min_int(left + WIDTH + apron, p->width);
  const int32_t y1 = focal_min_int(top + HEIGHT + apron, p->height);
  for (int32_t y = y0; y < y1; y++) {
    const float *restrict radius = in->radius + (size_t)y * (size_t)p->width;
    int32_t any = 0;
    for (int32_t x = x0; x < x1; x++) any |= focal_isBeforePlate(p, radius[x]);
    if (any) return 1;
  }
  return 0;
}

/// Tiles of FOCAL_COMPOSITE_WIDTH x FOCAL_COMPOSITE_HEIGHT picture pixels.
FOCAL_CLONES FOCAL_ENTRY_POINT(composite) {
  FOCAL_BUFFERS(composite)
  const size_t count = (size_t)p->width * (size_t)p->height;
  const size_t layerCount = (size_t)p->layerWidth * (size_t)p->layerHeight;
  const struct FocalPlateInput in = {
      (const float *)source, radius, matte, layers, table, flags, count, layerCount};
  float *result = (float *)destination;
  struct FocalPlate plate;
  struct FocalNearPlate before;
  struct Columns nearColumns, farColumns;
  for (uint32_t item = begin; item < end; item++) {
    const int32_t tile = (int32_t)item + p->firstTile;
    const int32_t left = (tile % p->tilesAcross) * WIDTH;
    const int32_t top = (tile / p->tilesAcross) * HEIGHT;
    const int32_t columns = p->width - left < WIDTH ? p->width - left : WIDTH;
    const int32_t rows = p->height - top < HEIGHT ? p->height - top : HEIGHT;
    int32_t solid = 0, empty = 1, taps = 0, isBefore = 0;
    const float *nearAlpha = views + FocalViewNearAlpha * layerCount;
    const int32_t near = !p->split || present(nearAlpha, p, left, top, 0.0f, 0);
    // Nothing shows through a tile that near objects cover whole.
    const int32_t open = p->split && (!near || present(nearAlpha, p, left, top, 0.99999f, 1));
    const enum FocalPlateClass class = open ? focal_plateClass(&in, p, left, top) : FocalPlateEmpty;
    if (class == FocalPlateSharp && !near) {
      for (int32_t y = 0; y < rows; y++) {
        const size_t o = 4 * ((size_t)(top + y) * (size_t)p->width + (size_t)left);
        memcpy(result + o, in.source + o, (size_t)columns * 16);
      }
      continue;
    }
    if (class != FocalPlateEmpty) {
      const int32_t apron = class == FocalPlateMixed ? 0 : APRON;
      isBefore = hasBefore(&in, p, left, top, apron);
      float largest =
          focal_fillPlate(&plate, &in, p, left, top, apron, isBefore, &solid, &empty);
      if (isBefore)
        largest = focal_max(largest, focal_fillNearPlate(&before, &in, p, left, top));
      if (apron > 0 && largest > 1.0f) taps = (int32_t)focal_min(largest, (float)APRON);
    }
    const int32_t far = open && !solid;
    // Groups that are absent stay zero.
    struct Rows focus, front, back;
    if (empty) memset(&focus, 0, sizeof focus);
    if (!near) memset(&front, 0, sizeof front);
    if (!far) memset(&back, 0, sizeof back);
    if (near) fillColumns(views, layerCount, FocalViewNearR, p, left, top, rows, &nearColumns);
    if (far) fillColumns(views, layerCount, FocalViewFarR, p, left, top, rows, &farColumns);
    for (int32_t y = 0; y < rows; y++) {
      if (!empty) blurPlateRow(&plate, table + 2 * p->tableCount, y, taps, solid, isBefore, &focus);
      // The row before was laid over it.
      if (empty && isBefore) memset(&focus, 0, sizeof focus);
      if (isBefore) coverPlateRow(&before, table + 2 * p->tableCount, y, taps, &focus);
      if (near) enlargeRow(&nearColumns, p, top, top + y, &front);
      if (far) enlargeRow(&farColumns, p, top, top + y, &back);
      float r[WIDTH], g[WIDTH], b[WIDTH];
      for (int32_t x = 0; x < WIDTH; x++) {
        const int seen = back.a[x] > 1.0e-4f;
        const float normal = seen ? focal_reciprocal(back.a[x]) : 0.0f;
        const float open = 1.0f - front.a[x], behind = 1.0f - focus.a[x];
        const float farShare = behind * normal;
        const float total = front.a[x] + open * (focus.a[x] + (seen ? behind : 0.0f));
        // A share that no lens point sees leaves the rest to be normalised.
        const float k = total < 0.99999f || total > 1.00001f
                            ? focal_reciprocal(focal_max(total, 1.0e-6f))
                            : 1.0f;
        r[x] = k * (front.r[x] + open * (focus.r[x] + farShare * back.r[x]));
        g[x] = k * (front.g[x] + open * (focus.g[x] + farShare * back.g[x]));
        b[x] = k * (front.b[x] + open * (focus.b[x] + farShare * back.b[x]));
      }
      const size_t o = (size_t)(top + y) * (size_t)p->width + (size_t)left;
      const float *restrict from = in.source + 4 * o;
      float *restrict to = result + 4 * o;
      for (int32_t x = 0; x < columns; x++) {
        to[4 * x] = r[x];
        to[4 * x + 1] = g[x];
        to[4 * x + 2] = b[x];
        to[4 * x + 3] = from[4 * x + 3];
      }
    }
  }
}
