// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// A square of a picture as shown, as it goes into a tracker's model. Beyond the picture it is black, or of the mean
/// colour.
struct TrackerView {
  /// The middle and the side, in pixels of the picture.
  let x, y, side: Double
  /// Of the model's input.
  let pixels: Int

  var left: Double { x - side / 2 }
  var top: Double { y - side / 2 }
  /// Pixels of the input to one of the picture.
  var scale: Double { Double(pixels) / side }

  /// - Throws: `outOfMemory`.
  func tensor(
    of picture: PixelBuffer, turn: QuarterTurn, for model: TrackerModel
  ) throws(CinematicError) -> Tensor {
    let description = model.description
    let count = pixels * pixels
    var codes = [Float](repeating: 0, count: 3 * count)
    if let part = part(of: picture, turn) {
      let content = Dimensions(
        width: max(1, Int((part.shown.width * scale).rounded())),
        height: max(1, Int((part.shown.height * scale).rounded())))
      let eye = try EyePicture(
        picture.part(columns: part.columns, rows: part.rows), turn: turn, dimensions: content)
      let (column, row) = (
        Int(((part.shown.x - left) * scale).rounded()),
        Int(((part.shown.y - top) * scale).rounded())
      )
      if model.form == .sides { fillWithMean(of: eye, &codes) }
      for y in max(0, row)..<max(0, min(pixels, row + content.height)) {
        for x in max(0, column)..<max(0, min(pixels, column + content.width)) {
          let from = 3 * ((y - row) * content.width + x - column)
          for channel in 0..<3 {
            codes[channel * count + y * pixels + x] = eye.codes[from + channel]
          }
        }
      }
    }
    var values = codes
    let factor = description.scale ?? 1
    for channel in 0..<3 {
      let source = description.channels == .rgb ? channel : 2 - channel
      let (mean, deviation) = (description.mean[channel], description.deviation[channel])
      for place in 0..<count {
        values[channel * count + place] =
          (codes[source * count + place] * factor - mean) / deviation
      }
    }
    return Tensor(values: values, sides: [1, 3, pixels, pixels])
  }

  private func fillWithMean(of eye: EyePicture, _ codes: inout [Float]) {
    var sums: [Float] = [0, 0, 0]
    for (index, code) in eye.codes.enumerated() { sums[index % 3] += code }
    let count = Float(eye.dimensions.count)
    for index in codes.indices { codes[index] = sums[index / (pixels * pixels)] / count }
  }

  /// The pixels of the picture as stored that the square shows, from even ones on, and their place in the picture as
  /// shown; `nil` where it shows none.
  private func part(
    of picture: PixelBuffer, _ turn: QuarterTurn
  ) -> (columns: Range<Int>, rows: Range<Int>, shown: NormalizedRect)? {
    let shown = turn.applied(to: picture.dimensions)
    let (width, height) = (Double(shown.width), Double(shown.height))
    let square = NormalizedRect(
      x: left / width, y: top / height, width: side / width, height: side / height)
    let stored = turn.inverse.applied(to: square.intersection(.wholePicture))
    guard stored.area > 0 else { return nil }
    func range(_ low: Double, _ high: Double, _ count: Int) -> Range<Int> {
      let first = max(0, min(count - 1, Int(low * Double(count)))) / 2 * 2
      let end = Int((high * Double(count)).rounded(.up))
      return first..<max(first + 1, min(count, (end + 1) / 2 * 2))
    }
    let columns = range(stored.x, stored.maxX, picture.width)
    let rows = range(stored.y, stored.maxY, picture.height)
    let place = turn.applied(
      to: NormalizedRect(
        x: Double(columns.lowerBound) / Double(picture.width),
        y: Double(rows.lowerBound) / Double(picture.height),
        width: Double(columns.count) / Double(picture.width),
        height: Double(rows.count) / Double(picture.height)))
    return (
      columns, rows,
      NormalizedRect(
        x: place.x * width, y: place.y * height, width: place.width * width,
        height: place.height * height)
    )
  }
}
