// SPDX-License-Identifier: Apache-2.0
//
// Renders from a buffer of an OpenCL program into another one, on the program's own command queue.

import FocalCore
import FocalOpenCL
import FocalRendering
import Foundation
import OpenCLHeaders

func check(_ status: cl_int, _ call: String) {
  if status != CL_SUCCESS { fatalError("\(call) failed: \(status)") }
}

// The program's own context and queue.
var platform: cl_platform_id?
var device: cl_device_id?
guard clGetPlatformIDs(1, &platform, nil) == CL_SUCCESS,
  clGetDeviceIDs(platform, cl_device_type(CL_DEVICE_TYPE_ALL), 1, &device, nil) == CL_SUCCESS,
  let device
else {
  print("no OpenCL device: nothing to show")
  exit(0)
}
var status: cl_int = 0
var devices: cl_device_id? = device
guard let context = clCreateContext(nil, 1, &devices, nil, nil, &status),
  let queue = clCreateCommandQueue(context, device, 0, &status)
else { fatalError("no context or no queue: \(status)") }

// Its pictures: RGBA of 8 bits, a checkerboard; and a disparity map, far at the left, near at the right.
let size = Dimensions(width: 640, height: 360)
let pixels = (0..<size.count).flatMap { index -> [UInt8] in
  let value: UInt8 = (index % size.width / 20 + index / size.width / 20) % 2 == 0 ? 235 : 20
  return [value, value, value, 255]
}
let disparities = (0..<size.count).map { Float($0 % size.width) / Float(size.width) }
@MainActor func makeBuffer(_ byteCount: Int) -> cl_mem {
  guard
    let buffer = clCreateBuffer(context, cl_mem_flags(CL_MEM_READ_WRITE), byteCount, nil, &status)
  else { fatalError("no buffer: \(status)") }
  return buffer
}
let source = makeBuffer(pixels.count)
let map = makeBuffer(4 * disparities.count)
let result = makeBuffer(pixels.count)
check(
  clEnqueueWriteBuffer(
    queue, source, cl_bool(CL_TRUE), 0, pixels.count, pixels, 0, nil, nil), "clEnqueueWriteBuffer")
check(
  clEnqueueWriteBuffer(
    queue, map, cl_bool(CL_TRUE), 0, 4 * disparities.count, disparities, 0, nil, nil),
  "clEnqueueWriteBuffer")

// The engine on the same queue: what was enqueued there before the commit comes before its kernels.
let shared = try Device.openCL(context: context, device: device, commandQueue: queue)
let session = try RenderingSession(
  commandQueue: CommandQueue(device: shared), quality: .export)
let commandBuffer = session.commandQueue.makeCommandBuffer()
try session.encodeRender(
  to: commandBuffer, frameAttributes: .init(focusDisparity: 0.5, fNumber: 1.4),
  source: .texture(
    Texture(device: shared, openCLBuffer: source, format: .rgba8Unorm, dimensions: size),
    tags: .sRGB),
  // The program knows its map, so that the engine need not look.
  disparity: .texture(
    Texture(device: shared, openCLBuffer: map, format: .r32Float, dimensions: size),
    info: DisparityMapInfo(range: 0...1, hasHoles: false, hasSharpEdges: true)),
  destination: .texture(
    Texture(device: shared, openCLBuffer: result, format: .rgba8Unorm, dimensions: size),
    tags: .sRGB))
commandBuffer.commit()
try await commandBuffer.completed()

// The program goes on with its buffer; here it only looks.
var rendered = [UInt8](repeating: 0, count: pixels.count)
check(
  clEnqueueReadBuffer(
    queue, result, cl_bool(CL_TRUE), 0, rendered.count, &rendered, 0, nil, nil),
  "clEnqueueReadBuffer")
let middle = 4 * (180 * size.width + size.width / 2)
let left = 4 * (180 * size.width + 20)
print("rendered \(size) on \(shared.name), nothing by way of the host")
print("  in focus \(rendered[middle]), far away \(rendered[left])")
precondition(
  rendered[left] > 20 && rendered[left] < 235, "the far end of the picture is not blurred")
precondition([20, 235].contains(rendered[middle]), "the middle of the picture is not in focus")
for buffer in [source, map, result] { clReleaseMemObject(buffer) }
clReleaseCommandQueue(queue)
clReleaseContext(context)
