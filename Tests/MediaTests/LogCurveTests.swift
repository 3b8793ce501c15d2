// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalCore
import Foundation
import Testing

@testable import FocalMedia

/// Curves of cameras, and tables of colours.
@Suite struct LogCurveTests {
  /// A row of grays.
  func row(_ values: [Float]) throws -> PixelBuffer {
    try PixelBuffer(
      dimensions: Dimensions(width: values.count, height: 1), format: .rgbaFloat,
      tags: .linearBT709, values: values.flatMap { [$0, $0, $0, 1] })
  }

  func reds(_ buffer: PixelBuffer) -> [Float] {
    stride(from: 0, to: 4 * buffer.width, by: 4).map { buffer.values(Float.self)[$0] }
  }

  /// 18 % gray and black by the makers' papers, as codes of 10 bits over 1023 or, where the paper
  /// counts from black to white of video, over 876.
  @Test(
    arguments: [
      (LogCurve.logC3, 0.18, 0.391007), (.logC3, 0, 0.092809), (.logC4, 0.18, 0.278396),
      (.logC4, 0, 0.092864), (.sLog3, 0.18, 420.0 / 1023), (.sLog3, 0, 95.0 / 1023),
      (.sLog3, 0.9, 598.0 / 1023), (.vLog, 0.18, 0.423311), (.vLog, 0, 0.125),
      (.canonLog2, 0, 0.092864), (.canonLog2, 0.18, 0.398254), (.canonLog3, 0, 0.125122),
      (.canonLog3, 0.18, 0.343389), (.fLog, 0.18, 0.459318), (.fLog, 0, 0.092864),
      (.fLog2, 0.18, 0.391007), (.appleLog, 0.18, 0.488272), (.sLog3Wide, 0.18, 420.0 / 1023),
      (.canonLog, 0, 0.125122), (.canonLog, 0.18, 0.343389), (.canonLog2BT2020, 0.18, 0.398254),
      (.canonLog3BT2020, 0.18, 0.343389), (.dLog, 0, 0.0929), (.dLog, 0.18, 0.398764),
      (.log3G10, 0.18, 1.0 / 3), (.log3G10, 0, 0.091551), (.log3G10, -0.02, -0.151927),
      (.blackmagicFilm5, 0, 0.092466), (.blackmagicFilm5, 0.18, 0.383562), (.daVinci, 0, 0),
      (.daVinci, 0.18, 0.336043), (.daVinci, 1, 0.513837), (.sLog2, 0, 0.088251),
      (.sLog2, 0.18, 0.339533), (.sLog2, 0.9, 0.568950), (.sLog2, -0.02, 0.020911),
      (.nLog, 0, 0.124373), (.nLog, 0.18, 0.363668), (.nLog, 0.9, 0.589634),
      (.nLog, -0.02, -0.147460),
    ] as [(LogCurve, Double, Double)])
  func greys(_ curve: LogCurve, light: Double, code: Double) throws {
    let buffer = try row([Float(light)])
    // In full range the number is that of the paper.
    buffer.encodeLog(curve, isFullRange: true)
    #expect(abs(Double(reds(buffer)[0]) - code) < 0.0006, "\(reds(buffer)[0])")
  }

  /// On a screen, light up to the shoulder has its own codes, grays stay gray, and no light is darker than less light.
  @Test(arguments: LogCurve.allCases, [true, false])
  func onAScreen(_ curve: LogCurve, isFullRange: Bool) throws {
    let lights: [Float] = [0, 0.01, 0.05, 0.18, 0.35, 0.5, 0.9, 2, 6]
    let buffer = try row(lights)
    buffer.encodeLog(curve, isFullRange: isFullRange)
    // Beyond the last code there is no light to show.
    let codes = reds(buffer)
    try buffer.replaceCodes(by: ColorCube(showing: curve, isFullRange: isFullRange))
    let values = buffer.values(Float.self)
    var last: Float = -1
    for (index, light) in lights.enumerated() where codes[index] <= 1 {
      let (red, green, blue) = (values[4 * index], values[4 * index + 1], values[4 * index + 2])
      #expect(abs(red - green) < 0.004 && abs(red - blue) < 0.004, "\(red) \(green) \(blue)")
      #expect(red >= last && red <= 1)
      last = red
      guard light <= 0.5 else { continue }
      let expected = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
      // Between entries of the table, and black below its first one.
      #expect(abs(red - expected) < 0.015, "\(light): \(red), not \(expected)")
    }
    #expect(last > 0.6)
  }

  /// Codes become light and the same codes again, at every depth, also beyond black and white.
  @Test(arguments: LogCurve.allCases, [true, false])
  func codesComeBack(_ curve: LogCurve, isFullRange: Bool) throws {
    let codes = (0...4095).map { (Float($0) - 100) / 3800 }
    let buffer = try row(codes)
    buffer.decodeLog(curve, isFullRange: isFullRange)
    let light = reds(buffer)
    #expect(zip(light, light.dropFirst()).allSatisfy { $0 <= $1 })
    buffer.encodeLog(curve, isFullRange: isFullRange)
    for (code, found) in zip(codes, reds(buffer)) {
      #expect(abs(code - found) < 5e-6)
    }
  }

