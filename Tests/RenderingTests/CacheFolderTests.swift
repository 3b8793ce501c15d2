// SPDX-License-Identifier: Apache-2.0

import FocalRendering
import Testing

@Suite struct CacheFolderTests {
  @Test(
    arguments: [
      (["FOCAL_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"], "/a"),
      (["XDG_CACHE_HOME": "/b", "HOME": "/c"], "/b/focal"),
      (["FOCAL_CACHE_DIR": "", "XDG_CACHE_HOME": "relative", "HOME": "/c"], "/c/.cache/focal"),
      (["HOME": "/c"], "/c/.cache/focal"),
      ([:], nil),
    ] as [([String: String], String?)])
  func theEnvironmentNamesIt(environment: [String: String], path: String?) {
    #expect(CacheFolder.path { environment[$0] } == path)
  }
}
