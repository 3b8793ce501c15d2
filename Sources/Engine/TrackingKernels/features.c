// SPDX-License-Identifier: Apache-2.0

#include <math.h>
#include <string.h>

#include "TrackingKernels.h"
#include "dialect.h"

#define CELL FOCAL_TRACK_CELL

FOCAL_TRACK_CLONES
void focal_track_sample(
    const uint8_t *plane, int32_t width, int32_t height, int32_t row_bytes, int32_t stride, float left, float top,
    float step_x, float step_y, int32_t columns, int32_t rows, float *output) {
  int32_t at[columns], next[columns];
  float share[columns];
  for (int32_t column = 0; column < columns; column++) {
    float x = left + (float)column * step_x;
    x = x < 0 ? 0 : x > (float)(width - 1) ? (float)(width - 1) : x;
    const int32_t whole = (int32_t)x;
    at[column] = whole * stride;
    next[column] = (whole + 1 < width ? whole + 1 : whole) * stride;
    share[column] = x - (float)whole;
  }
  for (int32_t row = 0; row < rows; row++) {
    float y = top + (float)row * step_y;
    y = y < 0 ? 0 : y > (float)(height - 1) ? (float)(height - 1) : y;
    const int32_t whole = (int32_t)y;
    const float down = y - (float)whole;
    const uint8_t *upper = plane + (int64_t)whole * row_bytes;
    const uint8_t *lower = plane + (int64_t)(whole + 1 < height ? whole + 1 : whole) * row_bytes;
    float *restrict to = output + (int64_t)row * columns;
    for (int32_t column = 0; column < columns; column++) {
      const float a = upper[at[column]], b = upper[next[column]], u = share[column];
      const float c = lower[at[column]], d = lower[next[column]];
      const float first = a + (b - a) * u, second = c + (d - c) * u;
      to[column] = first + (second - first) * down;
    }
  }
}

FOCAL_TRACK_CLONES
void focal_track_halve(
    const uint8_t *plane, int32_t row_bytes, int32_t stride, int32_t width, int32_t height,
    uint8_t *restrict output) {
  for (int32_t y = 0; y < height; y++) {
    const uint8_t *upper = plane + (int64_t)2 * y * row_bytes, *lower = upper + row_bytes;
    uint8_t *restrict to = output + (int64_t)y * width;
    if (stride == 1) {
      for (int32_t x = 0; x < width; x++)
        to[x] = (uint8_t)((upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1] + 2) >> 2);
    } else {
      for (int32_t x = 0; x < width; x++) {
        const int32_t left = 2 * x * stride, right = left + stride;
        to[x] = (uint8_t)((upper[left] + upper[right] + lower[left] + lower[right] + 2) >> 2);
      }
    }
  }
}

// A pixel's strongest direction of 18, and its strength.
static const float direction_x[9] = {1.0000f, 0.9397f, 0.7660f, 0.5000f, 0.1736f, -0.1736f, -0.5000f, -0.7660f, -0.9397f};
static const float direction_y[9] = {0.0000f, 0.3420f, 0.6428f, 0.8660f, 0.9848f, 0.9848f, 0.8660f, 0.6428f, 0.3420f};

