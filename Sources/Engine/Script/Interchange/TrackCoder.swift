// SPDX-License-Identifier: Apache-2.0

import FocalCore

// An added track in the binary form of changes: u8 kind (1 fixed, 2 custom, 3 custom and smoothed),
// varint id, varint type, then
//   fixed: f32 disparity; u8 0, or 1 and a detection: time, varint type, 4 f64 rectangle,
//   f32 disparity, signed id or 0, signed group or 0
//   custom: varint count; times as runs (varint length, varint index of the timescale, signed step);
//   for each of the columns x, y, width, height, disparity: u8 k, when its numbers are multiples of
//   2^-k, with u8 its ``ResidualModel/Prediction``, or u8 255; varint size and bytes of the columns
//   on grids, row by row by a ``ResidualModel``, with zeros up to a byte for four detections; the
//   other columns as f64.
// No number loses a bit. A track of an ``ObjectTracker`` takes 3 bits a detection while it stands
// and 14 while it is waved about; 24 random bits a number are what they are, 15 bytes a detection.
private let columnCount = 5
private let offGrid: UInt8 = 255
/// The reader's memory is bounded by its input.
private let detectionsPerByte = 4

extension ChangesEncoder {
  mutating func encode(_ track: DetectionTrack) {
    let id = UInt64(bitPattern: track.detectionID?.rawValue ?? 0)
    if let fixed = track as? FixedDetectionTrack {
      writer.byte(1)
      writer.varint(id)
      writer.varint(UInt64(track.detectionType.rawValue))
      writer.float(fixed.focusDisparity)
      writer.byte(fixed.originalDetection == nil ? 0 : 1)
      if let original = fixed.originalDetection { encode(original) }
      return
    }
    let custom = track as? CustomDetectionTrack
    writer.byte(custom?.isSmoothed == false ? 2 : 3)
    writer.varint(id)
    writer.varint(UInt64(track.detectionType.rawValue))
    encode(custom?.givenSamples ?? track.samples)
  }

  private mutating func encode(_ detection: Detection) {
    encode(detection.time)
    writer.varint(UInt64(detection.detectionType.rawValue))
    let rect = detection.normalizedRect
    for value in [rect.x, rect.y, rect.width, rect.height] { writer.double(value) }
    writer.float(detection.focusDisparity)
    writer.signed(detection.detectionID?.rawValue ?? 0)
    writer.signed(detection.detectionGroupID?.rawValue ?? 0)
  }

  private mutating func encode(_ samples: DetectionSamples) {
    writer.varint(UInt64(samples.count))
    var runs: [(length: UInt64, scale: Int32, step: Int64)] = []
    var last = Time.zero
    for time in samples.times {
      let step = time.timescale == last.timescale ? time.value &- last.value : time.value
      if let run = runs.last, run.scale == time.timescale, run.step == step,
        time.timescale == last.timescale
      {
        runs[runs.count - 1].length += 1
      } else {
        runs.append((1, time.timescale, step))
      }
      last = time
    }
    for run in runs {
      writer.varint(run.length)
      writer.varint(UInt64(index(of: run.scale)))
      writer.signed(run.step)
    }
    encode([
      samples.rects.map(\.x), samples.rects.map(\.y), samples.rects.map(\.width),
      samples.rects.map(\.height), samples.disparities.map(Double.init),
    ])
  }

  private mutating func encode(_ columns: [[Double]]) {
    var steps: [[Int64]] = []
    var predictions: [ResidualModel.Prediction] = []
    var others: [[Double]] = []
    for column in columns {
      guard let grid = BinaryGrid(of: column) else {
        writer.byte(offGrid)
        others.append(column)
        continue
      }
      let whole = column.map(grid.steps)
      let prediction = ResidualModel.prediction(for: whole)
      writer.byte(UInt8(grid.exponent))
      writer.byte(prediction.rawValue)
      steps.append(whole)
      predictions.append(prediction)
    }
    if !steps.isEmpty {
      var model = ResidualModel(predictions)
      var coder = ArithmeticEncoder()
      var row = [Int64](repeating: 0, count: steps.count)
      for index in columns[0].indices {
        for column in steps.indices { row[column] = steps[column][index] }
        model.code(&row, with: &coder)
      }
      let bytes = coder.finish()
      let size = max(bytes.count, columns[0].count / detectionsPerByte)
      writer.varint(UInt64(size))
      for byte in bytes { writer.byte(byte) }
      for _ in bytes.count..<size { writer.byte(0) }
    }
    for value in others.joined() { writer.double(value) }
  }
}

