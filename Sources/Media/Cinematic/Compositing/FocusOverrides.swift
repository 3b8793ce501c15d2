// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalMedia
import FocalRendering
import FocalScript

/// Focus and look of Cinematic movies beyond those that they carry themselves.
public struct FocusOverrides: Sendable {
  /// Instead of what scripts or movies say; infinity passes pictures through as they are.
  public var fNumber: Float?
  /// The focus that replaces those of scripts and movies; a point and the subject are looked for in a
  /// movie's first map, and held for all of it.
  public var focus: FocusChoice?
  /// Which script decides.
  public var script = ScriptChoice.own
  /// Blur scale and aperture, value by value instead of those that movies carry.
  public var look = Look()
  /// Whether the scripts' detections are drawn into the pictures.
  public var drawsDetections = false
  /// The view that is drawn; `nil` for the pictures themselves.
  public var view: RenderingSession.DebugView?
  /// Whether the flicker of the maps is taken out; maps without flicker stay as they are.
  public var steadiesDisparity = true
  /// The change made to the edges of the maps, after their flicker is taken out; numbers outside their
  /// ranges are refused with the first frame that has a map.
  public var shaping = MapShaping()

  public init() {}
}

/// The script that decides the focus of a movie.
public enum ScriptChoice: Sendable {
  /// Each movie's own.
  case own
  /// This one; for a single movie.
  case given(Script)
  /// For each movie another one; its own where there is none.
  case each(@Sendable (AssetInfo) throws(CinematicError) -> Script?)

  /// The script of a movie instead of its own.
  func script(of movie: AssetInfo) throws(CinematicError) -> Script? {
    switch self {
    case .own: nil
    case .given(let script): script
    case .each(let choose): try choose(movie)
    }
  }
}

/// How the focus of a movie was settled.
public struct MovieFocus: Hashable, Sendable, Codable {
  public enum Origin: String, Hashable, Sendable, Codable {
    /// The caller chose a disparity, a point or the subject.
    case given
    /// A script, the movie's own or a given one.
    case script
    /// The movie's rendering attributes, frame by frame.
    case metadata
    /// Nothing that can be read: the focus is held on the subject of the movie's first map.
    case steady
    /// Nothing, and nothing is needed: the f-number is infinite.
    case none
  }

  /// The movie's name.
  public var movie: String
  public var origin: Origin
  /// The disparity that is held; `nil` where the focus changes from frame to frame.
  public var focusDisparity: Float?
  /// Values of the movie's look that this version does not know, and that have no effect.
  public var unknownLook: [String]
  /// Values of the given look that have no effect on the movie, see `Look.idleNames`.
  public var idleLook: [String] = []
  /// Whether detections are to be drawn and there are none.
  public var lacksPlaces = false
  /// Whether a script is to decide and decides nothing: the focus is held.
  public var lacksDecisions = false
  /// Whether edit lists keep the movie's own script, and the look in it, from being made use of.
  public var isScriptCut = false

  public init(
    movie: String, origin: Origin, focusDisparity: Float? = nil, unknownLook: [String] = []
  ) {
    self.movie = movie
    self.origin = origin
    self.focusDisparity = focusDisparity
    self.unknownLook = unknownLook
  }
}