FOCAL_TRACK_CLONES
void focal_track_gradients(
    const float *restrict pixels, int32_t columns, int32_t rows, float *restrict fields, float *restrict workspace) {
  const int32_t width = columns * CELL, height = rows * CELL, count = columns * rows;
  // By cell: 18 directions and the energy without their sign, one float to spare; behind them a row's strengths and
  // directions.
  float *restrict sums = workspace, *restrict energies = workspace + (int64_t)18 * count;
  float *restrict strengths = energies + count;
  int32_t *restrict directions = (int32_t *)(strengths + width);
  memset(sums, 0, sizeof(float) * (size_t)(18 * count));
  for (int32_t y = 0; y < height; y++) {
    const float *restrict row = pixels + (int64_t)y * width;
    const float *restrict above = pixels + (int64_t)(y > 0 ? y - 1 : 0) * width;
    const float *restrict below = pixels + (int64_t)(y + 1 < height ? y + 1 : y) * width;
    strengths[0] = strengths[width - 1] = 0;
    directions[0] = directions[width - 1] = 0;
    for (int32_t x = 1; x < width - 1; x++) {
      const float dx = row[x + 1] - row[x - 1], dy = below[x] - above[x];
      float best = 0;
      int32_t direction = 0;
      for (int32_t k = 0; k < 9; k++) {
        const float along = dx * direction_x[k] + dy * direction_y[k];
        const float size = along < 0 ? -along : along;
        direction = size > best ? (along < 0 ? k + 9 : k) : direction;
        best = size > best ? size : best;
      }
      strengths[x] = sqrtf(dx * dx + dy * dy);
      directions[x] = direction;
    }
    // Each pixel counts in the four nearest cells, by distance.
    const float cell_y = ((float)y + 0.5f) * (1.0f / CELL) - 0.5f;
    const int32_t top = y < CELL / 2 ? -1 : (y - CELL / 2) / CELL;
    const float share_y = cell_y - (float)top;
    float *upper = top >= 0 ? sums + (int64_t)top * columns * 18 : 0;
    float *lower = top + 1 < rows ? sums + (int64_t)(top + 1) * columns * 18 : 0;
    for (int32_t x = 1; x < width - 1; x++) {
      const int32_t left = x < CELL / 2 ? -1 : (x - CELL / 2) / CELL;
      const float share_x = ((float)x + 0.5f) * (1.0f / CELL) - 0.5f - (float)left;
      const float strength = strengths[x];
      const int32_t k = directions[x];
      const float at_left = strength * (1 - share_x), at_right = strength * share_x;
      if (left >= 0) {
        if (upper) upper[left * 18 + k] += at_left * (1 - share_y);
        if (lower) lower[left * 18 + k] += at_left * share_y;
      }
      if (left + 1 < columns) {
        if (upper) upper[(left + 1) * 18 + k] += at_right * (1 - share_y);
        if (lower) lower[(left + 1) * 18 + k] += at_right * share_y;
      }
    }
  }
  for (int32_t cell = 0; cell < count; cell++) {
    const float *restrict sum = sums + (int64_t)cell * 18;
    float energy = 0;
    for (int32_t k = 0; k < 9; k++) energy += (sum[k] + sum[k + 9]) * (sum[k] + sum[k + 9]);
    energies[cell] = energy;
  }
  // Each cell over the strength of the four squares of cells around it (Felzenszwalb et al. 2010), where edges of
  // less than a step of brightness a pixel are noise.
  const float noise = (float)(CELL * CELL) * (float)(CELL * CELL) * 0.25f;
  for (int32_t y = 0; y < rows; y++) {
    const int32_t ys[3] = {y > 0 ? y - 1 : 0, y, y + 1 < rows ? y + 1 : y};
    for (int32_t x = 0; x < columns; x++) {
      const int32_t xs[3] = {x > 0 ? x - 1 : 0, x, x + 1 < columns ? x + 1 : x};
      float scale[4];
      for (int32_t corner = 0; corner < 4; corner++) {
        const int32_t v = corner / 2, u = corner % 2;
        const float energy = energies[ys[v] * columns + xs[u]] + energies[ys[v] * columns + xs[u + 1]] +
                             energies[ys[v + 1] * columns + xs[u]] + energies[ys[v + 1] * columns + xs[u + 1]];
        scale[corner] = 1 / sqrtf(energy + noise);
      }
      const int32_t cell = y * columns + x;
      const float *restrict sum = sums + (int64_t)cell * 18;
      float texture[4] = {0, 0, 0, 0};
      for (int32_t k = 0; k < 18; k++) {
        float total = 0;
        for (int32_t corner = 0; corner < 4; corner++) {
          const float value = sum[k] * scale[corner], clipped = value < 0.2f ? value : 0.2f;
          total += clipped;
          texture[corner] += clipped;
        }
        fields[(int64_t)k * count + cell] = 0.5f * total;
      }
      for (int32_t k = 0; k < 9; k++) {
        float total = 0;
        for (int32_t corner = 0; corner < 4; corner++) {
          const float value = (sum[k] + sum[k + 9]) * scale[corner];
          total += value < 0.2f ? value : 0.2f;
        }
        fields[(int64_t)(18 + k) * count + cell] = 0.5f * total;
      }
      for (int32_t corner = 0; corner < 4; corner++)
        fields[(int64_t)(27 + corner) * count + cell] = 0.2357f * texture[corner];
    }
  }
}

