// SPDX-License-Identifier: Apache-2.0

import ShaderTypes

/// A kernel with the values that a backend may compile it for.
///
/// They stand in the parameters too. Compiled in, they spare a software device the branches that no
/// pixel takes, which are most of what `unpack` and `pack` consist of.
package struct KernelVariant: Hashable, Sendable {
  package let kernel: Kernel
  /// In the order of the constants of Shaders/Kernels/picture_modes.h; empty for most kernels.
  package let constants: [Int32]

  package init(_ dispatch: KernelDispatch) {
    kernel = dispatch.kernel
    switch dispatch.kernel {
    // Of all of them the picture's are the first, or all that there are.
    case .unpack, .unpackHalved, .pack, .packBiPlanar, .packDetail, .packDetailBiPlanar:
      let picture = dispatch.parameters.withUnsafeBytes {
        $0.loadUnaligned(as: FocalPixelParameters.self)
      }
      constants = [
        picture.format, picture.transfer, picture.matrix, picture.fullRange, picture.dither,
        picture.turn,
      ]
    default: constants = []
    }
  }
}
