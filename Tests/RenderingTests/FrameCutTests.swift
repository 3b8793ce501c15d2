// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import Synchronization
import Testing

@testable import FocalRendering

/// A frame that does not fit into a device in one piece holds the same bits as one that does.
@Suite struct FrameCutTests {
  /// A graphics device of so much memory, of which only the passes of its frames are looked at.
  private final class GraphicsBackend: DeviceBackend {
    private let inner = Device.cpu().backend
    let memoryByteCount: Int?
    init(memoryByteCount: Int?) { self.memoryByteCount = memoryByteCount }

    var name: String { inner.name }
    var identifier: String { inner.identifier }
    var kind: Device.Kind { memoryByteCount == nil ? .integratedGPU : .discreteGPU }
    var driver: String { inner.driver }
    var missingFeatures: [String] { [] }
    var largestBindingByteCount: Int { 1 << 33 }
    var tilesAtOnce: Int { 1024 }
    var fusesTiles: Bool { false }
    func makeMemory(byteCount: Int) throws(CinematicError) -> any DeviceMemory {
      try inner.makeMemory(byteCount: byteCount)
    }
    func makeQueue() throws(CinematicError) -> any DeviceQueue { try inner.makeQueue() }
  }

  /// The more memory a graphics device has of its own, the more tiles it is given at once.
  @Test func tilesAtOnceFollowTheDevicesMemory() throws {
    let size = Dimensions(width: 3840, height: 2160)
    let source = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    let destination = try PixelBuffer(dimensions: size, format: .rgba8, tags: .sRGB)
    var map = [Float](repeating: 0.1, count: 32 * 18)
    map[300] = 1
    let disparity = try PixelBuffer(
      dimensions: Dimensions(width: 32, height: 18), format: .disparityFloat, values: map)
    func batches(_ memory: Int?) throws -> Int {
      let session = try RenderingSession(
        commandQueue: CommandQueue(
          device: Device(backend: GraphicsBackend(memoryByteCount: memory))),
        sessionAttributes: .init(), quality: .exportHigh)
      return try session.passes(
        frameAttributes: .init(focusDisparity: 0.5, fNumber: 2), sourceImage: source,
        sourceDisparity: disparity, destinationImage: destination
      ).count { $0.kernel == .lensViews }
    }
    let shared = try batches(nil)
    let (small, middle, large, huge) = (
      try batches(4 << 30), try batches(24 << 30), try batches(64 << 30), try batches(1 << 40)
    )
    #expect(small == shared)
    #expect(small > middle && middle > large)
    #expect(huge == large && large >= 1)
  }

  /// Where that much is not to be had, the whole frame is tried with what it takes on other devices before it is cut.
  @Test func largePoolsAreGivenUpFirst() {
    func cuts(_ memory: Int?) -> [FrameCut] {
      FrameCut.candidates(
        height: 2160, on: GraphicsBackend(memoryByteCount: memory), isBlurred: true)
    }
    let large = cuts(64 << 30)
    #expect(large[0] == FrameCut(tilesAtOnce: 1024, poolByteCount: 4 << 30))
    #expect(large[1] == FrameCut(tilesAtOnce: 1024))
    #expect(Array(large.dropFirst()) == cuts(nil))
    #expect(cuts(8 << 30) == cuts(nil))
    #expect(Set(large).count == large.count)
  }

  /// Rows in pieces, in one where a piece holds them all.
  @Test func pieces() {
    #expect(FrameCut.pieces(of: 0..<10, step: nil) == [0..<10])
    #expect(FrameCut.pieces(of: 0..<10, step: 4) == [0..<4, 4..<8, 8..<10])
    #expect(FrameCut.pieces(of: 0..<10, step: 4, phase: 1) == [0..<5, 5..<9, 9..<10])
    #expect(FrameCut.pieces(of: 3..<10, step: 4, phase: 1) == [3..<7, 7..<10])
    for step in [10, Int.max - 1, .max] {
      #expect(FrameCut.pieces(of: 0..<10, step: step, phase: 1) == [0..<10])
      #expect(FrameCut.pieces(of: 5..<10, step: step) == [5..<10])
    }
    #expect(FrameCut.pieces(of: 0..<0, step: 4).isEmpty)
  }

