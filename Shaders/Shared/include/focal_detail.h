// SPDX-License-Identifier: Apache-2.0
//
// Frames that are worked on at half the picture's size: what the half does not hold, its detail, comes back where
// the picture is sharp.
#pragma once

#include "focal_blur.h"
#include "focal_pixel.h"

FOCAL_STRUCT(FocalHalveParameters) {
  int32_t width, rows;              // of the half
  int32_t sourceWidth, sourceRows;  // twice as many, or one less at the picture's border
};
/// A linear picture to half its size: means of 2 x 2 pixels. Pixels of the half.
#define FOCAL_KERNEL_halve(_)         \
  _(parameters, FocalHalveParameters) \
  _(reads, float4, source)            \
  _(writes, float4, result)
FOCAL_KERNEL(halve)

/// `unpack` and `halve` of the same rows, which begin at an even one. Pixels of the half.
#define FOCAL_KERNEL_unpackHalved(_)          \
  _(parameters, FocalPixelParameters)         \
  _(reads, uint8_t, bytes)                    \
  _(view, uint16_t, words, bytes)             \
  _(view, float, floats, bytes)               \
  _(reads, uint8_t, chromaBytes)              \
  _(view, uint16_t, chromaWords, chromaBytes) \
  _(writes, float4, linear)                   \
  _(writes, float4, halved)
FOCAL_KERNEL(unpackHalved)

/// A circle of this radius in pixels of the half leaves all detail, and one of the other none: it is as
/// wide as the detail is.
#define FOCAL_DETAIL_FROM 0.2f
#define FOCAL_DETAIL_UP_TO 0.7f
#define FOCAL_DETAIL_PER_WIDTH 2.0f

FOCAL_STRUCT(FocalMeasureDetailParameters) {
  int32_t width, height;            // of the half's window
  int32_t firstRow, rows;           // of it, that are measured
  int32_t layerWidth, layerHeight;  // of the layers' window
  int32_t layerOriginY;             // its row that belongs to the half's first
  int32_t scale;                    // of the layers, in pixels of the half
};
/// The share of its detail that a pixel keeps: its own surfaces are sharp, and nothing near lies over it.
/// Pixels of the rows.
#define FOCAL_KERNEL_measureDetail(_)         \
  _(parameters, FocalMeasureDetailParameters) \
  _(reads, float, radius)                     \
  _(reads, float, matte)                      \
  _(reads, float, views)                      \
  _(writes, float, share)
FOCAL_KERNEL(measureDetail)

FOCAL_STRUCT(FocalAddDetailParameters) {
  int32_t width;
  int32_t firstRow, rows;  // of the picture's window, that are made
  int32_t halfWidth, halfRows;
};
/// The rendered half, enlarged, and the detail that is left of the picture, in its place. Pixels of the rows.
#define FOCAL_KERNEL_addDetail(_)         \
  _(parameters, FocalAddDetailParameters) \
  _(reads, float4, sharp)                 \
  _(reads, float4, rendered)              \
  _(reads, float, share)                  \
  _(writes, float4, picture)
FOCAL_KERNEL(addDetail)

FOCAL_STRUCT(FocalPackDetailParameters) {
  FocalPixelParameters stored;  // first, as of the other kernels that pack
  int32_t rows;                 // of the picture's window
  int32_t halfWidth, halfRows;
};
/// `addDetail` and `pack`, of the pixels that are packed. Pixels of the destination.
#define FOCAL_KERNEL_packDetail(_)         \
  _(parameters, FocalPackDetailParameters) \
  _(reads, float4, sharp)                  \
  _(reads, float4, rendered)               \
  _(reads, float, share)                   \
  _(reads, float4, picture)                \
  _(writes, uint8_t, bytes)                \
  _(view, uint16_t, words, bytes)          \
  _(view, uint32_t, longs, bytes)
FOCAL_KERNEL(packDetail)

/// `addDetail` and `packBiPlanar`. Chroma samples.
#define FOCAL_KERNEL_packDetailBiPlanar(_)                           \
  _(parameters, FocalPackDetailParameters)                           \
  _(workgroup, FOCAL_CHROMA_WIDTH, FOCAL_CHROMA_HEIGHT)              \
  _(reads, float4, sharp)                                            \
  _(reads, float4, rendered)                                         \
  _(reads, float, share)                                             \
  _(reads, float4, picture)                                          \
  _(writes, uint8_t, lumaBytes)                                      \
  _(view, uint16_t, lumaWords, lumaBytes)                            \
  _(writes, uint8_t, chromaBytes)                                    \
  _(view, uint16_t, chromaWords, chromaBytes)                        \
  _(shares, float, sharedCb, FOCAL_CHROMA_PITCH * FOCAL_CHROMA_ROWS) \
  _(shares, float, sharedCr, FOCAL_CHROMA_PITCH * FOCAL_CHROMA_ROWS)
FOCAL_KERNEL(packDetailBiPlanar)
