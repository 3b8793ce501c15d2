// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalCaptions

/// Captions in cells that lie beyond the screen's grid.
struct CellPlaceTests {
  private static func caption(_ text: String, column: Double, row: Double) -> Caption {
    var caption = Caption(text, timeRange: TimeRange(start: frames(30), end: frames(90)))
    caption.region = CaptionRegion(
      origin: CaptionPoint(
        x: CaptionDimension(value: column, units: .cells),
        y: CaptionDimension(value: row, units: .cells)),
      size: .cells(text.count, 1))
    return caption
  }

  /// Places that no screen has: each is moved to the edge, and told.
  @Test(arguments: [
    (40.0, 5.0), (-5, 5), (33, 14), (0, -3), (0, 20), (1e9, 5), (-1e9, -1e9),
  ])
  func beyondTheEdge(column: Double, row: Double) throws {
    let captions = [Self.caption("Hello", column: column, row: row)]
    let document = CaptionDocument(captions: captions, format: .scc)
    for format in CaptionFormat.allCases where format != .scc {
      let written = try document.written(as: format)
      let read = try CaptionDocument(reading: written.bytes, format: format)
      #expect(read.captions.map(\.text) == ["Hello"])
      let isTold = written.losses.contains { $0.reason.contains("beyond the screen's edge") }
      #expect(isTold == (format == .webVTT || format == .ttml))
    }
    for kind in CaptionTrack.Kind.allCases {
      let track = try CaptionTrack(document, kind: kind)
      #expect(!track.samples.isEmpty)
    }
    let inside = CellRow(captions[0])
    #expect((0..<CEA608.rowCount).contains(inside.row))
    #expect(inside.column >= 0 && inside.columns.upperBound <= CEA608.columnCount)
  }

  /// A row of twice the screen's width beside one that is indented.
  @Test func widerThanTheScreen() throws {
    let captions = [
      Self.caption(String(repeating: "x", count: 70), column: 0, row: 13),
      Self.caption("indented", column: 9, row: 14),
    ]
    let document = CaptionDocument(captions: captions, format: .scc)
    for format in CaptionFormat.allCases where format != .scc {
      let written = try document.written(as: format)
      let text = try CaptionDocument(reading: written.bytes, format: format).captions
        .map(\.text).joined()
      #expect(text.contains(String(repeating: "x", count: 70)) && text.contains("indented"))
    }
  }

  /// What lies within the screen is neither moved nor told.
  @Test func withinTheScreen() throws {
    for (column, row) in [(0.0, 0.0), (27, 14), (13, 7)] {
      let place = CellRow(Self.caption("Hello", column: column, row: row))
      #expect(!place.isMoved)
      #expect(place.row == Int(row) && place.columns == Int(column)..<Int(column) + 5)
    }
  }
}
