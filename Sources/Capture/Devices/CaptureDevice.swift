// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Foundation
import VideoDevices

/// Something that gives pictures as time goes by: a camera, or a file that is played at its rate.
public struct CaptureDevice: Hashable, Sendable {
  public enum Kind: String, Hashable, Sendable {
    case camera
    case microphone
    case file
  }

  /// The name by which ``CaptureSession`` opens it: `v4l2:/dev/video0`, `alsa:hw:0,0`, a path.
  public let id: String
  /// For people.
  public let localizedName: String
  public let kind: Kind
  /// In the order of the device; none of a microphone.
  public let formats: [CaptureFormat]
  /// Why a camera cannot be opened; `nil` for one that can.
  public let failure: CinematicError?

  public init(
    id: String, localizedName: String, kind: Kind, formats: [CaptureFormat],
    failure: CinematicError? = nil
  ) {
    (self.id, self.localizedName) = (id, localizedName)
    (self.kind, self.formats, self.failure) = (kind, formats, failure)
  }

  /// The cameras and microphones of the machine, those that cannot be opened with their ``failure``; none on systems
  /// without Video for Linux.
  public static func devices() -> [CaptureDevice] {
    cameras(in: "/dev")
      + microphones(try? String(contentsOfFile: "/proc/asound/pcm", encoding: .utf8))
  }

  /// The errors of what is no camera, or is not there any more.
  private static let absent = [ENODEV, ENOTTY, ENXIO, ENOENT]

  static func cameras(in folder: String) -> [CaptureDevice] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let numbers = names.compactMap { name in
      name.hasPrefix("video") ? Int(name.dropFirst("video".count)) : nil
    }
    return numbers.sorted().compactMap { number in
      let path = "\(folder)/video\(number)"
      switch opened(path) {
      case .success(let camera): return camera
      case .failure(let failure) where absent.contains(failure.number): return nil
      case .failure(let failure):
        return CaptureDevice(
          id: "v4l2:\(path)", localizedName: "video\(number)", kind: .camera, formats: [],
          failure: failure.error)
      }
    }
  }

  /// A device by its id: a camera, a microphone, or a file.
  ///
  /// - Throws: `unreadable` for one that is not there, `unsupported` for one without pictures, `invalidParameter` for a
  ///   file of one picture, which no session takes, what opening a file throws.
  public static func device(_ id: String) async throws(CinematicError) -> CaptureDevice {
    if id.hasPrefix("/dev/") { return try camera(id) }
    if id.hasPrefix("v4l2:") { return try camera(String(id.dropFirst("v4l2:".count))) }
    if DeviceSource.isDevice(id) {
      let input = try DeviceInput(id)
      let formats = input.properties.map { [CaptureFormat($0)] } ?? []
      return CaptureDevice(
        id: id, localizedName: id, kind: formats.isEmpty ? .microphone : .camera, formats: formats)
    }
    let reader = try await FrameReader.open(id)
    try FileSource.check(reader.properties, of: id)
    return CaptureDevice(
      id: id, localizedName: id, kind: .file, formats: [CaptureFormat(reader.properties)])
  }

  private static func camera(_ path: String) throws(CinematicError) -> CaptureDevice {
    switch opened(path) {
    case .success(let camera): return camera
    case .failure(let failure): throw failure.error
    }
  }

  /// What became of opening a camera, with the system's number.
  private struct OpeningFailure: Error {
    var number: Int32
    var error: CinematicError
  }

  private static func opened(_ path: String) -> Result<CaptureDevice, OpeningFailure> {
    var formats = [FocalVideoFormat](repeating: .init(), count: 1024)
    var name = [CChar](repeating: 0, count: 64)
    let capacity = Int32(formats.count)
    let count = focal_video_formats(path, &name, &formats, capacity)
    guard count >= 0 else {
      let error = CinematicError(
        .unreadable,
        "\(path) is no camera that can be opened: \(String(cString: strerror(-count)))",
        remedy:
          "see what is there with \(parameter: .captureDevices); cameras belong to the group video")
      return .failure(OpeningFailure(number: -count, error: error))
    }
    let text = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return .success(
      CaptureDevice(
        id: "v4l2:\(path)", localizedName: String(decoding: text, as: UTF8.self), kind: .camera,
        formats: formats.prefix(Int(min(count, capacity))).compactMap(CaptureFormat.init)))
  }

  /// The sound cards that record.
  ///
  /// - Parameter list: the kernel's, a line a card: `00-01: ALC257 Analog : ALC257 Analog : playback 1 : capture 1`.
  static func microphones(_ list: String?) -> [CaptureDevice] {
    (list ?? "").split(separator: "\n").compactMap { line in
      let parts = line.split(separator: ":").map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count > 2, parts.contains(where: { $0.hasPrefix("capture") }) else { return nil }
      let numbers = parts[0].split(separator: "-").compactMap { Int($0) }
      guard numbers.count == 2 else { return nil }
      return CaptureDevice(
        id: "alsa:hw:\(numbers[0]),\(numbers[1])", localizedName: parts[1], kind: .microphone,
        formats: [])
    }
  }
}

extension CaptureFormat {
  /// The kernel's codes of forms without colour: gray of 8 to 16 bits, depth.
  private static let colorless: Set<String> = [
    "GREY", "Y10 ", "Y12 ", "Y16 ", "Y8I ", "Y12I", "Z16 ",
  ]
  private static let deep: Set<String> = ["Y10 ", "Y12 ", "Y16 ", "Y12I", "Z16 ", "P010"]

  init?(_ format: FocalVideoFormat) {
    guard format.width > 0, format.height > 0, format.fastest_seconds > 0,
      format.slowest_seconds > 0
    else { return nil }
    let coding = String(
      decoding: [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: format.coding >> $0) & 0x7F },
      as: UTF8.self)
    // Some cameras say no rate.
    let fastest = Double(format.fastest_count) / Double(format.fastest_seconds)
    let slowest = Double(format.slowest_count) / Double(format.slowest_seconds)
    let isSaid = slowest > 0 && fastest >= slowest
    self.init(
      dimensions: Dimensions(width: Int(format.width), height: Int(format.height)),
      coding: coding.trimmingCharacters(in: .whitespaces),
      frameRates: isSaid ? slowest...fastest : 30...30,
      bitDepth: Self.deep.contains(coding) ? 10 : 8, hasColor: !Self.colorless.contains(coding))
  }
}
