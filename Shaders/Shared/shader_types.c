// SPDX-License-Identifier: Apache-2.0
//
// The sizes that host and device must agree on.

#include "focal_pixel.h"

_Static_assert(sizeof(struct FocalPixelParameters) == 68, "a kernel's parameters have no padding");
