// SPDX-License-Identifier: Apache-2.0

import FocalCPU
import FocalCore
import FocalRendering

extension DeviceCatalog {
  /// The devices that `--device` names, best first: one, or for `auto` all that can be trusted, so
  /// that the work can go on with the next when one fails.
  ///
  /// - Parameters:
  ///   - name: `auto`, `cpu`, a backend (`vulkan`: its best device), an identifier (`vulkan:1`), or
  ///     a part of a device's name, in any case.
  ///   - probe: as for ``init(probe:backend:threadCount:)``. Without one, `auto` checks graphics devices in this
  ///     process: each renders two small frames, and a driver that crashes or hangs takes the program with it. The first
  ///     check of a device may take seconds.
  /// - Throws: `deviceLost` for one that this machine does not have, naming those that it has.
  public static func choose(
    _ name: String, probe: DeviceProbe? = nil, threadCount: Int? = nil
  ) throws(CinematicError) -> [Device] {
    let name = name.lowercased()
    if name == "cpu" { return [.cpu(threadCount: threadCount)] }
    let modules = BackendModule.all(threadCount: threadCount)
    let backend = String(name.prefix { $0 != ":" })
    var probe = probe
    // `auto` never takes a software device, and one named needs its check only once.
    probe?.checksSoftwareDevices = name != "auto"
    let catalog = DeviceCatalog(
      modules: modules, probe: probe,
      backend: modules.contains { $0.name == backend } ? backend : nil)
    return try catalog.devices(named: name)
  }

  /// The devices that a name means, best first, see ``choose(_:probe:threadCount:)``.
  ///
  /// Of a catalogue that was made without a probe, `auto` checks the graphics devices in this process, each time.
  ///
  /// - Throws: `deviceLost` where there is none.
  public func devices(named name: String) throws(CinematicError) -> [Device] {
    let name = name.lowercased()
    if name == "auto" { return automatic }
    let matches = entries.filter { $0.device.identifier == name }
    let ofBackend = entries.filter { $0.device.identifier.hasPrefix(name + ":") }
    let byName = entries.filter { !name.isEmpty && $0.device.name.lowercased().contains(name) }
    for found in [matches, ofBackend, byName] {
      if let best = Self.sorted(found).first { return [best.device] }
    }
    throw missing(name)
  }

  /// Graphics devices that passed their check, best first, then the processor, which beats software
  /// devices.
  private var automatic: [Device] {
    Self.sorted(entries).filter { $0.device.kind != .softwareGPU && verdict(of: $0).isTrusted }
      .map(\.device)
  }

  private func verdict(of entry: Entry) -> DeviceVerdict {
    // What a probe left unchecked is not to run in this process.
    guard !isProbed, entry.verdict == .unchecked else { return entry.verdict }
    return SelfCheck.verdict(of: entry.device)
  }

  private static func sorted(_ entries: [Entry]) -> [Entry] {
    func rank(_ entry: Entry) -> Int {
      let kind =
        switch entry.device.kind {
        case .discreteGPU: 0
        case .integratedGPU: 1
        case .cpu: 2
        case .softwareGPU: 3
        }
      // Of a name's several devices, one that works.
      if case .failed = entry.verdict { return kind + 10 }
      return kind
    }
    func memory(_ entry: Entry) -> Int { entry.device.memoryByteCount ?? 0 }
    return entries.enumerated().sorted { a, b in
      (rank(a.element), -memory(a.element), a.offset)
        < (rank(b.element), -memory(b.element), b.offset)
    }.map(\.element)
  }

  private func missing(_ name: String) -> CinematicError {
    let known = entries.map(\.device.description).joined(separator: ", ")
    let left = skipped.map(\.description).joined(separator: "; ")
    return CinematicError(
      .deviceLost,
      "there is no device '\(name)' on this machine" + (left.isEmpty ? "" : " (skipped: \(left))"),
      remedy: "use auto, or one of \(known)")
  }
}
