// SPDX-License-Identifier: Apache-2.0
//
// Small lights, drawn as exact discs: the kernels in Shaders/Kernels/Lights.
//
// The lens points of the views are as far apart as a cell of the lens, and a light that is smaller becomes as
// many dots. So what stands out of its neighbourhood is taken out of the picture before the layers are
// made, and drawn over the result at the picture's resolution. Emission adds up: what a light covers is
// still covered by the surface that it was taken from, so that the disc only adds, less what nearer
// surfaces hide of it.
//
// A *block* of pixels knows its darkest and its mean light. The darkest of the blocks around it, the lightest of
// those, is what a thing of a block's size would have: the ceiling, a morphological opening. The
// light above twice the ceiling is *excess*. The excess of a *cell* of pixels, of which a block has
// several, is one light: its sum, its centre, its variance and its radius. Pixels at a light's *rim*, which it covers
// in part, lie with the surface behind it in a map; their excess is the light's all the same.
#pragma once

#include "focal_composite.h"
#include "focal_opening.h"
#include "focal_tiles.h"
#include "focal_views.h"

/// Side of a block, in pixels: things below this size are lights, and those of twice the size never.
#define FOCAL_LIGHT_BLOCK 16
#define FOCAL_LIGHT_PIXELS (FOCAL_LIGHT_BLOCK * FOCAL_LIGHT_BLOCK)
/// Most cells of a block.
#define FOCAL_LIGHT_CELLS 16
/// Excess begins at this multiple of the ceiling. The rest stays in the layers, so at 1 noise would
/// leave them too.
#define FOCAL_LIGHT_CONTRAST 2.0f
/// The ceiling of black: a quarter of a code of sRGB, which nobody sees.
#define FOCAL_LIGHT_FLOOR 7.6e-5f
/// A light is drawn if its disc is brighter than this share of the mean around it, whole from three
/// times it on: a range of 1 / FOCAL_LIGHT_PER_SHARE. The discs over a place cannot be brighter than the mean in sum, so that there are
/// about the reciprocal of this share at most, whatever the radius.
#define FOCAL_LIGHT_LEAST_SHARE 0.01f
#define FOCAL_LIGHT_PER_SHARE 50.0f
/// Radii from which lights are drawn, whole from 1 / FOCAL_LIGHT_PER_RADIUS pixels more on. The focus plate draws smaller
/// circles at the picture's resolution.
#define FOCAL_LIGHT_LEAST_RADIUS 4.0f
#define FOCAL_LIGHT_PER_RADIUS 0.5f
/// The same of lights that stand alone: a field of them, as gravel is, shows the cells where discs are as small as these.
/// As above: traced -0.09 at export-high quality, -0.05 at preview quality. 3 to 4 for fields, too: +0.01 and +0.07, but gravel
/// becomes a weave.
#define FOCAL_LIGHT_LEAST_RADIUS_ALONE 3.0f
#define FOCAL_LIGHT_PER_RADIUS_ALONE 1.0f
/// A pixel beside a nearer surface so many times as bright lies at its rim: its middle is outside, so that less than
/// half of it is covered. 1: traced -0.01, with the phone's maps -0.06. 2: no difference. No rims: traced -0.25.
#define FOCAL_LIGHT_RIM 1.5f
/// The widest edge of a disc, in radii: the root of 3, at which it begins in the middle.
#define FOCAL_LIGHT_SOFTEST 1.73205081f
/// The width of a light's edge, in radii, from which it is drawn in part, and not at all from
/// 1 / FOCAL_LIGHT_PER_WIDTH more on: what is wider than its disc, as texture in a large cell, is none. 1.2 to 1.7, 1.4 to
/// 1.7, no limit: traced -0.01 at preview quality.
#define FOCAL_LIGHT_MOST_WIDTH 1.0f
#define FOCAL_LIGHT_PER_WIDTH 1.4f
/// A light with a nearer surface this near, in pixels, may go on behind it: only the layers extend
/// surfaces under others. None: traced -0.41, sample -0.74. 2: traced -0.09, sample -0.34.
#define FOCAL_LIGHT_FREE 1
/// Slices that lie less than this nearer than a light are of its own surface.
#define FOCAL_LIGHT_OWN_SLICES 1.5f

/// Beyond the border the lens sees a mirror image of the picture, so that a field of lights is as bright there as
/// in its middle. A light that stands alone has none: nothing tells of another one beyond the border.
/// It is alone by its share of the light around it: not at all up to this one, and wholly at one that
/// is 1 / FOCAL_LIGHT_PER_ALONE more. A cell of a field of lights has a ninth of it at most, and a light of its
/// own may lie in four.
#define FOCAL_LIGHT_LEAST_ALONE 0.15f
#define FOCAL_LIGHT_PER_ALONE 10.0f

