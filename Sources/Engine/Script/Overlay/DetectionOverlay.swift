// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Draws a frame's detections into a finished picture: thin white boxes, the one in focus yellow,
/// solid for a strong decision and dashed for a weak or automatic one, all with a dark rim that
/// shows on any background. In pictures of at least 120 rows each has a label: what it is, its id, and
/// its group after a G; of a group's other detections, the id stands in the box's lower left corner.
///
/// It works on any picture format. The colours are display white and yellow of the same brightness
/// in light, whatever the transfer function.
public struct DetectionOverlay: Sendable {
  /// From how pictures are stored, where detections are given, to how the drawn picture is shown.
  public var turn: QuarterTurn

  /// - Parameter turn: from the detections as recorded to the picture that is drawn into.
  public init(turn: QuarterTurn = .identity) { self.turn = turn }

  /// How a box's line is drawn.
  enum Line: Sendable {
    case solid
    case dashed
  }

  /// - Throws: `unsupported` for a disparity map, `outOfMemory`.
  public func draw(_ frame: ScriptFrame, into picture: PixelBuffer) throws(CinematicError) {
    try draw(
      frame.allDetections, focus: frame.focusDetection,
      isStrong: frame.primaryDecision?.isStrongDecision == true, into: picture)
  }

  /// Draws what was found in a frame.
  ///
  /// - Parameters:
  ///   - focus: the detection that is in focus, whether it is among the others or not.
  ///   - isStrong: whether focus stays on it.
  /// - Throws: `unsupported` for a disparity map, `outOfMemory`.
  public func draw(
    _ detections: [Detection], focus: Detection?, isStrong: Bool, into picture: PixelBuffer
  ) throws(CinematicError) {
    let brushes = (
      rim: try Brush(red: 0.02, green: 0.02, blue: 0.02, for: picture),
      white: try Brush(red: 1, green: 1, blue: 1, for: picture),
      yellow: try Brush(red: 1, green: 0.72, blue: 0, for: picture)
    )
    let unit = thickness(for: picture)
    let others = detections.filter { $0.detectionID != focus?.detectionID }
    for detection in others {
      stroke(
        box(detection.normalizedRect, in: picture), thickness: unit, line: .solid,
        rim: brushes.rim, brushes.white, picture)
    }
    var named: Set<DetectionGroupID> = []
    if let group = focus?.detectionGroupID { named.insert(group) }
    // labels over all boxes, of a group the preferred detection's first
    for detection in others.sorted(by: { $0.detectionType.focusRank < $1.detectionType.focusRank })
    {
      let box = box(detection.normalizedRect, in: picture)
      let isNamed = detection.detectionGroupID.map { !named.insert($0).inserted } ?? false
      label(
        detection, at: box, isShort: isNamed, thickness: unit, rim: brushes.rim, brushes.white,
        picture)
    }
    // a fixed focus of no place has no box
    guard let focus, focus.detectionType != .fixedFocus || focus.hasPlace else { return }
    let line: Line = isStrong ? .solid : .dashed
    let box = box(focus.normalizedRect, in: picture)
    stroke(
      box, thickness: 2 * unit, line: line, rim: brushes.rim, brushes.yellow, picture)
    label(
      focus, at: box, isShort: false, thickness: unit, rim: brushes.rim, brushes.yellow, picture)
  }

  /// Writes what a detection is above its box, or below where there is no room above.
  ///
  /// - Parameter isShort: whether only the id is written, inside the box.
  private func label(
    _ detection: Detection, at box: Box, isShort: Bool, thickness: Int, rim: Brush,
    _ brush: Brush, _ picture: PixelBuffer
  ) {
    guard picture.height >= 120 else { return }
    let label =
      isShort
      ? OverlayLabel(detection.detectionID.map { "\($0)" } ?? "") : OverlayLabel(detection)
    // even, so that a dot covers whole chroma elements
    let dot = max(2, thickness * 2 / 3 / 2 * 2)
    let (width, height) = ((label.rows[0].count + 2) * dot, (OverlayLabel.height + 2) * dot)
    let gap = 2 * thickness
    var (left, top) = (box.left, box.top - gap - height)
    if isShort {
      (left, top) = (box.left + gap, box.bottom - gap - height)
    } else if top < 0 {
      top = min(box.bottom + gap, (picture.height - height) / 2 * 2)
    }
    left = max(0, min(left, (picture.width - width) / 2 * 2))
    let plate = Box(left: left, top: top, right: left + width, bottom: top + height)
    rim.fill(plate, in: picture)
    for (columns, row) in label.runs {
      let dots = Box(
        left: left + (columns.lowerBound + 1) * dot, top: top + (row + 1) * dot,
        right: left + (columns.upperBound + 1) * dot, bottom: top + (row + 2) * dot)
      brush.fill(dots, in: picture)
    }
  }

  /// Pixels of a thin line: even, so that it covers whole chroma elements.
  private func thickness(for picture: PixelBuffer) -> Int {
    max(2, min(picture.width, picture.height) / 360 * 2)
  }

  /// Edges of a box in pixels.
  struct Box: Equatable {
    var left: Int
    var top: Int
    var right: Int
    var bottom: Int

