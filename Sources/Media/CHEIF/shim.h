// SPDX-License-Identifier: Apache-2.0
//
// libheif for Swift: HEIC and AVIF pictures.

#ifndef FOCAL_CHEIF_SHIM_H
#define FOCAL_CHEIF_SHIM_H

#include <libheif/heif.h>

#endif
