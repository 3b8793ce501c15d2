// SPDX-License-Identifier: Apache-2.0
//
// OpenCL's types and function types. Nothing is linked: the loader is looked for at run time.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>
