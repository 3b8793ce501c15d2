// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// Notes on parts of an input that are not as asked for, or do not come out again: a line each.
package struct SourceNotes {
  /// Names, for messages.
  package var input: String
  package var output: String
  /// How the input is read.
  package var options: ReadOptions
  private let note: Notes

  package init(input: String, output: String, options: ReadOptions, to note: Notes) {
    (self.input, self.output, self.options, self.note) = (input, output, options, note)
  }

  /// Says if the clip ends before the frames that are asked for.
  package func tellOfMissingFrames(_ pictures: FrameReader) {
    // The largest number that can be given is one that cannot be counted to.
    guard let frames = options.frames,
      pictures.fileNumber(ofFrame: pictures.frameNumbers.upperBound - 1) < frames.upperBound
    else { return }
    note(
      "\(input) has only \(counted(pictures.frameNumbers.count, "frame")) of"
        + " \(frames.lowerBound) to \(frames.upperBound)")
  }

  /// Says if there are maps that no frame takes, where no part of the frames was chosen.
  package func tellOfSurplus(_ maps: DisparityMatcher, of map: String, frames: Int) {
    guard options.frames == nil, let (count, unused) = maps.numberedMaps, unused > 0 else { return }
    if count > frames {
      note(
        "\(map) has \(counted(count, "map")) for \(counted(frames, "frame")); the rest is not used")
    } else {
      let (has, are) = unused == 1 ? ("has", "is") : ("have", "are")
      note("\(counted(unused, "map")) of \(map) \(has) no frame, and \(are) not used")
    }
  }

  package func tellOfBrightLight() {
    note(
      "\(input) has light above \(Int(PictureMetadata.brightestLight)), which is cut to that")
  }

  package func tellOfNoNumbers() {
    note("\(input) has light that is not a number, which becomes 0")
  }

  /// Says which meaning the input's codes are given, where it does not say it and the output does.
  package func tellAssumption(of source: SourceProperties, in format: OutputFormat) {
    guard let assumption = source.pictureMetadata.assumption else { return }
    // Readers of frames without tags assume the same of them.
    if source.kind == .clip, case .stream(let stream) = format, stream.stillKind == nil { return }
    let remedy: CinematicError.Wording =
      source.pictureMetadata.assumptionRemedy.map { "; \($0)" } ?? ""
    note(worded: "\(input) \(assumption)\(remedy)")
  }

  /// Says what of a photograph does not come out again.
  ///
  /// - Parameter keepsGainMap: whether the gain map is written, or it was said why it is not.
  package func tellLosses(of source: SourceProperties, in format: OutputFormat, keepsGainMap: Bool)
  {
    let metadata = source.pictureMetadata
    tellAssumption(of: source, in: format)
    if options.transfer != nil, metadata.profile != nil {
      note(
        worded: """
          \(input) has an ICC profile, which \(parameter: .transfer) replaces: it is neither used \
          nor kept
          """)
    }
    if metadata.exceedsLight { tellOfBrightLight() }
    if metadata.holdsNotANumber { tellOfNoNumbers() }
    let channels = metadata.leftOutChannels
    if !channels.isEmpty {
      note("\(output) does not keep the channels \(PictureMetadata.listed(channels))")
    }
    // Of files with channels, the map is one of them.
    let companions = PictureMetadata.Companion.allCases.filter {
      metadata.companions.contains($0) && ($0 != .disparity || channels.isEmpty)
        && ($0 != .gainMap || !keepsGainMap)
    }
    let lost = companions.map(\.name) + metadata.losses(in: format.stillKind)
    guard !lost.isEmpty else { return }
    let remedy =
      companions.contains(.gainMap) && format.stillKind != .jpeg && source.kind == .still
      ? ": .jpg keeps the gain map, for screens of high dynamic range" : ""
    note(
      "\(output) does not keep the photograph's \(lost.joined(separator: ", "))\(remedy)")
  }
}
