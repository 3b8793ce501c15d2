// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import OpenEXRKit
import Synchronization
import Testing

@testable import FocalMedia

/// Damage is never a picture, and a header is not believed more than its bytes can hold.
@Suite struct DamageTests {
  private static func decoded(
    _ bytes: [UInt8], _ name: String, _ damage: DamageResponse = .stop
  ) -> Result<PictureFrame, CinematicError> {
    var request = StillRequest(name)
    request.damage = damage
    return Result { () throws(CinematicError) in try StillDecoder.decode(bytes, request) }
  }

  private static func error(_ bytes: [UInt8], _ name: String) -> CinematicError? {
    if case .failure(let error) = decoded(bytes, name) { error } else { nil }
  }

  /// A picture whose pixels are deflated: even, so that no piece of it is stored as it is, which has no sum.
  private static func deflated(_ ending: String) throws -> [UInt8] {
    let folder = ScratchFolder()
    let isFloat = ending == "exr"
    try PictureWriter.write(
      Scene.smooth(
        160, 120, isFloat ? .rgbaFloat : .rgba8, tags: isFloat ? .linearBT709 : .sRGB),
      to: folder.file("a.\(ending)"))
    return folder.read("a.\(ending)")
  }

  /// One flipped bit anywhere in the middle of the pixels, which TIFF's library overlooks at the ends of its streams.
  @Test(arguments: ["png", "tif", "exr"])
  func everyFlippedBitIsAnError(_ ending: String) throws {
    let whole = try Self.deflated(ending)
    #expect(Self.error(whole, "a.\(ending)") == nil)
    var random = Seeded(7)
    let pixels = whole.count / 3..<whole.count / 3 * 2
    for _ in 0..<32 {
      let place = pixels.lowerBound + Int(random.next() % UInt64(pixels.count))
      let bit = random.next() % 8
      var bytes = whole
      bytes[place] ^= 1 << UInt8(bit)
      let error = Self.error(bytes, "a.\(ending)")
      #expect(error?.code == .malformed, "byte \(place), bit \(bit)")
      #expect(error?.message.contains("a.\(ending)") == true)
    }
  }

  /// Undamaged pixels are kept, and the handler is called once a picture.
  @Test(arguments: ["tif", "exr"]) func warningsGoOn(_ ending: String) throws {
    let whole = try Self.deflated(ending)
    var bytes = whole
    bytes[whole.count / 2] ^= 0x10
    let errors = Mutex<[CinematicError]>([])
    let result = Self.decoded(
      bytes, "a.\(ending)", .warn { error in errors.withLock { $0.append(error) } })
    let frame = try result.get()
    #expect(frame.dimensions == Dimensions(width: 160, height: 120))
    let told = errors.withLock { $0 }
    #expect(told.count == 1)
    #expect(told.first?.message.contains("row") == true, "\(told)")
    // The first rows lie before the damage.
    let sound = try Self.decoded(whole, "a.\(ending)").get()
    let byteCount = ending == "exr" ? 160 * 4 : 160 * 3
    let isKept = (0..<8).allSatisfy { y in
      let kept = UnsafeRawBufferPointer(start: frame.row(y, ofPlane: 0), count: byteCount)
      let first = UnsafeRawBufferPointer(start: sound.row(y, ofPlane: 0), count: byteCount)
      return kept.elementsEqual(first)
    }
    #expect(isKept)
  }

  /// The bytes of a PNG file of 600 rows, and with a bit changed in the middle, or without the second half.
  private static func damagedPNG(
    _ isNoise: Bool, _ isCut: Bool, in folder: ScratchFolder
  ) throws -> (whole: [UInt8], damaged: [UInt8]) {
    try PictureWriter.write(
      isNoise ? Scene.noise(64, 600, .rgba8) : Scene.smooth(64, 600, .rgba8, tags: .sRGB),
      to: folder.file("a.png"))
    let whole = folder.read("a.png")
    var bytes = whole
    if isCut {
      bytes.removeLast(whole.count / 2)
    } else {
      bytes[whole.count / 2] ^= 0x10
    }
    return (whole, bytes)
  }

  /// Of PNG, whose decoder gives no rows of a damaged file, those in front of the damage are kept; a file that was cut
  /// short is one, too.
  @Test(arguments: [(isNoise: true, isCut: false), (true, true), (false, false), (false, true)])
  func soundRowsOfPNGAreKept(_ isNoise: Bool, _ isCut: Bool) throws {
    let folder = ScratchFolder()
    let (whole, bytes) = try Self.damagedPNG(isNoise, isCut, in: folder)
    #expect(Self.error(bytes, "a.png")?.code == .malformed)
    let errors = Mutex<[CinematicError]>([])
    let frame = try Self.decoded(
      bytes, "a.png", .warn { error in errors.withLock { $0.append(error) } }
    ).get()
    #expect(errors.withLock { !$0.isEmpty })
    let sound = try Self.decoded(whole, "a.png").get()
    #expect(frame.dimensions == sound.dimensions)
    #expect(Self.commonRows(frame, sound, byteCount: 64 * 3) >= 200)
  }

