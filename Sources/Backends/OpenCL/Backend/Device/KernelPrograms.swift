// SPDX-License-Identifier: Apache-2.0

import COpenCL
import Dispatch
import FocalCore
import FocalRendering
import Synchronization

/// The programs of a device, one a kernel: from the cache, else compiled when first asked for.
final class KernelPrograms: Sendable {
  /// The OpenCL C of a kernel, whole; `nil` where there is none.
  typealias Sources = @Sendable (Kernel) -> String?

  typealias Program = OpenCLHandle<ProgramObject>

  /// Nothing that lets the compiler change a result: no fast maths, no flushed denormals.
  private static let options = "-cl-std=CL1.2"

  /// One kernel's program. A second caller waits for the first.
  private final class Entry: Sendable {
    let program = Mutex<Result<Program, CinematicError>?>(nil)
  }

  private let context: OpenCLContext
  private let sources: Sources
  private let cache: ProgramCache
  private let entries: [Kernel: Entry]

  init(_ context: OpenCLContext, sources: @escaping Sources, cache: ProgramCache) {
    self.context = context
    self.sources = sources
    self.cache = cache
    entries = Dictionary(uniqueKeysWithValues: Kernel.allCases.map { ($0, Entry()) })
  }

  /// Compiles what is missing of `kernels`, on all cores.
  func prepare(_ kernels: Set<Kernel>) {
    let missing = kernels.filter { kernel in
      entries[kernel]?.program.withLock { $0 == nil } ?? false
    }
    guard missing.count > 1 else { return }
    let list = Array(missing)
    // Failures are remembered, and thrown where the kernel is used.
    DispatchQueue.concurrentPerform(iterations: list.count) { _ = try? self.program(for: list[$0]) }
  }

  /// - Throws: `unsupported`, with what the compiler says, `outOfMemory`, `deviceLost`.
  func program(for kernel: Kernel) throws(CinematicError) -> Program {
    guard let entry = entries[kernel] else { throw missing(kernel) }
    let result = entry.program.withLock { program in
      if let program { return program }
      let made: Result<Program, CinematicError>
      do throws(CinematicError) {
        made = .success(try makeProgram(kernel))
      } catch {
        made = .failure(error)
      }
      // A lack of memory may pass.
      if case .failure(let error) = made, error.code == .outOfMemory { return made }
      program = made
      return made
    }
    return try result.get()
  }

  private func missing(_ kernel: Kernel) -> CinematicError {
    CinematicError(
      .unsupported, "there is no OpenCL source of the kernel \(kernel.name)",
      remedy: "use another device")
  }

  private func makeProgram(_ kernel: Kernel) throws(CinematicError) -> Program {
    guard let source = sources(kernel) else { throw missing(kernel) }
    let info = context.info
    let key = ProgramCache.Key(
      interface: "opencl", source: source.utf8,
      circumstances: [
        kernel.name, Self.options, info.platformName, info.platformVersion, info.name,
        info.deviceVersion, info.driverVersion,
      ])
    if let binary = cache.load(key) {
      if let program = makeProgram(binary: binary) { return program }
      // The driver does not take what it made: it is another one under the same version.
      cache.remove(key)
    }
    let program: Program = try context.connection.make("clCreateProgramWithSource") {
      functions, status in
      source.withCString { text in
        var text: UnsafePointer<CChar>? = text
        return functions.clCreateProgramWithSource(
          context.handle.pointer, 1, &text, nil, status)
      }
    }
    try build(program, kernel)
    if let binary = binary(of: program) { cache.store(binary, for: key) }
    return program
  }

  private func build(_ program: Program, _ kernel: Kernel) throws(CinematicError) {
    let status = runCompiler(program)
    switch status {
    case CL_SUCCESS: return
    case CL_BUILD_PROGRAM_FAILURE, CL_COMPILER_NOT_AVAILABLE, CL_INVALID_BUILD_OPTIONS:
      let log = log(of: program)
      throw CinematicError(
        .unsupported,
        "the kernel \(kernel.name) does not compile on \(context.connection.description)"
          + " (\(openCLName(ofStatus: status)))" + (log.isEmpty ? "" : ": \(log)"),
        remedy: "use another device, or another version of its driver")
    default: throw context.connection.failure(of: "clBuildProgram", status: status)
    }
  }

  private func runCompiler(_ program: Program) -> cl_int {
    context.connection.library.call("clBuildProgram") {
      var device: cl_device_id? = context.info.device.pointer
      return $0.clBuildProgram(program.pointer, 1, &device, Self.options, nil, nil)
    }
  }

  /// The first lines of what the compiler said, as one.
  private func log(of program: Program) -> String {
    let log = query { size, value, needed in
      context.connection.library.call("clGetProgramBuildInfo") {
        $0.clGetProgramBuildInfo(
          program.pointer, context.info.device.pointer,
          cl_program_build_info(CL_PROGRAM_BUILD_LOG), size, value, needed)
      }
    }
    return log.split(whereSeparator: \.isNewline).prefix(4).joined(separator: " | ")
  }

  /// A program from what the cache holds; `nil` where the driver does not take it.
  private func makeProgram(binary: [UInt8]) -> Program? {
    let library = context.connection.library
    var object: OpaquePointer?
    let status = library.call("clCreateProgramWithBinary") { functions in
      binary.withUnsafeBufferPointer { bytes in
        var device: cl_device_id? = context.info.device.pointer
        var length = bytes.count
        var base = bytes.baseAddress
        var binaryStatus = cl_int(CL_SUCCESS)
        var status = cl_int(CL_SUCCESS)
        object = functions.clCreateProgramWithBinary(
          context.handle.pointer, 1, &device, &length, &base, &binaryStatus, &status)
        return status == CL_SUCCESS ? binaryStatus : status
      }
    }
    let program = object.map { Program($0, library: library) }
    guard status == CL_SUCCESS, let program, runCompiler(program) == CL_SUCCESS else { return nil }
    return program
  }

  /// The driver's compiled program, in a form that it takes back; `nil` where it does not give it.
  private func binary(of program: Program) -> [UInt8]? {
    let library = context.connection.library
    var size = 0
    let known = library.call("clGetProgramInfo") {
      $0.clGetProgramInfo(
        program.pointer, cl_program_info(CL_PROGRAM_BINARY_SIZES), MemoryLayout<Int>.size, &size,
        nil)
    }
    guard known == CL_SUCCESS, size > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    let status = library.call("clGetProgramInfo") { functions in
      bytes.withUnsafeMutableBytes { bytes in
        var base = bytes.baseAddress
        return functions.clGetProgramInfo(
          program.pointer, cl_program_info(CL_PROGRAM_BINARIES), MemoryLayout.size(ofValue: base),
          &base, nil)
      }
    }
    return status == CL_SUCCESS ? bytes : nil
  }
}
