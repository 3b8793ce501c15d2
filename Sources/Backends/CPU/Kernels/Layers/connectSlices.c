// SPDX-License-Identifier: Apache-2.0
#include "ShaderTypes.h"

/// Columns that are looked at before the few with an outline are changed.
#define SPAN 256

/// `value` where it is below `lowest` and of the same surface, else `lowest`.
FOCAL_FUNCTION float connected(float lowest, float limit, float value) {
  return focal_min(lowest, value > limit ? value : lowest);
}

/// Columns [first, end), none of them at a border; squares of their outlines go to `outline`.
/// `front` and `back` are the rows above, here and below.
FOCAL_FUNCTION void connectColumns(const float *restrict front0, const float *restrict front1,
                                   const float *restrict front2, const float *restrict back0,
                                   const float *restrict back1, const float *restrict back2,
                                   int32_t first, int32_t end, float edge,
                                   struct FocalSlicing slicing, float *restrict out,
                                   float *restrict outline) {
  for (int32_t x = first; x < end; x++) {
    const float limit = focal_connectedLimit(slicing, edge, front1[x]);
    float lowest = front1[x], sides = 0.0f, ends = 0.0f, corners = 0.0f;
    FOCAL_TAP_LOOP
    for (int32_t i = -1; i <= 1; i++) {
      lowest = connected(lowest, limit, front0[x + i]);
      lowest = connected(lowest, limit, front1[x + i]);
      lowest = connected(lowest, limit, front2[x + i]);
      lowest = connected(lowest, limit, back0[x + i]);
      lowest = connected(lowest, limit, back1[x + i]);
      lowest = connected(lowest, limit, back2[x + i]);
      const float above = front0[x + i] > limit ? 0.0f : 1.0f;
      const float below = front2[x + i] > limit ? 0.0f : 1.0f;
      ends += i == 0 ? above + below : 0.0f;
      corners += i != 0 ? above + below : 0.0f;
      sides += i != 0 && !(front1[x + i] > limit) ? 1.0f : 0.0f;
    }
    const float square = focal_outlineSquare(sides, ends, corners);
    outline[x - first] = square;
    out[x] = focal_floor(focal_sliceOf(slicing, square > FOCAL_OUTLINE ? front1[x] : lowest));
  }
}

/// The same for a column at a border, whose outer neighbours are the border's own again.
FOCAL_FUNCTION float connectBorder(const float *const *rows, int32_t x, int32_t width, float edge,
                                   const struct FocalSlicing *slicing, float *out) {
  const float own = rows[1][x], limit = focal_connectedLimit(*slicing, edge, own);
  float lowest = own, sides = 0.0f, ends = 0.0f, corners = 0.0f;
  for (int32_t i = -1; i <= 1; i++) {
    const int32_t column = focal_clamp_int(x + i, 0, width - 1);
    for (size_t j = 0; j < 6; j++) lowest = connected(lowest, limit, rows[j][column]);
    const float above = rows[0][column] > limit ? 0.0f : 1.0f;
    const float below = rows[2][column] > limit ? 0.0f : 1.0f;
    ends += i == 0 ? above + below : 0.0f;
    corners += i != 0 ? above + below : 0.0f;
    sides += i != 0 && !(rows[1][column] > limit) ? 1.0f : 0.0f;
  }
  const float square = focal_outlineSquare(sides, ends, corners);
  out[x] = focal_floor(focal_sliceOf(*slicing, square > FOCAL_OUTLINE ? own : lowest));
  return square;
}

/// Alpha and premultiplied colour of the columns from `first` that have an outline.
FOCAL_FUNCTION void lowerOutlines(float *layers, size_t count, size_t o, int32_t columns,
                                  const struct FocalConnectSlicesParameters *p,
                                  const float *outline) {
  float largest = 0.0f;
  for (int32_t i = 0; i < columns; i++) largest = focal_max(largest, outline[i]);
  if (largest == 0.0f) return;
  for (int32_t i = 0; i < columns; i++) {
    if (outline[i] == 0.0f) continue;
    const size_t q = o + (size_t)i;
    const float own = layers[FocalLayerFrontRadius * count + q];
    const float kept =
        focal_unplatedShare(own, p->focusLow, p->focusInverseWidth, outline[i]) *
        focal_outlineShare(p->slicing, own, layers[FocalLayerAlpha * count + q], outline[i],
                           focal_ownSpreadWidth(own, p->cell, p->cellLimit, p->wideCell));
    layers[FocalLayerFrontR * count + q] *= kept;
    layers[FocalLayerFrontG * count + q] *= kept;
    layers[FocalLayerFrontB * count + q] *= kept;
    layers[FocalLayerAlpha * count + q] *= kept;
  }
}

/// Rows of the layers: the lowest slice that a connected surface touches.
///
/// A slanted surface is cut into slices that the lens views shift by
/// different amounts, and cracks would open between them. So each opaque pixel
/// also stands, hidden, in the slices below its own down to the lowest one of
/// its 3 x 3 neighbours on the same surface (focal_connectedLimit), except at
/// an outline, where the copies would show beside the surface.
FOCAL_CLONES FOCAL_ENTRY_POINT(connectSlices) {
  FOCAL_BUFFERS(connectSlices)
  const int32_t width = p->width, height = p->height;
  const size_t count = (size_t)width * (size_t)height;
  const struct FocalSlicing slicing = p->slicing;
  const float *front = layers + FocalLayerFrontRadius * count;
  const float *back = layers + FocalLayerBackRadius * count;
  float outline[SPAN];
  for (uint32_t row = begin; row < end; row++) {
    const size_t o = (size_t)row * (size_t)width;
    float *out = layers + FocalLayerReach * count + o;
    const float *rows[6];
    for (int32_t j = 0; j < 3; j++) {
      const size_t line =
          (size_t)focal_clamp_int((int32_t)row + j - 1, 0, height - 1) * (size_t)width;
      rows[j] = front + line;
      rows[j + 3] = back + line;
    }
    for (int32_t first = 0, columns; first < width; first += columns) {
      const int32_t border = first == 0 || first == width - 1;
      columns = border ? 1 : focal_min_int(SPAN, width - 1 - first);
      if (border) {
        outline[0] = connectBorder(rows, first, width, p->edge, &slicing, out);
      } else {
        connectColumns(rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], first,
                       first + columns, p->edge, slicing, out, outline);
      }
      lowerOutlines(layers, count, o + (size_t)first, columns, p, outline);
    }
  }
}
