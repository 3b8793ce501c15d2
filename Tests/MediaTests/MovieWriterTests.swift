// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import FocalBoxes
import FocalCore
import Testing

@testable import FocalMedia

/// Cinematic movies, written and read back.
@Suite struct MovieWriterTests {
  static let size = Dimensions(width: 96, height: 64)
  static let mapSize = Dimensions(width: 48, height: 32)

  /// A clip that the package's own encoder wrote.
  static func clip(
    _ name: String, in folder: ScratchFolder, times: [Time], timescale: Int32,
    _ format: PixelFormat = .yuv420Video8, tags: ColorTags = .bt709,
    codec: WriterSettings.Codec = .automatic, turn: QuarterTurn = .identity,
    sound: AssetSound? = nil
  ) throws(CinematicError) -> String {
    var settings = WriterSettings(dimensions: size, pixelFormat: format, tags: tags)
    settings.timescale = timescale
    settings.nominalFrameDuration =
      times.count > 1 ? times[1] - times[0] : Time(value: 1, timescale: 30)
    settings.codec = codec
    settings.preferredTransform = turn
    settings.temporaryFiles = folder.temporaryFiles
    settings.sound = sound.map { .asset($0) }
    let encoder = try MovieWriter(folder.file(name), settings: settings)
    for (index, time) in times.enumerated() {
      let picture = try picture(index, format, tags)
      let next = index + 1 < times.count ? times[index + 1] : time + settings.nominalFrameDuration
      try encoder.append(video: picture, time: time, duration: next - time)
    }
    try encoder.finish()
    return folder.file(name)
  }

  /// A buffer whose samples were changed after it was made may lack some of the last moment: it is refused, and nothing is
  /// written past the frame that it fills.
  @Test(arguments: [1, 1599, 1601, 3199]) func soundThatLacksSamples(_ count: Int) throws {
    let folder = ScratchFolder()
    let format = SoundFormat(sampleRate: 48000, channelCount: 2)
    var settings = WriterSettings(
      dimensions: Self.size, pixelFormat: .yuv420Video8, tags: .bt709)
    settings.temporaryFiles = folder.temporaryFiles
    settings.sound = .live(format)
    let writer = try MovieWriter(folder.file("a.mov"), settings: settings)
    var buffer = SoundBuffer(format: format, samples: [], time: .zero)
    buffer.samples = [Float](repeating: 0.1, count: 3200)
    try writer.append(sound: buffer)
    buffer.samples = [Float](repeating: 0.1, count: count)
    buffer.time = Time(value: 1, timescale: 30)
    let error = failure { () throws(CinematicError) in try writer.append(sound: buffer) }
    #expect(error?.code == .incompatible)
    #expect(error?.message.contains("\(count) of all") == true)
    writer.cancel()
    #expect(folder.names == [])
  }

  static func picture(
    _ index: Int, _ format: PixelFormat, _ tags: ColorTags
  ) throws(CinematicError) -> PixelBuffer {
    do {
      return try Scene.smooth(
        size.width, size.height, format, tags: tags, phase: Double(index) / 3)
    } catch {
      throw CinematicError(.unknown, "\(error)")
    }
  }

  /// Disparities that use every code and the values between them, other ones in every frame.
  static func map(
    _ index: Int, _ range: ClosedRange<Float> = 0...1, holes: Bool = false,
    size: Dimensions = mapSize
  ) throws(CinematicError) -> PixelBuffer {
    let map = try PixelBuffer(dimensions: size, format: .disparityFloat, tags: .linearBT709)
    var random = Seeded(UInt64(index + 1))
    let extent = range.upperBound - range.lowerBound
    map.withUnsafeMutableBytes { bytes in
      for y in 0..<size.height {
        for x in 0..<size.width {
          var value = range.lowerBound + extent * Float(random.next() >> 40) * 0x1p-24
          if holes, (x + y + index) % 7 == 0 { value = .nan }
          bytes.storeBytes(
            of: value, toByteOffset: y * map.planes[0].bytesPerRow + x * 4, as: Float.self)
        }
      }
    }
    return map
  }

