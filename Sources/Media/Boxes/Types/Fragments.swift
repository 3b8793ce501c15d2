// SPDX-License-Identifier: Apache-2.0

import FocalCore

/// `trex`: what a track's fragments leave unsaid.
public struct TrackExtends: Hashable, Sendable {
  /// The track that it belongs to.
  public var trackID: UInt32
  /// Which of the sample descriptions its samples have, from 1 on.
  public var descriptionIndex: UInt32
  /// Ticks, unless a fragment says otherwise.
  public var sampleDuration: UInt32
  /// Bytes, unless a fragment says otherwise.
  public var sampleSize: UInt32
  /// Flags, unless a fragment says otherwise.
  public var sampleFlags: UInt32

  /// - Parameter content: the box's contents.
  /// - Throws: `malformed` for contents that are cut short.
  public init(_ content: ArraySlice<UInt8>) throws(CinematicError) {
    var reader = ByteReader(content, box: "trex")
    _ = try reader.versionAndFlags()
    trackID = try reader.u32()
    descriptionIndex = try reader.u32()
    sampleDuration = try reader.u32()
    sampleSize = try reader.u32()
    sampleFlags = try reader.u32()
  }
}

/// `tfhd`: the track of a fragment, and what its runs leave unsaid.
public struct TrackFragmentHeader: Hashable, Sendable {
  /// Which of the optional fields are there.
  public var flags: UInt32
  /// The track that it belongs to.
  public var trackID: UInt32
  /// From the file's start.
  public var baseDataOffset: Int64?
  /// Which of the sample descriptions its samples have; `nil` for the default.
  public var descriptionIndex: UInt32?
  /// Ticks of its samples; `nil` for the track's default.
  public var sampleDuration: UInt32?
  /// Bytes of its samples; `nil` for the track's default.
  public var sampleSize: UInt32?
  /// Flags of its samples; `nil` for the track's default.
  public var sampleFlags: UInt32?

  /// Whether offsets count from the start of the fragment.
  public var baseIsMovieFragment: Bool { flags & 0x02_0000 != 0 }

  /// - Parameter content: the box's contents.
  /// - Throws: `malformed` for contents that are cut short and for an offset that no file has.
  public init(_ content: ArraySlice<UInt8>) throws(CinematicError) {
    var reader = ByteReader(content, box: "tfhd")
    flags = try reader.versionAndFlags().flags
    trackID = try reader.u32()
    baseDataOffset = flags & 1 != 0 ? try reader.count(wide: true) : nil
    descriptionIndex = flags & 2 != 0 ? try reader.u32() : nil
    sampleDuration = flags & 8 != 0 ? try reader.u32() : nil
    sampleSize = flags & 16 != 0 ? try reader.u32() : nil
    sampleFlags = flags & 32 != 0 ? try reader.u32() : nil
  }
}

/// `trun`: samples of a fragment that follow each other in the file.
public struct TrackRun: Hashable, Sendable {
  /// A sample of the run.
  public struct Sample: Hashable, Sendable {
    /// Ticks; `nil` for the fragment's default.
    public var duration: UInt32?
    /// Bytes; `nil` for the fragment's default.
    public var size: UInt32?
    /// Flags; `nil` for the fragment's default.
    public var flags: UInt32?
    /// Ticks from decoding to showing.
    public var compositionOffset: Int64
  }

  /// Samples of the run.
  public var sampleCount: Int
  /// From the fragment's base to the first sample.
  public var dataOffset: Int32?
  /// Flags of the first sample; `nil` where it has those of the others.
  public var firstSampleFlags: UInt32?
  /// One a sample; empty where the run says nothing about single samples.
  public var samples: [Sample]

  /// - Parameters:
  ///   - content: the box's contents.
  ///   - maximumCount: how many samples are taken at most.
  /// - Throws: `malformed` for fewer bytes than samples, `unsupported` for too many.
  public init(_ content: ArraySlice<UInt8>, maximumCount: Int) throws(CinematicError) {
    var reader = ByteReader(content, box: "trun")
    let (version, flags) = try reader.versionAndFlags()
    let fields = (flags >> 8 & 15).nonzeroBitCount
    let claimed = Int(try reader.u32())
    dataOffset = flags & 1 != 0 ? try reader.i32() : nil
    firstSampleFlags = flags & 4 != 0 ? try reader.u32() : nil
    guard claimed * fields * 4 <= reader.remaining else {
      throw reader.malformed("it claims \(claimed) samples, more than it has room for")
    }
    guard claimed <= maximumCount else {
      throw CinematicError(.unsupported, "a track has more than \(maximumCount) samples to index")
    }
    sampleCount = claimed
    samples = []
    guard fields > 0 else { return }
    samples.reserveCapacity(claimed)
    for _ in 0..<claimed {
      let duration = flags & 0x100 != 0 ? try reader.u32() : nil
      let size = flags & 0x200 != 0 ? try reader.u32() : nil
      let sampleFlags = flags & 0x400 != 0 ? try reader.u32() : nil
      // Files of version 0 store negative offsets all the same.
      let offset = flags & 0x800 != 0 ? Int64(try reader.i32()) : 0
      _ = version
      samples.append(
        Sample(duration: duration, size: size, flags: sampleFlags, compositionOffset: offset))
    }
  }
}
