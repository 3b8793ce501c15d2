// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import MovieKit
import Testing

/// Files that want to stop the program, or make it run and allocate without end.
@Suite struct HostileFileTests {
  static let seeds = MovieLayout.Form.allCases.map { form in
    PhoneMovie.layout(frames: 5, form: form).bytes()
  }

  /// `FOCAL_FUZZ_COUNT` and `FOCAL_FUZZ_SEED` make other runs: see ``Fuzzer``.
  @Test func mutatedFiles() {
    let count = Fuzzer.count(20_000)
    var fuzzer = Fuzzer(seed: Fuzzer.seed, Self.seeds)
    var (valid, refused) = (0, 0)
    for _ in 0..<count {
      let bytes = fuzzer.next()
      do throws(CinematicError) {
        try HostileFile.exercise(bytes)
        valid += 1
      } catch {
        refused += 1
      }
    }
    // Both ends are reached: mutations are not all refused at the first byte, nor all harmless.
    #expect(valid > count / 20)
    #expect(refused > count / 20)
  }

  @Test(arguments: seeds.indices) func truncatedAtEveryByte(_ number: Int) {
    let bytes = Self.seeds[number]
    for count in 0..<bytes.count {
      let error = failure { () throws(CinematicError) in
        try HostileFile.exercise(Array(bytes.prefix(count)))
      }
      if let error { #expect(error.code == .malformed, "\(count): \(error)") }
    }
  }

  /// Samples of timed metadata, mutated and cut: values within the sample, or an error. The length of
  /// the run is set as for files.
  @Test func mutatedMetadata() {
    let seed: [UInt8] = Entry.sample([(1, Array(0..<16)), (2, [9, 9, 9]), (3, [])])
    var fuzzer = Fuzzer(seed: Fuzzer.seed, [seed, seed + seed])
    var valid = 0
    for _ in 0..<Fuzzer.count(20_000) {
      let sample = fuzzer.next()
      guard let items = try? TimedMetadata.items(sample[...]) else { continue }
      valid += 1
      precondition(items.reduce(0) { $0 + $1.value.count + 8 } <= sample.count)
    }
    #expect(valid > 0)
    for count in 0...seed.count {
      let items = try? TimedMetadata.items(seed.prefix(count))
      #expect(items == nil || items!.count <= 3)
    }
  }
}
