// SPDX-License-Identifier: Apache-2.0
//
// Whether the attributes of an OpenEXR file's headers lie in the file: the library makes room for the length that an
// attribute claims before it reads it.

#ifndef FOCAL_EXR_HEADER_H
#define FOCAL_EXR_HEADER_H

#include "focal_exr_chunks.h"

/// Throws `std::runtime_error` for an attribute that is longer than the rest of the file, and with
/// FOCAL_EXR_NEWER_COMPRESSION for one of a way to compress that the library does not know. What else is wrong with
/// headers is left to the library.
void focalCheckHeaders(const FocalEXRBytes &bytes);

#endif
