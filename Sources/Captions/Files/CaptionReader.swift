// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// Gives a file's captions group by group.
///
/// The counterpart of `AVAssetReader.outputCaptionProvider`. The file is read at the first request, on the
/// reader's own executor; groups are made one at a time.
public actor CaptionReader {
  /// A group, and what was skipped in the lines or at the times of the captions that begin with it.
  public struct Output: Sendable {
    public let group: CaptionGroup
    public let skippedElements: [CaptionIssue]
  }

  private let bytes: [UInt8]
  private let format: CaptionFormat?
  private let options: CaptionReadingOptions
  private var loaded: CaptionDocument?
  private var groups: ArraySlice<CaptionGroup> = []
  private var issues: [CaptionIssue] = []

  public init(
    bytes: [UInt8], format: CaptionFormat? = nil,
    options: CaptionReadingOptions = CaptionReadingOptions()
  ) {
    self.bytes = bytes
    self.format = format
    self.options = options
  }

  /// The whole document.
  ///
  /// - Throws: as ``CaptionDocument/init(reading:format:options:)``.
  public func document() async throws(CinematicError) -> CaptionDocument {
    if let loaded { return loaded }
    let document = try CaptionDocument(reading: bytes, format: format, options: options)
    loaded = document
    groups = CaptionGrouper.groups(of: document.captions)[...]
    issues = document.issues
    return document
  }

  /// The next group; `nil` after the last. Issues that have no time come with the first group.
  ///
  /// - Throws: as ``document()``.
  public func nextGroup() async throws(CinematicError) -> Output? {
    _ = try await document()
    guard let group = groups.popFirst() else { return nil }
    let end = group.timeRange.end
    let isLast = groups.isEmpty
    let skipped = issues.filter { isLast || $0.time.map { $0 < end } ?? true }
    issues.removeAll { isLast || $0.time.map { $0 < end } ?? true }
    return Output(group: group, skippedElements: skipped)
  }
}

/// Takes captions one by one, or in groups, and makes a file of them.
///
/// The counterpart of `AVAssetWriter.inputCaptionReceiver`. Captions out of order are refused.
public actor CaptionWriter {
  private let format: CaptionFormat
  private let options: CaptionWritingOptions
  private let language: String?
  private var captions: [Caption] = []
  /// Captions of the last group, which the next one may go on with.
  private var lastGroup: CaptionGroup?
  private var position: Time?
  private var isFinished = false

  public init(
    format: CaptionFormat, language: String? = nil,
    options: CaptionWritingOptions = CaptionWritingOptions()
  ) {
    self.format = format
    self.language = language
    self.options = options
  }

  /// Takes a caption.
  ///
  /// - Throws: `invalidParameter` for one that starts before one that came already, `invalidState` after
  ///   the end.
  public func append(_ caption: Caption) async throws(CinematicError) {
    try check(caption.timeRange.start)
    captions.append(caption)
    position = caption.timeRange.start
    lastGroup = nil
  }

  /// Takes a group. Captions that were in the group before it are the same captions, going on; an empty
  /// group is a gap.
  ///
  /// - Throws: `invalidParameter` for a group that starts before the end of the one before it, or before a
  ///   caption that came already; `invalidState` after the end.
  public func append(_ group: CaptionGroup) async throws(CinematicError) {
    try check(group.timeRange.start)
    if let lastGroup, group.timeRange.start < lastGroup.timeRange.end {
      throw CinematicError(
        .invalidParameter,
        "a group starts at \(group.timeRange.start.secondsText) s, and the one before it ends at"
          + " \(lastGroup.timeRange.end.secondsText) s", remedy: "append groups in order")
    }
    var before = lastGroup?.captions ?? []
    for caption in group.captions {
      if let index = before.firstIndex(of: caption) {
        before.remove(at: index)
      } else {
        captions.append(caption)
      }
    }
    position = group.timeRange.start
    lastGroup = group
  }

  private func check(_ start: Time) throws(CinematicError) {
    guard !isFinished else {
      throw CinematicError(
        .invalidState, "the caption writer is finished and takes no more captions")
    }
    if let position, start < position {
      throw CinematicError(
        .invalidParameter,
        "a caption at \(start.secondsText) s comes after one at \(position.secondsText) s",
        remedy: "append captions in the order of their starts")
    }
  }

  /// The file's bytes, and what the format cannot say.
  ///
  /// - Throws: as ``CaptionDocument/written(as:options:)``, `invalidState` for a second call.
  public func finish() async throws(CinematicError) -> (bytes: [UInt8], losses: [CaptionIssue]) {
    guard !isFinished else {
      throw CinematicError(.invalidState, "the caption writer is finished already")
    }
    isFinished = true
    return try CaptionDocument(captions: captions, format: format, language: language)
      .written(as: format, options: options)
  }
}
