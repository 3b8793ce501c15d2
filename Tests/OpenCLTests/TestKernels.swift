// SPDX-License-Identifier: Apache-2.0

import FocalRendering

@testable import FocalOpenCL

/// Small kernels under the names of the engine's, for what a queue has to do whatever it runs.
enum TestKernels {
  static let sources: KernelPrograms.Sources = { texts[$0] }

  /// value = value * 3 + addend, over and over: the order of runs shows in the result.
  static let step = Kernel.markReach
  struct StepParameters {
    var count: Int32
    var addend: Int32
    var rounds: Int32 = 1
  }

  /// Rows of bytes plus a number, from plane to plane.
  static let copy = Kernel.pack
  struct CopyParameters {
    var rowByteCount: Int32
    var rowCount: Int32
    var sourcePitch: Int32
    var destinationPitch: Int32
    var addend: Int32
  }

  private static let texts: [Kernel: String] = [
    .circleOfConfusion: """
    #pragma OPENCL FP_CONTRACT OFF
    struct Parameters { int width, height; float focus, nearScale, farScale, limit; };
    __kernel void circleOfConfusion(__global const float *disparity, __global float *radius,
                                    const struct Parameters p) {
      int x = get_global_id(0), y = get_global_id(1);
      if (x >= p.width || y >= p.height) return;
      float step = disparity[y * p.width + x] - p.focus;
      float r = step * (step > 0 ? p.nearScale : p.farScale);
      r = r > -p.limit ? r : -p.limit;
      radius[y * p.width + x] = r < p.limit ? r : p.limit;
    }
    """,
    step: """
    struct Parameters { int count, addend, rounds; };
    __kernel void markReach(__global uint *values, __global const uint *unused,
                            const struct Parameters p) {
      int i = get_global_id(0);
      if (i >= p.count || get_global_id(1) > 0) return;
      uint value = values[i];
      for (int round = 0; round < p.rounds; round++) value = value * 3u + (uint)p.addend;
      values[i] = value;
    }
    """,
    copy: """
    struct Parameters { int rowByteCount, rowCount, sourcePitch, destinationPitch, addend; };
    __kernel void pack(__global const uchar *source, __global uchar *destination,
                       const struct Parameters p) {
      int x = get_global_id(0), y = get_global_id(1);
      if (x >= p.rowByteCount || y >= p.rowCount) return;
      destination[y * p.destinationPitch + x] =
          (uchar)(source[y * p.sourcePitch + x] + p.addend);
    }
    """,
    .unpack: "__kernel void unpack(__global uchar *a) { this does not compile; }",
    .resample: "__kernel void anotherName(__global uchar *a, const int p) { a[0] = p; }",
  ]
}