  static func write(
    _ video: MovieWriter.Settings.Video, to path: String, in folder: ScratchFolder,
    frames: [TimeRange], coding: DisparityCoding? = nil, holes: Bool = false,
    mapSize: Dimensions = mapSize, script: [UInt8]? = nil, sound: AssetSound? = nil
  ) throws(CinematicError) {
    let unit = try DisparityCoding(0...1)
    let coding = coding ?? unit
    var settings = MovieWriter.Settings(
      video: video, disparityDimensions: mapSize, disparityCoding: coding)
    settings.temporaryFiles = folder.temporaryFiles
    if let sound { settings.sound = .asset(sound) }
    let writer = try MovieWriter(path, settings: settings)
    for (index, frame) in frames.enumerated() {
      if case .encoded(let target) = video {
        try writer.append(
          video: picture(index, target.pixelFormat, target.tags), time: frame.start,
          duration: frame.duration)
      }
      try writer.append(
        disparity: map(index, coding.range, holes: holes, size: mapSize),
        time: frame.start, duration: frame.duration)
      try writer.append(
        focusDisparity: attributes(index).0, fNumber: attributes(index).1, time: frame.start,
        duration: frame.duration)
    }
    try writer.finish(script: script)
  }

  static func attributes(_ index: Int) -> (Float, Float) {
    (0.3 + Float(index) / 77, 2 + Float(index) / 13)
  }

  static func steady(_ count: Int, _ step: Time) -> [Time] { (0..<count).map { step * $0 } }

