// SPDX-License-Identifier: Apache-2.0
//
// Optical flow between pictures of a clip, and maps carried along it.
//
// Flow by dense inverse search: T. Kroeger, R. Timofte, D. Dai, L. Van Gool, Fast Optical Flow using Dense Inverse
// Search (2016).

#ifndef FOCAL_FLOW_H
#define FOCAL_FLOW_H

#include <stdint.h>

/// Where each pixel of `from` lies in `to`: two floats a pixel, to the right and down, in pixels. Luma of 0 to 255,
/// rows without padding. Returns 1 if memory is refused.
int32_t focal_flow(const uint8_t *from, const uint8_t *to, int32_t width, int32_t height,
                   float *flow);

/// A mask, or a map that is averaged with others, carried along a flow: what `map` holds where each pixel lies in `to`, bilinear. `error` is how much both pictures'
/// luma differs there, in parts of white, the mean of 5x5 pixels; infinite where it lies outside. Not a number stays.
/// Returns 1 if memory is refused.
int32_t focal_carry(const float *map, const float *flow, const uint8_t *from, const uint8_t *to,
                    int32_t width, int32_t height, float *carried, float *error);

/// A map carried along a flow, its edges sharp and where the pictures have theirs: beside edges the flow is settled anew,
/// and values come by Catmull-Rom, within those beside the place. The pictures are red, green, blue and a byte that does not
/// count of each pixel, rows without padding. `error` is how much the channel that differs most differs, in parts of white,
/// the mean of 3x3 pixels; infinite where the pixel lies outside. Not a number stays. Returns 1 if memory is refused.
int32_t focal_carry_map(const float *map, const float *flow, const uint8_t *from, const uint8_t *to,
                        int32_t width, int32_t height, float *carried, float *error);

/// The line that brings `map` nearest to `reference` (by least distances): gain in fit[0], offset in fit[1]. Pixels with
/// an error above `most` and holes do not count. Returns how many counted.
int32_t focal_fit_line(const float *map, const float *reference, const float *error, float most,
                       int32_t count, float fit[2]);

#endif