/// Surfaces of the focus plate are looked for at these radii: from minus to plus as many steps.
#define FOCAL_LIGHT_PLATE_STEP 1.5f
#define FOCAL_LIGHT_PLATE_STEPS 2

/// The light of a cell.
FOCAL_STRUCT(FocalSmallLight) {
  float x, y;             ///< centre, pixels of the picture
  float red, green, blue;  ///< found: sums of the excess; drawn: brightness of the disc
  float radius;           ///< signed, pixels
  float outline;          ///< drawn: the radius at which the disc's edge is half as bright as its middle
  float softness;         ///< pixels over which the disc's edge falls: what the light is wide
  float energy;           ///< sum of the largest component's excess, 0 where there is none
  float free;             ///< share of it that no nearer surface touches
  float image;            ///< share of it that the mirror images beyond the border have
};

/// The excess of a pixel: its share of the pixel's colour.
FOCAL_FUNCTION float focal_excessShare(float4 colour, float ceiling) {
  const float most = focal_max(colour.x, focal_max(colour.y, colour.z));
  return most > ceiling ? 1.0f - ceiling * focal_reciprocal(most) : 0.0f;
}

/// Whether a pixel's excess may be of the light whose brightest pixel has the radius `own`.
FOCAL_FUNCTION bool focal_isOfLight(float radius, float own, float edge) {
  return focal_abs(radius - own) <= focal_edgeStep(edge, focal_min(radius, own), focal_max(radius, own));
}

/// How much of a light is drawn: by how bright its disc is against the mean, by how wide its edge is, in radii, and by its
/// size in pixels, `alone` the share of it that is no part of a field.
FOCAL_FUNCTION float focal_lightShare(float brightness, float wide, float size, float alone) {
  const float field = focal_smooth_step(FOCAL_LIGHT_LEAST_RADIUS, FOCAL_LIGHT_PER_RADIUS, size);
  const float single =
      focal_smooth_step(FOCAL_LIGHT_LEAST_RADIUS_ALONE, FOCAL_LIGHT_PER_RADIUS_ALONE, size);
  return focal_smooth_step(FOCAL_LIGHT_LEAST_SHARE, FOCAL_LIGHT_PER_SHARE, brightness) *
         (1.0f - focal_smooth_step(FOCAL_LIGHT_MOST_WIDTH, FOCAL_LIGHT_PER_WIDTH, wide)) *
         (field + alone * (single - field));
}

/// The radius at which the edge of a disc of radius `size` is half as bright as its middle. The edge falls linearly over
/// `softness` pixels along the sides' normals, and is longer outside than inside: it would hold more than the light
/// of the disc, A R². An outline moved by t has the area A R² (1 + t / (a R))², a the apothem; over
/// -softness / 2...softness / 2 the mean of t² is softness² / 12, which R² loses.
FOCAL_FUNCTION float focal_discOutline(float size, float softness, float apothem) {
  const float t = softness * focal_reciprocal(apothem);
  return focal_sqrt(focal_max(size * size - t * t * 0.0833333358f, 0.0f));
}

/// How far a disc goes from its centre: at a polygon's corners farther than at its sides. `rim` is the apothem,
/// or what stands for it, see FOCAL_OPENING_SPILL.
FOCAL_FUNCTION float focal_discReach(float size, float softness, float rim) {
  return size + 0.5f * softness * focal_reciprocal(rim);
}

/// Share of a pixel that a disc covers, `inside` pixels within its outline.
FOCAL_FUNCTION float focal_discCoverage(float inside, float perSoftness) {
  return focal_unit(inside * perSoftness + 0.5f);
}

/// Alpha of a pixel of the layers in slice `k`, as the views have it: its front, and its back where
/// the front leaves room.
FOCAL_FUNCTION float focal_layerCoverage(FocalSlicing slicing, FocalGroups groups, float alpha,
                                         float front, float back, float lowest, int32_t slice) {
  const bool isNear = groups.split == 0 || slice > 0;
  const float k = FOCAL_FLOAT(slice);
  const float own = focal_sliceOf(slicing, front);
  const float behind = focal_sliceOf(slicing, focal_max(back, -1.0e6f));
  const float f =
      focal_sliceCoverage(alpha * focal_groupShare(groups, isNear, front), own, lowest, k);
  const float hidden = focal_groupShare(groups, isNear, back);
  const float c = k > own ? 0.0f : hidden * focal_sliceCoverage(hidden, behind, 1.0e9f, k);
  return f + (1.0f - f) * c;
}