  /// In video range, papers that count recorded codes begin at 64 of 1023. The codes are those of 18 % gray in their
  /// tables.
  @Test(
    arguments: [
      (.sLog3, 420), (.vLog, 433), (.canonLog, 351), (.canonLog2, 407), (.canonLog3, 351),
      (.sLog2, 347), (.nLog, 372), (.fLog, 470),
    ] as [(LogCurve, Float)])
  func recordedCodes(_ curve: LogCurve, code: Float) throws {
    let buffer = try row([(code - 64) / 876, (code + 0.5 - 64) / 876, (code - 0.5 - 64) / 876])
    buffer.decodeLog(curve, isFullRange: false)
    #expect(reds(buffer)[2] < 0.181 && reds(buffer)[1] > 0.179, "\(reds(buffer))")
  }

  /// In video range, others are shares of the signal.
  @Test func sharesOfTheSignal() throws {
    let alexa = try row([0.391007])
    alexa.decodeLog(.logC3, isFullRange: false)
    #expect(abs(alexa.values(Float.self)[0] - 0.18) < 1e-4)
  }

  /// Light by the makers' formulas, of the codes 400 and 600 of ten bits in video range. A recorded code counts over 1023,
  /// a share of the signal from 64 over 876.
  private static let videoLights: [LogCurve: (Float, Float)] = [
    .logC3: (0.167309, 1.47278), .logC4: (0.614097, 7.3632), .sLog2: (0.26587, 1.00928),
    .sLog3: (0.149321, 0.917022), .sLog3Wide: (0.149321, 0.917022),
    .vLog: (0.129972, 0.885755), .canonLog: (0.253531, 0.835374),
    .canonLog2: (0.167284, 1.13647), .canonLog3: (0.263516, 1.04224),
    .canonLog2BT2020: (0.167284, 1.13647), .canonLog3BT2020: (0.263516, 1.04224),
    .nLog: (0.225545, 0.881027), .fLog: (0.107802, 0.443827), .fLog2: (0.179999, 1.18952),
    .appleLog: (0.0715086, 0.50687), .dLog: (0.167165, 1.01789),
    .log3G10: (0.312531, 3.41191), .blackmagicFilm5: (0.18, 2.55878),
    .daVinci: (0.28638, 2.53873),
  ]

  @Test(arguments: LogCurve.allCases) func lightOfVideoCodes(_ curve: LogCurve) throws {
    let expected = try #require(Self.videoLights[curve])
    let buffer = try row([336.0 / 876, 536.0 / 876])
    buffer.decodeLog(curve, isFullRange: false)
    let lights = reds(buffer)
    // Makers round the numbers of their formulas.
    #expect(abs(lights[0] / expected.0 - 1) < 2e-3, "\(lights)")
    #expect(abs(lights[1] / expected.1 - 1) < 2e-3, "\(lights)")
  }

  /// Red, green and blue, and the white of most cameras.
  private static func points(_ values: Float...) -> [Float] { values + [0.3127, 0.3290] }

  /// Red, green, blue and white by the makers' papers.
  private static let gamuts: [LogCurve: [Float]] = {
    let bt2020 = points(0.708, 0.292, 0.170, 0.797, 0.131, 0.046)
    let sony = points(0.730, 0.280, 0.140, 0.855, 0.100, -0.050)
    let canon = points(0.740, 0.270, 0.170, 1.140, 0.080, -0.100)
    var gamuts: [LogCurve: [Float]] = [:]
    gamuts[.logC3] = points(0.6840, 0.3130, 0.2210, 0.8480, 0.0861, -0.1020)
    gamuts[.logC4] = points(0.7347, 0.2653, 0.1424, 0.8576, 0.0991, -0.0308)
    gamuts[.sLog3] = points(0.766, 0.275, 0.225, 0.800, 0.089, -0.087)
    gamuts[.vLog] = points(0.730, 0.280, 0.165, 0.840, 0.100, -0.030)
    gamuts[.dLog] = points(0.71, 0.31, 0.21, 0.88, 0.09, -0.08)
    gamuts[.log3G10] = points(0.780308, 0.304253, 0.121595, 1.493994, 0.095612, -0.084589)
    gamuts[.blackmagicFilm5] = [
      0.7177215, 0.3171181, 0.2280410, 0.8615690, 0.1005841, -0.0820452, 0.3127170, 0.3290312,
    ]
    gamuts[.daVinci] = points(0.8000, 0.3130, 0.1682, 0.9877, 0.0790, -0.1155)
    for curve in [LogCurve.sLog2, .sLog3Wide] { gamuts[curve] = sony }
    for curve in [LogCurve.canonLog, .canonLog2, .canonLog3] { gamuts[curve] = canon }
    for curve in [
      LogCurve.canonLog2BT2020, .canonLog3BT2020, .nLog, .fLog, .fLog2, .appleLog,
    ] { gamuts[curve] = bt2020 }
    return gamuts
  }()

