// SPDX-License-Identifier: Apache-2.0

import ConformanceKit
import FocalCPU
import FocalCore
import FocalRendering
import Testing

/// Wrong input is a typed error that names the value and the remedy.
@Suite struct SessionInputTests {
  private func renderCase() throws -> RenderCase {
    RenderCase(
      source: try .noise(16, 12, seed: 3), disparity: try .disparity(8, 6) { _, _ in 0.5 },
      focusDisparity: 0.5)
  }

  private func error(_ change: (inout RenderCase) throws -> Void) throws -> CinematicError? {
    var renderCase = try renderCase()
    try change(&renderCase)
    do {
      _ = try renderCase.render(on: .cpu())
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [0, -2.8, Float.nan, -Float.infinity, 0.05])
  func fNumbersThatNoLensHas(_ fNumber: Float) throws {
    let error = try #require(try error { $0.frame.fNumber = fNumber })
    #expect(error.code == .invalidParameter)
    #expect(error.description.contains("f-number"))
  }

  @Test(arguments: [Float.nan, Float.infinity, -Float.infinity])
  func focusThatIsNoNumber(_ focus: Float) throws {
    let error = try #require(try error { $0.frame.focusDisparity = focus })
    #expect(error.code == .invalidParameter)
    #expect(error.description.contains("focus"))
  }

  @Test(arguments: [Float.nan, Float.infinity, -1, 1e9])
  func absurdBlurScales(_ scale: Float) throws {
    let error = try #require(try error { $0.session.blurScale = scale })
    #expect(error.code == .invalidParameter)
    #expect(error.description.contains("blur scale"))
  }

  @Test(arguments: [-1, 1, 2, 17])
  func aperturesThatCannotBe(_ blades: Int) throws {
    let error = try #require(try error { $0.session.apertureShape.bladeCount = blades })
    #expect(error.code == .invalidParameter)
  }

  /// A lens that no session takes.
  struct WrongLens: Sendable {
    var name: String
    var change: @Sendable (inout RenderingSession.Attributes) -> Void
  }

  static let wrongLenses: [WrongLens] = [
    WrongLens(name: "roundness") { $0.apertureShape.roundness = 1.1 },
    WrongLens(name: "squeeze") { $0.apertureShape.squeeze = 0.9 },
    WrongLens(name: "squeeze") { $0.apertureShape.squeeze = .nan },
    WrongLens(name: "image") {
      $0.apertureShape.bladeCount = 5
      $0.apertureShape.image = .sample
    },
    WrongLens(name: "profile") { $0.lensCharacter.profile = -1.5 },
    WrongLens(name: "fringes") { $0.lensCharacter.fringes = -0.1 },
    WrongLens(name: "cat's eyes") { $0.lensCharacter.catEye = 2 },
    WrongLens(name: "barn doors") { $0.lensCharacter.barnDoors = .infinity },
    WrongLens(name: "swirl") { $0.lensCharacter.swirl = .nan },
    WrongLens(name: "in front of") { $0.nearStrength = -1 },
    WrongLens(name: "behind") { $0.farStrength = 5 },
    WrongLens(name: "highlights") { $0.highlightThreshold = 1 },
  ]

  @Test(arguments: wrongLenses) func lensesThatCannotBe(_ wrong: WrongLens) throws {
    let error = try #require(try error { wrong.change(&$0.session) })
    #expect(error.code == .invalidParameter && error.remedy != nil)
    #expect(error.description.contains(wrong.name))
  }

  @Test func aperturesOfImages() throws {
    #expect(throws: CinematicError.self) { try ApertureImage(codes: [1, 2]) }
    #expect(throws: CinematicError.self) {
      try ApertureImage(transmission: [0, 0, 0, 0], width: 2)
    }
    #expect(throws: CinematicError.self) { try ApertureImage(transmission: [1, 1, 1], width: 2) }
    // Wherever a square lies in a picture, its corners touch the circle.
    let codes = try [3, 20].map { left in
      try ApertureImage(
        transmission: (0..<2400).map {
          (left..<left + 12).contains($0 % 60) && (9..<21).contains($0 / 60) ? 7 : 0
        }, width: 60
      ).codes
    }
    #expect(codes[0] == codes[1])
    let side = ApertureImage.side
    let open = (0..<side).count { codes[0][side / 2 * side + $0] > 127 }
    // The square's side is 1 / √2 of the circle's diameter.
    #expect(abs(Double(open) / Double(side) - 0.5.squareRoot()) < 0.04)
  }

