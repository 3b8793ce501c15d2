// SPDX-License-Identifier: Apache-2.0

import FocalCore
import Testing

@testable import FocalBoxes

/// Settings, times and calls that the muxer refuses.
extension MuxerTests {
  @Test func errors() throws {
    func failure(_ body: () throws(CinematicError) -> Void) -> CinematicError.Code? {
      do throws(CinematicError) {
        try body()
        return nil
      } catch {
        return error.code
      }
    }
    var muxer = MovieMuxer(.init(), sink: MemorySink())
    _ = muxer.addTrack(Self.track("vide", 600))
    try muxer.append(MediaSample(data: [1], time: 20, duration: 20), to: 0)
    #expect(
      failure { () throws(CinematicError) in
        try muxer.append(MediaSample(data: [1], time: 20, duration: 20), to: 0)
      } == .invalidParameter)
    #expect(
      failure { () throws(CinematicError) in
        try muxer.append(MediaSample(data: [1], time: 1 << 40, duration: 20), to: 0)
      } == .unsupported)
    var empty = MovieMuxer(.init(), sink: MemorySink())
    _ = empty.addTrack(Self.track("vide", 600))
    #expect(failure { () throws(CinematicError) in try empty.finish() } == .incomplete)
  }

  /// Settings by which no movie is written: said with the first sample, of whichever track, and none ends the program.
  @Test(arguments: [0, -1, Int32.min]) func settingsOfNoMovie(_ timescale: Int32) throws {
    let sample = MediaSample(data: [1], time: 0, duration: 1)
    func message(
      _ settings: MovieMuxer.Settings = .init(), _ change: (inout TrackSettings) -> Void
    ) -> String? {
      var wrong = Self.track("soun", 600)
      change(&wrong)
      let sink = MemorySink()
      var muxer = MovieMuxer(settings, sink: sink)
      _ = muxer.addTrack(Self.track("vide", 600))
      _ = muxer.addTrack(wrong)
      for track in [0, 1] {
        let error = failure { () throws(CinematicError) in
          try muxer.append(sample, to: track)
        }
        guard let error, error.code == .invalidParameter else { return nil }
        if track == 1 { return error.message }
      }
      return nil
    }
    var settings = MovieMuxer.Settings()
    settings.timescale = timescale
    #expect(message(settings) { _ in }?.contains("\(timescale) ticks a second") == true)
    let ofTrack = message { $0.timescale = timescale }
    #expect(ofTrack?.contains("“soun” cannot have \(timescale) ticks") == true)
    for size in [Int(timescale), 0, -1, Int(UInt32.max) + 1, .max] {
      let text = message { $0.plainFrameSize = size }
      #expect(text?.contains("plain sound of \(size) bytes") == true)
    }
  }

  /// The largest size of plain sound that is said: its bytes are none that came, and nothing overflows.
  @Test func largestPlainSound() throws {
    var muxer = MovieMuxer(.init(), sink: MemorySink())
    var track = Self.track("soun", 600)
    track.plainFrameSize = Int(UInt32.max)
    _ = muxer.addTrack(track)
    let error = failure { () throws(CinematicError) in
      try muxer.append(
        MediaSample(data: [1], time: 0, duration: Int64(Int32.max)), to: 0)
    }
    #expect(error?.code == .invalidParameter)
  }

  private static let late: Int64 = 1 << 60
  private static let ends: [Int64] = [
    .min, .min + 1, -2 * late, -late, late, 2 * late, .max - 40, .max,
  ]

  /// Times at both ends of what 64 bits hold: refused, or written.
  @Test(arguments: ends) func timesAtTheEnds(_ time: Int64) throws {
    for frameSize in [nil, 1] {
      var muxer = MovieMuxer(.init(), sink: MemorySink())
      var track = Self.track(frameSize == nil ? "vide" : "soun", 600)
      track.plainFrameSize = frameSize
      _ = muxer.addTrack(track)
      let data = [UInt8](repeating: 1, count: 20)
      do throws(CinematicError) {
        try muxer.append(MediaSample(data: data, time: time, duration: 20), to: 0)
        if time < .max - 20 {
          try muxer.append(MediaSample(data: data, time: time + 20, duration: 20), to: 0)
        }
        try muxer.finish()
        #expect(abs(time) == Self.late)
      } catch {
        #expect(error.code == .unsupported && time.magnitude > Self.late.magnitude, "\(time)")
      }
    }
  }

  /// Fragments that span no time would be one a sample, or one for the whole movie.
  @Test(arguments: [0, -1, .nan, .infinity] as [Double]) func fragmentsOfNoTime(_ seconds: Double) {
    var settings = MovieMuxer.Settings()
    settings.fragmentSeconds = seconds
    var muxer = MovieMuxer(settings, sink: MemorySink())
    let track = muxer.addTrack(Self.track("vide", 600))
    let error = #expect(throws: CinematicError.self) {
      try muxer.append(MediaSample(data: [1], time: 0, duration: 20), to: track)
    }
    #expect(error?.code == .invalidParameter)
  }
}
