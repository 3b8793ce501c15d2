// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FocalVulkan

/// The Vulkan backend's tests, one after the other: a driver that computes on the processor takes
/// all of its cores.
@Suite(.serialized, .enabled(if: hasDevice, skipReason), .withoutComplaints)
struct VulkanTests {}

/// Fails a test when the validation layer complains; with FOCAL_VULKAN_VALIDATION=1 it watches.
struct WithoutComplaints: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let before = ValidationLog.messages.count
    try await function()
    if !test.isSuite { #expect(ValidationLog.messages.dropFirst(before).isEmpty) }
  }
}

extension Trait where Self == WithoutComplaints {
  static var withoutComplaints: Self { Self() }
}
