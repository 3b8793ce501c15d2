// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FocalCapture
import FocalCommands
import FocalCore
import FocalMedia
import Foundation

struct CaptureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture",
    abstract: "Record with a simulated lens: from cameras, or files that are played as cameras.",
    discussion: """
      Each picture gets its disparity, its detections and its focus as it comes. Devices are cameras \
      (v4l2:/dev/video0), microphones (alsa:default), whatever else FFmpeg's libavdevice reads (KIND:NAME), and files, \
      which are played at their rate. Pictures that come faster than they can be worked on are left out and counted.
      """,
    subcommands: [
      CaptureDevicesCommand.self, CaptureRecordCommand.self, CapturePreviewCommand.self,
      CaptureRecoverCommand.self,
    ])
}

struct CaptureDevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List cameras and microphones, their formats, and which record Cinematic movies.",
    usage: "focal capture devices [<device> ...] [--json]")

  @Argument(help: "Devices or files to look at, instead of those that are found.")
  var devices: [String] = []
  @Flag(help: "Print lines of JSON.")
  var json = false

  private struct Format: Encodable {
    var width: Int
    var height: Int
    var coding: String
    var slowest: Double
    var fastest: Double
    var isCinematicVideoCaptureSupported: Bool
    var minSimulatedAperture: Float
    var maxSimulatedAperture: Float
    var defaultSimulatedAperture: Float

    init(_ format: CaptureFormat) {
      (width, height) = (format.dimensions.width, format.dimensions.height)
      coding = format.coding
      (slowest, fastest) = (format.frameRates.lowerBound, format.frameRates.upperBound)
      isCinematicVideoCaptureSupported = format.isCinematicVideoCaptureSupported
      minSimulatedAperture = format.minSimulatedAperture
      maxSimulatedAperture = format.maxSimulatedAperture
      defaultSimulatedAperture = format.defaultSimulatedAperture
    }
  }

  private struct Device: Encodable {
    var event = "device"
    var id: String
    var name: String
    var kind: String
    var formats: [Format]
    var error: String?
  }

  func run() throws {
    let names = devices
    let found =
      names.isEmpty
      ? CaptureDevice.devices()
      : try waiting { () async throws(CinematicError) -> [CaptureDevice] in
        var found: [CaptureDevice] = []
        for name in names { found.append(try await CaptureDevice.device(name)) }
        return found
      }
    if found.isEmpty {
      note("no camera and no microphone is here; a file can be played as a camera")
    }
    for device in found {
      let formats = device.formats.map(Format.init)
      if json {
        try printJSON(
          Device(
            id: device.id, name: device.localizedName, kind: device.kind.rawValue, formats: formats,
            error: device.failure?.told)
        )
        continue
      }
      printLine("\(device.id): \(device.localizedName) (\(device.kind.rawValue))")
      if let failure = device.failure { printLine("  \(failure.told)") }
      for format in device.formats { printLine("  \(format.summary)") }
    }
  }
}

extension CaptureFormat {
  fileprivate var summary: String {
    func text(_ rate: Double) -> String {
      rate == rate.rounded() ? "\(Int(rate))" : String(format: "%.2f", rate)
    }
    let rates =
      frameRates.lowerBound == frameRates.upperBound
      ? text(frameRates.upperBound)
      : "\(text(frameRates.lowerBound)) to \(text(frameRates.upperBound))"
    let cinematic =
      isCinematicVideoCaptureSupported
      ? "Cinematic, f/\(minSimulatedAperture) to f/\(maxSimulatedAperture), by default f/\(defaultSimulatedAperture)"
      : "not Cinematic"
    return "\(dimensions) \(coding), \(rates) frames a second: \(cinematic)"
  }
}

struct CaptureRecoverCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Finish recordings that were interrupted.",
    usage: "focal capture recover <clip.recording.mov | folder> ...",
    discussion: """
      A movie that is being recorded grows beside its name, as clip.recording.mov, and plays up to its last \
      quarter of a second or so whatever ends the program; detections and decisions lie beside it, in \
      clip.recording.mov.focus. This command makes one movie of both, under its name; recording to the same name does so, too, under a name beside it \
      (clip-recovered.mov). Detections and decisions of which lines cannot be read are an error; the movie has the others, \
      and the file is kept as clip.recording.mov.1.focus.
      """)

  @Argument(help: "Recordings, or folders of them.")
  var recordings: [String]
  @Flag(help: "Print lines of JSON.")
  var json = false

  private struct Recovered: Encodable {
    var event = "recovered"
    var recording: String
    var movie: String?
  }

  func run() throws {
    var paths: [String] = []
    for name in recordings {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: name, isDirectory: &isFolder) else {
        throw CinematicError(.unreadable, "there is no \(name)", remedy: "check the name")
      }
      guard isFolder.boolValue else {
        paths.append(name)
        continue
      }
      let names = (try? FileManager.default.contentsOfDirectory(atPath: name)) ?? []
      paths += names.sorted().map { (name as NSString).appendingPathComponent($0) }.filter {
        InterruptedRecording.finalPath(of: $0) != nil && !InterruptedRecording.isInProgress($0)
      }
    }
    if paths.isEmpty { note("no interrupted recording is there") }
    for path in paths {
      let movie = try waiting { () async throws(CinematicError) in
        try await InterruptedCapture.recover(path)
      }
      if json {
        try printJSON(Recovered(recording: path, movie: movie))
      } else {
        printLine(
          movie.map { "\($0): recovered" } ?? "\(path): held nothing that plays, and was removed")
      }
    }
  }
}
