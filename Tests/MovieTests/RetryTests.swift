// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Synchronization
import Testing

/// A connection that is gone for a moment.
@Suite struct RetryTests {
  /// A source of which one read fails once.
  static func source(_ bytes: [UInt8], failing number: Int) -> MemorySource {
    let counter = Counter()
    return MemorySource([(0, bytes)]) { () throws(CinematicError) in
      if counter.next() == number {
        throw CinematicError(.downloadFailed, "the cable is out", remedy: "plug it in")
      }
    }
  }

  private final class Counter: Sendable {
    private let value = Atomic<Int>(0)
    func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
  }

  /// Whichever read fails: the load fails with it, and the next one gives what there is.
  @Test(arguments: MovieLayout.Form.allCases)
  func anyReadMayFail(_ form: MovieLayout.Form) async throws {
    let bytes = PhoneMovie.layout(frames: 9, form: form).bytes()
    let undisturbed = MemorySource(bytes)
    let expected = try await Self.found(Asset(source: undisturbed))
    #expect(undisturbed.readCount > 4)
    for number in 0..<undisturbed.readCount {
      let asset = Asset(source: Self.source(bytes, failing: number))
      let error = await failure { () async throws(CinematicError) in
        _ = try await Self.found(asset)
      }
      #expect(error?.code == .downloadFailed, "\(number): \(String(describing: error))")
      #expect(try await Self.found(asset) == expected, "\(number)")
    }
  }

  private static func found(_ asset: Asset) async throws(CinematicError) -> [String] {
    var found = ["\(try await asset.load(.duration))"]
    for item in try await asset.load(.metadata) {
      found.append("\(item.key) \(try await item.load(.dataValue))")
    }
    for track in try await asset.load(.tracks) {
      let (range, entries) = try await track.load(.timeRange, .formatDescriptions)
      let index: SampleIndex = try await track.load(.sampleIndex)
      found.append("\(range) \(entries.map(\.format)) \(index.count) \(index.byteCount)")
    }
    return found
  }

  @Test func theStatusTellsTheLastFailure() async throws {
    let asset = Asset(source: Self.source(PhoneMovie.layout().bytes(), failing: 0))
    let error = await failure { () async throws(CinematicError) in
      _ = try await asset.load(.duration)
    }
    guard case .failed(let told) = asset.status(of: .duration) else {
      Issue.record("the status is \(asset.status(of: .duration))")
      return
    }
    #expect(told == error)
    #expect(try await asset.load(.duration) == Time(value: 12, timescale: 30))
    #expect(asset.status(of: .duration).value == Time(value: 12, timescale: 30))
  }

  /// A cancelled second attempt leaves the failure of the first.
  @Test func aCancelledAttemptTellsNothing() async throws {
    let gate = Gate()
    let isFirst = Mutex(true)
    let source = MemorySource([(0, PhoneMovie.layout().bytes())]) {
      () async throws(CinematicError) in
      let fails = isFirst.withLock { first in
        defer { first = false }
        return first
      }
      if fails { throw CinematicError(.downloadFailed, "the cable is out") }
      try await gate.pass()
    }
    let asset = Asset(source: source)
    _ = await failure { () async throws(CinematicError) in _ = try await asset.load(.duration) }
    let second = Task { try await asset.load(.duration) }
    while !gate.hasWaiter { await Task.yield() }
    guard case .loading = asset.status(of: .duration) else {
      Issue.record("the second attempt shows the failure of the first")
      return
    }
    second.cancel()
    _ = await second.result
    guard case .failed(let error) = asset.status(of: .duration) else {
      Issue.record("the status is \(asset.status(of: .duration))")
      return
    }
    #expect(error.code == .downloadFailed)
  }

  /// Whichever of the two reads that length and tracks take fails.
  @Test(arguments: 0..<2) func overHTTP(_ number: Int) async throws {
    let server = try RangeServer(
      PhoneMovie.layout().bytes(), behaviour: .busyOnce(request: number))
    defer { server.stop() }
    let asset = try Asset.named(server.address)
    let error = await failure { () async throws(CinematicError) in
      _ = try await asset.load(.duration, .tracks)
    }
    #expect(error?.code == .downloadFailed, "\(String(describing: error))")
    #expect(try await asset.load(.tracks).count == 4)
    let info = try await AssetInfo(asset: asset)
    #expect(info.capability == .renderable)
  }
}
