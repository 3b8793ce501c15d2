// SPDX-License-Identifier: Apache-2.0

import CFFmpeg
import Dispatch
import FocalBoxes
import FocalCore

/// The pictures of picture files, one sample a file.
final class PictureTrack: TrackContainer {
  /// The loaded values. The container keeps it, so it does not know the container.
  final class Content: Sendable {
    let samples = SharedLoad<SampleIndex>()
    let first = SharedLoad<FirstPicture>()
  }

  /// Facts that only the first picture tells.
  struct FirstPicture: Sendable {
    var dimensions: Dimensions
    var matrix: TransformMatrix
    var entry: SampleEntry
  }

  private let content: Content
  private let container: PictureContainer

  let trackID: UInt32 = 1
  let mediaType = MediaType.video
  /// Ticks a second; a picture lasts a whole number of them.
  private var timescaleOfPictures: Int32 { container.pictureDuration.timescale }

  init(_ content: Content, in container: PictureContainer) {
    self.content = content
    self.container = container
  }

  func isEnabled() -> Bool { true }
  func naturalSize() async throws(CinematicError) -> Dimensions { try await first().dimensions }
  func matrix() async throws(CinematicError) -> TransformMatrix { try await first().matrix }
  func timescale() -> Int32 { timescaleOfPictures }
  func languageCode() -> String? { nil }
  func sampleEntries() async throws(CinematicError) -> [SampleEntry] { [try await first().entry] }
  func edits() -> [EditList.Edit] { [] }
  func references() -> [FourCC: [UInt32]] { [:] }
  func metadata() -> [MetadataItem] { [] }

  func timeRange() throws(CinematicError) -> TimeRange {
    TimeRange(start: .zero, duration: try container.duration())
  }

  // MARK: - Samples

  func sampleIndex() async throws(CinematicError) -> SampleIndex {
    try await content.samples.value { [container] () async throws(CinematicError) -> SampleIndex in
      var index = SampleIndex()
      let step = container.pictureDuration.value
      for number in 0..<(try container.count()) {
        let range: Range<Int64>
        switch container.files {
        case .one(let source): range = 0..<(try await source.believedByteCount())
        case .numbered(let pictures): range = try pictures.range(ofFile: number)
        }
        let place = Int64(try container.place(number))
        let time = place.multipliedReportingOverflow(by: step).partialValue
        let length = Int64(try container.place(number + 1)) - place
        try index.append(
          SampleIndex.Sample(
            offset: range.lowerBound, size: range.count, decodeTime: time, compositionTime: time,
            duration: length.multipliedReportingOverflow(by: step).partialValue, isSync: true,
            description: 0), isHidden: false)
      }
      return index
    }
  }

  func timeline() async throws(CinematicError) -> Timeline {
    Timeline(
      try await sampleIndex(), mediaTimescale: timescaleOfPictures,
      movieTimescale: timescaleOfPictures, edits: nil, isFragmented: false)
  }

  func sampleData(
    _ number: Int, from source: any ByteSource
  ) async throws(CinematicError) -> [UInt8] {
    switch container.files {
    case .one(let source): try await source.read(0..<(try await source.believedByteCount()))
    case .numbered(let pictures): try pictures.file(number)
    }
  }

  func sampleReader(_ source: any ByteSource) -> any SampleReader { files }

  private var files: PictureFileReader { PictureFileReader(container: container) }

  // MARK: - Pictures

  func pictureFacts() -> PictureFacts {
    let kind: SourceProperties.Kind =
      if case .one = container.files { .still } else { .numbered }
    // Pictures say themselves how they lie; they are shown with square pixels.
    return PictureFacts(
      kind: kind, pixelAspectRatio: .square, frameDuration: container.pictureDuration,
      fileName: container.fileName)
  }

  func pictureDecoder(_ source: any ByteSource, _ options: ReadOptions)
    -> any PictureDecoder
  {
    StillTrackDecoder(files, options)
  }

  private func first() async throws(CinematicError) -> FirstPicture {
    try await content.first.value { [files] () async throws(CinematicError) -> FirstPicture in
      let result = await withCheckedContinuation { continuation in
        // Off the threads of tasks: a large picture takes a while.
        DispatchQueue(label: "focal.picture").async {
          continuation.resume(
            returning: Result { () throws(CinematicError) in try FirstPicture(files) })
        }
      }
      return try result.get()
    }
  }
}

extension PictureTrack.FirstPicture {
  fileprivate init(_ files: PictureFileReader) throws(CinematicError) {
    let bytes = try files.sample(0)
    let frame = try StillDecoder.decode(bytes, StillRequest(files.container.fileName(0)))
    dimensions = frame.dimensions
    matrix =
      focal_frame_display_matrix(frame.pointer).map { matrix in
        TransformMatrix(values: (0..<9).map { matrix[$0] })
      } ?? .identity
    let format: FourCC =
      switch StillKind(file: bytes) {
      case .png: "png "
      case .jpeg: "jpeg"
      case .tiff: "tiff"
      case .pfm: "pfm "
      case .heic: "hvc1"
      case .avif: "av01"
      case .dpx: "dpx "
      case .openEXR, nil: "exr "
      }
    entry = try SampleEntry(
      SampleEntry.visual(format, dimensions: dimensions, name: "", extensions: []), handler: "vide")
  }
}

/// Gives picture files as a whole.
struct PictureFileReader: SampleReader {
  let container: PictureContainer

  func sample(_ number: Int) throws(CinematicError) -> [UInt8] {
    switch container.files {
    case .one(let source):
      let reader = BlockingReader(source: source)
      return try reader.bytes(0..<(try reader.byteCount()))
    case .numbered(let pictures): return try pictures.file(number)
    }
  }

  // It keeps no place.
  func another() -> any SampleReader { self }
}

/// Decodes picture files, each by itself.
final class StillTrackDecoder: PictureDecoder {
  private let files: PictureFileReader
  private let options: ReadOptions
  private(set) var codecName = ""

  init(_ files: PictureFileReader, _ options: ReadOptions) {
    self.files = files
    self.options = options
  }

  func picture(
    of sample: Int, while isWanted: () -> Bool
  ) throws(CinematicError) -> PictureFrame? {
    let bytes = try files.sample(sample)
    guard isWanted() else { return nil }
    if let kind = StillKind(file: bytes) { codecName = kind.rawValue }
    var request = StillRequest(files.container.fileName(sample))
    request.content = StillRequest.Content(options.content)
    request.layer = options.layer
    request.channel = options.channel
    request.keepsChromaticities = options.keepsChromaticities
    request.statesTransfer = options.statesTransfer
    request.damage = options.damage
    let frame = try StillDecoder.decode(bytes, request)
    frame.pointer.pointee.pts = Int64(sample)
    return frame
  }
}
