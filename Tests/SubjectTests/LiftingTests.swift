// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalSample
import FocalSubjects
import Foundation
import Testing

/// Subjects found and cut out.
@Suite struct LiftingTests {
  private static func observation(
    _ scene: SubjectScene,
    _ change: (inout GenerateForegroundInstanceMaskRequest) -> Void = { _ in }
  ) async throws -> InstanceMaskObservation {
    var request = GenerateForegroundInstanceMaskRequest()
    change(&request)
    return try #require(try await request.perform(on: scene.picture))
  }

  /// Hair that leaves the coarse map's outline by far is not all there: .96 to .97 are reached.
  @Test(arguments: [1, 2, 3] as [UInt64]) func findsASubjectByItsMap(seed: UInt64) async throws {
    let scene = try SubjectScene(seed: seed)
    let found = try await Self.observation(scene) { $0.disparity = scene.map }
    #expect(found.allInstances == IndexSet(integer: 1))
    let mask = try found.generateScaledMask(for: [1], scaledToImageFrom: scene.picture)
    #expect(scene.overlap(mask) >= 0.93)
    let confidence = try #require(found.confidence(of: 1))
    #expect(confidence > 0.6 && confidence <= 1)
    // The soft outline is nearer to the truth than the labels by far.
    let labels = found.instanceMask
    let hard = (0..<SubjectScene.size.count).map { place -> Float in
      let x = place % 480 * labels.width / 480, y = place / 480 * labels.height / 360
      let isSubject = labels.withUnsafeBytes { $0[y * labels.planes[0].bytesPerRow + x] != 0 }
      return isSubject ? 1 : 0
    }
    let softDifference = scene.difference(mask.floats)
    let hardDifference = scene.difference(hard)
    #expect(softDifference < 0.8 * hardDifference, "\(softDifference) \(hardDifference)")
  }

  /// At soft edges the light is the subject's, and not that of the old background.
  @Test func takesTheOldBackgroundOutOfSoftEdges() async throws {
    let scene = try SubjectScene()
    let found = try await Self.observation(scene) { $0.disparity = scene.map }
    let image = try found.generateMaskedImage(for: [1], imageFrom: scene.picture).floats
    let picture = try scene.picture.linearRGBA().floats
    var (left, before, count): (Float, Float, Int) = (0, 0, 0)
    for place in scene.alpha.indices where (0.2...0.9).contains(scene.alpha[place]) {
      guard image[4 * place + 3] > 0.1 else { continue }
      count += 1
      for part in 0..<3 {
        left += abs(image[4 * place + part] - scene.front[place][part])
        before += abs(picture[4 * place + part] - scene.front[place][part])
      }
    }
    #expect(count > 300)
    #expect(left < 0.5 * before, "\(left) of \(before)")
  }

  @Test func findsASubjectByColoursAlone() async throws {
    let scene = try SubjectScene()
    let found = try await Self.observation(scene)
    let mask = try found.generateScaledMask(for: [1], scaledToImageFrom: scene.picture)
    #expect(scene.overlap(mask) >= 0.75)
    let confidence = try #require(found.confidence(of: 1))
    #expect(confidence <= 0.6)
  }

  @Test func findsWhatIsPointedAt() async throws {
    let scene = try SubjectScene()
    for hasMap in [false, true] {
      let found = try await Self.observation(scene) {
        $0.disparity = hasMap ? scene.map : nil
        // Two points on one subject.
        $0.points = [NormalizedPoint(x: 0.5, y: 0.42), NormalizedPoint(x: 0.5, y: 0.9)]
      }
      let mask = try found.generateScaledMask(
        for: found.allInstances, scaledToImageFrom: scene.picture)
      let overlap = scene.overlap(mask)
      #expect(overlap >= 0.75, "map \(hasMap): \(overlap)")
      #expect(found.instance(at: NormalizedPoint(x: 0.5, y: 0.42)) != nil)
      #expect(found.instance(at: NormalizedPoint(x: 0.02, y: 0.02)) == nil)
    }
  }

