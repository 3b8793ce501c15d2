// SPDX-License-Identifier: Apache-2.0

/// A director's criteria: how much each cue counts, and how patient it is.
///
/// A subject's score is the sum of its cues, each 0 to 1, times their weights and the share of its
/// best box that lies in the picture, plus the term of its class. The weights follow general practice:
/// faces that look at the camera and subjects that come to it first, then large, near, central, new
/// and moving ones. They are no fit to data.
///
/// `DirectorTests` says what breaks. Halved, ``facing`` no longer follows a dialogue, ``size`` no
/// longer leaves a subject that is gone, ``approach`` no longer goes to one that comes to the camera
/// (nor doubled), ``shortestSegment`` and ``holdTime`` break the promise that they are, and
/// ``noveltyTime`` makes an ``OnlineDirector`` late; half and twice ``fullSize`` fail like ``size``.
/// Doubled, ``switchCost`` never switches, ``nearness`` and ``disparityCost`` miss a turn of somebody
/// farther off, and ``lead``, ``facingTime`` and ``smoothingTime`` are late online. Without ``switchCost``
/// focus flickers; without ``centrality`` or ``headTerm`` an arrival or a dialogue is missed. No choice
/// there depends on ``motion``, ``novelty``, their scales and ``halfNearness``, ``absentScore``, the other
/// terms and the other times within 0 to 2 of their values.
public struct DirectorWeights: Hashable, Sendable {
  // MARK: Cues

  /// A face, or a pet's head, is seen: it looks toward the camera.
  public var facing = 0.25
  /// The square root of the largest box's share of the picture, over ``fullSize``.
  public var size = 0.30
  /// d / (d + ``halfNearness``): it rises with disparity whatever other subjects there are.
  public var nearness = 0.15
  /// exp(-r² / (2 · ``centralRadius``²)), r the distance from the picture's centre.
  public var centrality = 0.15
  /// The speed of the centre over ``fullSpeed``.
  public var motion = 0.10
  /// How fast the largest box grows, over ``fullGrowth``, times size: a subject that comes to the
  /// camera enters the scene, but not from afar.
  public var approach = 0.3
  /// exp(-age / ``noveltyTime``) since the subject appeared.
  public var novelty = 0.15

  /// Terms of the best class of the subject that is seen.
  public var faceTerm = 0.0
  /// Of a head whose face is not seen.
  public var headTerm = -0.05
  /// Of a torso alone.
  public var torsoTerm = -0.10
  /// Of a cat or a dog.
  public var petTerm = -0.10
  /// Of a ball.
  public var ballTerm = -0.20
  /// Of anything else.
  public var otherTerm = -0.20

  // MARK: Scales

  /// Square root of the share of the picture from which on size counts fully.
  public var fullSize = 0.35
  /// The disparity of half nearness, in the script's own units.
  public var halfNearness = 0.5
  /// In shares of the picture's width and height.
  public var centralRadius = 0.35
  /// Shares of the picture a second.
  public var fullSpeed = 0.25
  /// Growth of a box's side a second, as the logarithm of its ratio. A subject that halves its distance
  /// in 3 s grows by ln 2 / 3 = 0.23 and nearly counts fully.
  public var fullGrowth = 0.25
  /// Seconds.
  public var noveltyTime = 1.5

  // MARK: Patience

  /// The cost of a switch, in score times seconds: lower follows every cue, higher stays.
  ///
  /// It takes two switches to follow a turn to the camera and to come back. A face in place of a head adds
  /// ``facing`` - ``headTerm`` = 0.3, and the turn has to outweigh what is larger or nearer. Between two as
  /// large, at a disparity a in focus and b that turns, it is followed when it lasts longer than
  /// (2 · `switchCost` · (1 + ``disparityCost`` · |a - b| / max(a, b)) + 0.2 · ``facing``)
  /// / (0.3 - ``nearness`` · (n(a) - n(b))) seconds, where n(d) = d / (d + ``halfNearness``) and facing
  /// takes 0.2 s to count fully: 2.6 s at equal disparities, 2.9 s at 0.6 and 0.3, 3.3 s at 0.6 and 0.15.
  public var switchCost = 0.36
  /// How much dearer a switch is between disparities that differ by all they have: the rack is longer. At
  /// 0.5 a turn at 0.6 and 0.15 was not followed for 5 s, with a ``switchCost`` of 0.45.
  public var disparityCost = 0.1
  /// Seconds that a subject keeps focus at least, within a shot; infinite, or not a number, for the whole of it.
  public var shortestSegment = 1.5
  /// The score of a subject that is not there.
  public var absentScore = -0.3
  /// Seconds that a subject may be missing before it counts as gone.
  public var holdTime = 0.7

  // MARK: Online

  /// Seconds of the low-pass on scores.
  public var smoothingTime = 0.4
  /// By how much a new subject's score has to lead...
  public var lead = 0.15
  /// ...and for how many seconds: one that has just appeared,
  public var entranceTime = 0.3
  /// one that has just turned to the camera,
  public var facingTime = 0.5
  /// and any other.
  public var patienceTime = 0.8

  /// The standard weights.
  public init() {}
  /// The weights as they are listed here.
  public static let standard = DirectorWeights()

  func term(of type: DetectionType) -> Double {
    switch type {
    case .humanFace: faceTerm
    case .humanHead: headTerm
    case .humanTorso: torsoTerm
    case .catBody, .dogBody, .catHead, .dogHead: petTerm
    case .sportsBall: ballTerm
    case .unknown, .autoFocus, .fixedFocus, .custom: otherTerm
    }
  }
}
