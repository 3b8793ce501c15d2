// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import FocalMedia

/// Says which sound of the source is not heard, and why.
func note(leftOut sound: Sound?) {
  for error in sound?.leftOut ?? [] { note("a track of sound is left out: \(error.message)") }
}
