// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import Testing

/// Frames, settings and calls that outputs refuse.
extension OutputTests {
  @Test func stillsTakeOneFrameAndOutputsNeedOne() throws {
    let folder = ScratchFolder()
    let still = try FrameWriter.create(folder.file("a.png"), settings: settings(folder))
    try append(still, 0)
    let more = try Scene.noise(3, 3, .rgba8)
    #expect(
      failure { () throws(CinematicError) in
        try still.append(more, time: .zero, duration: .zero)
      }?.code == .invalidParameter)
    try still.finish()
    for name in ["b.png", "b.mp4", "b%d.png"] {
      let writer = try FrameWriter.create(folder.file(name), settings: settings(folder))
      let error = failure { () throws(CinematicError) in try writer.finish() }
      #expect(error?.code == .incomplete)
    }
    #expect(folder.names == ["a.png"])
  }

  /// Each call after an output's end is answered with what ended it.
  @Test(arguments: ["a.png", "%02d.png", "a.mp4"]) func callsAfterTheEnd(_ name: String) throws {
    let folder = ScratchFolder()
    let picture = try Scene.noise(32, 32, .rgba8)
    func writer() throws -> FrameWriter {
      try FrameWriter.create(folder.file(name), settings: settings(folder, overwrite: true))
    }
    /// The codes of one more frame and another end.
    func codes(_ writer: FrameWriter) -> [CinematicError.Code?] {
      let frame = failure { () throws(CinematicError) in
        try writer.append(
          picture, time: Time(value: 9, timescale: 30), duration: Time(value: 1, timescale: 30))
      }
      let end = failure { () throws(CinematicError) in try writer.finish() }
      return [frame?.code, end?.code]
    }
    for count in 0...1 {
      let cancelled = try writer()
      for index in 0..<count { try append(cancelled, index) }
      cancelled.cancel()
      #expect(codes(cancelled) == [.cancelled, .cancelled])
    }
    let empty = try writer()
    #expect(failure { () throws(CinematicError) in try empty.finish() }?.code == .incomplete)
    empty.cancel()
    #expect(codes(empty) == [.incomplete, .incomplete])
    let finished = try writer()
    try append(finished, 0)
    try finished.finish()
    let names = folder.names
    finished.cancel()
    #expect(codes(finished) == [.invalidState, .invalidState])
    #expect(folder.names == names && folder.temporaryFiles.count == 0)
  }

  /// A picture that its file cannot hold is the error of all that follows, not a second picture.
  @Test func callsAfterAFailure() throws {
    let folder = ScratchFolder()
    let still = try FrameWriter.create(folder.file("a.png"), settings: settings(folder))
    let planes = try Scene.noise(32, 32, .yuv420Video8)
    let picture = try Scene.noise(32, 32, .rgba8)
    for buffer in [planes, picture] {
      let error = failure { () throws(CinematicError) in
        try still.append(buffer, time: .zero, duration: .zero)
      }
      #expect(error?.message.contains("luma") == true)
    }
    let end = failure { () throws(CinematicError) in try still.finish() }
    #expect(end?.message.contains("luma") == true)
    #expect(folder.names == [] && folder.temporaryFiles.count == 0)
  }

  /// Only movies in boxes say how pictures are turned: elsewhere they would lie on their side without a word.
  @Test(arguments: ["a.png", "%02d.jpg", "a.exr", "-", "a.mov", "a.mp4"])
  func turnsOfOutputs(_ name: String) throws {
    let folder = ScratchFolder()
    var settings = settings(folder)
    settings.preferredTransform = .clockwise90
    if name == "-" { settings.stream = .y4m }
    let error = failure { () throws(CinematicError) in
      let path = name == "-" ? name : folder.file(name)
      try FrameWriter.create(path, settings: settings).cancel()
    }
    if name.hasSuffix("mov") || name.hasSuffix("mp4") {
      #expect(error == nil)
    } else {
      #expect(error?.code == .unsupported)
      #expect(error?.message.contains("turned by 90 degrees") == true)
    }
    #expect(folder.names == [] && folder.temporaryFiles.count == 0)
  }

  @Test func wrongFramesAreRefused() throws {
    let folder = ScratchFolder()
    let writer = try FrameWriter.create(folder.file("a.mp4"), settings: settings(folder))
    let other = try Scene.noise(3, 3, .rgba8)
    let error = failure { () throws(CinematicError) in
      try writer.append(other, time: .zero, duration: .zero)
    }
    #expect(error?.code == .incompatible)
    #expect(folder.names == [])
  }
}
