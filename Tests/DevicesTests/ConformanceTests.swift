// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import DeviceDoubles
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// The conformance cases pass where they should, and find what is wrong.
@Suite struct ConformanceTests {
  private func item(_ name: String) throws -> FrameCase {
    let run = ConformanceRun(.cpu())
    return try #require((run.kernelCases + run.frameCases).first { $0.name.hasSuffix(name) })
  }

  /// The kernels' notes of a device with a fault, on one frame.
  private func kernels(
    _ fault: DeviceFault?, strict: Bool = true, _ name: String = "kernels/preview/holes"
  ) throws -> ConformanceResult {
    ConformanceRun(.faulty(fault), isStrict: strict).runKernels(try item(name))
  }

  @Test func everyKernelIsComparedAlone() {
    let run = ConformanceRun(.cpu(threadCount: 3), isStrict: true)
    var checked: Set<Kernel> = []
    for item in run.kernelCases {
      let result = run.runKernels(item)
      #expect(result.verdict == .identical, "\(result.name): \(result.notes)")
      checked.formUnion(result.checkedKernels.keys)
    }
    #expect(checked == Set(Kernel.allCases.filter { $0.role != .part }))
  }

  /// A part of all frames; `focal conform` runs them all.
  @Test func framesAreTheSameOnAnyNumberOfThreads() {
    let run = ConformanceRun(.cpu(threadCount: 3), isStrict: true, seed: 5)
    for (index, item) in run.frameCases.enumerated() where index % 7 == 0 {
      let result = run.runFrame(item)
      #expect(result.verdict == .identical, "\(result.name): \(result.notes)")
    }
  }

