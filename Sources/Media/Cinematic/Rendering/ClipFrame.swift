// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia

/// A frame of a clip that has been read and is ready to be rendered.
public struct ClipFrame: Sendable {
  /// When the picture is shown.
  public var timeRange: TimeRange
  /// The metadata of the picture's file, if pictures are numbered; `nil` for those that all
  /// have in common.
  public var pictureMetadata: PictureMetadata?
  /// Gives the finished picture. Called once, from a task of its own: several frames are rendered at
  /// the same time. What it throws ends the rendering.
  public var picture: @Sendable () async throws(CinematicError) -> PixelBuffer

  /// A frame that is ready.
  ///
  /// - Parameters:
  ///   - timeRange: when it is shown.
  ///   - pictureMetadata: what its file says, if pictures are numbered; `nil` for what all have in common.
  ///   - picture: gives the finished picture, of the size and format of the output; what it throws ends the rendering.
  public init(
    timeRange: TimeRange, pictureMetadata: PictureMetadata? = nil,
    picture: @escaping @Sendable () async throws(CinematicError) -> PixelBuffer
  ) {
    self.timeRange = timeRange
    self.pictureMetadata = pictureMetadata
    self.picture = picture
  }
}

/// The frames that a ``ClipRenderer`` renders.
public protocol ClipFrames: Sendable {
  /// How many frames there are; `nil` where only the end tells, as of a pipe.
  var frameCount: Int? { get }

  /// Reads a frame and begins whatever can begin. Called for frames in order, one call after the other: for
  /// all from 0, or, if a rendering is resumed, for those that are missing.
  ///
  /// - Returns: `nil` after the last one.
  /// - Throws: what reading throws; the rendering then ends.
  func frame(_ number: Int) async throws(CinematicError) -> ClipFrame?

  /// The number of the file that a frame becomes if the output is numbered pictures; by default the
  /// frame's. Numbers rise.
  func fileNumber(ofFrame number: Int) -> Int

  /// Whether numbered pictures that wait for their names (``FocalMedia/WriterSettings/publishesTogether``) get them before
  /// the end; asked behind every frame. By default they do not.
  var publishesPictures: Bool { get }
}

extension ClipFrames {
  public func fileNumber(ofFrame number: Int) -> Int { number }

  public var publishesPictures: Bool { false }
}

extension RandomAccessCollection<Int> where Index == Int {
  /// The number in its source of a frame, where these are the numbers of the frames that were chosen.
  ///
  /// - Parameter number: counted from the first that was chosen, from 0.
  /// - Throws: `invalidParameter` where fewer were chosen.
  func number(ofChosen number: Int, in clip: String) throws(CinematicError) -> Int {
    guard number >= 0, number < count else {
      throw CinematicError(
        .invalidParameter,
        "there is no frame \(number) of \(clip) to render: \(count) were chosen, numbered from 0",
        remedy: "ask for frames that were chosen")
    }
    return self[startIndex + number]
  }
}

extension FrameReader {
  /// The number of the file of a frame, counted from the first of those that were chosen; of another its own.
  func fileNumber(ofChosen number: Int) -> Int {
    guard number >= 0, number < frameNumbers.count else { return number }
    return fileNumber(ofFrame: frameNumbers.lowerBound + number)
  }
}

/// How far a rendering has come.
public struct RenderProgress: Hashable, Sendable {
  public var completedFrames: Int
  /// `nil` where only the end tells.
  public var totalFrames: Int?

  /// 0 to 1; 0 where only the end tells.
  public var fractionCompleted: Double {
    guard let totalFrames, totalFrames > 0 else { return 0 }
    return Double(completedFrames) / Double(totalFrames)
  }
}
