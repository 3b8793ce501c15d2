// SPDX-License-Identifier: Apache-2.0

import FocalCore

extension EditList {
  /// The box of some edits.
  static func box(_ edits: [Edit]) -> Box {
    let isWide = edits.contains {
      $0.duration > Int64(UInt32.max) || $0.mediaTime > Int64(Int32.max)
    }
    return Box("elst", version: isWide ? 1 : 0) { writer in
      writer.u32(UInt32(edits.count))
      for edit in edits {
        writer.count(edit.duration, wide: isWide)
        writer.count(edit.mediaTime, wide: isWide)
        writer.i32(edit.rate)
      }
    }
  }
}

extension Box {
  /// A track with an edit list in the place of its own.
  func with(_ list: Box) -> Box {
    var track = self
    if let place = track.boxes.firstIndex(where: { $0.type == "edts" }) {
      var edits = track.boxes[place]
      edits.boxes = edits.boxes.map { $0.type == "elst" ? list : $0 }
      if edits["elst"] == nil { edits.boxes.append(list) }
      track.boxes[place] = edits
    } else {
      let place = track.boxes.firstIndex { $0.type == "mdia" } ?? track.boxes.count
      track.boxes.insert(Box("edts", [list]), at: place)
    }
    return track
  }

  /// A track's media with other tables.
  func listing(_ log: SampleLog) -> Box {
    var media = self
    media.boxes = media.boxes.map { box in
      if box.type == "mdhd" { return box.lasting(log.duration) }
      guard box.type == "minf" else { return box }
      var information = box
      information.boxes = box.boxes.map { $0.type == "stbl" ? $0.with(tables: log.tables) : $0 }
      return information
    }
    return media
  }

  /// A sample table with other tables, and everything else that it holds.
  private func with(tables: [Box]) -> Box {
    var table = self
    var left = tables
    table.boxes = table.boxes.compactMap { box in
      guard SampleIndex.tableTypes.contains(box.type) else { return box }
      // Sizes and places have two forms each.
      let forms: [FourCC: Set<FourCC>] = ["stz2": ["stsz"], "stco": ["co64"], "co64": ["stco"]]
      let types = (forms[box.type] ?? []).union([box.type])
      guard let place = left.firstIndex(where: { types.contains($0.type) }) else { return nil }
      return left.remove(at: place)
    }
    table.boxes += left
    return table
  }

  /// `mvhd`, `mdhd` or `tkhd` with another duration; of version 1 where it takes more than 32 bits.
  ///
  /// - Parameter timescale: of `mvhd`: another timescale.
  func lasting(_ duration: Int64, timescale: Int32? = nil) -> Box {
    let data = Array(self.data)
    guard let version = data.first, version < 2 else { return self }
    // Between the times of making and the duration: the timescale, or a number and a reserved one.
    let between = type == "tkhd" ? 8 : 4
    let wide = version == 1
    let times = wide ? 16 : 8
    guard data.count >= 4 + times + between + (wide ? 8 : 4) else { return self }
    var writer = ByteWriter()
    let becomesWide = wide || duration >= Int64(UInt32.max)
    writer.u8(becomesWide ? 1 : 0)
    writer.append(data[1..<4])
    for field in [4..<(4 + times / 2), (4 + times / 2)..<(4 + times)] {
      if becomesWide, !wide { writer.zeros(4) }
      writer.append(data[field])
    }
    if let timescale {
      writer.u32(UInt32(timescale))
    } else {
      writer.append(data[(4 + times)..<(4 + times + between)])
    }
    writer.count(duration, wide: becomesWide)
    writer.append(data[(4 + times + between + (wide ? 8 : 4))...])
    var box = self
    box.content = .data(writer.bytes[...])
    return box
  }
}
