// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// The keys that a movie of this project has, under `io.github.focal`.
public enum CinematicKey {
  /// The prefix of every key of this project.
  public static let prefix = "io.github.focal."
  /// Timed: the disparity that is sharp, a 32-bit float.
  public static let focusDisparity = "io.github.focal.rendering.focus-disparity"
  /// Timed: the lens's f-number, a 32-bit float.
  public static let fNumber = "io.github.focal.rendering.f-number"
  /// Timed, in the first sample: the focus script as JSON, UTF-8.
  public static let script = "io.github.focal.script"
  /// Of the disparity track: the disparity of luma code 0, a 32-bit float.
  public static let disparityLow = "io.github.focal.disparity.low"
  /// Of the disparity track: the disparity of the largest luma code, a 32-bit float.
  public static let disparityHigh = "io.github.focal.disparity.high"
  /// Of the disparity track: the luma code that marks pixels without a disparity, a 32-bit unsigned
  /// number; no key where every pixel has one.
  public static let disparityHole = "io.github.focal.disparity.hole-code"
}

extension SampleEntry {
  /// Whether it describes metadata of this project, perhaps beside another program's keys: without
  /// a focus there is nothing to render.
  public var isOwnMetadata: Bool {
    guard case .metadata(let keys) = details else { return false }
    return keys.contains { $0.identifier == CinematicKey.focusDisparity }
  }
}

/// The timed metadata of a movie of this project: what a renderer needs of a frame.
public enum CinematicMetadata {
  /// The keys, in the order of their numbers.
  public static let keys = [
    MetadataKey(localID: 1, name: CinematicKey.focusDisparity, dataType: .wellKnown(23)),
    MetadataKey(localID: 2, name: CinematicKey.fNumber, dataType: .wellKnown(23)),
    MetadataKey(localID: 3, name: CinematicKey.script, dataType: .wellKnown(1)),
  ]

  /// - Throws: `invalidParameter` for attributes by which nothing can be rendered.
  package static func check(focusDisparity: Float, fNumber: Float) throws(CinematicError) {
    guard focusDisparity.isFinite, fNumber.isFinite, fNumber > 0 else {
      throw CinematicError(
        .invalidParameter,
        "a focus at \(focusDisparity) with an f-number of \(fNumber) cannot be rendered",
        remedy: "give a finite disparity and a positive f-number")
    }
  }

  /// The sample of a frame.
  ///
  /// - Parameter script: of the first frame, the focus script's JSON.
  public static func sample(
    focusDisparity: Float, fNumber: Float, script: [UInt8]? = nil
  ) -> [UInt8] {
    func float(_ value: Float) -> ArraySlice<UInt8> {
      var writer = ByteWriter()
      writer.f32(value)
      return writer.bytes[...]
    }
    var items = [
      TimedMetadata.Item(localID: 1, value: float(focusDisparity)),
      TimedMetadata.Item(localID: 2, value: float(fNumber)),
    ]
    if let script { items.append(.init(localID: 3, value: script[...])) }
    return TimedMetadata.sample(items)
  }
}
