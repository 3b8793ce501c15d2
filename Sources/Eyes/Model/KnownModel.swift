// SPDX-License-Identifier: Apache-2.0

import EyeKernels
import FocalCore
import FocalScript
import Foundation
import Synchronization

/// A well-known model's file: it needs no description beside it, since its checksum says what it is.
public struct KnownModel: Hashable, Sendable {
  public var name: String
  public var licence: String
  /// Where its makers, or those who converted it, publish it; nothing is downloaded from there.
  public var source: String
  public var byteCount: Int
  /// SHA-256 in hexadecimal digits, lower case.
  public var checksum: String
  public var description: ModelDescription

  public init(
    name: String, licence: String, source: String, byteCount: Int, checksum: String,
    description: ModelDescription
  ) {
    (self.name, self.licence, self.source) = (name, licence, source)
    (self.byteCount, self.checksum) = (byteCount, checksum)
    self.description = description
    self.description.name = name
  }

  /// The models that are known. Checksums of OpenCV's zoo are those of its own pointers to the files; those of the
  /// models of depth are given alike by several independent programs that download them.
  public static let all: [KnownModel] = [
    KnownModel(
      name: "MiDaS v2.1 small", licence: "MIT",
      source: "github.com/isl-org/MiDaS/releases/download/v2_1/model-small.onnx",
      byteCount: 66_764_249,
      checksum: "2d8c6cb8f415229daf1eb041024208e2608c9f98e17c81cc7c6ecb449c56fd58",
      // Mean and deviation are part of its graph.
      description: ModelDescription(output: .disparity)),
    KnownModel(
      name: "Depth Anything V2 Small", licence: "Apache-2.0",
      source: "huggingface.co/onnx-community/depth-anything-v2-small, onnx/model.onnx",
      byteCount: 99_060_839,
      checksum: "afb6a5c28f3b6bf1618c6e43f02073ef9dfdc70e937502d51603e57b0a1df10c",
      description: .depthAnything),
    KnownModel(
      name: "YuNet", licence: "MIT",
      source: "github.com/opencv/opencv_zoo, face_detection_yunet_2023mar.onnx",
      byteCount: 232_589,
      checksum: "8f2383e4dd3cfbb4553ea8718107fc0423210dc964f9f4280604804ed2552fa4",
      description: .yuNet),
    KnownModel(
      name: "YOLOX-S", licence: "Apache-2.0",
      source: "github.com/opencv/opencv_zoo, object_detection_yolox_2022nov.onnx",
      byteCount: 35_858_002,
      checksum: "c5c2d13e59ae883e6af3b45daea64af4833a4951c92d116ec270d9ddbe998063",
      description: .yoloX),
    KnownModel(
      name: "PP-HumanSeg", licence: "Apache-2.0",
      source: "github.com/opencv/opencv_zoo, human_segmentation_pphumanseg_2023mar.onnx",
      byteCount: 6_163_938,
      checksum: "552d8a984054e59b5d773d24b9b12022b22046ceb2bbc4c9aaeaceb36a9ddf24",
      description: .humanSegmentation),
    KnownModel(
      name: "VitTrack", licence: "Apache-2.0",
      source: "github.com/opencv/opencv_zoo, object_tracking_vittrack_2023sep.onnx",
      byteCount: 714_726,
      checksum: "6b4e32f6eec82e1aecf90077b2ea2589c4dfd30e8533e9f7c5da4125f52588af",
      description: .vitTrack),
  ]

  /// The known model in a file; `nil` for any other file.
  public static func identify(_ path: String, among models: [KnownModel] = all) -> KnownModel? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    // Most files differ in size: nothing of them is read.
    let candidates = models.filter { $0.byteCount == Int(status.st_size) }
    guard !candidates.isEmpty else { return nil }
    let file = "\(path) \(status.st_size) \(status.st_mtim.tv_sec) \(status.st_mtim.tv_nsec)"
    let checksum = checksums.withLock { checksums -> String? in
      if let there = checksums[file] { return there }
      let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
      checksums[file] = data.map(SHA256.digits(of:))
      return checksums[file]
    }
    return candidates.first { $0.checksum == checksum }
  }

  /// Checksums by path, size and time of files: a large one takes half a second.
  private static let checksums = Mutex<[String: String]>([:])

  /// The models to look for where none is found: name, licence, checksum and source of each.
  public static func advice(for outputs: Set<ModelDescription.Output>) -> String {
    let models = all.filter { outputs.contains($0.description.output) }
    return models.map { model in
      "\(model.name) (\(model.licence), \(model.source), SHA-256 \(model.checksum))"
    }.joined(separator: " and ") + (models.count == 1 ? " is a model to use" : " are models to use")
  }
}

extension ModelDescription {
  fileprivate static var depthAnything: ModelDescription {
    var description = ModelDescription(output: .disparity)
    (description.size, description.multiple) = ([392], 14)
    description.mean = [0.485, 0.456, 0.406]
    description.deviation = [0.229, 0.224, 0.225]
    return description
  }

  fileprivate static var yuNet: ModelDescription {
    var description = ModelDescription(output: .faces)
    (description.channels, description.scale, description.fit) = (.bgr, 255, .pad)
    return description
  }

  fileprivate static var yoloX: ModelDescription {
    var description = ModelDescription(output: .objects)
    (description.channels, description.scale, description.fit) = (.bgr, 255, .pad)
    description.boxes = .yolox
    // Numbers of the COCO data set's 80 classes.
    description.classes = [0: .humanTorso, 15: .catBody, 16: .dogBody, 32: .sportsBall]
    return description
  }

  fileprivate static var vitTrack: ModelDescription {
    var description = ModelDescription(output: .tracks)
    description.mean = [0.485, 0.456, 0.406]
    description.deviation = [0.229, 0.224, 0.225]
    description.tracking = .centers
    (description.templateName, description.inputName) = ("template", "search")
    description.outputNames = ["output1", "output2", "output3"]
    // Below it the makers' program takes nothing for the object.
    description.leastConfidence = 0.2
    return description
  }

  fileprivate static var humanSegmentation: ModelDescription {
    var description = ModelDescription(output: .people)
    description.mean = [0.5, 0.5, 0.5]
    description.deviation = [0.5, 0.5, 0.5]
    return description
  }
}

/// The checksum that files of models are published with.
package enum SHA256 {
  package static func digits(of data: Data) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    data.withUnsafeBytes { bytes in
      focal_sha256(
        bytes.bindMemory(to: UInt8.self).baseAddress, Int64(bytes.count), &digest)
    }
    return digest.map { String(format: "%02x", $0) }.joined()
  }
}
