// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript
import Foundation

extension [FoundObject] {
  /// Without what is found twice: of things of one type that share more of their area, the most certain stays.
  func withoutDoubles(sharing mostOverlap: Double) -> [FoundObject] {
    var kept: [FoundObject] = []
    for object in sorted(by: { $0.confidence > $1.confidence })
    where kept.allSatisfy({ other in
      other.type != object.type || other.rect.overlap(object.rect) <= mostOverlap
    }) {
      kept.append(object)
    }
    return kept
  }

  /// As they lie in the picture as stored.
  func stored(_ turn: QuarterTurn) -> [FoundObject] {
    map { object in
      var object = object
      object.rect = turn.inverse.applied(to: object.rect)
      return object
    }
  }
}