  /// Renders with less and less of the largest binding that the whole frame has, until
  /// the device refuses; `least` times or more the frame must have been cut and rendered.
  private func renderCut(
    _ renderCase: RenderCase, on device: Device = .cpu(), least: Int = 1,
    render: (Device) throws -> [UInt8]
  ) throws {
    let unlimited = LimitedBackend(device)
    let whole = try render(unlimited.device)
    #expect(unlimited.submissionCount == 1)
    var cuts = 0
    var limit = unlimited.largestBinding * 2 / 3
    while true {
      let limited = LimitedBackend(device, largestBinding: limit)
      do {
        let bytes = try render(limited.device)
        let differing = zip(whole, bytes).count { $0 != $1 }
        #expect(differing == 0, "bytes differ with bindings of \(limit)")
        #expect(limited.largestBinding <= limit)
        // Fewer tiles at once may do first.
        cuts += limited.submissionCount > 1 ? 1 : 0
      } catch let error as CinematicError {
        #expect(error.code == .outOfMemory)
        #expect(error.remedy != nil)
        break
      }
      limit /= 2
    }
    #expect(cuts >= least, "the frame was hardly cut")
  }

  @Test(arguments: RenderingQuality.allCases, CutScene.MapKind.allCases)
  func everyCutHoldsTheSameBits(_ quality: RenderingQuality, _ kind: CutScene.MapKind) throws {
    let renderCase = try CutScene.renderCase(kind, quality)
    try renderCut(renderCase) { try renderCase.render(on: $0).pixelBytes() }
  }

  /// Discs of lights that reach over many strips.
  @Test(arguments: RenderingQuality.allCases)
  func lightsHoldTheSameBits(_ quality: RenderingQuality) throws {
    // Wide enough that its rows take more than the slices of a tile, which are not cut.
    let renderCase = try CutScene.renderCase(.blurred, quality, width: 200, radius: 14)
    try renderCut(renderCase) { try renderCase.render(on: $0).pixelBytes() }
  }

  /// Openings and weights that depend on the place.
  @Test(arguments: RenderingQuality.allCases)
  func shapesHoldTheSameBits(_ quality: RenderingQuality) throws {
    var renderCase = try CutScene.renderCase(.blurred, quality, width: 200, radius: 14)
    renderCase.session.apertureShape = ApertureShape(image: .sample, rotation: 0.3, squeeze: 1.3)
    (renderCase.session.lensCharacter.catEye, renderCase.session.lensCharacter.profile) = (1, -0.7)
    renderCase.session.lensCharacter.fringes = 0.3
    renderCase.session.nearStrength = 1.5
    try renderCut(renderCase) { try renderCase.render(on: $0).pixelBytes() }
  }

  /// Graphics devices cut where the processor does; what they give is held to its whole frame.
  @Test(
    arguments: TestDevices.graphics, [CutScene.MapKind.exact, .exactWithLines, .blurredWithHoles])
  func graphicsDevicesHoldTheSameBits(_ device: Device, _ kind: CutScene.MapKind) throws {
    let renderCase = try CutScene.renderCase(kind, .export, width: 80, height: 3501)
    let whole = try renderCase.render(on: .cpu()).pixelBytes()
    let limited = LimitedBackend(device, largestBinding: 5_500_000)
    let bytes = try renderCase.render(on: limited.device).pixelBytes()
    #expect(limited.submissionCount > 1, "the frame was not cut")
    #expect(zip(whole, bytes).count { $0 != $1 } == 0)
  }