  @Test func casesHaveNamesOfTheirOwnAndFollowTheSeed() throws {
    let cases = ConformanceRun(.cpu(), seed: 3)
    let names = (cases.kernelCases + cases.frameCases).map(\.name)
    #expect(Set(names).count == names.count)
    let again = ConformanceRun(.cpu(), seed: 3)
    let others = ConformanceRun(.cpu(), seed: 4)
    for index in stride(from: 0, to: cases.frameCases.count, by: 40) {
      let source = try cases.frameCases[index].makeSource().pixelBytes()
      #expect(try again.frameCases[index].makeSource().pixelBytes() == source)
    }
    #expect(
      try others.frameCases[0].makeSource().pixelBytes()
        != cases.frameCases[0].makeSource().pixelBytes())
  }

  /// What a session can be told is told by some case, and matrices come in frames and kernels alone.
  @Test func everySettingIsUsed() {
    let run = ConformanceRun(.cpu())
    let frames = run.frameCases
    for cases in [frames, run.kernelCases] {
      let formats: Set<PixelFormat> = [.yuv420Video8, .yuv420Video10]
      let coded = cases.filter { formats.contains($0.sourceFormat) }
      #expect(Set(coded.map(\.sourceTags.matrix)) == Set(ColorTags.Matrix.allCases))
    }
    let lifted = frames.filter { $0.highlights > 0 }
    #expect(Set(lifted.map(\.quality)) == Set(RenderingQuality.allCases))
    #expect(Set(lifted.map(\.highlightThreshold)) == [0.1, 0.99])
    #expect(Set(lifted.map(\.sourceAlpha)) == [nil, .straight, .premultiplied])
    #expect(lifted.contains { $0.sourceFormat == .yuv420Video8 })
    let edges = Set(frames.map(\.mapEdges))
    #expect(edges == Set(RenderingSession.Attributes.MapEdges.allCases))
    #expect(frames.contains { $0.halvesThumbnails && $0.size.count > 40_000 })
    // Of 8 MiB are the pieces in which graphics devices copy planes; those of chroma go apart.
    let large = frames.filter { item in
      let plane = item.sourceFormat.planes[0]
      let bytes = plane.dimensions(of: item.size).count * plane.bytesPerElement
      return bytes > 8 << 20 && item.padding > 0
    }
    #expect(Set(large.map(\.sourceFormat)).isSuperset(of: [.rgbaFloat, .yuv420Video10]))
  }

  /// Frames that are to be cut are, with the same bits.
  @Test(arguments: RenderingQuality.allCases) func framesAreCut(quality: RenderingQuality) throws {
    let run = ConformanceRun(.cpu(threadCount: 2), isStrict: true)
    let cut = try item("cut/\(quality)/\(PixelFormat.yuv420Video8)")
    var whole = cut
    whole.workingMemoryLimit = nil
    let results = [run.runKernels(cut), run.runKernels(whole)]
    #expect(results.allSatisfy { $0.verdict == .identical })
    let counts = results.map { $0.checkedKernels.values.reduce(0, +) }
    #expect(counts[0] > counts[1], "\(counts)")
  }

  /// Each fault is found, and told of the kernel that has it alone: the kernels behind it get what
  /// the reference's had.
  @Test(
    arguments: [
      (
        .flippedBit(kernel: "matte", binding: 2, bit: 0), "matte", "buffer 'matte': 1 floats differ"
      ),
      (.flippedBit(kernel: "classifyTiles", binding: 0, bit: 3), "classifyTiles", "integers"),
      (.flippedBit(kernel: "markReach", binding: 1, bit: 9), "markReach", "byte 1:"),
      (
        .flippedBit(kernel: "matte", binding: 0, bit: 7), "matte",
        "buffer 'source': 1 floats differ"
      ),
      (.notANumber(kernel: "resolveDisparity", binding: 5), "resolveDisparity", "not finite"),
      (.writeBefore(kernel: "gatherLayers", binding: 3), "gatherLayers", "byte -4 of a buffer"),
      (.writeBefore(kernel: "blurTiles", binding: 2), "blurTiles", "byte -4 of a buffer"),
    ] as [(DeviceFault, String, String)])
  func faultsAreFound(_ fault: DeviceFault, _ kernel: String, _ text: String) throws {
    let result = try kernels(fault)
    #expect(result.verdict == .failed)
    #expect(result.notes.count == 1, "\(result.notes)")
    let note = result.notes.first ?? ""
    #expect(note.hasPrefix(kernel) && note.contains(text), "\(result.notes)")
  }

  @Test func writesBetweenRowsAreFound() throws {
    let result = ConformanceRun(.faulty(.writeBetweenRows)).runFrame(
      try item("-to-L008"))
    #expect(result.verdict == .failed)
    #expect(result.notes.contains { $0.contains("none of its pixels") }, "\(result.notes)")
  }

  @Test func roundingIsCloseUnlessStrict() throws {
    let fault = DeviceFault.flippedBit(kernel: "resolveDisparity", binding: 5, bit: 0)
    #expect(try kernels(fault, strict: true).verdict == .failed)
    let result = try kernels(fault, strict: false)
    #expect(result.verdict == .close)
    #expect(result.differing == 1)
    // A decision is not rounded.
    let decision = DeviceFault.flippedBit(kernel: "classifyTiles", binding: 0, bit: 0)
    #expect(try kernels(decision, strict: false).verdict == .failed)
    let broken = DeviceFault.notANumber(kernel: "resolveDisparity", binding: 5)
    #expect(try kernels(broken, strict: false).verdict == .failed)
  }

  /// All frames in flight are compared: where kernels read what the newest frame is told, the last one is right.
  @Test(arguments: ["in-flight/export", "in-flight/\(PixelFormat.yuv420Video10)"])
  func parametersOfTheNewestFrameAreFound(_ name: String) throws {
    let item = try item(name)
    #expect(ConformanceRun(.faulty(nil), isStrict: true).runFrame(item).verdict == .identical)
    let fault = DeviceFault.newestParameters(inFlight: item.framesInFlight)
    let result = ConformanceRun(.faulty(fault)).runFrame(item)
    #expect(result.verdict == .failed)
    #expect(result.notes.first?.hasPrefix("frame 1 of 4: ") == true, "\(result.notes)")
    #expect(!result.notes.contains { $0.hasPrefix("frame 4") }, "\(result.notes)")
  }

  /// Frames in flight have sources of their own.
  @Test func framesInFlightDiffer() throws {
    let item = try item("in-flight/export")
    let sources = try (0..<item.framesInFlight).map { try item.makeSource(frame: $0).pixelBytes() }
    #expect(Set(sources).count == 4)
  }

  @Test func framesThatDifferAreShown() throws {
    // The exponent's top bit: the first pixel's red becomes enormous or nothing.
    let fault = DeviceFault.flippedBit(kernel: "composite", binding: 6, bit: 30)
    let run = ConformanceRun(.faulty(fault))
    let result = run.runFrame(try item("textures/rgba16Float"))
    #expect(result.verdict == .failed)
    #expect(result.differing == 1)
    #expect(result.largest > 1)
    let pictures = try #require(result.pictures)
    #expect(pictures.actual.pixelBytes() != pictures.reference.pixelBytes())
    #expect(result.notes.first?.contains("first at 0,0 of plane 0") == true, "\(result.notes)")
  }

  @Test func devicesThatGiveUpFailTheirCases() throws {
    for (fault, code) in [
      (DeviceFault.lost(from: 0), CinematicError.Code.deviceLost),
      (.outOfMemory(from: 3), .outOfMemory),
    ] {
      let run = ConformanceRun(.faulty(fault))
      for result in [
        run.runKernels(try item("kernels/export/sharp")),
        run.runFrame(try item("radii/2.0/export")),
      ] {
        #expect(result.verdict == .failed)
        #expect(result.error?.code == code)
      }
    }
  }

  @Test func differencesAreCountedInCodesOfTenBits() throws {
    func picture(_ format: PixelFormat, _ bytes: [UInt8]) throws -> PixelBuffer {
      let picture = try PixelBuffer(
        dimensions: Dimensions(width: 1, height: 1), format: format, tags: .linearBT709)
      picture.withUnsafeMutableBytes { target in
        for (index, byte) in bytes.enumerated() { target[index] = byte }
      }
      return picture
    }
    func codes(_ format: PixelFormat, _ a: [UInt8], _ b: [UInt8]) throws -> Double {
      FrameComparison(try picture(format, a), expected: try picture(format, b)).largestCodes
    }
    #expect(try codes(.gray8, [7], [7]) == 0)
    #expect(try abs(codes(.gray8, [7], [8]) - 1023.0 / 255) < 1e-9)
    #expect(try codes(.yuv420Video10, [0x40, 0], [0x80, 0]) == 1)
    // Below the code there is nothing to round.
    #expect(try codes(.yuv420Video10, [0x41, 0], [0x40, 0]) == .infinity)
    #expect(try codes(.yuv420Full10, [0x40, 1], [0x7F, 1]) == .infinity)
    #expect(try abs(codes(.gray16, [64, 0], [0, 0]) - 1) < 0.01)
    // Halves: 1 and the next smaller one, half a thousandth apart, through the curve.
    let step = try codes(.rgbaHalf, [0xFF, 0x3B], [0x00, 0x3C])
    #expect(step > 0.2 && step < 0.3)
    #expect(try codes(.rgbaHalf, [0x00, 0x7E], [0x00, 0x3C]) == .infinity)
  }
}