  /// Two things at one disparity, of which neither stands out alone, on a table that comes nearer downwards and goes on from
  /// both in the map.
  @Test func whatIsPointedAtEndsAtItsTable() async throws {
    let size = Dimensions(width: 320, height: 240)
    var (codes, cells): ([UInt8], [Float]) = ([], [])
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isThing = (90..<190).contains(y) && ((60..<130).contains(x) || (180..<250).contains(x))
        let isTable = y >= 180
        codes +=
          isThing
          ? [150, UInt8(60 + (x + y) % 20), 40, 255]
          : isTable
            ? [90, 110, UInt8(60 + x % 9), 255] : [40, 60, UInt8(110 + (x ^ y) % 7), 255]
        cells.append(
          isThing ? 0.5 : isTable ? 0.5 + 0.4 * Float(y - 180) / 60 : y >= 150 ? 0.4 : 0.1)
      }
    }
    var request = GenerateForegroundInstanceMaskRequest()
    request.disparity = try PixelBuffer(
      dimensions: size, format: .disparityFloat, tags: .linearBT709, values: cells)
    request.points = [NormalizedPoint(x: 0.3, y: 0.5)]
    let picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
    let found = try #require(try await request.perform(on: picture))
    #expect(found.instance(at: request.points[0]) == 1)
    #expect(found.instance(at: NormalizedPoint(x: 0.67, y: 0.5)) == nil)
    #expect(found.instance(at: NormalizedPoint(x: 0.5, y: 0.95)) == nil)
    // What is behind both is none.
    request.points = [NormalizedPoint(x: 0.05, y: 0.2)]
    #expect(try await request.perform(on: picture) == nil)
  }

  @Test func findsWhatIsInABox() async throws {
    let scene = try SubjectScene()
    let found = try await Self.observation(scene) {
      $0.boxes = [NormalizedRect(x: 0.22, y: 0.1, width: 0.56, height: 0.9)]
    }
    let mask = try found.generateScaledMask(for: [1], scaledToImageFrom: scene.picture)
    #expect(scene.overlap(mask) >= 0.75)
  }

  private struct GivenMask: SubjectMaskProvider {
    let given: PixelBuffer
    func mask(
      of picture: PixelBuffer, turn: QuarterTurn
    ) async throws(CinematicError) -> PixelBuffer { given }
  }

  @Test func beginsWithAMaskOfTheCallers() async throws {
    let scene = try SubjectScene()
    // Where the small map is near: what a small model gives.
    let rough = try PixelBuffer(
      dimensions: scene.map.dimensions, format: .disparityFloat, tags: .linearBT709,
      values: scene.map.floats.map { ($0 - 0.2) * 2 })
    let found = try await Self.observation(scene) { $0.maskProvider = GivenMask(given: rough) }
    let mask = try found.generateScaledMask(
      for: found.allInstances, scaledToImageFrom: scene.picture)
    #expect(scene.overlap(mask) >= 0.93)
  }

  /// Two figures, which a mask has as one part or as two, before a plain wall.
  private struct Pair {
    static let size = Dimensions(width: 320, height: 240)
    let picture: PixelBuffer
    let mask: PixelBuffer
    /// The left one is nearer.
    let map: PixelBuffer
    static let left = NormalizedPoint(x: 0.3, y: 0.6)
    static let right = NormalizedPoint(x: 0.7, y: 0.6)

    /// - Parameters:
    ///   - touch: whether the figures do in the mask.
    ///   - lacksLegs: whether the mask knows only the upper half of the left one.
    init(touch: Bool, lacksLegs: Bool = false) throws {
      var (codes, shares, cells): ([UInt8], [Float], [Float]) = ([], [], [])
      for y in 0..<Self.size.height {
        for x in 0..<Self.size.width {
          let isLeft = (60..<140).contains(x) && y >= 60
          let isRight = (180..<260).contains(x) && y >= 60
          codes +=
            isLeft
            ? [150, UInt8(60 + (x + y) % 20), 40, 255]
            : isRight
              ? [60, 130, UInt8(50 + x % 9), 255] : [40, 60, UInt8(110 + (x ^ y) % 7), 255]
          let isBetween = touch && (140..<180).contains(x) && (150..<170).contains(y)
          shares.append((isLeft && !(lacksLegs && y >= 170)) || isRight || isBetween ? 1 : 0)
          cells.append(isLeft ? 0.9 : isRight ? 0.6 : 0.1)
        }
      }
      picture = try PixelBuffer(dimensions: Self.size, format: .rgba8, values: codes)
      mask = try PixelBuffer(
        dimensions: Self.size, format: .disparityFloat, tags: .linearBT709, values: shares)
      map = try PixelBuffer(
        dimensions: Self.size, format: .disparityFloat, tags: .linearBT709, values: cells)
    }

    func found(
      _ change: (inout GenerateForegroundInstanceMaskRequest) -> Void = { _ in }
    ) async throws -> InstanceMaskObservation {
      var request = GenerateForegroundInstanceMaskRequest()
      request.maskProvider = GivenMask(given: mask)
      change(&request)
      return try #require(try await request.perform(on: picture))
    }
  }

  /// A point or a box takes one part of a mask, and not all that a model has seen.
  @Test func takesThePartOfAMask() async throws {
    let pair = try Pair(touch: false)
    #expect(try await pair.found().allInstances.count == 2)
    let pointed = try await pair.found { $0.points = [Pair.right] }
    #expect(pointed.instance(at: Pair.right) == 1)
    #expect(pointed.instance(at: Pair.left) == nil)
    let boxed = try await pair.found {
      $0.boxes = [NormalizedRect(x: 0.17, y: 0.22, width: 0.3, height: 0.78)]
    }
    #expect(boxed.instance(at: Pair.left) == 1)
    #expect(boxed.instance(at: Pair.right) == nil)
  }

  /// Where people touch in a mask, it is one part: a box takes what is in it, and a map tells them apart.
  @Test func dividesAMask() async throws {
    let pair = try Pair(touch: true)
    #expect(try await pair.found().allInstances.count == 1)
    let boxed = try await pair.found {
      $0.boxes = [NormalizedRect(x: 0.17, y: 0.22, width: 0.34, height: 0.78)]
    }
    #expect(boxed.instance(at: Pair.left) == 1)
    #expect(boxed.instance(at: Pair.right) == nil)
    let mapped = try await pair.found { $0.disparity = pair.map }
    let (left, right) = (mapped.instance(at: Pair.left), mapped.instance(at: Pair.right))
    #expect(left != nil && right != nil && left != right)
  }

  /// What a model does not see of a thing, and the map has at the same disparity, is the thing's.
  @Test func completesAMaskByTheMap() async throws {
    let pair = try Pair(touch: false, lacksLegs: true)
    let legs = NormalizedPoint(x: 0.3, y: 0.95)
    #expect(try await pair.found { $0.points = [Pair.left] }.instance(at: legs) == nil)
    let mapped = try await pair.found {
      $0.points = [Pair.left]
      $0.disparity = pair.map
    }
    #expect(mapped.instance(at: legs) == 1)
  }

  /// Flat pictures, and pictures of noise, have no subject; nor has a map without any rise.
  @Test func findsNothingWhereNothingIs() async throws {
    let size = Dimensions(width: 160, height: 120)
    var random = SeededGenerator(seed: 7)
    let flat = [UInt8](repeating: 90, count: 4 * size.count)
    let noise = flat.map { _ in UInt8.random(in: 80...120, using: &random) }
    for codes in [flat, noise] {
      let picture = try PixelBuffer(dimensions: size, format: .rgba8, values: codes)
      var request = GenerateForegroundInstanceMaskRequest()
      #expect(try await request.perform(on: picture) == nil)
      request.disparity = try PixelBuffer(
        dimensions: size, format: .disparityFloat, tags: .linearBT709,
        values: [Float](repeating: 0.4, count: size.count))
      #expect(try await request.perform(on: picture) == nil)
      let analysis = try await ImageAnalyzer().analyze(picture)
      #expect(analysis.subjects.isEmpty)
      #expect(analysis.subject(at: NormalizedPoint(x: 0.5, y: 0.5)) == nil)
    }
  }

  /// Light far above white is what it was, inside and along the outline.
  @Test func keepsHighDynamicRange() async throws {
    let scene = try SubjectScene()
    let light = try scene.picture.linearRGBA()
    var values = light.floats
    for place in scene.alpha.indices where scene.alpha[place] == 1 && place % 480 < 240 {
      for part in 0..<3 { values[4 * place + part] *= 40 }
    }
    let bright = try PixelBuffer(
      dimensions: SubjectScene.size, format: .rgbaFloat, tags: .linearBT709, values: values)
    let found = try await Self.observation(scene) { $0.disparity = scene.map }
    let image = try found.generateMaskedImage(for: [1], imageFrom: bright).floats
    let middle = 4 * (300 * 480 + 200)
    for part in 0..<3 { #expect(image[middle + part] == values[middle + part]) }
    let areLight = image.allSatisfy { $0.isFinite && $0 >= 0 }
    #expect(areLight)
  }

  /// A picture that is stored turned gives the same, as it is shown.
  @Test(arguments: QuarterTurn.allCases) func standsUpright(turn: QuarterTurn) async throws {
    let scene = try SubjectScene()
    let map = try scene.map.turnedDisparity(by: turn.inverse)
    let codes = try scene.picture.linearRGBA().upright(turn.inverse)
    var request = GenerateForegroundInstanceMaskRequest()
    request.disparity = map
    let found = try #require(try await request.perform(on: codes, turn: turn))
    #expect(found.shownDimensions == SubjectScene.size)
    let mask = try found.generateScaledMask(for: [1], scaledToImageFrom: codes)
    #expect(mask.dimensions == SubjectScene.size)
    #expect(scene.overlap(mask) >= 0.93)
    let image = try found.generateMaskedImage(
      for: [1], imageFrom: codes, croppedToInstancesExtent: true)
    let extent = try #require(try found.extent(of: [1], in: SubjectScene.size))
    #expect(image.dimensions == extent.dimensions)
    for (width, height) in [(-4, 3), (4, -3), (0, 3), (Int.min, Int.max)] {
      let error = #expect(throws: CinematicError.self) {
        try found.extent(of: [1], in: Dimensions(width: width, height: height))
      }
      #expect(error?.code == .invalidParameter)
    }
    let whole = try found.generateMaskedImage(for: [1], imageFrom: codes)
    let part = try whole.part(columns: extent.columns, rows: extent.rows).linearRGBA()
    let areAlike = part.floats == image.floats
    #expect(areAlike)
  }

  @Test func endsWithItsTask() async throws {
    let scene = try SubjectScene()
    let task = Task {
      try await GenerateForegroundInstanceMaskRequest().perform(on: scene.picture)
    }
    task.cancel()
    let error = await #expect(throws: CinematicError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test func namesABoxThatLiesNowhere() async throws {
    let scene = try SubjectScene()
    for box in [
      NormalizedRect(x: .nan, y: 0, width: 1, height: 1),
      NormalizedRect(x: 0, y: 0, width: 1, height: .infinity),
    ] {
      var request = GenerateForegroundInstanceMaskRequest()
      request.boxes = [box]
      var message: String?
      do throws(CinematicError) {
        _ = try await request.perform(on: scene.picture)
      } catch {
        message = error.message
      }
      #expect(message?.contains("\(box.x),\(box.y)") == true)
      #expect(message?.contains("lies nowhere") == true)
    }
  }

  @Test func refusesWhatItCannotUse() async throws {
    let scene = try SubjectScene()
    func code(
      _ change: (inout GenerateForegroundInstanceMaskRequest) -> Void
    ) async -> CinematicError.Code? {
      var request = GenerateForegroundInstanceMaskRequest()
      change(&request)
      do throws(CinematicError) {
        _ = try await request.perform(on: scene.picture)
        return nil
      } catch {
        return error.code
      }
    }
    #expect(await code { $0.points = [NormalizedPoint(x: 1.2, y: 0)] } == .invalidParameter)
    #expect(await code { $0.points = [NormalizedPoint(x: .nan, y: 0)] } == .invalidParameter)
    #expect(
      await code { $0.boxes = [NormalizedRect(x: 0, y: 0, width: 0, height: 1)] }
        == .invalidParameter)
    #expect(await code { $0.analysisSize = 4 } == .invalidParameter)
    #expect(await code { $0.disparity = scene.picture } == .unsupported)
    let tall = try scene.map.turnedDisparity(by: .clockwise90)
    #expect(await code { $0.disparity = tall } == .incompatible)
    let found = try await Self.observation(scene) { $0.disparity = scene.map }
    #expect(throws: CinematicError.self) { try found.generateMask(for: [9]) }
    #expect(throws: CinematicError.self) {
      try found.generateMaskedImage(
        for: [], imageFrom: scene.picture, croppedToInstancesExtent: true)
    }
    let empty = try found.generateMask(for: []).floats
    let isEmpty = empty.allSatisfy { $0 == 0 }
    #expect(isEmpty)
  }
}