  struct Rate: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var timescale: Int32
    var times: [Time]
  }

  static let rates = [
    Rate(
      testDescription: "29.97", timescale: 30000,
      times: steady(40, Time(value: 1001, timescale: 30000))),
    Rate(
      testDescription: "23.976", timescale: 24000,
      times: steady(35, Time(value: 1001, timescale: 24000))),
    Rate(
      testDescription: "59.94", timescale: 60000,
      times: steady(50, Time(value: 1001, timescale: 60000))),
    Rate(
      testDescription: "variable, late start", timescale: 600,
      times: [40, 55, 61, 100, 120, 240, 241, 300, 950, 960, 1500, 1520].map {
        Time(value: $0, timescale: 600)
      }),
  ]

  /// Packets bit for bit, times exact, disparity within half a code, metadata of every frame.
  @Test(arguments: rates, ["clip.mp4", "hevc.mov"])
  func copiedRoundTrip(_ rate: Rate, _ name: String) async throws {
    let folder = ScratchFolder()
    let source = try Self.clip(
      name, in: folder, times: rate.times, timescale: rate.timescale,
      name == "hevc.mov" ? .yuv420Video10 : .yuv420Video8,
      tags: name == "hevc.mov" ? .hlg : .bt709)
    let clip = try #require(try await CodedClip(path: source))
    let script = Array("{\"format\":\"focal-script\"}".utf8)
    let path = folder.file("movie.mov")
    try Self.write(.copied(clip), to: path, in: folder, frames: clip.frames, script: script)

    #expect(try VideoPackets(path).data == VideoPackets(source).data)
    let before = try await FrameReader.open(source)
    let after = try await FrameReader.open(path)
    #expect(after.properties.tags == before.properties.tags)
    #expect(after.properties.colorCodes == before.properties.colorCodes)
    #expect(clip.frames.count == rate.times.count)
    while let expected = try await before.next() {
      let found = try #require(try await after.next())
      #expect(found.time == expected.time)
      #expect(found.duration == expected.duration)
      #expect(found.pixelBuffer.packedBytes() == expected.pixelBuffer.packedBytes())
    }
    #expect(try await after.next() == nil)

    let reader = try await CinematicReader(AssetInfo(asset: Asset(path: path)))
    #expect(reader.frameCount == rate.times.count)
    for (index, frame) in clip.frames.enumerated() {
      let found = try #require(try await reader.next())
      #expect(found.time == frame.start)
      #expect(found.timeRange.duration == frame.duration)
      try expectDisparity(found.disparity, Self.map(index), DisparityCoding(0...1))
      let metadata = try #require(found.metadata)
      #expect(metadata.timeRange == found.timeRange)
      expectAttributes(metadata, index)
      #expect(
        metadata[CinematicKey.script]?.value
          == (index == 0 ? .text(String(decoding: script, as: UTF8.self)) : nil))
    }
  }

  /// Pictures that are compressed on the way, ten bits and HLG, rotated.
  @Test(arguments: rates)
  func encodedRoundTrip(_ rate: Rate) async throws {
    let folder = ScratchFolder()
    var target = WriterSettings(
      dimensions: Self.size, pixelFormat: .yuv420Video10, tags: .hlg)
    target.timescale = rate.timescale
    target.nominalFrameDuration = rate.times[1] - rate.times[0]
    target.preferredTransform = .clockwise270
    let ends =
      rate.times.dropFirst() + [rate.times[rate.times.count - 1] + target.nominalFrameDuration]
    let frames = zip(rate.times, ends).map { TimeRange(start: $0, end: $1) }
    let path = folder.file("movie.mov")
    try Self.write(.encoded(target), to: path, in: folder, frames: frames)
    let reader = try await FrameReader.open(path)
    #expect(reader.properties.tags == .hlg)
    #expect(reader.properties.preferredTransform == .clockwise270)
    #expect(reader.properties.codecDescription.hasPrefix("hevc"))
    let info = try await AssetInfo(asset: Asset(path: path))
    #expect(info.preferredTransform == .clockwise270)
    #expect(info.naturalSize == Self.size)
    #expect(info.preferredSize == Self.size.transposed)
    #expect(info.capability == .renderable)
    #expect(try info.timeRange == TimeRange(start: rate.times[0], end: #require(ends.last)))
    let cinematic = try await CinematicReader(info)
    for (index, frame) in frames.enumerated() {
      let read = try #require(try await reader.next())
      #expect(read.time + reader.properties.startTime == frame.start)
      #expect(read.duration == frame.duration)
      // The codec is lossy; smooth pictures keep 40 dB easily at the default rate.
      let original = try Self.picture(index, .yuv420Video10, .hlg).values(UInt16.self)
      let quality = psnr(
        original.map { Double($0 >> 6) },
        read.pixelBuffer.values(UInt16.self).map { Double($0 >> 6) }, peak: 1023)
      #expect(quality > 40)
      let found = try #require(try await cinematic.next())
      #expect(found.image.packedBytes() == read.pixelBuffer.packedBytes())
      try expectDisparity(found.disparity, Self.map(index), DisparityCoding(0...1))
    }
  }

  /// Any range, holes, and sizes that the codec cannot have.
  @Test(
    arguments: [
      (-3.5...12.25, false, Dimensions(width: 48, height: 32)),
      (0.8...1.4, true, Dimensions(width: 64, height: 36)),
      (1e-3...2e-3, true, Dimensions(width: 34, height: 50)),
    ] as [(ClosedRange<Float>, Bool, Dimensions)])
  func disparityRanges(_ range: ClosedRange<Float>, _ holes: Bool, _ size: Dimensions) async throws
  {
    let folder = ScratchFolder()
    let source = try Self.clip(
      "clip.mp4", in: folder, times: Self.steady(12, Time(value: 1, timescale: 30)), timescale: 30)
    let clip = try #require(try await CodedClip(path: source))
    let coding = try DisparityCoding(range, hasHoles: holes)
    #expect(coding.range.lowerBound.isApproximately(range.lowerBound, of: range))
    let path = folder.file("movie.mov")
    try Self.write(
      .copied(clip), to: path, in: folder, frames: clip.frames, coding: coding, holes: holes,
      mapSize: size)
    let reader = try await CinematicReader(AssetInfo(asset: Asset(path: path)))
    for index in clip.frames.indices {
      let found = try #require(try await reader.next())
      try expectDisparity(
        found.disparity, Self.map(index, coding.range, holes: holes, size: size), coding)
    }
  }

  /// The sound's packets come along, with their times.
  @Test func sound() async throws {
    let folder = ScratchFolder()
    try SoundFile.write(to: folder.file("sound.m4a"), seconds: 1.5)
    let source = try Self.clip(
      "clip.mp4", in: folder, times: Self.steady(45, Time(value: 1, timescale: 30)), timescale: 30,
      sound: try await AssetSound(Asset(path: folder.file("sound.m4a"))))
    let clip = try #require(try await CodedClip(path: source))
    let path = folder.file("movie.mov")
    let sound = try await AssetSound(Asset(path: source))
    try Self.write(.copied(clip), to: path, in: folder, frames: clip.frames, sound: sound)
    let before = try VideoPackets(source, AVMEDIA_TYPE_AUDIO)
    let after = try VideoPackets(path, AVMEDIA_TYPE_AUDIO)
    #expect(!before.data.isEmpty)
    #expect(after.data == before.data)
    #expect(after.times == before.times)
    #expect(after.parameters == before.parameters)
    let silent = folder.file("silent.mov")
    try Self.write(.copied(clip), to: silent, in: folder, frames: clip.frames)
    #expect(try await FrameReader.open(silent).properties.hasAudio == false)
    #expect(try await FrameReader.open(path).properties.hasAudio)
  }

  /// Matroska counts in milliseconds and broadcast streams part units by start codes.
  @Test(arguments: ["clip.mkv", "clip.ts"])
  func otherContainers(_ name: String) async throws {
    let folder = ScratchFolder()
    var test = TestClip(
      codec: "libx264", format: AV_PIX_FMT_YUV420P, size: Self.size, frameCount: 30
    ) { frame, plane, x, y in plane == 0 ? (x * 2 + y + 5 * frame) & 255 : 128 }
    test.options = ["bf": "2", "g": "12"]
    try test.write(to: folder.file(name))
    let clip = try #require(try await CodedClip(path: folder.file(name)))
    #expect(clip.hasStartCodes == (name == "clip.ts"))
    let path = folder.file("movie.mov")
    try Self.write(.copied(clip), to: path, in: folder, frames: clip.frames)
    let expected = try await frames(folder.file(name))
    let found = try await frames(path)
    #expect(found.map(\.time) == expected.map(\.time))
    #expect(
      found.map { $0.pixelBuffer.packedBytes() } == expected.map { $0.pixelBuffer.packedBytes() })
    if name == "clip.mkv" {
      #expect(try VideoPackets(path).data == VideoPackets(folder.file(name)).data)
    }
  }

  /// Pictures that cannot be copied are not copied by halves.
  @Test func clipsToEncode() async throws {
    let folder = ScratchFolder()
    var test = TestClip(
      codec: "mpeg4", format: AV_PIX_FMT_YUV420P, size: Self.size
    ) { _, _, x, y in x + y }
    test.options = [:]
    try test.write(to: folder.file("clip.mp4"))
    #expect(try await CodedClip(path: folder.file("clip.mp4")) == nil)
    try PictureWriter.write(
      Scene.noise(8, 8, .rgba8), to: folder.file("picture.png"),
      temporaryFiles: folder.temporaryFiles)
    #expect(try await CodedClip(path: folder.file("picture.png")) == nil)
    let inMatroska = TestClip(
      codec: "prores_ks", format: AV_PIX_FMT_YUV422P10LE, size: Self.size
    ) { _, _, x, y in x + y }
    try inMatroska.write(to: folder.file("clip.mkv"))
    // And it is said why.
    for (name, reason) in [("clip.mp4", "its codec"), ("clip.mkv", ".mov and .mp4 alone")] {
      let search = try await CodedClip.search(FrameReader.open(folder.file(name)))
      guard case .unfit(let said) = search else {
        Issue.record("\(name) was found fit")
        continue
      }
      #expect(said.contains(reason), "\(said)")
    }
  }
}

