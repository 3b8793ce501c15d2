// SPDX-License-Identifier: Apache-2.0

import COpenCL
import FocalCore

/// The functions of OpenCL 1.2 that the backend calls.
struct OpenCLFunctions: Sendable {
  let clGetPlatformIDs: cl_api_clGetPlatformIDs
  let clGetPlatformInfo: cl_api_clGetPlatformInfo
  let clGetDeviceIDs: cl_api_clGetDeviceIDs
  let clGetDeviceInfo: cl_api_clGetDeviceInfo
  let clCreateContext: cl_api_clCreateContext
  let clRetainContext: cl_api_clRetainContext
  let clReleaseContext: cl_api_clReleaseContext
  let clCreateCommandQueue: cl_api_clCreateCommandQueue
  let clRetainCommandQueue: cl_api_clRetainCommandQueue
  let clReleaseCommandQueue: cl_api_clReleaseCommandQueue
  let clGetCommandQueueInfo: cl_api_clGetCommandQueueInfo
  let clCreateBuffer: cl_api_clCreateBuffer
  let clCreateSubBuffer: cl_api_clCreateSubBuffer
  let clRetainMemObject: cl_api_clRetainMemObject
  let clReleaseMemObject: cl_api_clReleaseMemObject
  let clGetMemObjectInfo: cl_api_clGetMemObjectInfo
  let clCreateProgramWithSource: cl_api_clCreateProgramWithSource
  let clCreateProgramWithBinary: cl_api_clCreateProgramWithBinary
  let clBuildProgram: cl_api_clBuildProgram
  let clGetProgramInfo: cl_api_clGetProgramInfo
  let clGetProgramBuildInfo: cl_api_clGetProgramBuildInfo
  let clReleaseProgram: cl_api_clReleaseProgram
  let clCreateKernel: cl_api_clCreateKernel
  let clGetKernelInfo: cl_api_clGetKernelInfo
  let clGetKernelWorkGroupInfo: cl_api_clGetKernelWorkGroupInfo
  let clSetKernelArg: cl_api_clSetKernelArg
  let clReleaseKernel: cl_api_clReleaseKernel
  let clEnqueueNDRangeKernel: cl_api_clEnqueueNDRangeKernel
  let clEnqueueReadBuffer: cl_api_clEnqueueReadBuffer
  let clEnqueueWriteBuffer: cl_api_clEnqueueWriteBuffer
  let clEnqueueFillBuffer: cl_api_clEnqueueFillBuffer
  let clEnqueueMapBuffer: cl_api_clEnqueueMapBuffer
  let clEnqueueUnmapMemObject: cl_api_clEnqueueUnmapMemObject
  let clWaitForEvents: cl_api_clWaitForEvents
  let clGetEventInfo: cl_api_clGetEventInfo
  let clGetEventProfilingInfo: cl_api_clGetEventProfilingInfo
  let clReleaseEvent: cl_api_clReleaseEvent
  let clFlush: cl_api_clFlush
  let clFinish: cl_api_clFinish

  /// - Parameter symbol: the address of a function, by name.
  init(
    _ symbol: (StaticString) throws(CinematicError) -> UnsafeMutableRawPointer
  ) throws(CinematicError) {
    // The type of each property is the C type of the function of its name.
    func load<Function>(_ name: StaticString) throws(CinematicError) -> Function {
      unsafeBitCast(try symbol(name), to: Function.self)
    }
    clGetPlatformIDs = try load("clGetPlatformIDs")
    clGetPlatformInfo = try load("clGetPlatformInfo")
    clGetDeviceIDs = try load("clGetDeviceIDs")
    clGetDeviceInfo = try load("clGetDeviceInfo")
    clCreateContext = try load("clCreateContext")
    clRetainContext = try load("clRetainContext")
    clReleaseContext = try load("clReleaseContext")
    clCreateCommandQueue = try load("clCreateCommandQueue")
    clRetainCommandQueue = try load("clRetainCommandQueue")
    clReleaseCommandQueue = try load("clReleaseCommandQueue")
    clGetCommandQueueInfo = try load("clGetCommandQueueInfo")
    clCreateBuffer = try load("clCreateBuffer")
    clCreateSubBuffer = try load("clCreateSubBuffer")
    clRetainMemObject = try load("clRetainMemObject")
    clReleaseMemObject = try load("clReleaseMemObject")
    clGetMemObjectInfo = try load("clGetMemObjectInfo")
    clCreateProgramWithSource = try load("clCreateProgramWithSource")
    clCreateProgramWithBinary = try load("clCreateProgramWithBinary")
    clBuildProgram = try load("clBuildProgram")
    clGetProgramInfo = try load("clGetProgramInfo")
    clGetProgramBuildInfo = try load("clGetProgramBuildInfo")
    clReleaseProgram = try load("clReleaseProgram")
    clCreateKernel = try load("clCreateKernel")
    clGetKernelInfo = try load("clGetKernelInfo")
    clGetKernelWorkGroupInfo = try load("clGetKernelWorkGroupInfo")
    clSetKernelArg = try load("clSetKernelArg")
    clReleaseKernel = try load("clReleaseKernel")
    clEnqueueNDRangeKernel = try load("clEnqueueNDRangeKernel")
    clEnqueueReadBuffer = try load("clEnqueueReadBuffer")
    clEnqueueWriteBuffer = try load("clEnqueueWriteBuffer")
    clEnqueueFillBuffer = try load("clEnqueueFillBuffer")
    clEnqueueMapBuffer = try load("clEnqueueMapBuffer")
    clEnqueueUnmapMemObject = try load("clEnqueueUnmapMemObject")
    clWaitForEvents = try load("clWaitForEvents")
    clGetEventInfo = try load("clGetEventInfo")
    clGetEventProfilingInfo = try load("clGetEventProfilingInfo")
    clReleaseEvent = try load("clReleaseEvent")
    clFlush = try load("clFlush")
    clFinish = try load("clFinish")
  }
}
