// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalBoxes

@Suite struct TimedMetadataWritingTests {
  /// A keys table as others write it comes back from reading and writing byte for byte.
  @Test func keysTable() throws {
    var key = MetadataKey(
      localID: 7, name: "com.example.value", dataType: .named(Array("com.example.type".utf8)))
    key.extras = [Box("setu", data: [1, 2, 3, 4])]
    let keys = CinematicMetadata.keys + [key]
    let entry = TimedMetadata.sampleEntry(keys)
    guard case .metadata(let read) = try SampleEntry(entry, handler: "meta").details else {
      Issue.record("the entry is no metadata's")
      return
    }
    #expect(read == keys)
    #expect(TimedMetadata.sampleEntry(read).bytes == entry.bytes)
  }

  @Test func samples() throws {
    let sample = CinematicMetadata.sample(
      focusDisparity: 0.1, fNumber: 2.8, script: Array("{}".utf8))
    let items = try TimedMetadata.items(sample[...])
    #expect(items.map(\.localID) == [1, 2, 3])
    func float(_ item: TimedMetadata.Item) throws -> Float {
      var reader = ByteReader(item.value, of: "a float")
      return Float(bitPattern: try reader.u32())
    }
    #expect(try float(items[0]) == 0.1)
    #expect(try float(items[1]) == 2.8)
    #expect(Array(items[2].value) == Array("{}".utf8))
    #expect(TimedMetadata.sample(items) == sample)
  }

  @Test func itemMetadata() throws {
    let items: [ItemMetadata.Item] = [
      .text("io.example.text", "höher"), .float("io.example.float", -1.5),
      .unsigned("io.example.unsigned", 4_000_000_000),
    ]
    let box = Box.metadata(items)
    #expect(try ItemMetadata(Box.parse(box.bytes[...])[0]).items == items)
  }
}