extension MovieWriterTests {
  /// Refused before a file is made.
  @Test(arguments: [0, -0.5, .nan, .infinity] as [Double]) func fragmentsOfNoTime(_ seconds: Double)
  {
    let folder = ScratchFolder()
    var settings = MovieWriter.Settings(
      WriterSettings(dimensions: Self.size, pixelFormat: .yuv420Video8, tags: .bt709))
    settings.fragmentSeconds = seconds
    settings.isRecording = true
    settings.temporaryFiles = folder.temporaryFiles
    let error = #expect(throws: CinematicError.self) {
      try MovieWriter(folder.file("movie.mov"), settings: settings)
    }
    #expect(error?.code == .invalidParameter)
    #expect(error?.message.contains("fragment") == true)
  }

  /// An edit that holds a picture, or shows the film faster, is no copy of the film.
  @Test(arguments: [0, 2 << 16] as [Int32]) func editsOfOtherSpeed(_ rate: Int32) async throws {
    let folder = ScratchFolder()
    let source = try Self.clip(
      "clip.mp4", in: folder, times: Self.steady(8, Time(value: 1, timescale: 30)), timescale: 30)
    #expect(try await CodedClip(path: source) != nil)
    var boxes = try Box.parse(folder.read("clip.mp4")[...])
    let place = try #require(boxes.firstIndex { $0.type == "moov" })
    var movie = boxes[place]
    for track in movie.boxes.indices where movie.boxes[track].type == "trak" {
      // The movie counts in ticks of its own: a moment of it is enough.
      let list = Box("elst", version: 0) { writer in
        for value in [1, 100, 0, rate] { writer.i32(value) }
      }
      movie.boxes[track].boxes.removeAll { $0.type == "edts" }
      movie.boxes[track].boxes.append(Box("edts", [list]))
    }
    // Other places of the pictures would need other tables.
    boxes[place] = Box("free", data: [UInt8](repeating: 0, count: boxes[place].size - 8))
    boxes.append(movie)
    folder.write(boxes.flatMap(\.bytes), to: "edited.mp4")
    let search = try await CodedClip.search(FrameReader.open(folder.file("edited.mp4")))
    guard case .unfit(let reason) = search else {
      Issue.record("it was found fit")
      return
    }
    #expect(reason == "its edit list changes its speed")
  }
}

