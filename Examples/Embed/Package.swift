// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let package = Package(
  name: "Embed",
  dependencies: [.package(name: "focal", path: "../..")],
  targets: [
    .executableTarget(
      name: "Embed",
      dependencies: [
        .product(name: "FocalCore", package: "focal"),
        .product(name: "FocalRendering", package: "focal"),
        .product(name: "FocalCPU", package: "focal"),
      ])
  ]
)
