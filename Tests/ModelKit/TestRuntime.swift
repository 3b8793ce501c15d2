// SPDX-License-Identifier: Apache-2.0

import FocalEyes
import Foundation

/// The runtime for tests: the machine's, or what `make setup` put into the build folder.
public enum TestRuntime {
  public static let library = try? RuntimeLibrary.find(environment: environment)

  public static var environment: [String: String] {
    var environment = ProcessInfo.processInfo.environment
    guard environment["FOCAL_ONNXRUNTIME"] == nil else { return environment }
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    var folder = program.deletingLastPathComponent()
    while folder.path != "/" {
      let place = folder.appendingPathComponent("onnxruntime/onnxruntime/capi").path
      if FileManager.default.fileExists(atPath: place) {
        environment["FOCAL_ONNXRUNTIME"] = place
        break
      }
      folder.deleteLastPathComponent()
    }
    return environment
  }
}