    func outset(_ distance: Int) -> Box {
      Box(
        left: left - distance, top: top - distance, right: right + distance,
        bottom: bottom + distance)
    }
  }

  func box(_ rect: NormalizedRect, in picture: PixelBuffer) -> Box {
    let a = turn.applied(to: NormalizedPoint(x: rect.x, y: rect.y))
    let b = turn.applied(to: NormalizedPoint(x: rect.maxX, y: rect.maxY))
    func edge(_ share: Double, _ count: Int) -> Int {
      // far outside is as good as outside
      let pixel = max(-1e6, min(1e6, share * Double(count)))
      return pixel.isNaN ? 0 : Int((pixel / 2).rounded()) * 2
    }
    return Box(
      left: edge(min(a.x, b.x), picture.width), top: edge(min(a.y, b.y), picture.height),
      right: edge(max(a.x, b.x), picture.width), bottom: edge(max(a.y, b.y), picture.height))
  }

  private func stroke(
    _ box: Box, thickness: Int, line: Line, rim: Brush, _ brush: Brush, _ picture: PixelBuffer
  ) {
    let rimWidth = max(2, thickness / 4 * 2)
    for side in Self.sides(of: box, thickness: thickness, line: line) {
      rim.fill(side.outset(rimWidth), in: picture)
    }
    for side in Self.sides(of: box, thickness: thickness, line: line) {
      brush.fill(side, in: picture)
    }
  }

  /// The rectangles of a box's line, inside its edges. Dashes start at every corner, so that
  /// corners are always drawn.
  static func sides(of box: Box, thickness: Int, line: Line) -> [Box] {
    let (width, height) = (box.right - box.left, box.bottom - box.top)
    guard width > 0, height > 0 else { return [] }
    func spans(_ length: Int) -> [(Int, Int)] {
      guard line == .dashed else { return [(0, length)] }
      // an odd number of dashes and gaps, about four and three times the line wide
      let count = max(1, min(999, (length / (thickness * 7)) * 2 + 1))
      guard count > 1 else { return [(0, length)] }
      return (0..<count).compactMap { index in
        index % 2 == 1
          ? nil
          : (
            length * index / count / 2 * 2,
            index == count - 1 ? length : length * (index + 1) / count / 2 * 2
          )
      }
    }
    var result: [Box] = []
    for (from, to) in spans(width) {
      for top in [box.top, max(box.top, box.bottom - thickness)] {
        result.append(
          Box(
            left: box.left + from, top: top, right: box.left + to,
            bottom: min(box.bottom, top + thickness)))
      }
    }
    for (from, to) in spans(height) {
      for left in [box.left, max(box.left, box.right - thickness)] {
        result.append(
          Box(
            left: left, top: box.top + from, right: min(box.right, left + thickness),
            bottom: box.top + to))
      }
    }
    return result
  }
}

/// One colour as the bytes that a picture's planes hold for it.
private struct Brush {
  private let elements: [[UInt8]]

  /// - Parameters:
  ///   - red, green, blue: linear light, display white 1.
  init(red: Float, green: Float, blue: Float, for picture: PixelBuffer) throws(CinematicError) {
    var tags = picture.tags
    tags.transfer = .linear
    // the middle of a patch is free of what a format does at edges
    let size = Dimensions(width: 8, height: 8)
    let light = try PixelBuffer(
      dimensions: size, format: .rgbaFloat, tags: tags, bytesPerRowAlignment: 16)
    light.withUnsafeMutableBytes { bytes in
      for index in 0..<size.count {
        bytes.storeBytes(
          of: SIMD4(red, green, blue, 1), toByteOffset: index * 16, as: SIMD4<Float>.self)
      }
    }
    let patch = try PixelBuffer(dimensions: size, format: picture.format, tags: picture.tags)
    try patch.store(linearRGBA: light)
    elements = patch.planes.indices.map { plane in
      let layout = patch.planes[plane]
      return patch.withUnsafeBytes(ofPlane: plane) { bytes in
        let middle =
          layout.dimensions.height / 2 * layout.bytesPerRow
          + layout.dimensions.width / 2 * layout.bytesPerElement
        return Array(bytes[middle..<(middle + layout.bytesPerElement)])
      }
    }
  }

  /// Fills the part of a box that lies in the picture.
  func fill(_ box: DetectionOverlay.Box, in picture: PixelBuffer) {
    for (plane, element) in elements.enumerated() {
      let layout = picture.planes[plane]
      let step = picture.format.planes[plane].subsampling
      func range(_ low: Int, _ high: Int, _ count: Int) -> Range<Int> {
        let first = max(0, min(count, (low + step - 1) / step))
        return first..<max(first, min(count, (high + step - 1) / step))
      }
      let columns = range(box.left, box.right, layout.dimensions.width)
      let rows = range(box.top, box.bottom, layout.dimensions.height)
      picture.withUnsafeMutableBytes(ofPlane: plane) { bytes in
        for row in rows {
          var offset = row * layout.bytesPerRow + columns.lowerBound * layout.bytesPerElement
          for _ in columns {
            for byte in element {
              bytes[offset] = byte
              offset += 1
            }
          }
        }
      }
    }
  }
}
