// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalRendering

extension FrameRenderer.DeviceChange {
  /// A change of device as programs read it.
  private struct Event: Encodable {
    var event = "device"
    var from: String
    var to: String
    var frame: Int
    var reason: String
  }

  /// Tells people, or with `json` programs, that the work goes on elsewhere.
  func tell(json: Bool) {
    guard json else {
      note("\(old) failed (\(reason.message)); going on with \(new) from frame \(frameNumber)")
      return
    }
    try? printJSON(
      Event(
        from: old.identifier, to: new.identifier, frame: frameNumber, reason: reason.message))
  }
}
