// SPDX-License-Identifier: Apache-2.0

/// The two dialects of movie files that are written.
public enum MovieFormat: Hashable, Sendable {
  /// QuickTime movies: `.mov`.
  case quickTime
  /// ISO/IEC 14496-14: `.mp4`.
  case mp4

  /// The box that the file begins with.
  ///
  /// - Parameter isAdvancedVideo: whether the pictures are H.264.
  func fileType(isAdvancedVideo: Bool) -> Box {
    Box("ftyp") { writer in
      switch self {
      case .quickTime:
        writer.fourCC("qt  ")
        writer.u32(0)
        writer.fourCC("qt  ")
      case .mp4:
        writer.fourCC("isom")
        writer.u32(512)
        writer.fourCC("isom")
        writer.fourCC("iso2")
        if isAdvancedVideo { writer.fourCC("avc1") }
        writer.fourCC("mp41")
      }
    }
  }
}
