// SPDX-License-Identifier: Apache-2.0

import FocalBoxes
import FocalCore
import FocalMedia
import MovieKit
import Testing

@Suite struct AssetInfoTests {
  func asset(_ change: (inout MovieLayout) -> Void) -> Asset {
    var layout = PhoneMovie.layout()
    change(&layout)
    return Asset(source: MemorySource(layout.bytes(), name: "IMG_E1.MOV"))
  }

  @Test func aPhonesMovie() async throws {
    let asset = asset { _ in }
    let info = try await AssetInfo(asset: asset)
    #expect(info.allCinematicTracks.map(\.trackID) == [1, 2, 4])
    #expect(info.videoCompositionTrackIDs == [1, 2])
    #expect(info.sampleDataTrackIDs == [4])
    #expect(info.frameTimingTrack.trackID == 1)
    #expect(info.naturalSize == Dimensions(width: 1920, height: 1080))
    #expect(info.preferredSize == Dimensions(width: 1080, height: 1920))
    #expect(info.preferredTransform == .clockwise90)
    #expect(info.timeRange == TimeRange(start: .zero, duration: Time(value: 12, timescale: 30)))
    #expect(info.capability == .renderable)
    #expect(await AssetInfo.isCinematic(asset))
    #expect(try await AssetInfo.capability(for: asset) == .renderable)
  }

  /// FFmpeg writes disparity as a video track of another kind.
  @Test func disparityInAVideoTrack() async throws {
    let asset = asset { $0.tracks[1].handler = "vide" }
    #expect(try await AssetInfo(asset: asset).allCinematicTracks.map(\.trackID) == [1, 2, 4])
  }

  @Test(arguments: [
    ([0], "video track"), ([1], "disparity track"), ([3], "metadata track"),
    ([1, 3], "disparity track ('dish') and Cinematic metadata track"),
  ])
  func whatIsMissingIsNamed(_ dropped: [Int], _ name: String) async throws {
    let asset = asset { layout in
      for index in dropped.reversed() { layout.tracks.remove(at: index) }
    }
    let error = await failure { () async throws(CinematicError) in
      _ = try await AssetInfo(asset: asset)
    }
    #expect(error?.code == .incomplete)
    #expect(error?.message.contains("IMG_E1.MOV") == true)
    #expect(error?.message.contains(name) == true, "\(String(describing: error))")
    // The movie's key says that it was Cinematic once: the loss is explained.
    #expect(error?.remedy?.contains("Export Unmodified Original") == true)
    #expect(await !AssetInfo.isCinematic(asset))
  }

  /// The key of the movie alone makes nothing Cinematic, and without it nothing is said to be lost.
  @Test func ordinaryMovies() async throws {
    let asset = asset { layout in
      layout.tracks.remove(at: 3)
      layout.tracks.remove(at: 1)
      layout.extras = []
    }
    let error = await failure { () async throws(CinematicError) in
      _ = try await AssetInfo(asset: asset)
    }
    let words = "no Cinematic movie: it has no disparity track ('dish') or Cinematic metadata track"
    #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    #expect(error?.remedy?.contains("MovieImport") == true)
    #expect(try await AssetInfo.capability(for: asset) == .none)
  }

  /// After ffmpeg -c copy, tracks are there whose descriptions are empty.
  @Test func emptiedTracks() async throws {
    let asset = asset { layout in
      layout.tracks[1].entry = nil
      layout.tracks[3].entry = nil
    }
    let error = await failure { () async throws(CinematicError) in
      _ = try await AssetInfo(asset: asset)
    }
    #expect(error?.message.contains("ffmpeg -c copy") == true, "\(String(describing: error))")
  }

  /// An asset's description before it is opened agrees with the opened asset: a disparity track that is
  /// gone is lost, an empty one is yet to be made.
  @Test func metadataWithoutDisparity() async throws {
    let without = asset { $0.tracks.remove(at: 1) }
    #expect(try await AssetInfo.capability(for: without) == .none)
    let error = await failure { () async throws(CinematicError) in
      _ = try await AssetInfo(asset: without)
    }
    #expect(error?.code == .incomplete)
    let empty = asset { layout in
      layout.tracks[1].samples = []
      layout.tracks[1].isEnabled = false
    }
    #expect(try await AssetInfo.capability(for: empty) == .needsPreprocessing)
    let info = try await AssetInfo(asset: empty)
    #expect(info.capability == .needsPreprocessing)
    #expect(info.timeRange.duration == Time(value: 12, timescale: 30))
  }

  /// A disabled track without samples and description is there for the disparity to be made; with
  /// samples, it is a copy that lost its description.
  @Test func aPlaceForDisparity() async throws {
    let empty = asset { layout in
      layout.tracks[1].entry = nil
      layout.tracks[1].samples = []
      layout.tracks[1].isEnabled = false
    }
    let info = try await AssetInfo(asset: empty)
    #expect(info.capability == .needsPreprocessing && !info.isPreprocessed)
    #expect(info.cinematicDisparityTrack.trackID == 2)
    let lost = asset { layout in
      layout.tracks[1].entry = nil
      layout.tracks[1].isEnabled = false
    }
    #expect(await !AssetInfo.isCinematic(lost))
  }

  /// Two tracks of a camera's, and this project's beside them.
  @Test func severalMetadataTracks() async throws {
    let two = asset { layout in
      var more = layout.tracks[3]
      more.id = 5
      layout.tracks.append(more)
    }
    let info = try await AssetInfo(asset: two)
    #expect(info.cinematicMetadataTracks.map(\.trackID) == [4, 5])
    #expect(info.cinematicMetadataTrack.trackID == 4)
    #expect(info.sampleDataTrackIDs == [4, 5])
    #expect(info.allCinematicTracks.map(\.trackID) == [1, 2, 4, 5])
    let applied = asset { layout in
      var own = layout.tracks[3]
      own.id = 6
      own.entry = Entry.metadata([("io.github.focal.rendering.focus-disparity", 23)])
      layout.tracks.append(own)
    }
    let ours = try await AssetInfo(asset: applied)
    #expect(ours.cinematicMetadataTrack.trackID == 4)
    #expect(ours.cinematicMetadataTracks.map(\.trackID) == [4, 6])
  }

  /// Other containers spell a movie's keys in capitals, and keep neither disparity nor metadata.
  @Test func tracesInCapitals() async throws {
    let asset = asset { layout in
      layout.tracks.remove(at: 3)
      layout.tracks.remove(at: 1)
      layout.extras = [Entry.items([("COM.APPLE.QUICKTIME.CINEMATIC-VIDEO", 1, [])])]
    }
    let error = await failure { () async throws(CinematicError) in
      _ = try await AssetInfo(asset: asset)
    }
    #expect(error?.message.contains("has lost its disparity track") == true)
  }
}