  /// A limit of the caller's cuts frames as a device's does; one that no cut keeps is kept as nearly as
  /// possible.
  @Test(arguments: [2, 8, 1000]) func limitedWorkingMemory(_ divisor: Int) throws {
    var renderCase = try CutScene.renderCase(.exact, .export)
    func render() throws -> (bytes: [UInt8], memory: Int) {
      let session = try RenderingSession(
        commandQueue: CommandQueue(device: .cpu()), sessionAttributes: renderCase.session,
        preferredTransform: renderCase.transform, quality: renderCase.quality)
      let destination = try PixelBuffer(
        dimensions: renderCase.transform.applied(to: renderCase.source.dimensions),
        format: renderCase.source.format, tags: renderCase.source.tags)
      let commandBuffer = session.commandQueue.makeCommandBuffer()
      let told = Mutex<[Int]>([])
      commandBuffer.addProgressHandler { completed, total in
        told.withLock { $0.append(100 * completed / total) }
      }
      try session.encodeRender(
        to: commandBuffer, frameAttributes: renderCase.frame, sourceImage: renderCase.source,
        sourceDisparity: renderCase.disparity, destinationImage: destination)
      commandBuffer.commit()
      commandBuffer.waitUntilCompleted()
      if let error = commandBuffer.error { throw error }
      let shares = told.withLock { $0 }
      #expect(shares == shares.sorted() && shares.last == 100)
      return (destination.pixelBytes(), session.workingMemoryByteCount)
    }
    let whole = try render()
    renderCase.session.workingMemoryLimit = whole.memory / divisor
    let cut = try render()
    #expect(cut.bytes == whole.bytes)
    #expect(cut.memory < whole.memory)
    // Half is kept; a thousandth is no strip.
    if divisor == 2 { #expect(cut.memory <= whole.memory / 2) }
  }

  /// Pictures with alpha are two parts, which are cut alike; on any number of threads.
  @Test(arguments: RenderingQuality.allCases, [Float(5), 70]) func alpha(
    _ quality: RenderingQuality, radius: Float
  ) throws {
    let renderCase = try CutScene.renderCase(
      .blurred, quality, width: 120, height: 1003, radius: radius)
    let source = try renderCase.source.converted(to: .rgba8, tags: .sRGB)
    source.withUnsafeMutableBytes { bytes in
      for y in 0..<source.height {
        for x in 0..<source.width {
          bytes[y * source.planes[0].bytesPerRow + 4 * x + 3] = UInt8((5 * x + y) & 255)
        }
      }
    }
    func render(limit: Int?, threads: Int) throws -> (bytes: [UInt8], memory: Int) {
      var attributes = renderCase.session
      attributes.workingMemoryLimit = limit
      let session = try RenderingSession(
        commandQueue: CommandQueue(device: .cpu(threadCount: threads)),
        sessionAttributes: attributes,
        quality: quality)
      let destination = try PixelBuffer(
        dimensions: source.dimensions, format: .rgba8, tags: .sRGB)
      let buffer = session.commandQueue.makeCommandBuffer()
      try session.encodeRender(
        to: buffer, frameAttributes: renderCase.frame,
        source: .pixelBuffer(source, alpha: .straight),
        disparity: .pixelBuffer(renderCase.disparity),
        destination: .pixelBuffer(destination, alpha: .straight))
      buffer.commit()
      buffer.waitUntilCompleted()
      if let error = buffer.error { throw error }
      return (destination.pixelBytes(), session.workingMemoryByteCount)
    }
    let whole = try render(limit: nil, threads: 2)
    var sizes: Set<Int> = []
    for threads in [1, 2] {
      // Each number of threads with limits of its own.
      var limit = whole.memory * (threads == 1 ? 3 : 2) / 4
      while limit > whole.memory / 100 {
        let cut = try render(limit: limit, threads: threads)
        let differing = zip(whole.bytes, cut.bytes).count { $0 != $1 }
        #expect(differing == 0, "bytes differ within \(limit) of \(whole.memory) bytes")
        sizes.insert(cut.memory)
        limit /= 2
      }
    }
    #expect(sizes.count > 4)
  }

  /// Layers of several bands, whose background pyramid is cut too.
  @Test(arguments: [Float(0.6), 3, 12])
  func bandsOfLayersHoldTheSameBits(_ radius: Float) throws {
    let renderCase = try CutScene.renderCase(
      .exact, .exportHigh, width: 40, height: 4007, radius: radius)
    try renderCut(renderCase) {
      try renderCase.render(on: $0).pixelBytes()
    }
  }

  @Test(arguments: QuarterTurn.allCases, PixelFormat.allCases.filter { !$0.isDisparity })
  func turnsAndFormats(_ turn: QuarterTurn, _ format: PixelFormat) throws {
    var renderCase = try CutScene.renderCase(.blurred, .preview, width: 47, height: 1003)
    let tags = ColorTags.sRGB
    renderCase.source = try renderCase.source.converted(to: format, tags: tags)
    renderCase.transform = turn
    try renderCut(renderCase) { try renderCase.render(on: $0).pixelBytes() }
    // A sharp frame is only unpacked and packed.
    renderCase.session.blurScale = 0
    try renderCut(renderCase, least: 3) { try renderCase.render(on: $0).pixelBytes() }
  }

  @Test(arguments: [(35, 1492), (70, 2983)])
  func otherSizes(_ width: Int, _ height: Int) throws {
    let renderCase = try CutScene.renderCase(.blurred, .export, width: 47, height: 2003)
    try renderCut(renderCase) { device in
      let session = try RenderingSession(
        commandQueue: CommandQueue(device: device), sessionAttributes: renderCase.session,
        quality: renderCase.quality)
      let destination = try PixelBuffer(
        dimensions: Dimensions(width: width, height: height), format: .yuv420Video10)
      try session.render(renderCase, to: destination)
      return destination.pixelBytes()
    }
  }

  @Test(arguments: QuarterTurn.allCases)
  func texturesOfADeviceAreNotCut(_ turn: QuarterTurn) throws {
    let renderCase = try CutScene.renderCase(.sharpSmall, .preview, width: 47, height: 1003)
    let size = turn.applied(to: renderCase.source.dimensions)
    try renderCut(renderCase) { device in
      let session = try RenderingSession(
        commandQueue: CommandQueue(device: device), sessionAttributes: renderCase.session,
        preferredTransform: turn, quality: renderCase.quality)
      let luma = try Texture(device: device, format: .r8Unorm, dimensions: size)
      let chroma = try Texture(
        device: device, format: .rg8Unorm,
        dimensions: Dimensions(width: (size.width + 1) / 2, height: (size.height + 1) / 2))
      let buffer = session.commandQueue.makeCommandBuffer()
      try session.encodeRender(
        to: buffer, frameAttributes: renderCase.frame, sourceImage: renderCase.source,
        sourceDisparity: renderCase.disparity, destinationLuma: luma, destinationChroma: chroma)
      buffer.commit()
      buffer.waitUntilCompleted()
      if let error = buffer.error { throw error }
      var bytes = [UInt8](repeating: 0, count: luma.bytesPerRow * size.height)
      try bytes.withUnsafeMutableBytes { try luma.getBytes($0) }
      var colours = [UInt8](
        repeating: 0, count: chroma.bytesPerRow * chroma.dimensions.height)
      try colours.withUnsafeMutableBytes { try chroma.getBytes($0) }
      return bytes + colours
    }
  }

  /// Thumbnails that are worked on at half their size.
  @Test(
    arguments: [CutScene.MapKind.exact, .exactWithLines, .blurredWithHoles],
    [QuarterTurn.identity, .clockwise180])
  func halvedFramesHoldTheSameBits(_ kind: CutScene.MapKind, _ turn: QuarterTurn) throws {
    var renderCase = try CutScene.renderCase(
      kind, .thumbnail, width: 401, height: 2003, radius: 20)
    renderCase.transform = turn
    try renderCut(renderCase) {
      try renderCase.render(on: $0, format: .yuv420Video8, tags: .bt709).pixelBytes()
    }
  }

  /// A caller's memory beside a cut destination stays as it is.
  @Test(arguments: QuarterTurn.allCases)
  func nothingIsWrittenBesideTheDestination(_ turn: QuarterTurn) throws {
    var renderCase = try CutScene.renderCase(.exact, .thumbnail, width: 47, height: 1003)
    renderCase.transform = turn
    let size = turn.applied(to: renderCase.source.dimensions)
    let row = size.width * 4 + 12
    let memory = UnsafeMutableRawPointer.allocate(byteCount: row * size.height, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0xA5, count: row * size.height)
    let destination = try PixelBuffer(
      dimensions: size, format: .rgba8, tags: .sRGB, baseAddress: memory,
      byteCount: row * size.height, planes: [(offset: 0, bytesPerRow: row)],
      release: { $0.deallocate() })
    let limited = LimitedBackend(.cpu(), largestBinding: 700_000)
    let session = try RenderingSession(
      commandQueue: CommandQueue(device: limited.device), sessionAttributes: renderCase.session,
      preferredTransform: turn, quality: renderCase.quality)
    try session.render(renderCase, to: destination)
    #expect(limited.submissionCount > 1)
    destination.withUnsafeBytes { bytes in
      for y in 0..<size.height {
        let padding = bytes[y * row + size.width * 4..<(y + 1) * row]
        #expect(padding.allSatisfy { $0 == 0xA5 })
      }
    }
  }
}