/// Whether a ray that passes a surface of the focus plate at `radius` crosses it there, `own` its radius.
FOCAL_FUNCTION bool focal_isCrossing(FocalFocusRange focus, float own, float radius) {
  return focal_abs(own - radius) <= FOCAL_LIGHT_PLATE_STEP * 0.5f + 0.01f && own <= focus.nearLimit;
}

/// Opacity of such a surface there, without its alpha.
FOCAL_FUNCTION float focal_plateCrossing(FocalFocusRange focus, float low, float inverseWidth,
                                         float own, float radius) {
  return focal_isCrossing(focus, own, radius) ? 1.0f - focal_smooth_step(low, inverseWidth, -own)
                                              : 0.0f;
}

FOCAL_STRUCT(FocalLightsParameters) {
  int32_t width, height;          ///< of the picture's window
  int32_t blocksAcross, blocksDown;
  int32_t cell;                   ///< side of a cell: 4, 8 or 16
  float edge;                     ///< a step of radius above this is an edge, pixels
  float area, apothem, rim;       ///< of the lens opening, in units of the radius
  /// The window's first row in the picture, and in rows of blocks the window's first row in `lights` and
  /// which of the window's are kept there.
  int32_t originY, blockOrigin, firstKept, endKept;
};
/// Words of a block in `rims`: a bit a pixel, row by row.
#define FOCAL_LIGHT_RIM_WORDS (FOCAL_LIGHT_PIXELS / 32)
/// Least, greatest and mean light of each block: the largest component. Columns of pixels by rows of blocks.
#define FOCAL_KERNEL_measureLights(_)             \
  _(parameters, FocalLightsParameters)            \
  _(reads, float4, source)                        \
  _(reads, float, radius)                         \
  _(writes, float4, blocks)                       \
  _(shares, float, columnLow, FOCAL_GROUP_SIZE)   \
  _(shares, float, columnLeast, FOCAL_GROUP_SIZE) \
  _(shares, float, columnMost, FOCAL_GROUP_SIZE)  \
  _(shares, float, columnSum, FOCAL_GROUP_SIZE)
FOCAL_KERNEL(measureLights)

/// The lights of each block, the energy of each of its cells, and which pixels lie at the rim of a nearer light; of a
/// block without excess the energies alone. A workgroup for each block.
#define FOCAL_KERNEL_findLights(_)                     \
  _(parameters, FocalLightsParameters)                 \
  _(reads, float4, source)                             \
  _(reads, float, radius)                              \
  _(reads, float4, blocks)                             \
  _(writes, FocalSmallLight, found)                    \
  _(writes, float, energies)                           \
  _(writes, uint32_t, rims)                            \
  _(shares, float, excess, FOCAL_LIGHT_PIXELS)         \
  _(shares, float, lightRadius, FOCAL_LIGHT_PIXELS)    \
  _(shares, float4, parts, FOCAL_LIGHT_PIXELS)         \
  _(shares, uint32_t, rimWords, FOCAL_LIGHT_RIM_WORDS) \
  _(shares, float, cellRadius, FOCAL_LIGHT_CELLS)      \
  _(shares, float, cellEnergy, FOCAL_LIGHT_CELLS)      \
  _(workgroup, FOCAL_GROUP_WIDTH, 1)
FOCAL_KERNEL(findLights)

/// The lights that are drawn, taken out of the picture; `reach` is how far the discs of a block's lights go.
/// A workgroup for each block; the picture in place.
#define FOCAL_KERNEL_takeLights(_)                \
  _(parameters, FocalLightsParameters)            \
  _(reads, float, radius)                         \
  _(reads, float4, blocks)                        \
  _(reads, FocalSmallLight, found)                \
  _(reads, float, energies)                       \
  _(reads, uint32_t, rims)                        \
  _(writes, float4, picture)                      \
  _(writes, FocalSmallLight, lights)              \
  _(writes, float, reach)                         \
  _(shares, float, cellRadius, FOCAL_LIGHT_CELLS) \
  _(shares, float, cellShare, FOCAL_LIGHT_CELLS)  \
  _(shares, float, cellReach, FOCAL_LIGHT_CELLS)  \
  _(workgroup, FOCAL_GROUP_WIDTH, 1)
FOCAL_KERNEL(takeLights)

