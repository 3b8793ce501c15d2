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
      object.rect = object.rect.turned(by: turn.inverse)
      return object
    }
  }
}

extension NormalizedRect {
  /// Where it lies once the picture has been turned.
  package func turned(by turn: QuarterTurn) -> NormalizedRect {
    let a = turn.applied(to: NormalizedPoint(x: x, y: y))
    let b = turn.applied(to: NormalizedPoint(x: maxX, y: maxY))
    return NormalizedRect(
      x: min(a.x, b.x), y: min(a.y, b.y), width: abs(a.x - b.x), height: abs(a.y - b.y))
  }
}
