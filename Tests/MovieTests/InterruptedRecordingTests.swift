// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import Foundation
import MovieKit
import Testing

@testable import FocalMedia

/// Files that are named as recordings, whatever they are: only one that holds nothing goes.
@Suite struct InterruptedRecordingTests {
  private static func layout(_ form: MovieLayout.Form) -> MovieLayout {
    let samples = (0..<9).map {
      MovieLayout.Sample([UInt8](repeating: UInt8($0), count: 40), duration: 20)
    }
    let track = MovieLayout.Track("vide", timescale: 600, entry: nil, samples: samples)
    var layout = MovieLayout([track])
    layout.form = form
    return layout
  }

  /// A recording is over when its writer lets go of it, although a program that is just being started has all
  /// descriptors.
  @Test func lockEndsBesideOtherDescriptors() throws {
    let folder = TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let output = try OutputFile(
      path: folder + "/clip.mov", overwrite: false, registry: TemporaryFiles(),
      isRecording: true)
    let path = output.temporaryPath
    var sink: FileSink? = try FileSink(output)
    sink?.lock()
    let copy = try #require(OpenedFile.copy(of: path))
    defer { close(copy) }
    #expect(InterruptedRecording.isInProgress(path))
    withExtendedLifetime(sink) {}
    sink = nil
    #expect(!InterruptedRecording.isInProgress(path))
  }

  /// The file in its boxes.
  private static func boxes(_ bytes: [UInt8]) throws -> [(type: FourCC, bytes: [UInt8])] {
    var boxes: [(type: FourCC, bytes: [UInt8])] = []
    var offset = 0
    while offset < bytes.count {
      let header = try BoxHeader(
        bytes[offset...].prefix(BoxHeader.maximumSize), offset: Int64(offset),
        limit: Int64(bytes.count))
      boxes.append((header.type, Array(bytes[offset..<Int(header.end)])))
      offset = Int(header.end)
    }
    return boxes
  }

  /// A recording of this project's writer, in fragments behind its front.
  private static func recording() throws -> (front: [UInt8], fragments: [UInt8]) {
    let boxes = try Self.boxes(layout(.fragments).bytes())
    let head = boxes.filter { $0.type == "ftyp" }.flatMap(\.bytes)
    let movie = boxes.filter { $0.type == "moov" }.flatMap(\.bytes)
    let rest = boxes.filter { ["moof", "mdat"].contains($0.type) }.flatMap(\.bytes)
    let cover = Box("free", data: [UInt8](repeating: 0, count: 8)).bytes
    return (head + cover + movie, rest)
  }

  /// Recovers a file in a folder of its own.
  ///
  /// - Returns: what the folder holds then.
  private static func recover(
    _ bytes: [UInt8]
  ) throws -> (movie: String?, files: [String: [UInt8]]) {
    let folder = TemporaryFolder.make()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = "\(folder)/a.recording.mov"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let movie = try? InterruptedRecording.recover(path)
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      files[name] = try [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
    }
    return (movie, files)
  }

  /// A program that ended between the last write and the name, and movies of other programs.
  @Test(arguments: MovieLayout.Form.allCases)
  func finishedMovieGetsItsName(_ form: MovieLayout.Form) throws {
    let bytes = Self.layout(form).bytes()
    let (movie, files) = try Self.recover(bytes)
    #expect(movie?.hasSuffix("/a.mov") == true)
    #expect(files == ["a.mov": bytes])
  }

  /// The samples are in an index that fragments would follow.
  @Test func movieWithSamplesBeforeItsFragmentsStays() throws {
    let boxes = try Self.boxes(Self.layout(.movieLast).bytes())
    let movie = try #require(try Box.parse(boxes[boxes.count - 1].bytes[...]).first)
    let growing = Box("moov", movie.boxes + [Box("mvex", [Box]())])
    let bytes = boxes.dropLast().flatMap(\.bytes) + growing.bytes
    #expect(try Self.recover(bytes).files == ["a.mov": bytes])
  }

  @Test func fragmentsBecomeAMovie() throws {
    let (front, fragments) = try Self.recording()
    let (movie, files) = try Self.recover(front + fragments.dropLast(5))
    #expect(movie?.hasSuffix("/a.mov") == true)
    let found = try Self.boxes(try #require(files["a.mov"]))
    #expect(files.count == 1)
    #expect(found.map(\.type) == ["ftyp", "mdat", "moov"])
    // All but the last fragment, of a sample.
    let index = try #require(try Box.parse(found[2].bytes[...]).first)
    let sizes = try #require(index.at("trak", "mdia", "minf", "stbl", "stsz"))
    #expect(Array(sizes.data.dropFirst(8).prefix(4)) == [0, 0, 0, 8])
  }

  /// Before the first fragment is whole there is nothing to keep.
  @Test func frontAloneGoes() throws {
    let (front, fragments) = try Self.recording()
    let head = Int(front[3])
    for count in [head, head + 16, head + 60, front.count] {
      let (movie, files) = try Self.recover(Array(front.prefix(count)))
      #expect(movie == nil && files.isEmpty, "of \(count) bytes")
    }
    #expect(try Self.recover(front + fragments.prefix(30)).files.isEmpty)
  }

  /// What another program left without an index may be of use to somebody.
  @Test func foreignBeginningStays() throws {
    let head = try Self.boxes(Self.layout(.movieLast).bytes())[0].bytes
    let data = Box("mdat", data: [UInt8](repeating: 1, count: 100)).bytes
    let cut = Array(data.dropLast(9))
    let movie = Array(try Self.recording().front.dropFirst(head.count + 16))
    let (free, cover) = (
      Box("free", data: [UInt8]()).bytes, Box("free", data: [UInt8](0..<8)).bytes
    )
    let files: [[UInt8]] = [head + data, head + cut, head + cover + cut, head + free + movie]
    for bytes in files {
      let left = try Self.recover(bytes)
      #expect(left.movie == nil && left.files == ["a.recording.mov": bytes])
    }
  }
}
