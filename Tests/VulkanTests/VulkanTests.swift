// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FocalVulkan

/// The Vulkan backend's tests, one after the other: a driver that computes on the processor takes
/// all of its cores.
@Suite(.serialized, .enabled(if: hasDevice, skipReason)) struct VulkanTests {}
