// SPDX-License-Identifier: Apache-2.0

import FocalCore

// An added track in the binary form of changes: u8 kind (1 fixed, 2 custom, 3 custom and smoothed),
// varint id, varint type, then
//   fixed: f32 disparity; u8 0, or 1 and a detection: time, varint type, 4 f64 rectangle,
//   f32 disparity, signed id or 0, signed group or 0
//   custom: varint count; times as runs (varint length, varint index of the timescale, signed step);
//   u8 form of the rectangles, then x, y, width, height by column; u8 form of the disparities, then
//   these. Form 0: signed differences of multiples of 2^-16 (2^-14 for disparities);
//   1: f32; 2: f64. The first that loses nothing is taken: a tracker that rounds to these multiples
//   gets about 6 bytes a detection.
private let rectangleSteps = 65536.0
private let disparitySteps = 16384.0

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
    let columns: [[Double]] = [
      samples.rects.map(\.x), samples.rects.map(\.y), samples.rects.map(\.width),
      samples.rects.map(\.height),
    ]
    encode(columns, steps: rectangleSteps)
    encode([samples.disparities.map(Double.init)], steps: disparitySteps)
  }

  private mutating func encode(_ columns: [[Double]], steps: Double) {
    func isMultiple(_ value: Double) -> Bool {
      let scaled = value * steps
      // 2^31 keeps every difference exact; the bits tell -0 from 0
      return abs(scaled) < 0x1p31 && (scaled.rounded() / steps).bitPattern == value.bitPattern
    }
    if columns.allSatisfy({ $0.allSatisfy(isMultiple) }) {
      writer.byte(0)
      for column in columns {
        var last: Int64 = 0
        for value in column {
          let ticks = Int64((value * steps).rounded())
          writer.signed(ticks - last)
          last = ticks
        }
      }
    } else if columns.allSatisfy({ $0.allSatisfy { Double(Float($0)).bitPattern == $0.bitPattern } }
    ) {
      writer.byte(1)
      for value in columns.joined() { writer.float(Float(value)) }
    } else {
      writer.byte(2)
      for value in columns.joined() { writer.double(value) }
    }
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
      guard (1...3).contains(kind) else { throw ByteReader.malformed("a track of unknown kind") }
      guard let id = Int64(exactly: try reader.varint()), id > 0, ids.insert(id).inserted else {
        throw ByteReader.malformed("a track's id is not positive, or taken")
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
      throw ByteReader.malformed("a detection of unknown type")
    }
    return type
  }

  private mutating func fixedTrack(id: DetectionID) throws(CinematicError) -> DetectionTrack {
    let disparity = try reader.float()
    var original: Detection?
    switch try reader.byte() {
    case 0: break
    case 1: original = try detection()
    default: throw ByteReader.malformed("a fixed track of unknown form")
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
    // four sides and a disparity take at least a byte each
    let count = try reader.count(ofAtLeast: 5)
    var times: [Time] = []
    times.reserveCapacity(count)
    while times.count < count {
      let length = try reader.varint()
      let scale = try timescale()
      let step = try reader.signed()
      guard length >= 1, length <= UInt64(count - times.count) else {
        throw ByteReader.malformed("a run of times is too long")
      }
      for _ in 0..<length {
        let last = times.last ?? .zero
        let value = last.timescale == scale ? last.value &+ step : step
        let time = Time(value: value, timescale: scale)
        guard times.isEmpty || last < time else {
          throw ByteReader.malformed("the detections are not in the order of time")
        }
        times.append(time)
      }
    }
    let sides = try columns(4, of: count, steps: rectangleSteps)
    let disparities = try columns(1, of: count, steps: disparitySteps)[0]
    var samples = DetectionSamples()
    samples.reserveCapacity(count)
    for index in 0..<count {
      let disparity = Float(disparities[index])
      guard disparity.isFinite else { throw ByteReader.malformed("a number is not finite") }
      samples.append(
        time: times[index],
        rect: NormalizedRect(
          x: sides[0][index], y: sides[1][index], width: sides[2][index], height: sides[3][index]),
        disparity: disparity)
    }
    return samples
  }

  private mutating func columns(
    _ columns: Int, of count: Int, steps: Double
  ) throws(CinematicError) -> [[Double]] {
    let form = try reader.byte()
    guard form <= 2, reader.remaining >= columns * count * [1, 4, 8][Int(form)] else {
      throw ByteReader.malformed("a track is cut off, or of an unknown form")
    }
    var result: [[Double]] = []
    for _ in 0..<columns {
      var column: [Double] = []
      column.reserveCapacity(count)
      var last: Int64 = 0
      for _ in 0..<count {
        switch form {
        case 0:
          last = last &+ (try reader.signed())
          column.append(Double(last) / steps)
        case 1: column.append(Double(try reader.float()))
        default: column.append(try reader.double())
        }
      }
      result.append(column)
    }
    return result
  }
}
