// SPDX-License-Identifier: Apache-2.0
//
// Expat, the XML parser, for Swift.

#ifndef FOCAL_CEXPAT_SHIM_H
#define FOCAL_CEXPAT_SHIM_H

#include <expat.h>

#endif
