// SPDX-License-Identifier: Apache-2.0

import FocalCinematic
import FocalCore
import FocalScript
import Foundation

/// The messages that clients get, as JSON. `type` says which of these one is.
enum Message {
  static func data(_ message: some Encodable) -> Data {
    let encoder = JSONEncoder()
    // What is equal has the same text, by which pages compare.
    encoder.outputFormatting = .sortedKeys
    // Script values may be anything a float can be.
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return (try? encoder.encode(message)) ?? Data("{}".utf8)
  }

  /// The lists from which a client chooses.
  struct Lists: Encodable {
    struct Item: Encodable {
      var name: String
      var folder: String
    }
    struct Preset: Encodable {
      var name: String
      var summary: String
      /// Of files that hold it, the usual one first.
      var endings: [String]
    }
    var type = "lists"
    var movies: [Item]
    var clips: [Item]
    var maps: [Item]
    var presets: [Preset]
  }

  /// A movie that was opened.
  struct Document: Encodable {
    var type = "document"
    var movie: Int
    /// Tells an opening of the movie from others: a file that was replaced is opened anew.
    var opening: String
    var name: String
    var frameCount: Int
    /// Seconds from frame to frame; none where `times` are listed.
    var frameDuration: Double?
    var start: Double
    var end: Double
    /// Of each frame, in seconds.
    var times: [Double]?
    var width: Int
    var height: Int
    /// The width of a pixel over its height, as the movie is shown.
    var pixelAspect: Double
    var hasSound: Bool
    var isToneMapped: Bool
    /// The camera's curve that its pictures are in.
    var logCurve: String?
    var device: String
    var changes: String
    var recordedFNumber: Float
    var look: LookValues
    var notes: [String]
  }

  /// Everything that edits change.
  struct State: Encodable {
    struct DecisionItem: Encodable {
      var key: DecisionKey
      var frame: Int
      var seconds: Double
      var isStrong: Bool
      var isUser: Bool
      /// Whether it is an automatic decision at another time than it was recorded at.
      var isMoved: Bool
      var label: String
      /// The tracks that it can focus on.
      var tracks: [Int64]
      /// The duration that was asked for its rack, in seconds, and its curve; none where they are automatic. One of no
      /// seconds is not among the racks.
      var wanted: Double?
      var curve: String?
    }
    struct Track: Encodable {
      var id: Int64
      var group: Int64?
      var label: String
      var isAdded: Bool
      var isFixed: Bool
      /// First frames and those behind the last, in turn; all frames of a fixed focus.
      var spans: [Int]
    }
    struct Rack: Encodable {
      var to: DecisionKey
      var start: Double
      var end: Double
      var curve: String
      /// The duration that was asked for, in seconds; none where it is automatic.
      var wanted: Double?
    }
    /// Frames in which tracks are in focus: the first one, and the one behind the last.
    struct Focus: Encodable {
      var tracks: [Int64]
      var start: Int
      var end: Int
    }
    var type = "state"
    var movie: Int
    var revision: Int
    var fNumber: Float
    /// Of frames: the first one, and the one behind the last.
    var range: [Int]?
    var look: LookValues
    var decisions: [DecisionItem]
    /// Automatic decisions that are no longer where they were recorded, and may come back.
    var removed: [DecisionItem]
    var tracks: [Track]
    var racks: [Rack]
    /// In the order of time.
    var focus: [Focus]
    var canUndo: Bool
    var canRedo: Bool
    var isUnsaved: Bool
    /// Why unsaved edits are not kept in a journal; none where they are.
    var journalFailure: String?
  }

  /// The description of a frame, in front of its picture.
  struct Frame: Encodable {
    struct Box: Encodable {
      var id: Int64
      var group: Int64?
      var label: String
      /// What it is of its subject, such as a head; none for the whole.
      var part: String?
      /// Left, top, width and height in shares of the picture as shown.
      var rect: [Double]
      /// Whether the distance is its.
      var isInFocus: Bool
      /// Whether it is of the subject in focus: a person's other boxes, too.
      var isSubject: Bool
      var isStrong: Bool
    }
    var frame: Int
    var revision: Int
    var width: Int
    var height: Int
    var quality: String
    var milliseconds: Double
    var focus: Float?
    var fNumber: Float
    var boxes: [Box]
  }

  struct Curve: Encodable {
    var type = "curve"
    var movie: Int
    var revision: Int
    var start: Int
    var end: Int
    var focus: [Float]
    var low: Float
    var high: Float
  }

  /// How far an object is followed.
  struct Following: Encodable {
    var type = "following"
    var movie: Int
    var task: Int
    var done: Int
    var total: Int
    var rect: [Double]?
    var frame: Int?
    /// At the end: what came of it.
    var outcome: String?
  }

  struct Jobs: Encodable {
    struct Item: Encodable {
      var task: Int
      var title: String
      var done: Int
      var total: Int?
      var secondsLeft: Double?
      var state: String
      var notes: [String]
    }
    var type = "jobs"
    var jobs: [Item]
  }

  struct Failure: Encodable {
    var type = "failure"
    var message: String
    var remedy: String?

    init(_ error: CinematicError, _ words: PageWords) {
      message = words.message(of: error)
      remedy = words.remedy(of: error)
    }
  }

  struct Notice: Encodable {
    var type = "notice"
    var message: String
  }
}