extension ChangesDecoder {
  mutating func tracks() throws(CinematicError) -> [DetectionTrack] {
    let count = try reader.count(ofAtLeast: 4)
    var tracks: [DetectionTrack] = []
    tracks.reserveCapacity(count)
    var ids: Set<Int64> = []
    for _ in 0..<count {
      let kind = try reader.byte()
      guard (1...3).contains(kind) else { throw ChangesReader.malformed("a track of unknown kind") }
      guard let id = Int64(exactly: try reader.varint()), id > 0, ids.insert(id).inserted else {
        throw ChangesReader.malformed("a track's id is not positive, or taken")
      }
      let type = try detectionType()
      if kind == 1 {
        tracks.append(try fixedTrack(id: DetectionID(id)))
      } else {
        tracks.append(
          CustomDetectionTrack(
            type: type, id: DetectionID(id), group: nil, samples: try samples(),
            smooth: kind == 3, recorded: false))
      }
    }
    return tracks
  }

  private mutating func detectionType() throws(CinematicError) -> DetectionType {
    guard let raw = Int(exactly: try reader.varint()), let type = DetectionType(rawValue: raw)
    else {
      throw ChangesReader.malformed("a detection of unknown type")
    }
    return type
  }

  private mutating func fixedTrack(id: DetectionID) throws(CinematicError) -> DetectionTrack {
    let disparity = try reader.float()
    var original: Detection?
    switch try reader.byte() {
    case 0: break
    case 1: original = try detection()
    default: throw ChangesReader.malformed("a fixed track of unknown form")
    }
    return FixedDetectionTrack(
      focusDisparity: disparity, original: original, id: id, group: nil, recorded: false)
  }

  private mutating func detection() throws(CinematicError) -> Detection {
    let time = try time()
    let type = try detectionType()
    let rect = NormalizedRect(
      x: try reader.double(), y: try reader.double(), width: try reader.double(),
      height: try reader.double())
    var detection = Detection(
      time: time, detectionType: type, normalizedRect: rect, focusDisparity: try reader.float())
    let (id, group) = (try reader.signed(), try reader.signed())
    detection.detectionID = id == 0 ? nil : DetectionID(id)
    detection.detectionGroupID = group == 0 ? nil : DetectionGroupID(group)
    return detection
  }

  private mutating func samples() throws(CinematicError) -> DetectionSamples {
    let count = try reader.count(ofAtLeast: 1, perByte: detectionsPerByte)
    var times: [Time] = []
    times.reserveCapacity(count)
    while times.count < count {
      let length = try reader.varint()
      let scale = try timescale()
      let step = try reader.signed()
      guard length >= 1, length <= UInt64(count - times.count) else {
        throw ChangesReader.malformed("a run of times is too long")
      }
      for _ in 0..<length {
        let last = times.last ?? .zero
        let value = last.timescale == scale ? last.value &+ step : step
        let time = Time(value: value, timescale: scale)
        guard times.isEmpty || last < time else {
          throw ChangesReader.malformed("the detections are not in the order of time")
        }
        times.append(time)
      }
    }
    let columns = try columns(of: count)
    var samples = DetectionSamples()
    samples.reserveCapacity(count)
    for (index, time) in times.enumerated() {
      let disparity = Float(columns[4][index])
      guard disparity.isFinite else { throw ChangesReader.malformed("a number is not finite") }
      samples.append(
        time: time,
        rect: NormalizedRect(
          x: columns[0][index], y: columns[1][index], width: columns[2][index],
          height: columns[3][index]), disparity: disparity)
    }
    return samples
  }

  private mutating func columns(of count: Int) throws(CinematicError) -> [[Double]] {
    var grids: [BinaryGrid?] = []
    var predictions: [ResidualModel.Prediction] = []
    for _ in 0..<columnCount {
      let exponent = try reader.byte()
      guard exponent != offGrid else {
        grids.append(nil)
        continue
      }
      guard exponent <= BinaryGrid.finest,
        let prediction = ResidualModel.Prediction(rawValue: try reader.byte())
      else { throw ChangesReader.malformed("a track's numbers have an unknown form") }
      grids.append(BinaryGrid(exponent: Int(exponent)))
      predictions.append(prediction)
    }
    var columns = [[Double]](repeating: [], count: columnCount)
    if !predictions.isEmpty {
      let bytes = try reader.bytes(try reader.count(ofAtLeast: 1))
      guard count / detectionsPerByte <= bytes.count else {
        throw ChangesReader.malformed("a track has more detections than fit its bytes")
      }
      var model = ResidualModel(predictions)
      var coder = ArithmeticDecoder(bytes)
      var row = [Int64](repeating: 0, count: predictions.count)
      for _ in 0..<count {
        model.code(&row, with: &coder)
        var next = row.makeIterator()
        for (index, grid) in grids.enumerated() {
          if let grid, let steps = next.next() { columns[index].append(grid.value(steps)) }
        }
      }
    }
    for (index, grid) in grids.enumerated() where grid == nil {
      guard reader.remaining / 8 >= count else {
        throw ChangesReader.malformed("a track is cut off")
      }
      for _ in 0..<count { columns[index].append(try reader.double()) }
    }
    return columns
  }
}
