// SPDX-License-Identifier: Apache-2.0
//
// The filter of maps over time: how one map's values become another's, and the mean of maps where they show
// the same surface.

#ifndef FOCAL_STEADY_H
#define FOCAL_STEADY_H

#include <stdint.h>

/// A map's values in another's units: gain * value + offset.
struct FocalMapFit {
  float gain, offset;
  /// The standard deviation of one map's noise, by the median difference of the two.
  float noise;
  /// The distance of nearly all values: from the 2nd to the 98th of hundred.
  float spread;
};

/// The fit of `from` to `to` by most of their area; the rest, which moves, does not count. Values that are not
/// finite are left out. A gain and an offset of 1 and 0, and no spread, where there is nothing to compare.
struct FocalMapFit focal_map_fit(const float *to, const float *from, int32_t width, int32_t height);

/// One of the maps of ``focal_map_steady``, with its way into the centre's units.
struct FocalFittedMap {
  const float *values;
  float gain, offset;
};

/// Writes the mean of maps over those that show the same surface as the centre, pixel by pixel, times `gain`
/// plus `offset`. Rows lie side by side. Values that are not finite stay as they are, and do not count.
///
/// - Parameters:
///   - noise: the standard deviation of one map's noise, above 0.
/// - Returns: 0 where there is no memory.
int focal_map_steady(const struct FocalFittedMap *maps, int32_t count, int32_t centre, float noise,
                     float gain, float offset, int32_t width, int32_t height, float *result);

#endif
