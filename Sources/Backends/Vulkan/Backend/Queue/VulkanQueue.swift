// SPDX-License-Identifier: Apache-2.0

import CVulkan
import Dispatch
import FocalCore
import FocalRendering
import Synchronization

/// Runs submissions in order on a device, three stages side by side: while the device works on a
/// frame, one thread copies the next frame's pictures in and another the last one's out.
final class VulkanQueue: DeviceQueue {
  private let programs: KernelPrograms
  private let device: VulkanDevice
  private let pool: FramePool
  private let writes = WritesInFlight()
  private let timelines: Timelines?
  private let submissionCount = Mutex<UInt64>(0)

  private let preparation = DispatchQueue(label: "focal.vulkan.preparation", qos: .userInitiated)
  private let finishing = DispatchQueue(label: "focal.vulkan.finishing", qos: .userInitiated)
  private let completions = DispatchQueue(label: "focal.vulkan.completion", qos: .userInitiated)

  /// The progress of each kind of work, counted in submissions.
  private struct Timelines: Sendable {
    let upload: Owned<Vulkan.Semaphore>
    let compute: Owned<Vulkan.Semaphore>
    let download: Owned<Vulkan.Semaphore>
  }

  /// One that uploads, one that computes, one that downloads.
  private static let submissionsInFlight = 3

  init(_ programs: KernelPrograms) throws(CinematicError) {
    self.programs = programs
    device = programs.device
    pool = FramePool(programs, limit: Self.submissionsInFlight)
    timelines =
      programs.device.hasTimelines
      ? Timelines(
        upload: try programs.device.makeTimeline(), compute: try programs.device.makeTimeline(),
        download: try programs.device.makeTimeline()) : nil
  }

  deinit {
    // Mesa's drivers of 2022 let go of the semaphores that a submission waited for only after they
    // have signalled its end: destroyed by then, they would take the driver's thread with them. The
    // objects that a lost device may use are kept anyway.
    guard timelines != nil, (try? device.checkAlive()) != nil else { return }
    let transfers = [device.upload, device.download].compactMap { $0 }
    guard !transfers.isEmpty else { return }
    ProgramEnd.destroy {
      for port in transfers + [device.compute] { try? port.settle(on: device) }
    }
  }

  func submit(
    _ dispatches: [KernelDispatch], profiling: Bool,
    completion: @escaping @Sendable (SubmissionResult) -> Void
  ) {
    preparation.async { [self] in
      let isTimed = profiling && device.compute.family.timestampBits > 0
      let total = Total()
      for stage in PlanePlan.stages(of: dispatches, limit: device.options.largestStage) {
        let number = submissionCount.withLock { count in
          count += 1
          return count
        }
        let work = FrameWork(stage, isProfiling: isTimed, largestJob: device.options.largestJob)
        let started: Result<Started?, CinematicError>
        do throws(CinematicError) {
          started = .success(stage.isEmpty ? nil : try start(work, number))
        } catch {
          started = .failure(error)
        }
        finishing.async { [self] in total.result.add(finish(work, started, number)) }
      }
      finishing.async { [self] in
        let result = total.result
        // Handlers may take their time: the next submission is finished meanwhile.
        completions.async { completion(result) }
      }
    }
  }

  /// The result of a submission's stages.
  // @unchecked Sendable: only the finishing thread touches the result.
  private final class Total: @unchecked Sendable {
    var result = SubmissionResult()
  }

  /// A submission that the device has.
  private struct Started: Sendable {
    var slot: FrameSlot
    var copyInSeconds: Double
    /// The value that tells its end on a device with timelines.
    var end: Handle<Vulkan.Semaphore>?
  }

  // MARK: - Preparation

  private func start(_ work: FrameWork, _ number: UInt64) throws(CinematicError) -> Started {
    try device.checkAlive()
    try work.validate(for: device)
    let kernels = try programs.prepare(Set(work.dispatches.map(programs.variant)))
    for use in work.planes.plan.uses { writes.wait(for: use, isCopied: true) }
    let slot = try pool.acquire()
    do throws(CinematicError) {
      do throws(CinematicError) {
        try prepare(slot, for: work, kernels)
      } catch {
        // Frames in flight hold memory too: with none of them it may be enough.
        guard error.code == .outOfMemory, pool.shrink(to: slot) else { throw error }
        try prepare(slot, for: work, kernels)
      }
    } catch {
      pool.release(slot)
      throw error
    }
    var seconds = 0.0
    if let buffer = slot.uploadBuffer, !work.planes.upload.isEmpty {
      seconds = measure { work.planes.copyIn(to: buffer.bytes, isParallel: copiesInParallel) }
    }
    let end = try run(work, slot, kernels, number)
    writes.begin(number, writing: work.planes.writes)
    return Started(slot: slot, copyInSeconds: seconds, end: end)
  }

  private func prepare(
    _ slot: FrameSlot, for work: FrameWork,
    _ kernels: [KernelPrograms.Variant: KernelPrograms.Program]
  ) throws(CinematicError) {
    try slot.prepare(
      for: work.planes, parameterBytes: work.parameterBytes, dispatchCount: work.dispatches.count,
      jobCount: work.jobs.count, queryCount: work.queryCount)
    slot.describe(work)
    try slot.describeFetches(work, kernels)
  }

