// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let engine: [Target.Dependency] = ["FocalCore", "FocalRendering"].map {
  .product(name: $0, package: "focal")
}

let package = Package(
  name: "Embed",
  dependencies: [.package(name: "focal", path: "../..")],
  targets: [
    .executableTarget(
      name: "Embed", dependencies: engine + [.product(name: "FocalCPU", package: "focal")]),

    // Programs with a graphics device of their own, which they share with the engine.
    .systemLibrary(name: "OpenCLHeaders"),
    .executableTarget(
      name: "OpenCLInterop",
      dependencies: engine + ["OpenCLHeaders", .product(name: "FocalOpenCL", package: "focal")]),
    .systemLibrary(name: "VulkanHeaders"),
    .executableTarget(
      name: "VulkanInterop",
      dependencies: engine + ["VulkanHeaders", .product(name: "FocalVulkan", package: "focal")]),
  ]
)
