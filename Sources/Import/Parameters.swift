// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// What texts about imports and estimations point at.
extension CinematicError.Parameter {
  /// The way to estimate disparity.
  public static let estimationWay = Self(rawValue: "Estimation.way")
  /// The pictures of the second eye.
  public static let otherEye = Self(rawValue: "Estimation.otherEye")
  /// The places of both eyes in one picture.
  public static let stereoLayout = Self(rawValue: "Estimation.layout")
  /// Eyes that are exchanged.
  public static let swappedEyes = Self(rawValue: "Estimation.swapsEyes")
  /// The model that estimates disparity.
  public static let estimationModel = Self(rawValue: "Estimation.model")
  /// The program that estimates disparity.
  public static let estimationHelper = Self(rawValue: "Estimation.helper")
  /// How many pictures further disparity is estimated.
  public static let estimationInterval = Self(rawValue: "Estimation.interval")
  /// The values of the way of estimation, in place of shares.
  public static let keptValues = Self(rawValue: "MapEstimation.keepsValues")
  /// A map that is there.
  public static let givenMap = Self(rawValue: "MovieImport.Map.given(_:)")
  /// The meaning and the shape of a map that is there.
  public static let mapDescription = Self(rawValue: "MovieImport.GivenMap")
  /// The disparities of a map's smallest and largest code.
  public static let mapCodes = Self(rawValue: "MovieImport.GivenMap.codes")
  /// The models that find people, pets and balls.
  public static let detectionModels = Self(rawValue: "DetectorChoice.models")
  /// How many pictures further things are looked for.
  public static let detectionInterval = Self(rawValue: "DetectorChoice.interval")
  /// What says by which models and runtime things would be found.
  public static let detectionCheck = Self(rawValue: "DetectorChoice.check()")
  /// The model that follows objects.
  public static let trackerModel = Self(rawValue: "NeuralTracker.init(_:library:)")
  /// The focus of a movie that is there, changed.
  public static let movieEditing = Self(rawValue: "MovieReviser")
}
