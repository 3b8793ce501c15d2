// SPDX-License-Identifier: Apache-2.0
//
// Pictures at the size at which they are looked at.

#ifndef FOCAL_PIXELS_H
#define FOCAL_PIXELS_H

#include <stdint.h>

/// Light, four floats a pixel, at another size: the mean of what a pixel covers where the picture becomes smaller,
/// between two pixels where it becomes larger. Of the source's columns and rows the picture covers `extent`, which may
/// end within the last. `bytesPerRow` is of the source, which holds the picture's rows from `first` on, as many as the
/// result's rows `from` up to `to` need, and one more on each side. The result is a whole picture without padding, of
/// which those rows are written. Returns 1 if memory is refused.
int32_t focal_resize_light(const float *source, int32_t width, int32_t height,
                           const double extent[2], int64_t bytesPerRow, int32_t first,
                           float *result, int32_t newWidth, int32_t newHeight, int32_t from,
                           int32_t to);

/// A map, a float a pixel without padding, at another size; between two pixels where it becomes larger. Returns 1
/// if memory is refused.
int32_t focal_resize_map(const float *source, int32_t width, int32_t height, float *result,
                         int32_t newWidth, int32_t newHeight);

#endif
