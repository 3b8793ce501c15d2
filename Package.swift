// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

// Loops that the compiler could not vectorise for some instruction set are no error.
let cStrict: [CSetting] = [.treatAllWarnings(as: .error), .disableWarning("pass-failed")]

let package = Package(
  name: "focal",
  products: [
    .library(name: "FocalCore", targets: ["FocalCore"]),
    .library(name: "FocalRendering", targets: ["FocalRendering"]),
    .library(name: "FocalCPU", targets: ["FocalCPU"]),
    .library(name: "FocalBoxes", targets: ["FocalBoxes"]),
    .library(name: "FocalMedia", targets: ["FocalMedia"]),
    .library(name: "FocalScript", targets: ["FocalScript"]),
    .library(name: "FocalCinematic", targets: ["FocalCinematic"]),
    .library(name: "FocalSample", targets: ["FocalSample"]),
    .executable(name: "focal", targets: ["focal"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    // Structs, conventions and scalar maths that every kernel language shares.
    .target(name: "ShaderTypes", path: "Shaders/Shared", cSettings: cStrict),
    // The kernels as the CPU runs them: one C file a kernel.
    .target(
      name: "CPUKernels", dependencies: ["ShaderTypes"], path: "Sources/Backends/CPU/Kernels",
      cSettings: cStrict),

    .target(
      name: "FocalCore", dependencies: ["ShaderTypes", "CPUKernels"], path: "Sources/Engine/Core",
      swiftSettings: strict),
    .target(
      name: "FocalRendering", dependencies: ["FocalCore", "ShaderTypes"],
      path: "Sources/Engine/Rendering", swiftSettings: strict),
    .target(
      name: "FocalCPU", dependencies: ["FocalRendering", "CPUKernels"],
      path: "Sources/Backends/CPU/Backend", swiftSettings: strict),

    .target(
      name: "FocalScript", dependencies: ["FocalCore"], path: "Sources/Engine/Script",
      swiftSettings: strict),

    .systemLibrary(
      name: "CFFmpeg", path: "Sources/Media/CFFmpeg", pkgConfig: "libavformat",
      providers: [
        .apt([
          "libavcodec-dev", "libavformat-dev", "libavutil-dev", "libswscale-dev",
          "libswresample-dev",
        ])
      ]),
    // The boxes of QuickTime and MP4 files: no FFmpeg.
    .target(
      name: "FocalBoxes", dependencies: ["FocalCore"], path: "Sources/Media/Boxes",
      swiftSettings: strict),
    .target(
      name: "FocalMedia", dependencies: ["FocalCore", "FocalBoxes", "CFFmpeg"],
      path: "Sources/Media/Media", swiftSettings: strict),
    // Cinematic movies rendered by their scripts.
    .target(
      name: "FocalCinematic",
      dependencies: ["FocalBoxes", "FocalMedia", "FocalRendering", "FocalScript"],
      path: "Sources/Cinematic", swiftSettings: strict),
    .target(
      name: "FocalSample", dependencies: ["FocalCore"], path: "Sources/Sample",
      swiftSettings: strict),

    .executableTarget(
      name: "focal",
      dependencies: [
        "FocalBoxes", "FocalCPU", "FocalCinematic", "FocalMedia", "FocalSample", "FocalScript",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Bench", swiftSettings: strict),

    .target(
      name: "ConformanceKit", dependencies: ["FocalCPU", "FocalSample"],
      path: "Tests/ConformanceKit", swiftSettings: strict),
    .testTarget(
      name: "CoreTests", dependencies: ["FocalCore", "ShaderTypes", "CPUKernels"],
      path: "Tests/CoreTests", swiftSettings: strict),
    .testTarget(
      name: "SampleTests", dependencies: ["FocalSample"], path: "Tests/SampleTests",
      swiftSettings: strict),
    .testTarget(
      name: "ScriptTests", dependencies: ["FocalScript"], path: "Tests/ScriptTests",
      swiftSettings: strict),
    .target(
      name: "MovieKit", dependencies: ["FocalBoxes", "CFFmpeg"], path: "Tests/MovieKit",
      swiftSettings: strict),
    .testTarget(
      name: "BoxTests", dependencies: ["FocalBoxes", "MovieKit"], path: "Tests/BoxTests",
      swiftSettings: strict),
    .testTarget(
      name: "MovieTests", dependencies: ["FocalMedia", "FocalBoxes", "MovieKit"],
      path: "Tests/MovieTests", swiftSettings: strict),
    .testTarget(
      name: "MediaTests", dependencies: ["FocalMedia"], path: "Tests/MediaTests",
      swiftSettings: strict),
    .testTarget(
      name: "RenderingTests", dependencies: ["ConformanceKit"], path: "Tests/RenderingTests",
      exclude: ["References"],
      swiftSettings: strict),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "focal", "FocalCinematic", "FocalMedia", "FocalSample", "FocalScript", "FocalCore",
        "CFFmpeg", "MovieKit",
      ],
      path: "Tests/CommandTests", swiftSettings: strict),
  ],
  cLanguageStandard: .c11
)
