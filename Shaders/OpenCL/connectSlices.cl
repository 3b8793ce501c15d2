// SPDX-License-Identifier: Apache-2.0
#include "opencl_kernel.h"
#include "focal_slices.h"

#define FOCAL_ARGUMENTS FOCAL_WRITES(float, layers), FOCAL_PARAMETERS(FocalConnectSlicesParameters)
#define FOCAL_NAMES layers, p

#include "connectSlices.h"
FOCAL_ENTRY(connectSlices)
