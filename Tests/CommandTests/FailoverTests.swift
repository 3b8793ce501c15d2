// SPDX-License-Identifier: Apache-2.0

import DeviceDoubles
import FocalCPU
import FocalCore
import FocalMedia
import FocalRendering
import Foundation
import Testing

@testable import focal

/// A clip goes on with the next device from the frame that failed.
@Suite struct FailoverTests {
  private static let frames = 7

  private func job(_ folder: Folder, _ output: String, _ devices: [Device]) -> RenderJob {
    RenderJob(
      input: folder.file("clip.mp4"), map: folder.file("maps/%04d.png"),
      output: folder.file(output), inputOptions: ReadOptions(),
      mapOptions: ReadOptions(
        content: .disparity(DisparityScale(low: 0, high: 1, kind: .disparity))),
      stretchesMap: false, focus: .disparity(0.4), fNumber: 2, attributes: .init(),
      quality: .preview, devices: devices, overwrite: false, json: true)
  }

  private func material() throws -> Folder {
    let folder = Folder()
    try Material.clip("clip.mp4", in: folder, times: Material.steady(Self.frames))
    try Material.numberedMaps(Self.frames, in: folder)
    for name in ["good", "bad"] { folder.make(name) }
    return folder
  }

  /// The frames of a rendering on devices that fail are those of one that does not.
  private func expectSame(_ devices: [Device], endingOn last: String) async throws {
    let folder = try material()
    _ = try await job(folder, "good/%04d.png", [.cpu()]).run()
    let report = try await job(folder, "bad/%04d.png", devices).run()
    #expect(report.outcome.frames == Self.frames)
    #expect(report.outcome.device == last)
    for number in 0..<Self.frames {
      let name = String(format: "%04d.png", number)
      #expect(folder.read("bad/\(name)") == folder.read("good/\(name)"), "\(name)")
      #expect(!folder.read("good/\(name)").isEmpty)
    }
    #expect(folder.unfinished.isEmpty)
  }

  @Test(arguments: [0, 1, 3, Self.frames - 1])
  func aLostDevice(_ frame: Int) async throws {
    try await expectSame([.faulty(.lost(from: frame)), .cpu()], endingOn: "cpu")
  }

  @Test(arguments: [0, 2, 9])
  func aDeviceWithoutMemory(_ allocation: Int) async throws {
    try await expectSame([.faulty(.outOfMemory(from: allocation)), .cpu()], endingOn: "cpu")
  }

  @Test(arguments: [0, 2])
  func aDeviceWhoseDriverDoesNotCompileAKernel(_ frame: Int) async throws {
    try await expectSame([.faulty(.notCompiling(from: frame)), .cpu()], endingOn: "cpu")
  }

  @Test func oneAfterTheOther() async throws {
    try await expectSame(
      [
        .faulty(.lost(from: 2), identifier: "double:0"),
        .faulty(.outOfMemory(from: 0), identifier: "double:1"),
        .faulty(.lost(from: 1), identifier: "double:2"), .cpu(),
      ], endingOn: "cpu")
  }

  @Test func aDeviceThatWorksIsKept() async throws {
    try await expectSame([.faulty(nil, identifier: "double:5"), .cpu()], endingOn: "double:5")
  }

  /// A device that was asked for by name has no successor.
  @Test func noDeviceIsLeft() async throws {
    let folder = try material()
    let before = folder.names
    for devices in [
      [Device.faulty(.lost(from: 3))], [.faulty(.lost(from: 3)), .faulty(.lost(from: 1))],
    ] {
      await #expect {
        try await job(folder, "bad.mov", devices).run()
      } throws: { ($0 as? CinematicError)?.code == .deviceLost }
      #expect(folder.names == before)
    }
    // Numbered frames that were whole stay, and another device renders the rest.
    await #expect {
      try await job(folder, "bad/%04d.png", [.faulty(.lost(from: 3))]).run()
    } throws: { ($0 as? CinematicError)?.code == .deviceLost }
    let finished = folder.names(in: "bad")
    #expect(!finished.isEmpty && finished.count < Self.frames)
    var rest = job(folder, "bad/%04d.png", [.cpu()])
    rest.resumes = true
    #expect(try await rest.run().outcome.frames == Self.frames - finished.count)
  }
}