extension CodedClip {
  /// The coded pictures of a file.
  init?(path: String) async throws(CinematicError) {
    try await self.init(FrameReader.open(path))
  }

  /// When each frame is shown.
  var frames: [TimeRange] { (0..<frameCount).map { timeRange(ofFrame: $0) } }
}

extension DisparityCoding {
  /// The disparities that have codes.
  var range: ClosedRange<Float> {
    hasHoles ? (low + (high - low) / Float(Self.maximumCode))...high : low...high
  }
}

extension Float {
  fileprivate func isApproximately(_ other: Float, of range: ClosedRange<Float>) -> Bool {
    abs(self - other) <= (range.upperBound - range.lowerBound) * 1e-5
  }
}

/// Half a code, and what single precision adds.
func expectDisparity(
  _ found: PixelBuffer?, _ expected: PixelBuffer, _ coding: DisparityCoding,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let found = try #require(found, sourceLocation: sourceLocation)
  #expect(found.width >= expected.width && found.height >= expected.height)
  let step = (coding.high - coding.low) / Float(DisparityCoding.maximumCode)
  let slack = max(abs(coding.high), abs(coding.low)) * 4 * Float.ulpOfOne
  var worst: Float = 0
  var wrongHoles = 0
  for y in 0..<expected.height {
    for x in 0..<expected.width {
      switch (found.disparity(x: x, y: y), expected.disparity(x: x, y: y)) {
      case (let a?, let b?): worst = max(worst, abs(a - b))
      case (nil, nil): break
      default: wrongHoles += 1
      }
    }
  }
  #expect(worst <= step / 2 + slack, sourceLocation: sourceLocation)
  #expect(wrongHoles == 0, sourceLocation: sourceLocation)
}

func expectAttributes(_ metadata: TimedMetadataGroup, _ index: Int) {
  let (focus, fNumber) = MovieWriterTests.attributes(index)
  #expect(metadata[CinematicKey.focusDisparity]?.value == .number(Double(focus)))
  #expect(metadata[CinematicKey.fNumber]?.value == .number(Double(fNumber)))
}

/// A stream's packets as FFmpeg takes them out of a file.
struct VideoPackets {
  var data: [[UInt8]] = []
  var times: [Time] = []
  var parameters: [Int] = []
  /// Whether every packet begins as AAC does in broadcast streams, and nothing else says how it is coded.
  var hasHeads = false

  init(_ path: String, _ kind: AVMediaType = AVMEDIA_TYPE_VIDEO) throws {
    let input = try InputContext(path: path)
    let index = av_find_best_stream(input.pointer, kind, -1, -1, nil, 0)
    let stream = try #require(index >= 0 ? input.streams[Int(index)] : nil)
    let codec = stream.pointee.codecpar.pointee
    parameters = [
      Int(codec.codec_id.rawValue), Int(codec.sample_rate), Int(codec.frame_size),
      Int(focal_channel_count(stream.pointee.codecpar)),
    ]
    hasHeads = codec.codec_id == AV_CODEC_ID_AAC && codec.extradata_size == 0
    let packet = try #require(Packet())
    while av_read_frame(input.pointer, packet.pointer) >= 0 {
      if packet.pointer.pointee.stream_index == index {
        data.append(packet.bytes)
        times.append(Time(packet.pointer.pointee.pts, base: stream.pointee.time_base))
      }
      av_packet_unref(packet.pointer)
    }
  }
}
