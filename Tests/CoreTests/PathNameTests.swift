// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@Suite struct PathNameTests {
  @Test(arguments: [
    ("c", "."), ("-", "."), ("", "."), (".", "."), ("c/x.vtt", "c"), ("/", "/"), ("/x", "/"),
    ("a/b/c", "a/b"), ("../x", ".."),
  ])
  func folders(_ path: String, _ folder: String) {
    #expect(PathName.folder(of: path) == folder)
  }
}
