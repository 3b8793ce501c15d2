// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The page in a real browser: Tests/Browser/editor.py does with it what people do.
@Suite(.enabled(if: Browser.isThere, "\(Browser.lacking)"))
struct EditorPageTests {
  @Test(.timeLimit(.minutes(20)))
  func everyFunction() async throws {
    let folder = Folder()
    var command = [
      "/usr/bin/env", "PYTHONPATH=\(Browser.modules)", "python3", Browser.script, Program.path,
      folder.path,
    ]
    if let pictures = ProcessInfo.processInfo.environment["FOCAL_PICTURES"] {
      command += ["--pictures", pictures]
    }
    let outcome = try await Program.run(command, in: folder)
    #expect(outcome.code == 0, "\(outcome.output)\(outcome.errors)")
  }
}

/// Chromium and what drives it; Scripts/browser brings them.
enum Browser {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let script = root.appendingPathComponent("Tests/Browser/editor.py").path
  static let modules = root.appendingPathComponent(".build/browser").path

  /// The first thing that is missing.
  static let lacking: String = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let names = ["chromium", "chromium-browser"]
    let isChromiumThere = folders.contains { folder in
      names.contains { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)") }
    }
    guard isChromiumThere else { return "there is no chromium; Scripts/browser installs it" }
    return FileManager.default.fileExists(atPath: modules + "/playwright")
      ? "" : "there is no playwright in .build/browser; Scripts/browser brings it"
  }()

  static var isThere: Bool { lacking.isEmpty }
}
