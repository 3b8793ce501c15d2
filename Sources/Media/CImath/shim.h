// SPDX-License-Identifier: Apache-2.0
//
// Where the headers of Imath lie, which OpenEXR's need.

#ifndef FOCAL_CIMATH_SHIM_H
#define FOCAL_CIMATH_SHIM_H

#endif
