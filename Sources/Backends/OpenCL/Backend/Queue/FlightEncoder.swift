// SPDX-License-Identifier: Apache-2.0

import COpenCL
import Dispatch
import FocalCore
import FocalRendering

/// Puts flights into a device's queues.
// @unchecked Sendable: only the encoding thread of its queue calls it.
final class FlightEncoder: @unchecked Sendable {
  /// Flights under way at once: one comes in, one is computed, one goes out.
  private static let flightLimit = 3
  /// Copies go in pieces, so that the device copies one while the host prepares the next.
  private static let pieceByteCount = 8 << 20

  private let context: OpenCLContext
  private let programs: KernelPrograms
  private let usesHostMemory: Bool
  private let planePool: BufferPool
  private let stagingPool: BufferPool
  private var queues: DeviceQueues
  private var kernels: [Kernel: OpenCLKernel] = [:]
  private var underWay: [Flight] = []
  private let writes = WritesInFlight()
  private var flightCount: UInt64 = 0

  /// - Throws: `outOfMemory`, `deviceLost`.
  init(
    _ context: OpenCLContext, programs: KernelPrograms, usesHostMemory: Bool
  ) throws(CinematicError) {
    self.context = context
    self.programs = programs
    self.usesHostMemory = usesHostMemory
    planePool = BufferPool(context, isMapped: false)
    stagingPool = BufferPool(context, isMapped: true)
    queues = try DeviceQueues(context, isProfiling: false)
  }

  /// Puts dispatches into the queues. A failure is kept in the flight, which completes all the
  /// same.
  func encode(_ dispatches: ArraySlice<KernelDispatch>, profiling: Bool) -> Flight {
    underWay.removeAll { $0.hasLanded }
    if underWay.count >= Self.flightLimit { underWay[0].waitForLanding() }
    var failure: CinematicError?
    do throws(CinematicError) {
      try context.connection.checkPresence()
      if profiling && !queues.isProfiling { try startProfiling() }
      try prepareKernels(of: dispatches)
    } catch {
      failure = error
    }
    flightCount += 1
    let flight = Flight(context, queues: queues, isTimed: profiling) { [writes, flightCount] in
      writes.end(flightCount)
    }
    flight.error = failure
    if failure == nil {
      do throws(CinematicError) {
        try fill(flight, dispatches, profiling: profiling)
      } catch {
        flight.error = error
      }
    }
    writes.begin(flightCount, writing: flight.writes)
    underWay.append(flight)
    return flight
  }

  /// Makes queues that keep times; those that do not are a little faster.
  private func startProfiling() throws(CinematicError) {
    for flight in underWay { flight.waitForLanding() }
    queues = try DeviceQueues(context, isProfiling: true)
  }

  private func prepareKernels(of dispatches: ArraySlice<KernelDispatch>) throws(CinematicError) {
    let missing = Set(dispatches.map(\.kernel)).filter { kernels[$0] == nil }
    guard !missing.isEmpty else { return }
    programs.prepare(missing)
    for kernel in missing.sorted(by: { $0.name < $1.name }) {
      kernels[kernel] = try OpenCLKernel(kernel, of: programs.program(for: kernel), on: context)
    }
  }

  private func fill(
    _ flight: Flight, _ dispatches: ArraySlice<KernelDispatch>, profiling: Bool
  ) throws(CinematicError) {
    var buffers: [HostPlane: OpenCLHandle<MemoryObject>] = [:]
    var staged: [HostPlane] = []
    var mapped: [HostPlane] = []
    for dispatch in dispatches { keep(dispatch.bindings, in: flight) }
    for use in PlanePlan(dispatches).uses {
      let host =
        usesHostMemory
        ? try context.hostBuffers.buffer(over: use.plane, isWritten: use.isWritten, on: context)
        : nil
      writes.wait(for: use, isCopied: host == nil)
      if let host {
        buffers[use.plane] = host.handle
        flight.hostBuffers.append(host)
        if use.isWritten { mapped.append(use.plane) }
      } else {
        let piece = try planePool.take(byteCount: use.plane.byteCount)
        flight.pieces.append((planePool, piece))
        buffers[use.plane] = piece.handle
        if use.startsWithRead { try upload(use.plane, to: piece.handle, flight) }
        if use.isWritten { staged.append(use.plane) }
      }
      if use.isWritten {
        flight.writes.append(WritesInFlight.Write(plane: use.plane, isCopied: host == nil))
      }
    }

    var arrivals = flight.uploads
    let last = dispatches.indices.last { dispatches[$0].grid.isFilled }
    for (index, dispatch) in zip(dispatches.indices, dispatches) {
      guard let kernel = kernels[dispatch.kernel], dispatch.grid.isFilled else {
        flight.kernels.append((dispatch.kernel, nil))
        continue
      }
      try kernel.setArguments(
        handles(of: dispatch.bindings, planes: buffers), parameters: dispatch.parameters)
      let event = try kernel.enqueue(
        dispatch.grid, in: queues.compute, after: arrivals, wantsEvent: profiling || index == last)
      // The queue runs in order: later kernels need not wait for the pictures too.
      arrivals = []
      flight.kernels.append((dispatch.kernel, profiling ? event : nil))
      if index == last, let event { flight.awaited = [event] }
    }
    try flush(queues.compute)

    let end = flight.awaited
    // No dispatch ran, so nothing waits for the pictures but the flight's end.
    flight.awaited += arrivals
    for plane in staged { try download(plane, buffers[plane], after: end, flight) }
    for plane in mapped { try showToHost(plane, buffers[plane], after: end, flight) }
    if !(staged.isEmpty && mapped.isEmpty) { try flush(queues.download) }
  }