static const float hue_blue[6] = {1.0f, 0.5f, -0.5f, -1.0f, -0.5f, 0.5f};
static const float hue_red[6] = {0.0f, 0.8660f, 0.8660f, 0.0f, -0.8660f, -0.8660f};

FOCAL_TRACK_CLONES
void focal_track_colors(
    const float *restrict luma, const float *restrict blue, const float *restrict red, int32_t columns,
    int32_t rows, float *restrict fields) {
  const int32_t width = 2 * columns, count = columns * rows;
  float values[FOCAL_TRACK_COLORS][width];
  for (int32_t y = 0; y < 2 * rows; y++) {
    const float *restrict l = luma + (int64_t)y * width;
    const float *restrict b = blue + (int64_t)y * width, *restrict r = red + (int64_t)y * width;
    for (int32_t x = 0; x < width; x++) {
      const float u = b[x] - 128, v = r[x] - 128;
      const float strength = sqrtf(u * u + v * v);
      // Gray up to 4 codes of chroma, a colour from 24 on.
      float color = (strength - 4) * 0.05f;
      color = color < 0 ? 0 : color > 1 ? 1 : color;
      const float gray = 1 - color, level = l[x] * (3.0f / 255);
      for (int32_t k = 0; k < 4; k++) {
        const float distance = level - (float)k;
        const float near = 1 - (distance < 0 ? -distance : distance);
        values[k][x] = near > 0 ? near * gray : 0;
      }
      const float scale = 2 * color / (strength + 1);
      for (int32_t k = 0; k < 6; k++) {
        const float lobe = u * hue_blue[k] + v * hue_red[k] - 0.5f * strength;
        values[4 + k][x] = lobe > 0 ? lobe * scale : 0;
      }
    }
    for (int32_t k = 0; k < FOCAL_TRACK_COLORS; k++) {
      float *restrict to = fields + (int64_t)k * count + (int64_t)(y / 2) * columns;
      for (int32_t x = 0; x < columns; x++) {
        const float sum = 0.25f * (values[k][2 * x] + values[k][2 * x + 1]);
        to[x] = y % 2 ? to[x] + sum : sum;
      }
    }
  }
}

FOCAL_TRACK_CLONES
void focal_track_bins(
    const float *restrict luma, const float *restrict blue, const float *restrict red, int32_t count,
    uint16_t *restrict bins) {
  for (int32_t i = 0; i < count; i++) {
    const int32_t l = (int32_t)(luma[i] * (FOCAL_TRACK_LUMA_BINS / 256.0f));
    // Chroma beyond half its range is rare.
    int32_t b = (int32_t)((blue[i] - 64) * 0.125f), r = (int32_t)((red[i] - 64) * 0.125f);
    b = b < 0 ? 0 : b > FOCAL_TRACK_CHROMA_BINS - 1 ? FOCAL_TRACK_CHROMA_BINS - 1 : b;
    r = r < 0 ? 0 : r > FOCAL_TRACK_CHROMA_BINS - 1 ? FOCAL_TRACK_CHROMA_BINS - 1 : r;
    bins[i] = (uint16_t)((l * FOCAL_TRACK_CHROMA_BINS + b) * FOCAL_TRACK_CHROMA_BINS + r);
  }
}
