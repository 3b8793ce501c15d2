// SPDX-License-Identifier: Apache-2.0

/// How much work a rendering session puts into a frame. All qualities show the same blur; the lower
/// ones approximate it more coarsely.
public enum RenderingQuality: Int, Sendable, CaseIterable, CustomStringConvertible {
  /// For a contact sheet.
  case thumbnail = 0
  /// For editing, in real time on a graphics device.
  case preview = 1
  /// For delivery.
  case export = 2
  /// For delivery where time does not matter: as exact as the renderer can be.
  case exportHigh = 3

  public var description: String {
    switch self {
    case .thumbnail: "thumbnail"
    case .preview: "preview"
    case .export: "export"
    case .exportHigh: "export-high"
    }
  }
}
