// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension Asset {
  /// The layers of an OpenEXR file, or of the first of numbered ones, that hold pictures, in the order of the file: an
  /// empty name is that of channels without a layer. None for other files, and for one that cannot be read.
  package func pictureLayers() async -> [String] {
    guard let container = try? await container() as? PictureContainer,
      let bytes = try? PictureFileReader(container: container).sample(0),
      StillKind(file: bytes) == .openEXR,
      let file = try? OpenEXRFile(bytes, StillRequest(container.fileName(0)))
    else { return [] }
    return OpenEXRSelection.layers(of: file)
  }
}
