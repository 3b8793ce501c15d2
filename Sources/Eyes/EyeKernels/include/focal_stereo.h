// SPDX-License-Identifier: Apache-2.0
//
// Disparity from two pictures of one moment: semi-global matching of census codes, and the filling of what
// only one eye sees. C, because target clones give loops over candidates the width of the machine's vectors.
//
// Semi-global matching: H. Hirschmüller, Stereo Processing by Semiglobal Matching and Mutual Information (2008).
// Census codes: R. Zabih and J. Woodfill, Non-parametric Local Transforms (1994).

#ifndef FOCAL_STEREO_H
#define FOCAL_STEREO_H

#include <stdint.h>

/// A pair at the size at which it is matched, luma of 0 to 255, rows without padding.
struct FocalStereoPair {
  const uint8_t *left, *right;
  int32_t width, height;
  /// Disparities that are tried, in pixels: a point at x of the left picture lies at x - disparity in the
  /// right one. `least` up to `least + count - 1`; count is a multiple of 32, at most 256.
  int32_t least, count;
};

/// The disparities of the left picture in pixels, with fractions; not a number where both directions do not
/// agree. `confidence` is 0 where nothing was found, up to 1 where no other disparity fits nearly as well.
/// Returns 0, or 1 if memory is refused.
int32_t focal_stereo_match(const struct FocalStereoPair *pair, float *disparity, float *confidence);

/// Fills what is not a number. A hole beside an edge is what only one eye sees: it takes the farther side.
/// `guide` is the left picture: values are taken from where it is alike. Returns 1 if memory is refused.
int32_t focal_stereo_fill(const uint8_t *guide, int32_t width, int32_t height, float *disparity);

/// The median of the neighbourhood, each pixel weighted by how much it looks like the middle one; edges
/// come to lie on the picture's. Returns 1 if memory is refused.
int32_t focal_stereo_refine(const uint8_t *guide, int32_t width, int32_t height, float *disparity);

/// How the right picture is shifted against the left one: a point at (x, y) of the left lies in the row
/// y + shift[0] + shift[1] * (x - width / 2) + shift[2] * (y - height / 2). `spread` is the median distance of
/// the points from that, in pixels, `points` how many were found. Returns 1 if memory is refused.
int32_t focal_stereo_align(const struct FocalStereoPair *pair, int32_t reach, float shift[3],
                           float *spread, int32_t *points);

#endif
