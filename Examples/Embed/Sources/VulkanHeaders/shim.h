// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan_core.h>
