// SPDX-License-Identifier: Apache-2.0
//
// Pictures at the size at which they are looked at.

#ifndef FOCAL_PIXELS_H
#define FOCAL_PIXELS_H

#include <stdint.h>

/// Light or codes, four floats a pixel, at another size: the mean of what a pixel covers where the picture becomes smaller,
/// between two pixels where it becomes larger. Of the source's columns and rows the picture covers `extent`, which may
/// end within the last. `bytesPerRow` is of the source, which holds the picture's rows from `first` on, as many as the
/// result's rows `from` up to `to` need, and one more on each side. The result has those rows alone, without padding.
/// Returns 1 if memory is refused.
int32_t focal_resize_colors(const float *source, int32_t width, int32_t height,
                            const double extent[2], int64_t bytesPerRow, int32_t first,
                            float *result, int32_t newWidth, int32_t newHeight, int32_t from,
                            int32_t to);

/// A map, a float a pixel without padding, at another size; between two pixels where it becomes larger. Returns 1
/// if memory is refused.
int32_t focal_resize_map(const float *source, int32_t width, int32_t height, float *result,
                         int32_t newWidth, int32_t newHeight);

/// How many even steps a curve has between 0 and 1.
enum { FOCAL_CURVE_STEPS = 1024, FOCAL_LIGHT_END = 2 };

/// The first three of a pixel's four floats, 0 to 1, `step` pixels of three apart. What lies beyond 0 or 1 becomes that. `curve`
/// has the results for even steps, one more value than steps; without one, codes stay.
void focal_lay_codes(const float *pixels, int32_t count, const float *curve, int64_t step,
                     float *codes);

/// The first one of every three floats, times `factor` less `offset`, `step` places apart.
void focal_take_component(const float *codes, int32_t count, float factor, float offset,
                          int32_t step, float *numbers);

/// Codes of four floats a pixel become light, in place; alpha stays. `curve` has the light of `FOCAL_CURVE_STEPS` codes a unit from
/// 0 to `FOCAL_LIGHT_END`, beyond which it goes on as it ends. Below zero is no light.
void focal_make_light(float *pixels, int32_t count, const float *curve);

/// A row's light of four floats a pixel as three floats, of which the next pixel's follow after `step` pixels. Light below
/// zero, and what is not a number, is none.
void focal_lay_light(const float *pixels, int32_t count, int64_t step, float *light);

#endif