  /// How many rows from the top two pictures share.
  private static func commonRows(_ a: PictureFrame, _ b: PictureFrame, byteCount: Int) -> Int {
    (0..<a.dimensions.height).first { y in
      let first = UnsafeRawBufferPointer(start: a.row(y, ofPlane: 0), count: byteCount)
      let second = UnsafeRawBufferPointer(start: b.row(y, ofPlane: 0), count: byteCount)
      return !first.elementsEqual(second)
    } ?? a.dimensions.height
  }

  /// Rows of a damaged file, read strip by strip: the error comes with the strip that has it.
  @Test(arguments: ["png", "tif", "exr"]) func stripsEndAtDamage(_ ending: String) throws {
    let folder = ScratchFolder()
    var bytes = try Self.deflated(ending)
    bytes[bytes.count / 2] ^= 0x10
    folder.write(bytes, to: "a.\(ending)")
    let found = failure { () throws(CinematicError) in
      guard let reader = try PictureStripReader.open(folder.file("a.\(ending)")) else { return }
      _ = try reader.strip(0..<120)
    }
    #expect(found?.code == .malformed, "\(found as Any)")
  }

  /// Rows of a damaged PNG where damage is only told: once, however often they are read, and as of a file that is decoded
  /// whole but for the row in which the damage lies.
  @Test(arguments: [(isNoise: true, isCut: false), (true, true), (false, false), (false, true)])
  func stripsOfPNGGoOn(_ isNoise: Bool, _ isCut: Bool) throws {
    let folder = ScratchFolder()
    let (whole, bytes) = try Self.damagedPNG(isNoise, isCut, in: folder)
    folder.write(whole, to: "sound.png")
    folder.write(bytes, to: "a.png")
    folder.write(try #require(PNGRepair.repaired(bytes)), to: "repaired.png")
    let errors = Mutex<[CinematicError]>([])
    var options = ReadOptions()
    options.damage = .warn { error in errors.withLock { $0.append(error) } }
    let reader = try #require(try PictureStripReader.open(folder.file("a.png"), options: options))
    func rows(_ reader: PictureStripReader) throws -> [[UInt8]] {
      try stride(from: 0, to: 600, by: 50).flatMap { first in
        let strip = try reader.strip(first..<first + 50)
        let rowSize = strip.planes[0].bytesPerRow
        return strip.withUnsafeBytes { bytes in
          (0..<50).map { Array(bytes[$0 * rowSize..<$0 * rowSize + 64 * 4]) }
        }
      }
    }
    let sound = try rows(#require(try PictureStripReader.open(folder.file("sound.png"))))
    let repaired = try rows(#require(try PictureStripReader.open(folder.file("repaired.png"))))
    for _ in 0..<2 {
      let found = try rows(reader)
      let kept = zip(found, sound).prefix { $0 == $1 }.count
      // How many rows lie before the damage depends on how well they were compressed.
      #expect(kept >= 150)
      let others = zip(found, repaired).filter { $0 != $1 }.count
      // libpng takes its input in pieces of 8 kB, and gives no row of one that is cut.
      #expect(others <= (isCut ? 120 : 1))
    }
    let told = errors.withLock { $0 }
    #expect(told.count == 1 && told.first?.message.contains("row") == true, "\(told)")
  }

  /// However a file is opened: what cannot be read as one is told in the same words.
  @Test(arguments: ["", "none.png", "empty.png"])
  func everyWayOfOpeningTellsTheSame(_ name: String) throws {
    let folder = ScratchFolder()
    folder.write([], to: "empty.png")
    let path = name.isEmpty ? folder.path : folder.file(name)
    let copied = #expect(throws: CinematicError.self) { try SourceFile(path: path) }
    let decoded = #expect(throws: CinematicError.self) { try FileDescriptor(reading: path) }
    let browsed = #expect(throws: CinematicError.self) { try FileByteSource(path: path).fileSize() }
    #expect(copied?.remedy != nil)
    for other in [decoded, browsed] {
      #expect(other?.code == copied?.code)
      #expect(other?.message == copied?.message)
      #expect(other?.remedy == copied?.remedy)
    }
  }

  /// The same of a movie that is copied.
  @Test func copiesOfTwoVersions() throws {
    let folder = ScratchFolder()
    folder.write([UInt8](repeating: 1, count: 1000), to: "a.mov")
    let file = try SourceFile(path: folder.file("a.mov"))
    #expect(throws: Never.self) { try file.checkVersion() }
    folder.write([UInt8](repeating: 2, count: 1000), to: "a.mov")
    let error = #expect(throws: CinematicError.self) { try file.checkVersion() }
    #expect(error?.code == .unreadable)
  }

  /// A file that another program writes while its rows are read is no picture of either version.
  @Test(arguments: ["png", "tif", "exr", "pfm"]) func rowsOfTwoVersions(_ ending: String) throws {
    let folder = ScratchFolder()
    let isFloat = ending == "exr" || ending == "pfm"
    try PictureWriter.write(
      Scene.noise(
        200, 400, isFloat ? .rgbaFloat : .rgba8, tags: isFloat ? .linearBT709 : .sRGB),
      to: folder.file("a.\(ending)"))
    let bytes = folder.read("a.\(ending)")
    let reader = try #require(try PictureStripReader.open(folder.file("a.\(ending)")))
    _ = try reader.strip(0..<10)
    // Of the same size, in place.
    folder.write(bytes.reversed(), to: "a.\(ending)")
    let error = failure { () throws(CinematicError) in _ = try reader.strip(200..<300) }
    #expect(error?.code == .unreadable, "\(error as Any)")
    #expect(error?.message.contains("changed") == true)
  }

  /// Where a file's table of pieces lies: it leads to the byte behind itself.
  private static func tablePlace(_ bytes: [UInt8], pieces: Int) -> Int? {
    (0..<bytes.count - 8 * pieces).first { place in
      let first = bytes[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
      return first == UInt64(place + 8 * pieces)
    }
  }

  /// OpenEXR's table of pieces: two entries that lead to one piece, and one that leads into another.
  @Test(arguments: [0, 1]) func piecesOfOpenEXRAreApart(_ kind: Int) throws {
    var bytes = try Self.deflated("exr")
    let table = try #require(
      [8, 120, 4, 12].lazy.compactMap { count in
        Self.tablePlace(bytes, pieces: count)
      }.first)
    if kind == 0 {
      bytes.replaceSubrange(table + 8..<table + 16, with: bytes[table..<table + 8])
    } else {
      bytes[table + 8] &+= 4
    }
    #expect(Self.error(bytes, "a.exr")?.code == .malformed)
  }

  private static func big(_ value: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  private static func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }

  /// Small files that claim what they cannot hold.
  static let claims: [(name: String, bytes: [UInt8])] = {
    let png: [UInt8] =
      [137, 80, 78, 71, 13, 10, 26, 10] + big(13) + Array("IHDR".utf8) + big(30000) + big(30000)
      + [8, 0, 0, 0, 0] + big(0) + big(2) + Array("IDAT".utf8) + [120, 156] + big(0) + big(0)
      + Array("IEND".utf8) + big(0)
    let entries: [(Int, Int, Int, Int)] = [
      (256, 3, 1, 16000), (257, 3, 1, 16000), (258, 3, 1, 8), (259, 3, 1, 8), (262, 3, 1, 1),
      (273, 4, 1, 8), (277, 3, 1, 1), (278, 3, 1, 16000), (279, 4, 1, 8),
    ]
    var tiff: [UInt8] = Array("II".utf8) + little(42, 2) + little(16, 4)
    tiff += [120, 156, 99, 0, 0, 0, 1, 0] + little(entries.count, 2)
    for entry in entries {
      tiff += little(entry.0, 2) + little(entry.1, 2) + little(entry.2, 4) + little(entry.3, 4)
    }
    tiff += little(0, 4)
    let pfm = Array("PF\n16000 16000\n-1.0\n".utf8) + [UInt8](repeating: 0, count: 64)
    return [("claim.png", png), ("claim.tif", tiff), ("claim.pfm", pfm)]
  }()

  @Test(arguments: 0..<3) func claimsAreJudgedBeforeMemoryIsTaken(_ number: Int) {
    let (name, bytes) = Self.claims[number]
    let error = Self.error(bytes, name)
    #expect(error?.code == .malformed, "\(error as Any)")
    #expect(error?.message.contains(name) == true)
  }

  /// The parts of the budget: what is refused is named with both figures.
  @Test func eachPictureHasAThird() {
    let third = MemoryBudget.byteCount / 3
    func claim(_ width: Int, isConvertedWhole: Bool) -> CinematicError? {
      var request = StillRequest("a.png")
      request.isConvertedWhole = isConvertedWhole
      return failure { () throws(CinematicError) in
        try PictureClaim(
          Dimensions(width: width, height: 1000), bytesPerPixel: 1, isDeep: false, request
        ).checkMemory()
      }
    }
    // With RGBA a pixel takes five bytes, without it one.
    #expect(claim(third / 5000 - 1, isConvertedWhole: true) == nil)
    #expect(claim(third / 5000 + 1, isConvertedWhole: true)?.code == .outOfMemory)
    #expect(claim(third / 1000 - 1, isConvertedWhole: false) == nil)
    #expect(claim(third / 1000 + 1, isConvertedWhole: false)?.code == .outOfMemory)
    #expect(claim(.max / 2, isConvertedWhole: true)?.code == .outOfMemory)
    #expect(MemoryBudget.text(1_500_000_000) == "1.5 GB")
    #expect(MemoryBudget.text(64_000_000) == "64 MB")
  }
}
