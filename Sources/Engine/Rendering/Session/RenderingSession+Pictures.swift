// SPDX-License-Identifier: Apache-2.0

import FocalCore
import ShaderTypes

extension RenderingSession {
  /// A picture that a session reads or writes: in host memory, or in textures of its queue's device.
  ///
  /// Textures need no copy between the host and the device, so that renderings can follow each other
  /// there: a destination of one is the source of the next, in the same command buffer or in a later
  /// one of the same queue.
  public struct Picture: Sendable {
    enum Planes: Sendable {
      case host(PixelBuffer)
      case textures([Texture])
    }

    let planes: Planes
    let dimensions: Dimensions
    /// `nil` if the textures' formats make no picture.
    let format: PixelFormat?
    /// The meaning of its values as colour.
    public let tags: ColorTags
    /// How colours are stored in a picture with alpha, which is blurred with them. Of a source `nil`, the
    /// default, stands for one whose pixels are all opaque, which takes half the time; alpha that there is
    /// all the same is copied. A destination is straight by default.
    public var alpha: AlphaMode?

    /// A picture in host memory, of any of ``RenderingSession/sourcePixelFormats``.
    ///
    /// - Parameter alpha: see ``alpha``; ``FocalCore/PixelBuffer/isTranslucent`` tells whether it matters.
    public static func pixelBuffer(_ buffer: PixelBuffer, alpha: AlphaMode? = nil) -> Picture {
      Picture(
        planes: .host(buffer), dimensions: buffer.dimensions, format: buffer.format,
        tags: buffer.tags, alpha: alpha)
    }

    /// A picture in one texture: RGBA in `rgba8Unorm`, `rgba16Float` or `rgba32Float`, gray in `r8Unorm`
    /// or `r16Unorm`.
    ///
    /// - Parameter alpha: see ``alpha``.
    public static func texture(
      _ texture: Texture, tags: ColorTags, alpha: AlphaMode? = nil
    ) -> Picture {
      let format: PixelFormat? =
        switch texture.format {
        case .rgba8Unorm: .rgba8
        case .rgba16Float: .rgbaHalf
        case .rgba32Float: .rgbaFloat
        case .r8Unorm: .gray8
        case .r16Unorm: .gray16
        case .rg8Unorm, .rg16Unorm, .r16Float, .r32Float: nil
        }
      return Picture(
        planes: .textures([texture]), dimensions: texture.dimensions, format: format, tags: tags,
        alpha: alpha)
    }

    /// A picture in a luma and a chroma texture, as video coders have it: `r8Unorm` with `rg8Unorm`, or
    /// `r16Unorm` with `rg16Unorm`, whose codes are 10 bits in the high bits of 16. Chroma is half as
    /// large each way, rounded up.
    public static func textures(
      luma: Texture, chroma: Texture, tags: ColorTags, fullRange: Bool = false
    ) -> Picture {
      let format: PixelFormat? =
        switch (luma.format, chroma.format) {
        case (.r8Unorm, .rg8Unorm): fullRange ? .yuv420Full8 : .yuv420Video8
        case (.r16Unorm, .rg16Unorm): fullRange ? .yuv420Full10 : .yuv420Video10
        default: nil
        }
      return Picture(
        planes: .textures([luma, chroma]), dimensions: luma.dimensions, format: format, tags: tags)
    }

    var textures: [Texture] {
      switch planes {
      case .host: []
      case .textures(let textures): textures
      }
    }

    /// The textures' formats, for people to read.
    private var formats: String { textures.map { "\($0.format)" }.joined(separator: " with ") }

    /// - Throws: `unsupported` for textures of formats that make no picture, `incompatible` for textures
    ///   of another device or chroma of another size.
    func validate(for device: Device) throws(CinematicError) {
      guard format != nil else {
        throw CinematicError(
          .unsupported, "a texture of format \(formats) cannot hold a picture",
          remedy: "use rgba8Unorm, rgba16Float or rgba32Float, r8Unorm or r16Unorm for gray,"
            + " r8Unorm with rg8Unorm or r16Unorm with rg16Unorm for luma and chroma")
      }
      for texture in textures { try texture.validate(for: device) }
      guard textures.count == 2 else { return }
      let half = Dimensions(
        width: (dimensions.width + 1) / 2, height: (dimensions.height + 1) / 2)
      guard textures[1].dimensions == half else {
        throw CinematicError(
          .incompatible, "chroma of \(textures[1].dimensions) beside luma of \(dimensions)",
          remedy: "make the chroma texture \(half)")
      }
    }

