// SPDX-License-Identifier: Apache-2.0

/// The closed list of kernels. A backend runs each of them, from a source file of the same name.
package enum Kernel: String, CaseIterable, Sendable {
  /// A stored picture to linear RGBA.
  case unpack
  /// A stored map to floats, holes marked.
  case unpackDisparity
  /// A linear picture at another size.
  case resample
  /// Linear RGBA to a picture of one plane.
  case pack
  /// Linear RGBA to luma and chroma planes.
  case packBiPlanar

  package var name: String { rawValue }
}