  /// What is not finite lets no light through.
  @Test(arguments: [Float.infinity, -.infinity, .nan]) func aperturesOfWildNumbers(
    _ wild: Float
  ) throws {
    let dark = try ApertureImage(transmission: [0, 1, 0, 1], width: 2)
    let image = try ApertureImage(transmission: [0, 1, wild, 1], width: 2)
    #expect(image.codes == dark.codes)
    let error = #expect(throws: CinematicError.self) {
      try ApertureImage(transmission: [wild, wild, 0, 0], width: 2)
    }
    #expect(error?.code == .invalidParameter)
  }

  @Test func unknownRenderingVersions() throws {
    let error = try #require(try error { $0.session.renderingVersion = 99 })
    #expect(error.code == .unsupported)
  }

  @Test func formatsInTheWrongPlace() throws {
    #expect(try error { $0.source = $0.disparity }?.code == .unsupported)
    #expect(try error { $0.disparity = $0.source }?.code == .unsupported)
    let renderCase = try renderCase()
    #expect(throws: CinematicError.self) {
      try renderCase.render(on: .cpu(), format: .disparityFloat)
    }
  }

  @Test func sizesThatDoNotFit() throws {
    let queue = try CommandQueue(device: .cpu())
    let session = try RenderingSession(
      commandQueue: queue, preferredTransform: .clockwise90, quality: .preview)
    let renderCase = try renderCase()
    let error = #expect(throws: CinematicError.self) {
      try session.encodeRender(
        to: queue.makeCommandBuffer(), frameAttributes: renderCase.frame,
        sourceImage: renderCase.source, sourceDisparity: renderCase.disparity,
        destinationImage: PixelBuffer(
          dimensions: renderCase.source.dimensions, format: .rgba8))
    }
    #expect(error?.code == .incompatible)
    #expect(error?.description.contains("12x16") == true)
    #expect(error?.remedy != nil)
  }

  @Test func commandBuffersOfAnotherQueue() throws {
    let renderCase = try renderCase()
    let session = try RenderingSession(
      commandQueue: CommandQueue(device: .cpu()), quality: .preview)
    let stranger = try CommandQueue(device: .cpu()).makeCommandBuffer()
    let error = #expect(throws: CinematicError.self) {
      try session.encodeRender(
        to: stranger, frameAttributes: renderCase.frame, sourceImage: renderCase.source,
        sourceDisparity: renderCase.disparity,
        destinationImage: PixelBuffer(dimensions: renderCase.source.dimensions, format: .rgba8))
    }
    #expect(error?.code == .incompatible)
    #expect(error?.description.contains("queue") == true)
  }

  /// Nothing is rendered in place: a destination shares no byte with source or map. Parts of one buffer may stand
  /// beside each other.
  @Test func destinationsInTheMemoryOfTheSource() throws {
    let queue = try CommandQueue(device: .cpu())
    let session = try RenderingSession(commandQueue: queue, quality: .preview)
    let whole = try PixelBuffer(dimensions: Dimensions(width: 32, height: 24), format: .rgba8)
    func part(_ x: Int, _ y: Int) -> RenderingSession.Picture {
      .pixelBuffer(whole.part(columns: x..<x + 16, rows: y..<y + 12))
    }
    func code(
      _ source: RenderingSession.Picture, _ destination: RenderingSession.Picture,
      _ map: PixelBuffer? = nil
    ) throws -> CinematicError.Code? {
      let disparity = try map ?? PixelBuffer.disparity(8, 6) { x, _ in Float(x) / 7 }
      do throws(CinematicError) {
        try session.encodeRender(
          to: queue.makeCommandBuffer(),
          frameAttributes: .init(focusDisparity: 0.5, fNumber: 2), source: source,
          disparity: .pixelBuffer(disparity), destination: destination)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(try code(part(0, 0), part(0, 0)) == .incompatible)
    for (x, y) in [(0, 12), (16, 0), (16, 12)] {
      #expect(try code(part(0, 0), part(x, y)) == nil, "\(x), \(y)")
      #expect(try code(part(x, y), part(0, 0)) == nil, "\(x), \(y)")
    }
    for (x, y) in [(15, 0), (0, 11), (15, 11)] {
      #expect(try code(part(0, 0), part(x, y)) == .incompatible, "\(x), \(y)")
      #expect(try code(part(x, y), part(0, 0)) == .incompatible, "\(x), \(y)")
    }
    #expect(try code(part(16, 0), part(1, 1)) == .incompatible, "past the end of a row")
    // Another meaning of the same bytes: a map in the destination's memory.
    let map = try PixelBuffer(
      dimensions: Dimensions(width: 32, height: 24), format: .disparityFloat, tags: .linearBT709,
      baseAddress: whole.withUnsafeMutableBytes { $0.baseAddress! },
      byteCount: whole.planes[0].byteCount,
      planes: [(offset: 0, bytesPerRow: whole.planes[0].bytesPerRow)],
      release: { _ in withExtendedLifetime(whole) {} })
    let other = try PixelBuffer(dimensions: Dimensions(width: 16, height: 12), format: .rgba8)
    #expect(try code(.pixelBuffer(other), part(0, 0), map) == .incompatible)
    let texture = try Texture(
      device: queue.device, format: .rgba8Unorm, dimensions: other.dimensions)
    let inTexture = RenderingSession.Picture.texture(texture, tags: .sRGB)
    #expect(try code(inTexture, inTexture) == .incompatible)
    #expect(try code(.pixelBuffer(other), inTexture) == nil)
  }

  @Test func mapsOfHolesAndExtremesDoNotTrap() throws {
    let values: [Float] = [.nan, .infinity, -.infinity, 1.566e38, 0, -1e30, 1e5]
    for value in values {
      var renderCase = try renderCase()
      renderCase.disparity = try .disparity(8, 6) { _, _ in value }
      let floats = try renderCase.render(on: .cpu()).floats()
      #expect(floats.allSatisfy { $0.isFinite }, "a map of \(value)")
      renderCase.disparity = try .disparity(8, 6) { x, _ in x == 3 ? value : 0.5 }
      #expect(try renderCase.render(on: .cpu()).floats().allSatisfy { $0.isFinite })
    }
  }

  @Test func picturesThatAreNotNumbersDoNotSpread() throws {
    var renderCase = try renderCase()
    renderCase.source = try .linear(16, 12) { x, y in
      x == 5 && y == 5 ? SIMD3(.nan, .infinity, -.infinity) : SIMD3(repeating: 0.5)
    }
    #expect(try renderCase.render(on: .cpu()).floats().allSatisfy { $0.isFinite })
  }
}
