// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

// Loops that the compiler could not vectorise for some instruction set are no error.
let cStrict: [CSetting] = [.treatAllWarnings(as: .error), .disableWarning("pass-failed")]

let cxxStrict: [CXXSetting] = [.treatAllWarnings(as: .error)]

let openEXRLibraries: [LinkerSetting] = ["OpenEXR", "OpenEXRCore", "Iex", "Imath"].map {
  .linkedLibrary($0)
}

let package = Package(
  name: "focal",
  products: [
    .library(name: "FocalCore", targets: ["FocalCore"]),
    .library(name: "FocalRendering", targets: ["FocalRendering"]),
    .library(name: "FocalCPU", targets: ["FocalCPU"]),
    .library(name: "FocalVulkan", targets: ["FocalVulkan"]),
    .library(name: "FocalOpenCL", targets: ["FocalOpenCL"]),
    .library(name: "FocalDevices", targets: ["FocalDevices"]),
    .library(name: "FocalBoxes", targets: ["FocalBoxes"]),
    .library(name: "FocalMedia", targets: ["FocalMedia"]),
    .library(name: "FocalScript", targets: ["FocalScript"]),
    .library(name: "FocalEditing", targets: ["FocalEditing"]),
    .library(name: "FocalEyes", targets: ["FocalEyes"]),
    .library(name: "FocalSubjects", targets: ["FocalSubjects"]),
    .library(name: "FocalCinematic", targets: ["FocalCinematic"]),
    .library(name: "FocalImport", targets: ["FocalImport"]),
    .library(name: "FocalCapture", targets: ["FocalCapture"]),
    .library(name: "FocalCaptions", targets: ["FocalCaptions"]),
    .library(name: "FocalCaptionRendering", targets: ["FocalCaptionRendering"]),
    .library(name: "FocalEditor", targets: ["FocalEditor"]),
    .library(name: "FocalSample", targets: ["FocalSample"]),
    .executable(name: "focal", targets: ["focal"]),
    .executable(name: "focal-portable", targets: ["focal-portable"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.4.0"),
  ],
  targets: [
    // Structs, conventions and scalar maths that every kernel language shares.
    .target(name: "ShaderTypes", path: "Shaders/Shared", cSettings: cStrict),
    // The bodies of kernels that every device runs, as C reads them.
    .target(
      name: "SharedKernels", dependencies: ["ShaderTypes"], path: "Shaders/Kernels",
      publicHeadersPath: ".", cSettings: cStrict + [.headerSearchPath(".")]),
    // Between stored codes and linear light, and to fewer codes, on the host: what buffers of pixels are
    // converted by, and the processor's versions of those kernels.
    .target(
      name: "PixelConversion", dependencies: ["ShaderTypes"],
      path: "Sources/Engine/PixelConversion",
      publicHeadersPath: ".", cSettings: cStrict),
    // The others, in versions tuned for the processor.
    .target(
      name: "CPUKernels", dependencies: ["PixelConversion", "ShaderTypes", "SharedKernels"],
      path: "Sources/Backends/CPU/Kernels", publicHeadersPath: ".", cSettings: cStrict),

    .target(
      // ShaderTypes declares the kernels that it calls, and SharedKernels holds them: programs that use the core alone link both.
      name: "FocalCore", dependencies: ["PixelConversion", "ShaderTypes", "SharedKernels"],
      path: "Sources/Engine/Core",
      swiftSettings: strict),
    .target(
      name: "FocalRendering", dependencies: ["FocalCore", "PixelConversion", "ShaderTypes"],
      path: "Sources/Engine/Rendering", swiftSettings: strict, plugins: ["GenerateKernels"]),
    .target(
      name: "FocalCPU", dependencies: ["FocalRendering", "CPUKernels"],
      path: "Sources/Backends/CPU/Backend", swiftSettings: strict, plugins: ["GenerateKernels"]),

    // What the kernels' declarations in the shared headers say, and the Swift made of it when the
    // package is built.
    .target(
      name: "KernelDeclarations", path: "Sources/Tools/KernelDeclarations", swiftSettings: strict),
    .executableTarget(
      name: "KernelGenerator", dependencies: ["KernelDeclarations"],
      path: "Sources/Tools/KernelGenerator", swiftSettings: strict),
    .plugin(
      name: "GenerateKernels", capability: .buildTool(), dependencies: ["KernelGenerator"],
      path: "Plugins/GenerateKernels"),

    // Kernels of the graphics backends: compiled when the package is built, part of the program.
    .systemLibrary(
      name: "CGlslang", path: "Sources/Tools/CGlslang", providers: [.apt(["glslang-dev"])]),
    .executableTarget(
      name: "ShaderCompiler", dependencies: ["CGlslang", "KernelDeclarations"],
      path: "Sources/Tools/ShaderCompiler", swiftSettings: strict,
      // Static libraries, each before those it needs.
      linkerSettings: [
        "glslang", "MachineIndependent", "GenericCodeGen", "OSDependent", "OGLCompiler", "SPIRV",
        "glslang-default-resource-limits", "SPIRV-Tools-opt", "SPIRV-Tools", "stdc++",
      ].map { .linkedLibrary($0) }),
    .plugin(
      name: "CompileShaders", capability: .buildTool(), dependencies: ["ShaderCompiler"],
      path: "Plugins/CompileShaders"),

    .systemLibrary(
      name: "CVulkan", path: "Sources/Backends/Vulkan/CVulkan",
      providers: [.apt(["libvulkan-dev"])]),
    .target(
      name: "FocalVulkan", dependencies: ["FocalRendering", "CVulkan"],
      path: "Sources/Backends/Vulkan/Backend", swiftSettings: strict,
      plugins: ["CompileShaders"]),

    // Headers only: the loader is looked for at run time.
    .systemLibrary(
      name: "COpenCL", path: "Sources/Backends/OpenCL/COpenCL",
      providers: [.apt(["ocl-icd-opencl-dev"])]),
    .target(
      name: "FocalOpenCL", dependencies: ["FocalRendering", "COpenCL"],
      path: "Sources/Backends/OpenCL/Backend", swiftSettings: strict,
      plugins: ["CompileShaders"]),

    // What the object tracker does to every pixel and frequency.
    .target(
      name: "TrackingKernels", path: "Sources/Engine/TrackingKernels", cSettings: cStrict),
    .target(
      name: "FocalScript", dependencies: ["FocalCore", "TrackingKernels"],
      path: "Sources/Engine/Script",
      swiftSettings: strict),

    // Steps of editing, undo and redo, and the journal of what is unsaved: values, no server.
    .target(
      name: "FocalEditing", dependencies: ["FocalCore", "FocalScript"],
      path: "Sources/Engine/Editing", swiftSettings: strict),

    // Disparity and detections of ordinary footage: no FFmpeg, no files of pictures.
    .target(
      name: "EyeKernels", dependencies: ["ShaderTypes"], path: "Sources/Eyes/EyeKernels",
      cSettings: cStrict),
    // ONNX Runtime, opened at run time.
    .target(name: "ModelRuntime", path: "Sources/Eyes/ModelRuntime", cSettings: cStrict),
    .target(
      name: "FocalEyes", dependencies: ["EyeKernels", "FocalScript", "ModelRuntime"],
      path: "Sources/Eyes",
      exclude: ["EyeKernels", "ModelRuntime"], swiftSettings: strict),

    // Subjects of pictures and clips, cut out: no FFmpeg.
    .target(
      name: "SubjectKernels", dependencies: ["ShaderTypes"],
      path: "Sources/Subjects/SubjectKernels", cSettings: cStrict),
    .target(
      name: "FocalSubjects",
      dependencies: ["EyeKernels", "FocalCPU", "FocalEyes", "FocalRendering", "SubjectKernels"],
      path: "Sources/Subjects", exclude: ["SubjectKernels"], swiftSettings: strict),

    .systemLibrary(
      name: "CFFmpeg", path: "Sources/Media/CFFmpeg", pkgConfig: "libavformat",
      providers: [
        .apt([
          "libavcodec-dev", "libavfilter-dev", "libavformat-dev", "libavutil-dev",
          "libswscale-dev", "libswresample-dev",
        ])
      ]),
    // HEIC and AVIF pictures, ICC profiles, JPEG pictures row by row.
    .systemLibrary(
      name: "CHEIF", path: "Sources/Media/CHEIF", pkgConfig: "libheif",
      providers: [.apt(["libheif-dev"])]),
    .systemLibrary(
      name: "CLittleCMS", path: "Sources/Media/CLittleCMS", pkgConfig: "lcms2",
      providers: [.apt(["liblcms2-dev"])]),
    .target(
      name: "JPEGCoding", path: "Sources/Media/JPEGCoding", cSettings: cStrict,
      linkerSettings: [.linkedLibrary("jpeg")]),
    .target(
      name: "PlanarCoding", dependencies: ["ShaderTypes"], path: "Sources/Media/PlanarCoding",
      cSettings: cStrict),
    .systemLibrary(
      name: "CImath", path: "Sources/Media/CImath", pkgConfig: "Imath",
      providers: [.apt(["libopenexr-dev"])]),
    .target(
      name: "PNGCoding", path: "Sources/Media/PNGCoding", cSettings: cStrict,
      linkerSettings: [.linkedLibrary("png"), .linkedLibrary("z")]),
    .target(
      name: "TIFFCoding", path: "Sources/Media/TIFFCoding", cSettings: cStrict,
      linkerSettings: [.linkedLibrary("tiff"), .linkedLibrary("z")]),
    .target(
      name: "OpenEXRCoding", dependencies: ["CImath"], path: "Sources/Media/OpenEXRCoding",
      cxxSettings: cxxStrict, linkerSettings: openEXRLibraries),
    // Locks of unfinished files, which end with their writer.
    .target(name: "FileLocks", path: "Sources/Media/FileLocks", cSettings: cStrict),
    // The boxes of QuickTime and MP4 files: no FFmpeg.
    .target(
      name: "FocalBoxes", dependencies: ["FocalCore"], path: "Sources/Media/Boxes",
      swiftSettings: strict),
    .target(
      name: "FocalMedia",
      dependencies: [
        "FileLocks", "FocalCore", "FocalBoxes", "FocalCaptions", "CFFmpeg", "CHEIF", "CLittleCMS",
        "JPEGCoding", "OpenEXRCoding", "PNGCoding", "PlanarCoding", "ShaderTypes", "TIFFCoding",
      ],
      path: "Sources/Media",
      exclude: [
        "Boxes", "CFFmpeg", "CHEIF", "CImath", "CLittleCMS", "FileLocks", "JPEGCoding",
        "OpenEXRCoding", "PNGCoding", "PlanarCoding", "TIFFCoding",
        "Cinematic",
      ],
      swiftSettings: strict),
    // Cinematic movies rendered by their scripts.
    .target(
      name: "FocalCinematic",
      dependencies: [
        "FocalBoxes", "FocalCaptions", "FocalEyes", "FocalMedia", "FocalRendering", "FocalScript",
        "FocalSubjects",
      ],
      path: "Sources/Media/Cinematic", swiftSettings: strict),
    // Ordinary footage made into Cinematic movies: disparity, detections and direction, resumable.
    .target(
      name: "FocalImport",
      dependencies: [
        "FocalBoxes", "FocalCaptions", "FocalCinematic", "FocalEyes", "FocalMedia",
        "FocalRendering", "FocalScript",
      ],
      path: "Sources/Import", swiftSettings: strict),
    // The editor: a server on the loopback interface, and the page that it serves.
    .executableTarget(
      name: "PageEmbedder", path: "Sources/Tools/PageEmbedder", swiftSettings: strict),
    .plugin(
      name: "EmbedPage", capability: .buildTool(), dependencies: ["PageEmbedder"],
      path: "Plugins/EmbedPage"),
    .target(
      name: "FocalEditor",
      dependencies: [
        "FocalCinematic", "FocalEditing", "FocalMedia",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
      ],
      path: "Sources/Editor", exclude: ["Page"], swiftSettings: strict, plugins: ["EmbedPage"]),
    // Capture sessions: cameras, and files played as cameras.
    .target(
      name: "VideoDevices", path: "Sources/Capture/VideoDevices", cSettings: cStrict),
    .target(
      name: "FocalCapture",
      dependencies: ["FocalCinematic", "FocalEyes", "VideoDevices"],
      path: "Sources/Capture", exclude: ["VideoDevices"], swiftSettings: strict),
    // Captions: files in and out, CEA-608's line 21, no FFmpeg.
    .systemLibrary(
      name: "CExpat", path: "Sources/Captions/CExpat", pkgConfig: "expat",
      providers: [.apt(["libexpat1-dev"])]),
    .target(
      name: "FocalCaptions", dependencies: ["FocalBoxes", "FocalCore", "CExpat"],
      path: "Sources/Captions",
      exclude: ["CExpat"], swiftSettings: strict),
    // Captions drawn over pictures, by Pango and Cairo.
    .systemLibrary(
      name: "CPango", path: "Sources/CaptionRendering/CPango", pkgConfig: "pangocairo",
      providers: [.apt(["libpango1.0-dev"])]),
    .target(
      name: "FocalCaptionRendering", dependencies: ["CPango", "FocalCaptions", "FocalCore"],
      path: "Sources/CaptionRendering", exclude: ["CPango"], swiftSettings: strict),
    .target(
      name: "FocalSample", dependencies: ["FocalCore"], path: "Sources/Sample",
      swiftSettings: strict),

    // Every device of the machine: listing, probing, choosing.
    .target(
      name: "FocalDevices", dependencies: ["FocalCPU", "FocalOpenCL", "FocalVulkan"],
      path: "Sources/Backends/Devices",
      swiftSettings: strict),
    // Cases that every device has to pass, for `focal conform` and for the tests.
    .target(
      name: "ConformanceKit", dependencies: ["FocalCPU", "FocalSample"],
      path: "Sources/Conformance", swiftSettings: strict),

    // The commands that need no media files, and the executables with and without the others.
    .target(
      name: "FocalCommands",
      dependencies: [
        "CLockdown", "ConformanceKit", "FocalDevices", "FocalSample", "FocalSubjects",
        "ShaderTypes",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Bench/Commands", swiftSettings: strict),
    // What the kernel is asked to keep the programs from.
    .target(name: "CLockdown", path: "Sources/Bench/Lockdown", cSettings: cStrict),
    // Signals and threads of the program's process.
    .target(name: "CProcess", path: "Sources/Bench/Process", cSettings: cStrict),
    .executableTarget(
      name: "focal",
      dependencies: [
        "CProcess", "FocalBoxes", "FocalCaptionRendering", "FocalCaptions", "FocalCapture",
        "FocalCinematic", "FocalCommands", "FocalEditor", "FocalEyes", "FocalImport", "FocalMedia",
        "FocalSample",
        "FocalScript", "FocalSubjects",
      ],
      path: "Sources/Bench/focal", swiftSettings: strict),
    .executableTarget(
      name: "focal-portable", dependencies: ["FocalCommands"], path: "Sources/Bench/focal-portable",
      swiftSettings: strict),

    // Devices that fail on purpose.
    .target(
      name: "DeviceDoubles", dependencies: ["FocalCPU"], path: "Tests/DeviceDoubles",
      swiftSettings: strict),
    .testTarget(
      name: "DevicesTests", dependencies: ["ConformanceKit", "DeviceDoubles", "FocalDevices"],
      path: "Tests/DevicesTests", swiftSettings: strict),
    .testTarget(
      name: "CoreTests", dependencies: ["FocalCore", "ShaderTypes"],
      path: "Tests/CoreTests", swiftSettings: strict),
    .testTarget(
      name: "SampleTests", dependencies: ["FocalSample"], path: "Tests/SampleTests",
      swiftSettings: strict),
    .testTarget(
      name: "CaptionTests", dependencies: ["FocalBoxes", "FocalCaptions"],
      path: "Tests/CaptionTests",
      swiftSettings: strict),
    .testTarget(
      name: "CaptionRenderingTests", dependencies: ["FocalCaptionRendering"],
      path: "Tests/CaptionRenderingTests", swiftSettings: strict),
    .testTarget(
      name: "ScriptTests", dependencies: ["FocalSample", "FocalScript"], path: "Tests/ScriptTests",
      swiftSettings: strict),
    .testTarget(
      name: "EditingTests", dependencies: ["FocalEditing"], path: "Tests/EditingTests",
      swiftSettings: strict),
    .testTarget(
      name: "EditorTests",
      dependencies: ["FocalEditor", "FocalCPU", "FocalMedia", "MovieKit"],
      path: "Tests/EditorTests", swiftSettings: strict),
    .testTarget(
      name: "EyeTests", dependencies: ["FocalEyes", "FocalSample", "FocalScript", "ModelKit"],
      path: "Tests/EyeTests", swiftSettings: strict),
    .target(
      name: "ModelKit", dependencies: ["FocalEyes"], path: "Tests/ModelKit",
      swiftSettings: strict),
    .testTarget(
      name: "SubjectTests",
      dependencies: ["FocalDevices", "FocalSample", "FocalSubjects", "SubjectKernels"],
      path: "Tests/SubjectTests", swiftSettings: strict),
    .target(
      name: "MovieKit", dependencies: ["FocalBoxes", "CFFmpeg"], path: "Tests/MovieKit",
      swiftSettings: strict),
    .testTarget(
      name: "BoxTests", dependencies: ["FocalBoxes", "MovieKit"], path: "Tests/BoxTests",
      swiftSettings: strict),
    .testTarget(
      name: "CaptureTests",
      dependencies: ["FocalCapture", "FocalCPU", "MovieKit"], path: "Tests/CaptureTests",
      swiftSettings: strict),
    .testTarget(
      name: "MovieTests", dependencies: ["FocalMedia", "FocalBoxes", "MovieKit"],
      path: "Tests/MovieTests", swiftSettings: strict),
    .testTarget(
      name: "CinematicTests",
      dependencies: ["DeviceDoubles", "FocalCinematic", "FocalCPU", "MovieKit"],
      path: "Tests/CinematicTests", swiftSettings: strict),
    .testTarget(
      name: "ImportTests", dependencies: ["FocalImport", "MovieKit"], path: "Tests/ImportTests",
      swiftSettings: strict),
    // OpenEXR files of every layout, for the tests.
    .target(
      name: "OpenEXRKit", dependencies: ["CImath"], path: "Tests/OpenEXRKit",
      cxxSettings: cxxStrict, linkerSettings: openEXRLibraries),
    .testTarget(
      name: "MediaTests",
      dependencies: ["CHEIF", "FocalBoxes", "FocalMedia", "MovieKit", "OpenEXRKit"],
      path: "Tests/MediaTests",
      swiftSettings: strict),
    .testTarget(
      name: "RenderingTests",
      dependencies: ["ConformanceKit", "DeviceDoubles", "FocalDevices", "FocalSample"],
      path: "Tests/RenderingTests",
      exclude: ["References"],
      swiftSettings: strict),
    .testTarget(
      name: "ShaderCompilerTests", dependencies: ["KernelDeclarations", "ShaderCompiler"],
      path: "Tests/ShaderCompilerTests", swiftSettings: strict),
    .testTarget(
      name: "VulkanTests",
      dependencies: ["FocalVulkan", "FocalCPU", "ConformanceKit", "ShaderTypes"],
      path: "Tests/VulkanTests", swiftSettings: strict),
    .testTarget(
      name: "OpenCLTests", dependencies: ["ConformanceKit", "FocalOpenCL", "COpenCL"],
      path: "Tests/OpenCLTests", swiftSettings: strict),
    // Gives up rights and tries what is left.
    .executableTarget(
      name: "LockdownTrial", dependencies: ["CLockdown"], path: "Tests/LockdownTrial",
      swiftSettings: strict),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "LockdownTrial", "focal", "FocalBoxes", "FocalCaptions", "FocalCinematic", "FocalImport",
        "FocalMedia", "FocalSample",
        "FocalScript", "FocalCore",
        "CFFmpeg", "MovieKit", "ModelKit", "ConformanceKit", "DeviceDoubles", "FocalCommands",
        "OpenEXRKit",
      ],
      path: "Tests/CommandTests", swiftSettings: strict),
  ],
  cLanguageStandard: .c11,
  cxxLanguageStandard: .cxx17
)

// Inputs by coverage, with libFuzzer: only for builds of Scripts/fuzz. SwiftPM refuses unsafe flags of a dependency, and has
// none here: packages that depend on this one do not set the variable.
if let runtime = Context.environment["FOCAL_FUZZ_RUNTIME"] {
  for target in package.targets {
    switch target.name {
    case "FocalBoxes", "FocalCaptions", "FocalCore", "FocalMedia", "FocalScript":
      // The compiler marks every branch for libFuzzer; SwiftPM has no setting for that.
      target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(["-sanitize=fuzzer"])]
    case let name where name.hasSuffix("Coding"):
      // The same of C, without libFuzzer's main function.
      target.cSettings = (target.cSettings ?? []) + [.unsafeFlags(["-fsanitize=fuzzer-no-link"])]
    default: break
    }
  }
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/Driver"),
    .executableTarget(
      name: "FocalFuzz",
      dependencies: ["CFuzzer", "FocalCaptions", "FocalMedia", "FocalScript", "MovieKit"],
      path: "Tests/Fuzz/Target", swiftSettings: strict,
      // libFuzzer's runtime comes with the compiler, at a path that Scripts/fuzz finds; it is written in C++.
      linkerSettings: [.unsafeFlags([runtime, "-lstdc++"])]),
  ]
}
