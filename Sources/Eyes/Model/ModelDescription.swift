// SPDX-License-Identifier: Apache-2.0

import FocalCore
import FocalScript

/// How pictures go into a model, and the meaning of what comes out: the JSON file beside it, of the same name, or what is
/// known of a well-known file (``KnownModel``).
///
/// ```json
/// { "gives": "disparity", "size": 392, "multiple": 14, "channels": "rgb",
///   "mean": [0.485, 0.456, 0.406], "deviation": [0.229, 0.224, 0.225] }
/// ```
public struct ModelDescription: Hashable, Sendable {
  /// The kind of a model's output.
  public enum Output: String, Hashable, Sendable, CaseIterable {
    /// Larger is nearer, scale and offset unknown.
    case disparity
    /// Larger is farther, scale unknown.
    case depth
    /// Metres.
    case metricDepth = "metric-depth"
    /// Faces, by the outputs of YuNet.
    case faces
    /// Boxes of several classes (``Boxes``).
    case objects
    /// How surely each pixel shows a person: one plane, or two of background and person.
    case people
    /// Where the object of one picture lies in another (``Tracking``).
    case tracks
  }

  /// The outputs that become maps.
  public static let depth: Set<Output> = [.disparity, .depth, .metricDepth]
  /// The outputs that are detections.
  public static let detections: Set<Output> = [.faces, .objects]

  /// The order of a pixel's components.
  public enum Channels: String, Hashable, Sendable, CaseIterable {
    case rgb, bgr
  }

  /// How a picture fills an input of another shape.
  public enum Fit: String, Hashable, Sendable, CaseIterable {
    /// Its sides are scaled, each by its own factor.
    case stretch
    /// It keeps its shape and lies at the top left; the rest is gray.
    case pad
  }

  /// The form of a model's boxes; N is how many, C how many classes.
  public enum Boxes: String, Hashable, Sendable, CaseIterable {
    /// 1xNx(5+C), cell by cell of 8, 16 and 32 pixels: the middle beside the cell's corner and the logarithms of width
    /// and height in cells, how certain there is something, how certain each class.
    case yolox
    /// 1xNx(5+C): middle, width and height in pixels of the input, how certain there is something, each class.
    case yolov5
    /// 1x(4+C)xN: middle, width and height in pixels of the input, how certain each class.
    case yolov8
    /// Two outputs: 1xNx4, left, top, right and bottom in shares; 1xNxC, how certain each class.
    case corners
    /// Three outputs: 1xNx4, top, left, bottom and right in shares; 1xN classes; 1xN how certain.
    case ssd

    /// How many outputs hold them.
    public var outputCount: Int {
      switch self {
      case .yolox, .yolov5, .yolov8: 1
      case .corners: 2
      case .ssd: 3
      }
    }
  }

  /// The form of a tracker's answer about a search of N x N cells.
  public enum Tracking: String, Hashable, Sendable, CaseIterable {
    /// Three outputs, as OSTrack and VitTrack have them: N·N, how certain the middle lies in a cell; 2·N·N, width and
    /// height in shares of the search; 2·N·N, where in the cell the middle lies, in cells.
    case centers
    /// Two outputs, as NanoTrack and others of the Siamese kind without anchors have them: 2·N·N, the logarithms of
    /// odds of background and object; 4·N·N, how far left, top, right and bottom lie from the cell, in pixels.
    case sides

    /// How many outputs hold it.
    public var outputCount: Int { self == .centers ? 3 : 2 }
  }

  /// For people.
  public var name: String?
  public var output: Output
  /// The input's name; by default the only one. Of a tracker the search's, by default the second one.
  public var inputName: String?
  /// The outputs' names; by default the first ones.
  public var outputNames: [String] = []
  /// The size of what goes in: two numbers for width and height, one for the longer side of a picture that keeps its
  /// shape; by default what the model says. Of a tracker the sides of template and search.
  public var size: [Int]?
  /// Sides are made multiples of this.
  public var multiple = 1
  /// The codes of a picture, 0 to 1, are multiplied by this; then the mean is subtracted, and the rest divided by the
  /// deviation. By default 1, and 255 for a model that takes bytes.
  public var scale: Float?
  public var mean: [Float] = [0, 0, 0]
  public var deviation: [Float] = [1, 1, 1]
  public var channels = Channels.rgb
  public var fit = Fit.stretch
  /// Of objects.
  public var boxes: Boxes?
  /// The kinds that a model of objects finds, by its own numbers from 0; other classes are left out.
  public var classes: [Int: DetectionType] = [:]
  /// Less certain detections are none; by default the detector's own.
  public var leastConfidence: Float?
  /// Of a tracker.
  public var tracking: Tracking?
  /// Of a tracker, the name of the template's input; by default the first one.
  public var templateName: String?
  /// Of a tracker in two files, the one that template and search go through before this one: a path from the model's
  /// folder.
  public var backbone: String?
  /// Whether a model of people gives the logarithms of odds, and not shares. Of two planes, numbers outside of 0 to 1 say
  /// so themselves.
  public var givesLogits = false

  public init(output: Output) { self.output = output }

  /// The description's path for a model's.
  public static func path(for model: String) -> String {
    (model.hasSuffix(".onnx") ? String(model.dropLast(5)) : model) + ".json"
  }

  /// Kinds by the names that sets of labelled pictures have for them. Of people, all of the body is meant.
  static let kinds: [String: DetectionType] = [
    "face": .humanFace, "head": .humanHead, "person": .humanTorso, "people": .humanTorso,
    "torso": .humanTorso, "cat": .catBody, "dog": .dogBody, "cat head": .catHead,
    "dog head": .dogHead, "ball": .sportsBall, "sports ball": .sportsBall,
    "humanFace": .humanFace, "humanHead": .humanHead, "humanTorso": .humanTorso,
    "catBody": .catBody, "dogBody": .dogBody, "catHead": .catHead, "dogHead": .dogHead,
    "sportsBall": .sportsBall,
  ]
}

extension ModelDescription.Output {
  /// A model's numbers as disparities, in place: of depth the reciprocal; what is no disparity becomes not a number.
  func makeDisparities(_ values: inout [Float]) {
    if self != .disparity {
      for index in values.indices { values[index] = values[index] > 0 ? 1 / values[index] : .nan }
    }
    for index in values.indices where !(abs(values[index]) <= PixelBuffer.largestDisparity) {
      values[index] = .nan
    }
  }
}
