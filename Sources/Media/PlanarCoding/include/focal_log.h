// SPDX-License-Identifier: Apache-2.0
//
// The curves of cameras between scene light and codes.

#ifndef FOCAL_LOG_H
#define FOCAL_LOG_H

#include <stddef.h>
#include <stdint.h>

/// The form of a curve below its cut.
enum {
  FOCAL_LOG_LINE,
  FOCAL_LOG_SQUARE,
  FOCAL_LOG_CUBE_ROOT,
};

/// code = slope * log2(gain * light + offset) + base from `cut` on; below, by `form`, lift * light + foot,
/// lift * (light - foot)² or lift * (light - foot)^(1/3). Below `centre` the curve mirrors itself, where
/// `isMirrored`.
struct FocalLogCurve {
  float gain, offset, slope, base;
  float lift, foot;
  /// In light, and in code.
  float cut, codeAtCut;
  int32_t form, isMirrored;
  /// The code of no light, of a mirrored curve.
  float centre;
  /// The curve's code is scale * code + shift.
  float scale, shift;
};

/// Codes of red, green and blue become light, and the other way; alpha stays. Four floats a pixel.
void focal_log_decode(const struct FocalLogCurve *curve, float *pixels, size_t count);
void focal_log_encode(const struct FocalLogCurve *curve, float *pixels, size_t count);

/// A table of colours: `size` steps of red, the quickest, green and blue, three floats each.
struct FocalColorCube {
  const float *table;
  int32_t size;
  /// The colour of the first entry, and steps for a unit.
  float least[3], steps[3];
};

/// Replaces colours by the table's, between its entries by the tetrahedron that they lie in; alpha stays. Four
/// floats a pixel.
void focal_cube_apply(const struct FocalColorCube *cube, float *pixels, size_t count);

#endif
