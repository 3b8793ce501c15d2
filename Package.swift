// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

let cStrict: [CSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
  name: "focal",
  products: [
    .library(name: "FocalCore", targets: ["FocalCore"]),
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
    .testTarget(
      name: "CoreTests", dependencies: ["FocalCore", "ShaderTypes", "CPUKernels"],
      path: "Tests/CoreTests", swiftSettings: strict),
  ],
  cLanguageStandard: .c11
)