  @Test(arguments: LogCurve.allCases) func colorsOfCameras(_ curve: LogCurve) throws {
    let expected = try #require(Self.gamuts[curve])
    #expect(curve.gamut.chromaticities == expected)
  }

  @Test func clipsAreReadAsLight() async throws {
    let folder = ScratchFolder()
    let size = Dimensions(width: 16, height: 8)
    let clip = TestClip(codec: "ffv1", format: AV_PIX_FMT_YUV422P10LE, size: size, frameCount: 2) {
      _, plane, _, _ in plane == 0 ? 420 : 512
    }
    try clip.write(to: folder.file("a.mkv"))
    var options = ReadOptions()
    options.workingSpace = .log(.sLog3)
    let reader = try await FrameReader.open(folder.file("a.mkv"), options: options)
    let source = reader.properties
    #expect(source.tags.transfer == .linear && source.logCoding?.curve == .sLog3)
    let picture = try #require(try await reader.next()).pixelBuffer
    for value in picture.values(Float.self).enumerated() where value.offset % 4 < 3 {
      #expect(abs(value.element - 0.18) < 1e-4)
    }
    let film = try OutputFormat(path: "a.mov").pixelFormat(for: source, coding: FilmCoding(.hevc))
    #expect(film.format == .rgbaFloat && film.tags.transfer == .bt709)
    #expect(film.coded == source.codedPixels)
    let light = try OutputFormat(path: "a.exr").pixelFormat(for: source)
    #expect(light.tags.transfer == .linear)
    #expect(throws: CinematicError.self) {
      try OutputFormat(path: "a.jpg").pixelFormat(for: source)
    }
  }

  /// A table of the given size, `value` of each corner's colour.
  func cube(
    _ size: Int, head: String = "", _ value: (Double, Double, Double) -> (Double, Double, Double)
  ) -> [UInt8] {
    var text = "TITLE \"a test\"\n# a remark\nLUT_3D_SIZE \(size)\n\(head)\n"
    let last = Double(size - 1)
    for blue in 0..<size {
      for green in 0..<size {
        for red in 0..<size {
          let (r, g, b) = value(Double(red) / last, Double(green) / last, Double(blue) / last)
          text += "\(r) \(g) \(b)\r\n"
        }
      }
    }
    return Array(text.utf8)
  }

  /// A table of a linear map is exact everywhere.
  @Test(arguments: [2, 5, 33])
  func tables(_ size: Int) throws {
    let table = try ColorCube(
      cube(size) { (0.1 + 0.5 * $0 + 0.2 * $2, 1 - $1, 0.3 * $0 + 0.6 * $2) }, name: "a.cube")
    var random = Seeded(7)
    let values = (0..<400).map { _ in Float(random.next() >> 40) / Float(1 << 24) }
    let buffer = try PixelBuffer(
      dimensions: Dimensions(width: 100, height: 1), format: .rgbaFloat, tags: .bt709,
      values: values)
    table.apply(to: buffer)
    let found = buffer.values(Float.self)
    for at in stride(from: 0, to: 400, by: 4) {
      let (red, green, blue) = (values[at], values[at + 1], values[at + 2])
      #expect(abs(found[at] - (0.1 + 0.5 * red + 0.2 * blue)) < 1e-5)
      #expect(abs(found[at + 1] - (1 - green)) < 1e-5)
      #expect(abs(found[at + 2] - (0.3 * red + 0.6 * blue)) < 1e-5)
      #expect(found[at + 3] == values[at + 3])
    }
  }

  @Test func domains() throws {
    let table = try ColorCube(
      cube(3, head: "DOMAIN_MIN -1 -1 -1\nDOMAIN_MAX 3 3 3") { ($0, $1, $2) }, name: "a.cube")
    let buffer = try row([-2, -1, 1, 2, 5, .nan])
    table.apply(to: buffer)
    #expect(reds(buffer) == [0, 0, 0.5, 0.75, 1, 0.25])
  }

  @Test(arguments: [
    ("", "0 of 0"), ("LUT_3D_SIZE 2\n0 0 0\n", "1 of 8"), ("LUT_3D_SIZE 1\n", "line 1"),
    ("LUT_1D_SIZE 2\n0 0 0\n", "one dimension"), ("LUT_3D_SIZE 2\n0 0\n", "line 2"),
    ("LUT_3D_SIZE 2\n0 0 x\n", "line 2"), ("0 0 0\n", "line 1"), ("hello\n", "line 1"),
    ("LUT_3D_SIZE 2\nDOMAIN_MIN 1 1\n", "line 2"),
    ("LUT_3D_SIZE 2\n" + String(repeating: "0 0 0\n", count: 9), "line 10"),
    ("DOMAIN_MIN 1 1 1\nLUT_3D_SIZE 2\n" + String(repeating: "0 0 0\n", count: 8), "empty"),
  ])
  func tablesThatAreNone(_ text: String, message: String) {
    let error = failure { () throws(CinematicError) in
      _ = try ColorCube(Array(text.utf8), name: "a.cube")
    }
    #expect(error?.code == .malformed || error?.code == .unsupported)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "none")")
    #expect(error?.message.contains("a.cube") == true)
  }
}