  private func keep(_ bindings: [Binding], in flight: Flight) {
    for binding in bindings {
      switch binding {
      case .memory(let memory, _): flight.kept.append(memory)
      case .pixels(let buffer, _, _): flight.kept.append(buffer)
      case .none: break
      }
    }
  }

  private func handles(
    of bindings: [Binding], planes: [HostPlane: OpenCLHandle<MemoryObject>]
  ) throws(CinematicError) -> [OpenCLHandle<MemoryObject>?] {
    var handles: [OpenCLHandle<MemoryObject>?] = []
    for binding in bindings {
      switch binding {
      case .memory(let memory, let offset):
        guard let memory = memory as? OpenCLMemory, memory.context === context else {
          throw CinematicError(
            .incompatible, "memory of another device is bound to an OpenCL kernel",
            remedy: "make it with the queue's own device")
        }
        handles.append(try memory.piece(from: offset))
      case .pixels(let buffer, let plane, _):
        handles.append(planes[HostPlane(buffer, plane: plane)])
      case .none:
        handles.append(nil)
      }
    }
    return handles
  }

  private func upload(
    _ plane: HostPlane, to buffer: OpenCLHandle<MemoryObject>, _ flight: Flight
  ) throws(CinematicError) {
    let staging = try takeStaging(for: plane, flight)
    for (offset, rows) in plane.pieces(ofByteCount: Self.pieceByteCount) {
      rows.copy(to: staging + offset)
      flight.uploads.append(
        try context.connection.enqueue("clEnqueueWriteBuffer") {
          $0.clEnqueueWriteBuffer(
            queues.upload.pointer, buffer.pointer, cl_bool(CL_FALSE), offset, rows.byteCount,
            staging + offset, 0, nil, $1)
        })
      try flush(queues.upload)
    }
  }

  private func download(
    _ plane: HostPlane, _ buffer: OpenCLHandle<MemoryObject>?, after events: [OpenCLEvent],
    _ flight: Flight
  ) throws(CinematicError) {
    guard let buffer else { return }
    let staging = try takeStaging(for: plane, flight)
    for (offset, rows) in plane.pieces(ofByteCount: Self.pieceByteCount) {
      let event = try context.connection.enqueue("clEnqueueReadBuffer") { functions, event in
        withWaitList(events) { count, list in
          functions.clEnqueueReadBuffer(
            queues.download.pointer, buffer.pointer, cl_bool(CL_FALSE), offset, rows.byteCount,
            staging + offset, count, list, event)
        }
      }
      flight.downloads.append(
        Flight.Download(rows: rows, address: staging + offset, event: event))
    }
  }

  /// The host sees what a kernel wrote into its buffer after the buffer has been mapped.
  private func showToHost(
    _ plane: HostPlane, _ buffer: OpenCLHandle<MemoryObject>?, after events: [OpenCLEvent],
    _ flight: Flight
  ) throws(CinematicError) {
    guard let buffer else { return }
    var address: UnsafeMutableRawPointer?
    let mapped = try context.connection.enqueue("clEnqueueMapBuffer") { functions, event in
      withWaitList(events) { count, list in
        var status = cl_int(CL_SUCCESS)
        address = functions.clEnqueueMapBuffer(
          queues.download.pointer, buffer.pointer, cl_bool(CL_FALSE), cl_map_flags(CL_MAP_READ), 0,
          plane.byteCount, count, list, event, &status)
        return status
      }
    }
    flight.awaited.append(
      try context.connection.enqueue("clEnqueueUnmapMemObject") { functions, event in
        withWaitList([mapped]) { count, list in
          functions.clEnqueueUnmapMemObject(
            queues.download.pointer, buffer.pointer, address, count, list, event)
        }
      })
  }

  private func takeStaging(
    for plane: HostPlane, _ flight: Flight
  ) throws(CinematicError) -> UnsafeMutableRawPointer {
    let piece = try stagingPool.take(byteCount: plane.byteCount)
    flight.pieces.append((stagingPool, piece))
    guard let address = piece.address else {
      throw context.connection.failure(of: "clEnqueueMapBuffer", status: cl_int(CL_MAP_FAILURE))
    }
    return address
  }

  private func flush(_ queue: OpenCLHandle<QueueObject>) throws(CinematicError) {
    try context.connection.perform("clFlush") { $0.clFlush(queue.pointer) }
  }
}
