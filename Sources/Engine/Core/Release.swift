// SPDX-License-Identifier: Apache-2.0

/// The release, as `--version` tells it. What is kept for work that goes on later is of one release.
package let programVersion = "0.1.0"
