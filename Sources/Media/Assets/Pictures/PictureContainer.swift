// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore

/// One picture file, or numbered ones: a movie of one track whose samples are whole files.
final class PictureContainer: AssetContainer {
  /// Where the pictures are.
  enum Files: Sendable {
    case one(any ByteSource)
    case numbered(NumberedPictures)
  }

  let files: Files
  /// How long each picture is shown.
  let pictureDuration: Time
  private let track = PictureTrack.Content()

  init(_ files: Files, pictureDuration: Time) {
    self.files = files
    self.pictureDuration = pictureDuration
  }

  var name: String {
    switch files {
    case .one(let source): source.name
    case .numbered(let pictures): pictures.name
    }
  }

  func count() throws(CinematicError) -> Int {
    switch files {
    case .one: 1
    case .numbered(let pictures): try pictures.numbers().count
    }
  }

  /// The name of a picture's file.
  func fileName(_ number: Int) -> String {
    switch files {
    case .one(let source): source.name
    case .numbered(let pictures): (try? pictures.path(number)) ?? pictures.name
    }
  }

  /// When a picture appears, in durations of one: those that are left out keep their time.
  func place(_ index: Int) throws(CinematicError) -> Int {
    guard case .numbered(let pictures) = files else { return index }
    let numbers = try pictures.numbers()
    return index < numbers.count
      ? numbers[index] - numbers[0] : numbers[numbers.count - 1] - numbers[0] + 1
  }

  func duration() throws(CinematicError) -> Time { pictureDuration * (try place(try count())) }
  func startTime() -> Time { .zero }
  func tracks() -> [any TrackContainer] { [PictureTrack(track, in: self)] }
  func metadata() -> [MetadataItem] { [] }
  func fileType() -> FileType? { nil }
  func containsFragments() -> Bool { false }
}
