// SPDX-License-Identifier: Apache-2.0
//
// Renders a frame, then a clip, with a shallow depth of field: nothing but the engine and its CPU
// backend.

import FocalCPU
import FocalCore
import FocalRendering

// A sharp picture, 8-bit RGBA in sRGB, and its relative disparity, which may be smaller: a
// checkerboard, far at the left and near at the right.
let picture = try PixelBuffer(
  dimensions: Checkerboard.size, format: .rgba8, values: Checkerboard.pixels)
let disparity = try PixelBuffer(
  dimensions: Checkerboard.mapSize, format: .disparityFloat, values: Checkerboard.disparities)

// One frame.
let rendered = try await picture.rendered(
  disparity: disparity, focus: 0.5, fNumber: 1.4, on: .cpu())
print("contrast from far to near, sharp in the middle: \(Checkerboard.contrast(of: rendered))")

// A clip: focus goes from far to near.
let clip = try await render(picture, disparity, focus: [0, 0.25, 0.5, 0.75, 1])
for (frame, result) in clip.enumerated() {
  print("frame \(frame): \(Checkerboard.contrast(of: result))")
}
