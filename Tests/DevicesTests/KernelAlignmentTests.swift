// SPDX-License-Identifier: Apache-2.0

import FocalRendering
import Testing

@testable import ConformanceKit

@Suite struct KernelAlignmentTests {
  @Test func commonKernelsAreLaidSideBySide() {
    let reference: [Kernel] = [.unpack, .matte, .blurTiles, .composite, .pack]
    #expect(DispatchReplay.align(reference, with: reference) == [0, 1, 2, 3, 4])
    #expect(
      DispatchReplay.align(
        [.unpack, .matte, .pyramidUp, .pyramidDown, .composite, .pack], with: reference)
        == [0, 1, nil, nil, 3, 4])
    #expect(DispatchReplay.align([], with: reference) == [])
    #expect(DispatchReplay.align([.resample], with: []) == [nil])
  }
}