FOCAL_STRUCT(FocalDrawLightsParameters) {
  int32_t width, height;               ///< of the picture's window
  int32_t pictureHeight;
  int32_t originY;                     ///< the window's first row in the picture
  int32_t tilesAcross, firstTile, tileCount;  ///< as of composite
  int32_t blocksAcross, blocksDown;    ///< of `reach`
  int32_t firstBlockRow;               ///< of `reach`, in the picture
  int32_t cells;                       ///< of a block
  float farthest;                      ///< the largest reach there can be, pixels
  int32_t scale, layerWidth, layerHeight;  ///< of the whole picture's layers
  int32_t layerOriginY, layerRows;     ///< the rows that the layers' buffer holds
  FocalSlicing slicing;
  FocalGroups groups;
  int32_t firstSlice, lastSlice;
  float focusLow, focusInverseWidth;   ///< as of composite
  FocalFocusRange focus;
  int32_t blades;                      ///< 0 for a disc
  float apothem, rim;
  // Of drawShapes only.
  int32_t isTable;                     ///< whether the opening is given by its tables
  int32_t tables, places, widths;      ///< where these begin in `opening`
  int32_t isProfiled;                  ///< whether the light is spread unevenly over the opening
  float squeeze;                       ///< what is 1 along x in the opening is `squeeze` on its disc
  /// The light at the distance r from the opening's middle is base + slope * r²; red, green and blue
  /// behind the focus, and in front of it.
  float base[6], slope[6];
  FocalBarrel barrel;
};
/// The shared words of a workgroup: the slices and the steps of the focus plate that may hide lights from its
/// pixels, and flags.
FOCAL_CONSTANT(FocalNearerLow, 0)
FOCAL_CONSTANT(FocalNearerHigh, 1)
FOCAL_CONSTANT(FocalNearerSteps, 2)
FOCAL_CONSTANT(FocalNearerFlags, 3)
#define FOCAL_NEARER_WORDS 4
/// The focus plate does not hide all that is behind it.
#define FOCAL_GROUP_HOLES 1u
/// More than the blocks of lights in reach of a workgroup.
#define FOCAL_NO_BLOCK 0x7FFFFFFF

/// The discs of the lights, added to the picture. Tiles as of composite; on a graphics device pixels.
#define FOCAL_KERNEL_drawLights(_)            \
  _(parameters, FocalDrawLightsParameters)    \
  _(reads, FocalSmallLight, lights)                \
  _(reads, float, reach)                      \
  _(reads, float, layers)                     \
  _(reads, uint32_t, blocks)                  \
  _(reads, float, radius)                     \
  _(reads, float, matte)                      \
  _(reads, float, opening)                    \
  _(writes, float4, destination)              \
  _(shares, uint32_t, counted, FOCAL_GROUP_WORDS) \
  _(shares, uint32_t, nearer, FOCAL_NEARER_WORDS) \
  _(shares, int32_t, litRange, 2) \
  _(shares, int32_t, heldLights, FOCAL_GROUP_SIZE + 1) \
  _(shares, int32_t, heldImages, FOCAL_GROUP_SIZE + 1) \
  _(shares, uint32_t, heldLow, FOCAL_GROUP_SIZE + 1) \
  _(shares, uint32_t, heldHigh, FOCAL_GROUP_SIZE + 1)
FOCAL_KERNEL(drawLights)

/// The same for openings that are no plain disc or polygon, or let light through unevenly.
#define FOCAL_KERNEL_drawShapes(_)            \
  _(parameters, FocalDrawLightsParameters)    \
  _(reads, FocalSmallLight, lights)           \
  _(reads, float, reach)                      \
  _(reads, float, layers)                     \
  _(reads, uint32_t, blocks)                  \
  _(reads, float, radius)                     \
  _(reads, float, matte)                      \
  _(reads, float, opening)                    \
  _(writes, float4, destination)              \
  _(shares, uint32_t, counted, FOCAL_GROUP_WORDS) \
  _(shares, uint32_t, nearer, FOCAL_NEARER_WORDS) \
  _(shares, int32_t, litRange, 2) \
  _(shares, int32_t, heldLights, FOCAL_GROUP_SIZE + 1) \
  _(shares, int32_t, heldImages, FOCAL_GROUP_SIZE + 1) \
  _(shares, uint32_t, heldLow, FOCAL_GROUP_SIZE + 1) \
  _(shares, uint32_t, heldHigh, FOCAL_GROUP_SIZE + 1)
FOCAL_KERNEL(drawShapes)
