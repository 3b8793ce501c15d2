// SPDX-License-Identifier: Apache-2.0
//
// Little CMS for Swift: ICC profiles. Pixel formats are macros of macros there, which Swift does not
// import.

#ifndef FOCAL_CLITTLECMS_SHIM_H
#define FOCAL_CLITTLECMS_SHIM_H

#include <lcms2.h>
#include <stdint.h>

/// Four 32-bit floats a pixel: red, green, blue, and alpha beside the colour.
static inline uint32_t focal_cms_rgba_float(void) { return TYPE_RGBA_FLT; }
/// The same memory, of which only the first of the four is a value: gray.
static inline uint32_t focal_cms_gray_float(void) {
  return FLOAT_SH(1) | COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(4);
}
/// Light without a roll-off at black or white, alpha copied.
static inline uint32_t focal_cms_flags(void) {
  return cmsFLAGS_NOCACHE | cmsFLAGS_COPY_ALPHA;
}

#endif
