// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Scenarist caption files.
enum SCCFile {
  static func read(
    _ bytes: [UInt8], channel: CEA608.Channel
  ) throws(CinematicError) -> CaptionDocument {
    var scanner = try SCCScanner(bytes)
    let sent = scanner.transmission()
    var tracker = ScreenTracker(channel: channel)
    for pair in sent { tracker.receive(pair) }
    let captions = tracker.finish(at: (sent.last?.frame ?? 0) + 1)
    let isDropFrame = scanner.lines.contains { $0.isDropFrame }
    var log = scanner.log
    if isDropFrame, scanner.lines.contains(where: { !$0.isDropFrame }) {
      log.add("some time codes count drop frame and some do not; each was read as it is")
    }
    return CaptionDocument(
      captions: captions, format: .scc, timeCodeRate: isDropFrame ? .ntscDrop : .ntsc,
      doublesControlCodes: SCCScanner.doublesControlCodes(sent),
      issues: (log.all + tracker.log.all).sorted { ($0.line ?? .max) < ($1.line ?? .max) })
  }

  static func write(
    _ document: CaptionDocument, _ options: CaptionWritingOptions
  ) throws(CinematicError) -> (bytes: [UInt8], losses: [CaptionIssue]) {
    var rate = options.timeCodeRate ?? .ntsc
    if options.timeCodeRate == nil, document.timeCodeRate == .ntscDrop { rate = .ntscDrop }
    let settings = try CaptionConversionSettings(
      timeCodeRate: rate, channel: options.channel,
      doublesControlCodes: document.doublesControlCodes)
    let conversion = CaptionConversion(
      document.captions, doubling: settings.doublesControlCodes)
    let warnings = conversion.warnings.map { warning in
      CaptionIssue(
        time: warning.timeRange.start,
        reason: warning.adjustment.map {
          "\(warning.reason); it starts \(rounded($0.startTimeOffset.seconds)) s later, and its"
            + " duration changes by \(rounded($0.durationOffset.seconds)) s"
        } ?? "\(warning.reason); it is left out")
    }
    return (
      bytes(conversion.sent, settings),
      (warnings + conversion.losses).sorted { ($0.time ?? .zero) < ($1.time ?? .zero) }
    )
  }

  private static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }

  private static let hexadecimal = Array("0123456789abcdef".utf8)

  private static func bytes(
    _ sent: [(frame: Int, pair: UInt16)], _ settings: CaptionConversionSettings
  ) -> [UInt8] {
    var bytes = Array("Scenarist_SCC V1.0\n".utf8)
    bytes.reserveCapacity(sent.count * 5 + 1024)
    var next: Int?
    for (frame, pair) in sent {
      if frame == next {
        bytes.append(0x20)
      } else {
        bytes += "\(next == nil ? "" : "\n")\n\(settings.timeCodeRate.label(of: frame))\t".utf8
      }
      next = frame + 1
      let isControl = pair & 0x7000 == 0x1000
      let value = CEA608.withParity(
        isControl && settings.channel == .two ? pair | 0x0800 : pair)
      for shift in [12, 8, 4, 0] { bytes.append(hexadecimal[Int(value >> UInt16(shift) & 15)]) }
    }
    bytes.append(0x0A)
    return bytes
  }
}
