// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// What texts about readers and writers point at.
extension CinematicError.Parameter {
  /// The frames that are read.
  public static let frames = Self(rawValue: "ReadOptions.frames")
  /// The treatment of frames whose files are missing.
  public static let missing = Self(rawValue: "ReadOptions.missing")
  /// The frame before, in the place of missing ones.
  public static let heldFrames = Self(rawValue: "ReadOptions.missing = .hold")
  /// Frames that are not read, or have no file.
  public static let framesOrMissing = Self(rawValue: "ReadOptions.frames or ReadOptions.missing")
  /// The picture's map, for frames that have none.
  public static let heldMap = Self(rawValue: "holdsOneMap: true")
  /// Maps of another shape than the pictures', stretched over them.
  public static let stretchedMaps = Self(rawValue: "stretches: true")
  /// Maps of their own for pictures.
  public static let maps = Self(rawValue: "DisparityMatcher")
  /// The channel of an OpenEXR file that is the map.
  public static let channel = Self(rawValue: "ReadOptions.channel")
  /// The layer of an OpenEXR file that is the picture.
  public static let layer = Self(rawValue: "ReadOptions.layer")
  /// The meaning of a file's codes.
  public static let transfer = Self(rawValue: "ReadOptions.transfer")
  /// Whole pictures in the place of interlaced ones.
  public static let deinterlaced = Self(rawValue: "Interlacing.deinterlace")
  /// Interlaced pictures as they are.
  public static let progressive = Self(rawValue: "Interlacing.keep")
  /// The size of a device's pictures.
  public static let deviceSize = Self(rawValue: "the setting video_size")
  /// Outputs without the clip's sound.
  public static let noSound = Self(rawValue: "copiesSound: false")
  /// Files that are replaced.
  public static let overwrite = Self(rawValue: "overwrite: true")
  /// The codec of a film.
  public static let codec = Self(rawValue: "FilmCoding.codec")
  /// The chroma of a film.
  public static let chroma = Self(rawValue: "FilmCoding.chroma")
  /// The bits of a film's components.
  public static let bitDepth = Self(rawValue: "FilmCoding.bitDepth")
  /// How long each of numbered pictures is shown.
  public static let stillDuration = Self(rawValue: "ReadOptions.stillDuration")
  /// The format of a stream.
  public static let stream = Self(rawValue: "WriterSettings.stream")
  /// A real lens.
  public static let lens = Self(rawValue: "ThinLens")
  /// Whether larger is nearer or farther in a map.
  public static let mapKind = Self(rawValue: "DisparityScale.kind")
  /// The disparities of the smallest and the largest code.
  public static let mapScale = Self(rawValue: "DisparityScale.init(low:high:kind:)")
  /// The maps of a Cinematic movie.
  public static let movieMaps = Self(rawValue: "CinematicReader")
  /// Cinematic movies of other clips.
  public static let movieImport = Self(rawValue: "MovieImport")
  /// Renderings of pictures.
  public static let rendering = Self(rawValue: "StripRenderer")
  /// The list of the cameras and microphones.
  public static let captureDevices = Self(rawValue: "CaptureDevice.devices()")
  /// Recordings that were interrupted, finished.
  public static let recovery = Self(rawValue: "InterruptedRecording.recover")
}
