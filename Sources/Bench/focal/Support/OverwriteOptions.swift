// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Whether what is written takes the place of what is there: `--force`.
struct OverwriteOptions: ParsableArguments {
  @Flag(help: "Replace an existing output.")
  var force = false
}