  /// Hands a submission to the device; gives the slot back when nothing of it runs.
  ///
  /// - Returns: the semaphore that reaches `number` at its end.
  private func run(
    _ work: FrameWork, _ slot: FrameSlot,
    _ kernels: [KernelPrograms.Variant: KernelPrograms.Program], _ number: UInt64
  ) throws(CinematicError) -> Handle<Vulkan.Semaphore>? {
    func point(_ semaphore: Owned<Vulkan.Semaphore>) -> SubmissionPort.Point {
      SubmissionPort.Point(semaphore: semaphore.handle, value: number)
    }
    // A profiling queue copies between the kernels, where one clock tells all times.
    let copies = !device.isUnified
    let uploads = copies && !work.planes.upload.isEmpty
    let downloads = copies && !work.planes.download.isEmpty
    let uploadPort = uploads && !work.isProfiling ? device.upload : nil
    let downloadPort = downloads && !work.isProfiling ? device.download : nil
    /// The last thing that the device was given of this submission.
    var reached: SubmissionPort.Point?
    do throws(CinematicError) {
      if uploadPort != nil, let list = slot.upload { try slot.recordUpload(work, in: list) }
      if downloadPort != nil, let list = slot.download { try slot.recordDownload(work, in: list) }
      try slot.recordKernels(
        work, kernels, uploads: uploads && uploadPort == nil,
        downloads: downloads && downloadPort == nil)
      guard let timelines else {
        if let fence = slot.fence {
          try device.reset(fence)
          try submitJobs(work, slot, fence: fence.handle)
        }
        return nil
      }
      if let uploadPort, let list = slot.upload {
        try uploadPort.submit(list.commands, signal: point(timelines.upload), on: device)
        reached = point(timelines.upload)
      }
      try submitJobs(work, slot, wait: reached, signal: point(timelines.compute))
      reached = point(timelines.compute)
      if let downloadPort, let list = slot.download {
        try downloadPort.submit(
          list.commands, wait: reached, signal: point(timelines.download), on: device)
        reached = point(timelines.download)
      }
      return reached?.semaphore
    } catch {
      // Jobs of a lost device may run on.
      var isDone = error.code != .deviceLost
      if isDone, let reached {
        do throws(CinematicError) { try device.wait(for: reached) } catch { isDone = false }
      }
      if isDone { pool.release(slot) } else { pool.abandon(slot) }
      throw error
    }
  }

  /// Hands the kernels to the device; the last job tells the end of all.
  ///
  /// - Throws: `outOfMemory`: nothing of them runs then; `deviceLost`.
  private func submitJobs(
    _ work: FrameWork, _ slot: FrameSlot, wait: SubmissionPort.Point? = nil,
    signal: SubmissionPort.Point? = nil, fence: Handle<Vulkan.Fence>? = nil
  ) throws(CinematicError) {
    let count = work.jobs.count
    for (index, list) in slot.jobs.prefix(count).enumerated() {
      let isLast = index == count - 1
      do throws(CinematicError) {
        try device.compute.submit(
          list.commands, wait: index == 0 ? wait : nil, signal: isLast ? signal : nil,
          fence: isLast ? fence : nil, on: device)
      } catch {
        // No point tells the end of the jobs before.
        if index > 0 { try waitForJobs() }
        throw error
      }
    }
  }

  /// - Throws: `deviceLost` where the jobs that run cannot be waited for.
  private func waitForJobs() throws(CinematicError) {
    do throws(CinematicError) {
      try device.compute.settle(on: device)
    } catch {
      throw device.lose(
        error.replacing(
          message: "\(device.physical.name) cannot be waited for: \(error.message)",
          code: .deviceLost))
    }
  }

  // MARK: - Finishing

  private func finish(
    _ work: FrameWork, _ start: Result<Started?, CinematicError>, _ number: UInt64
  ) -> SubmissionResult {
    defer { writes.end(number) }
    let started: Started
    switch start {
    case .failure(let error): return SubmissionResult(error: error)
    case .success(nil): return SubmissionResult()
    case .success(let some?): started = some
    }
    let slot = started.slot
    do throws(CinematicError) {
      if let end = started.end {
        try device.wait(for: SubmissionPort.Point(semaphore: end, value: number))
      } else if let fence = slot.fence {
        try device.wait(for: fence)
      }
    } catch {
      pool.abandon(slot)
      return SubmissionResult(error: error)
    }
    defer { pool.release(slot) }
    var copyOutSeconds = 0.0
    if let buffer = slot.downloadBuffer, !work.planes.download.isEmpty {
      // A staging buffer starts with the first plane that comes back.
      let base = buffer.bytes - (device.isUnified ? 0 : work.planes.download.lowerBound)
      copyOutSeconds = measure { work.planes.copyOut(from: base, isParallel: copiesInParallel) }
    }
    guard work.isProfiling else { return SubmissionResult() }
    do throws(CinematicError) {
      let times = try slot.timestamps(work.queryCount)
      let timings = work.dispatches.enumerated().map { index, dispatch in
        KernelTiming(kernel: dispatch.kernel.name, seconds: times[index + 2] - times[index + 1])
      }
      let last = work.queryCount - 1
      return SubmissionResult(
        timings: timings,
        uploadSeconds: device.isUnified ? started.copyInSeconds : times[1] - times[0],
        downloadSeconds: device.isUnified ? copyOutSeconds : times[last] - times[last - 1])
    } catch {
      return SubmissionResult(error: error)
    }
  }

  /// A driver that computes on the processor has taken its cores already.
  private var copiesInParallel: Bool { device.physical.kind != .softwareGPU }
}

private func measure(_ body: () -> Void) -> Double {
  let start = DispatchTime.now().uptimeNanoseconds
  body()
  return Double(DispatchTime.now().uptimeNanoseconds - start) * 1e-9
}
