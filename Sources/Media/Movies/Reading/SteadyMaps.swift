// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import PlanarCoding
import Synchronization

/// The maps of a clip without the flicker of their making: noise, and a scale and an offset that change from
/// map to map, as those of phones and of models do.
///
/// Each map becomes the mean of those around it, pixel by pixel, where they show the same surface; its scale
/// and its offset become those of a line through its neighbours'. A map depends on nothing but the maps around
/// it, so that it is the same however it was reached. It ends at cuts. Maps without noise stay as they are.
///
/// ``usualReach`` is by experiment (`focal bench-steady --reach`): with 1, 2, 3, 4, 5, 6 and 8 maps on each side the
/// flicker of the rendered film falls from 1.53 codes a frame to 0.71, 0.50, 0.39, 0.32, 0.27, 0.24 and 0.20, and
/// the film's distance from that of clean maps is 36.7, 37.8, 38.5, 38.7, 39.1, 39.3 and 39.4 dB where it was
/// 34.4. Each map more is held in memory.
package final class SteadyMaps: Sendable {
  /// How many maps before and after one count, unless the caller says otherwise.
  package static let usualReach = 5
  /// Noise beyond this part of the maps' spread is another scene.
  private static let mostNoise: Float = 0.06
  /// Noise below this part of the maps' spread, half a code of ten bits, is none.
  private static let leastNoise: Float = 1 / 2048
  /// Gains between two maps of one scene.
  private static let gains: ClosedRange<Float> = 0.5...2

  package typealias Source = @Sendable (_ number: Int) async throws(CinematicError) -> PixelBuffer?

  private struct State {
    /// The maps around the last one; `nil` behind the end.
    var maps: [Int: Result<Map?, CinematicError>] = [:]
    /// From each map to the next one.
    var links: [Int: FocalMapFit] = [:]
    var latest: (number: Int, map: PixelBuffer)?
  }

  /// A map, and its cells without gaps between rows.
  private struct Map {
    var buffer: PixelBuffer
    var values: [Float]
  }

  /// From a map to the one that is made steady.
  private struct Way {
    var gain: Float = 1
    var offset: Float = 0
  }

  private let source: Source
  private let reach: Int
  private let turn = AsyncLock()
  private let state = Mutex(State())

  /// - Parameters:
  ///   - reach: how many maps before and after one count.
  ///   - source: gives the map of a number, from 0; `nil` behind the last. It is asked in rising order as
  ///     long as maps are.
  package init(reach: Int = usualReach, _ source: @escaping Source) {
    self.reach = reach
    self.source = source
  }

  /// The steady map of a number; `nil` behind the last.
  ///
  /// - Throws: what reading that map throws. One that cannot be read ends the mean of its neighbours.
  package func map(_ number: Int) async throws(CinematicError) -> PixelBuffer? {
    try await turn.lock()
    defer { turn.unlock() }
    if let latest = state.withLock({ $0.latest }), latest.number == number { return latest.map }
    let window = max(0, number - reach)...(number + reach)
    state.withLock { state in
      state.maps = state.maps.filter { window.contains($0.key) }
      state.links = state.links.filter { window.contains($0.key) }
    }
    for other in window where state.withLock({ $0.maps[other] == nil }) {
      let outcome = await read(other)
      if case .failure(let error) = outcome, error.code == .cancelled { throw error }
      state.withLock { $0.maps[other] = outcome }
    }
    guard let own = try state.withLock({ $0.maps[number] })?.get() else { return nil }
    let steady = try steady(own, number, window)
    state.withLock { $0.latest = (number, steady) }
    return steady
  }

  private func read(_ number: Int) async -> Result<Map?, CinematicError> {
    do throws(CinematicError) {
      return .success(
        try await source(number).map { Map(buffer: $0, values: $0.cells) })
    } catch {
      return .failure(error)
    }
  }

  private func steady(
    _ own: Map, _ number: Int, _ window: ClosedRange<Int>
  ) throws(CinematicError) -> PixelBuffer {
    var ways = [number: Way()]
    var noises: [Float] = []
    var spread: Float = 0
    for step in [-1, 1] {
      var (from, way) = (number, Way())
      while window.contains(from + step),
        let link = link(min(from, from + step), own.buffer.dimensions)
      {
        // A link leads to the earlier of the two.
        if step > 0 {
          way.offset += way.gain * link.offset
          way.gain *= link.gain
        } else {
          way.gain /= link.gain
          way.offset -= way.gain * link.offset
        }
        from += step
        ways[from] = way
        noises.append(link.noise)
        spread = max(spread, link.spread)
      }
    }
    let noise = noises.sorted().dropFirst(noises.count / 2).first ?? 0
    guard noise > Self.leastNoise * spread else { return own.buffer }
    let target = Self.scale(ways, of: number)
    let result = try PixelBuffer(
      dimensions: own.buffer.dimensions, format: .disparityFloat, tags: own.buffer.tags)
    let places = ways.keys.sorted()
    let maps = state.withLock { state in
      places.compactMap { place -> (map: Map, way: Way)? in
        guard let way = ways[place], case .success(let map?) = state.maps[place] else { return nil }
        return (map, way)
      }
    }
    let centre = places.firstIndex(of: number) ?? 0
    guard Self.mean(maps, centre: centre, noise, target, into: result) else {
      throw CinematicError(.outOfMemory, "there is no memory for a map's neighbours")
    }
    return result
  }

  /// How the map behind one leads to it; `nil` where either is missing or shows another scene.
  private func link(_ number: Int, _ size: Dimensions) -> FocalMapFit? {
    let (known, pair) = state.withLock { state in
      (
        state.links[number],
        [number, number + 1].compactMap { place -> Map? in
          if case .success(let map?) = state.maps[place] { map } else { nil }
        }
      )
    }
    guard pair.count == 2, pair.allSatisfy({ $0.buffer.dimensions == size }) else { return nil }
    let fit =
      known
      ?? pair[0].values.withUnsafeBufferPointer { earlier in
        pair[1].values.withUnsafeBufferPointer { later in
          focal_map_fit(
            earlier.baseAddress, later.baseAddress, Int32(size.width), Int32(size.height))
        }
      }
    state.withLock { $0.links[number] = fit }
    return Self.gains.contains(fit.gain) && fit.noise <= Self.mostNoise * fit.spread ? fit : nil
  }

  /// Scale and offset that the map has on a line through those of its neighbours, by least squares: motion
  /// toward the camera changes them steadily, and stays.
  private static func scale(_ ways: [Int: Way], of number: Int) -> Way {
    let places = ways.sorted { $0.key < $1.key }.map { place, way in
      // From the map's own units to its neighbour's.
      (Double(place - number), 1 / Double(way.gain), -Double(way.offset) / Double(way.gain))
    }
    let count = Double(places.count)
    let middle = places.reduce(0) { $0 + $1.0 } / count
    let width = places.reduce(0) { $0 + ($1.0 - middle) * ($1.0 - middle) }
    func atZero(_ values: [Double]) -> Float {
      let mean = values.reduce(0, +) / count
      guard places.count > 2 else { return Float(mean) }
      let slope =
        zip(places, values).reduce(0) { $0 + ($1.0.0 - middle) * ($1.1 - mean) } / width
      return Float(mean - slope * middle)
    }
    return Way(gain: atZero(places.map(\.1)), offset: atZero(places.map(\.2)))
  }

  /// - Returns: whether there was memory.
  private static func mean(
    _ maps: [(map: Map, way: Way)], centre: Int, _ noise: Float, _ target: Way,
    into result: PixelBuffer
  ) -> Bool {
    let size = result.dimensions
    var values = [Float](repeating: 0, count: size.count)
    let isDone = maps.map(\.map.values).withPointers { pointers in
      let fitted = zip(pointers, maps).map { pointer, map in
        FocalFittedMap(values: pointer, gain: map.way.gain, offset: map.way.offset)
      }
      return focal_map_steady(
        fitted, Int32(fitted.count), Int32(centre), noise, target.gain, target.offset,
        Int32(size.width), Int32(size.height), &values) != 0
    }
    result.cells = values
    return isDone
  }
}

extension [[Float]] {
  /// Calls `body` with a pointer to each array's values.
  fileprivate func withPointers<Result>(
    _ body: ([UnsafePointer<Float>]) -> Result
  ) -> Result {
    func next(_ index: Int, _ pointers: [UnsafePointer<Float>]) -> Result {
      guard index < count else { return body(pointers) }
      return self[index].withUnsafeBufferPointer { values in
        next(index + 1, pointers + [values.baseAddress!])
      }
    }
    return next(0, [])
  }
}
