// SPDX-License-Identifier: Apache-2.0

import FocalCommands
import ArgumentParser
import FocalCore
import FocalMedia
import Foundation

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Say what is in a movie or a picture, and what a Cinematic movie is missing.",
    discussion: """
      MOVIE is any movie that FFmpeg reads, or its address (https://…). Of QuickTime and MP4 files only \
      the parts that are needed are read; others are walked through. Of a PNG, pixels are not looked at. A movie that is not Cinematic is no error; what it lacks is said, and how people lose it.
      """)

  @Argument(help: "The movie, or the picture.")
  var movie: String
  @OptionGroup var safety: SafetyOptions
  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let (picture, description) = try waiting {
      [movie] () async throws(CinematicError) -> (PictureDescription?, MovieDescription?) in
      let asset = try Asset.named(movie)
      if let properties = await asset.statedProperties() {
        return (PictureDescription(properties, name: asset.name), nil)
      }
      let description: MovieDescription
      do throws(CinematicError) {
        description = try await MovieDescription(asset)
      } catch {
        let layers = await asset.pictureLayers()
        if layers.count > 1, let picture = await PictureDescription(asset, layers: layers) {
          return (picture, nil)
        }
        // Channels without colours are a map.
        guard let map = await PictureDescription(asset, isMap: true) else { throw error }
        return (map, nil)
      }
      return (description.mayBePicture ? await PictureDescription(asset) : nil, description)
    }
    if let picture {
      if json {
        try printJSON(picture)
      } else {
        for line in picture.lines { printLine(line) }
      }
    } else if let description {
      if json {
        try printJSON(description)
      } else {
        for line in description.lines { printLine(line) }
      }
    }
  }
}
