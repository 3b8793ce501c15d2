// SPDX-License-Identifier: Apache-2.0
//
// Vulkan's types without its functions: the loader's library is opened when the program runs, so
// that the program starts where there is none.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>