    /// The picture as kernels are bound to it.
    func stored(access: Binding.Access, turn: QuarterTurn = .identity) -> StoredPicture {
      switch planes {
      case .host(let buffer):
        return StoredPicture(buffer, access: access, turn: turn)
      case .textures(let textures):
        var parameters = FocalPixelParameters()
        parameters.width = Int32(dimensions.width)
        parameters.height = Int32(dimensions.height)
        parameters.bytesPerRow = Int32(textures[0].bytesPerRow)
        parameters.chromaBytesPerRow = Int32(textures.count > 1 ? textures[1].bytesPerRow : 0)
        parameters.transfer = tags.transfer.rawValue
        parameters.matrix = tags.matrix.rawValue
        parameters.turn = Int32(turn.rawValue / 90)
        if let format {
          parameters.format = format.kernelFormat
          parameters.fullRange = format.isFullRange ? 1 : 0
          parameters.dither = format.isFloatingPoint || format == .gray16 ? 0 : 1
        }
        return StoredPicture(planes: textures.map(\.binding), parameters: parameters)
      }
    }
  }

  /// A disparity map that a session reads, and what is known of it.
  public struct DisparityMap: Sendable {
    enum Plane: Sendable {
      case host(PixelBuffer)
      case texture(Texture)
    }

    let plane: Plane
    /// The facts that the passes depend on; `nil` lets the session find them.
    public var info: DisparityMapInfo?

    /// A map in host memory, of any of ``RenderingSession/disparityPixelFormats``.
    ///
    /// Without `info` the map is read when the command buffer is committed, on a thread of the queue.
    public static func pixelBuffer(
      _ buffer: PixelBuffer, info: DisparityMapInfo? = nil
    ) -> DisparityMap {
      DisparityMap(plane: .host(buffer), info: info)
    }

    /// A map in a texture of the queue's device, `r16Float` or `r32Float`.
    ///
    /// Without `info` the device reads the map when everything before has run, and the frame is
    /// planned only then: frames in flight no longer overlap. If the map's range is known, hand it over.
    public static func texture(
      _ texture: Texture, info: DisparityMapInfo? = nil
    ) -> DisparityMap {
      DisparityMap(plane: .texture(texture), info: info)
    }

    var dimensions: Dimensions {
      switch plane {
      case .host(let buffer): buffer.dimensions
      case .texture(let texture): texture.dimensions
      }
    }

    /// - Throws: `unsupported` for another format, `incompatible` for a texture of another device.
    func validate(for device: Device) throws(CinematicError) {
      switch plane {
      case .host(let buffer):
        guard RenderingSession.disparityPixelFormats.contains(buffer.format) else {
          throw CinematicError(
            .unsupported, "a disparity map cannot have the format \(buffer.format)",
            remedy: "use one of \(list(RenderingSession.disparityPixelFormats))")
        }
      case .texture(let texture):
        guard texture.format == .r16Float || texture.format == .r32Float else {
          throw CinematicError(
            .unsupported, "a texture of format \(texture.format) cannot hold a disparity map",
            remedy: "use r16Float or r32Float")
        }
        try texture.validate(for: device)
      }
    }

    /// The map as kernels are bound to it.
    var stored: StoredPicture {
      switch plane {
      case .host(let buffer):
        return StoredPicture(buffer, access: .read)
      case .texture(let texture):
        var parameters = FocalPixelParameters()
        parameters.width = Int32(texture.dimensions.width)
        parameters.height = Int32(texture.dimensions.height)
        parameters.bytesPerRow = Int32(texture.bytesPerRow)
        parameters.format =
          (texture.format == .r16Float ? PixelFormat.disparityHalf : .disparityFloat).kernelFormat
        return StoredPicture(planes: [texture.binding], parameters: parameters)
      }
    }
  }
}

extension Texture {
  var binding: Binding { .memory(memory, offset: offset) }

  func validate(for device: Device) throws(CinematicError) {
    guard self.device.backend === device.backend else {
      throw CinematicError(
        .incompatible, "the texture lives on another device than the session's queue",
        remedy: "make it with the queue's own device")
    }
  }
}

/// Formats, for people to read.
func list(_ formats: [PixelFormat]) -> String {
  formats.map(\.description).joined(separator: ", ")
}
