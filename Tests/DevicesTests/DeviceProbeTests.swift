// SPDX-License-Identifier: Apache-2.0

import DeviceDoubles
import FocalCPU
import FocalRendering
import Foundation
import Testing

@testable import FocalDevices

/// Drivers that crash, hang, lie and chatter, played by shell scripts.
@Suite struct DeviceProbeTests {
  private static let first = Device.faulty(nil, identifier: "double:0", name: "First")
  private static let second = Device.faulty(
    nil, identifier: "double:1", name: "Second", kind: .integratedGPU)

  private let folder = NSTemporaryDirectory() + "/focal-probe-\(UUID().uuidString)"

  /// A probe whose child is a script; `$0` is a folder of the test's.
  private func probe(_ script: String, remembers: Bool = false) -> DeviceProbe {
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var probe = DeviceProbe(executable: "/bin/bash", arguments: ["-c", script, folder])
    probe.cacheFolder = remembers ? folder + "/cache" : nil
    probe.silence = .seconds(120)
    return probe
  }

  private func clean() { try? FileManager.default.removeItem(atPath: folder) }

  private static func module(_ devices: [Device]) -> BackendModule {
    BackendModule(name: "double") { DeviceListing(devices: devices) }
  }

  private func catalog(_ probe: DeviceProbe, _ devices: [Device] = [first, second]) -> DeviceCatalog
  {
    DeviceCatalog(modules: [.cpu(), Self.module(devices)], probe: probe)
  }

  /// A line that a child prints.
  private static func say(_ event: ProbeEvent) -> String {
    let data = (try? JSONEncoder().encode(event)) ?? Data()
    return "echo '\(ProbeEvent.mark)\(String(decoding: data, as: UTF8.self))'; "
  }

  private static let listing =
    say(.device(first.identity)) + say(.device(second.identity)) + say(.listed)
  private static func check(_ device: Device, _ verdict: DeviceVerdict = .identical) -> String {
    say(.checking(device.identity)) + say(.checked(device.identity, verdict))
  }

  @Test func verdictsComeFromTheChild() throws {
    defer { clean() }
    let script =
      "echo hello; " + Self.listing + "printf chatter; echo; " + Self.check(Self.first)
      + Self.check(Self.second, .close(differing: 3)) + Self.say(.finished)
    let all = catalog(probe(script))
    #expect(all.entries.map(\.verdict) == [.reference, .identical, .close(differing: 3)])
    #expect(
      try all.devices(named: "auto").map(\.identifier) == ["double:0", "double:1", "cpu"])
    #expect(all.skipped.isEmpty)
  }

  @Test func aDeviceThatFailsItsCheckIsNotChosenByItself() throws {
    defer { clean() }
    let script =
      Self.listing + Self.check(Self.first, .failed("12 values differ")) + Self.check(Self.second)
      + Self.say(.finished)
    let all = catalog(probe(script))
    #expect(try all.devices(named: "auto").map(\.identifier) == ["double:1", "cpu"])
    // A request by name gets it; of a backend, the one that works.
    #expect(try all.devices(named: "double:0").map(\.identifier) == ["double:0"])
    #expect(try all.devices(named: "double").map(\.identifier) == ["double:1"])
  }

  @Test(
    arguments: [
      ("kill -SEGV $$", "crashed while its devices were listed (signal 11"),
      ("kill -ABRT $$", "(signal 6"),
      ("exit 3", "(code 3)"),
      ("exit 0", "ended the process while its devices were listed (code 0)"),
      ("exec sleep 300", "did not answer within 1 s"),
      ("exec 1>&-; exec sleep 300", "did not answer within 1 s"),
    ])
  func aBackendWhoseListingFailsIsSkipped(_ script: String, _ reason: String) {
    defer { clean() }
    var probe = probe(script)
    if script.contains("sleep") { probe.silence = .seconds(1) }
    let start = ContinuousClock.now
    // Its module must not even be asked in this process.
    let module = BackendModule(name: "double") {
      Issue.record("a backend that crashes was loaded")
      return DeviceListing()
    }
    let all = DeviceCatalog(modules: [.cpu(), module], probe: probe)
    #expect(all.devices.map(\.identifier) == ["cpu"])
    #expect(all.skipped.map(\.name) == ["double"])
    #expect(all.skipped.first?.reason.contains(reason) == true, "\(all.skipped)")
    #expect(ContinuousClock.now - start < .seconds(150))
  }

  @Test func aDeviceWhoseCheckCrashesIsSkippedAlone() throws {
    defer { clean() }
    let crash = Self.say(.checking(Self.first.identity)) + "kill -SEGV $$; "
    let script =
      Self.listing + "case \"$*\" in *'--without double:0'*) ;; *) \(crash);; esac; "
      + Self.check(Self.second) + Self.say(.finished)
    let all = catalog(probe(script))
    #expect(all.devices.map(\.identifier) == ["cpu", "double:1"])
    #expect(all.skipped.map(\.name) == ["double:0 (First)"])
    #expect(all.skipped.first?.reason.contains("crashed while it was checked") == true)
  }

  @Test func everyDeviceMayCrash() {
    defer { clean() }
    let script =
      Self.listing
      + [Self.first, Self.second].map { device in
        "case \"$*\" in *'--without \(device.identifier)'*) ;; *) "
          + Self.say(.checking(device.identity)) + "kill -SEGV $$;; esac; "
      }.joined() + Self.say(.finished)
    let all = catalog(probe(script))
    #expect(all.devices.map(\.identifier) == ["cpu"])
    #expect(all.skipped.count == 2, "\(all.skipped)")
  }

  @Test func aDriverMayCrashOnTheWayOut() {
    defer { clean() }
    let script =
      Self.listing + Self.check(Self.first) + Self.check(Self.second) + Self.say(.finished)
      + "kill -SEGV $$"
    #expect(catalog(probe(script)).entries.map(\.verdict) == [.reference, .identical, .identical])
  }

  /// Ctrl-C and a terminal's hang-up reach the child as well, and say nothing about its driver.
  @Test(arguments: ["INT", "TERM"])
  func anInterruptionIsNotRemembered(_ signal: String) { interrupt(by: signal) }

  @Test(.enabled(if: !Self.ignoresHangUps, "the tests were started with nohup"))
  func aHangUpIsNotRemembered() { interrupt(by: "HUP") }

  /// Whether the tests were started with hang-ups ignored, which their programs inherit.
  private static let ignoresHangUps: Bool = {
    var action = sigaction()
    sigaction(SIGHUP, nil, &action)
    return withUnsafeBytes(of: action) { $0.load(as: UInt.self) } == 1
  }()

  private func interrupt(by signal: String) {
    defer { clean() }
    let script =
      "echo run >> \"$0/runs\"; " + Self.listing + Self.say(.checking(Self.first.identity))
      + "kill -\(signal) $$; exec sleep 300"
    let probe = probe(script, remembers: true)
    for round in 1...2 {
      let all = catalog(probe)
      #expect(all.devices.map(\.identifier) == ["cpu"])
      #expect(all.skipped.first?.reason.contains("interrupted") == true, "\(all.skipped)")
      #expect(runs() == round)
    }
  }

  @Test func aMissingProgramIsAReason() {
    let probe = DeviceProbe(executable: "/nowhere/focal", arguments: [])
    var silent = probe
    silent.cacheFolder = nil
    let all = catalog(silent)
    #expect(all.skipped.first?.reason.contains("No such file") == true, "\(all.skipped)")
  }

  private func runs() -> Int {
    (try? String(contentsOfFile: folder + "/runs", encoding: .utf8))?.count { $0 == "\n" } ?? 0
  }

  private static let counted =
    "echo run >> \"$0/runs\"; " + listing + check(first) + check(second) + say(.finished)

  @Test func verdictsAreRemembered() throws {
    defer { clean() }
    var probe = probe(Self.counted, remembers: true)
    for _ in 0..<3 {
      #expect(catalog(probe).entries.map(\.verdict) == [.reference, .identical, .identical])
    }
    #expect(runs() == 1)
    probe.isAnew = true
    _ = catalog(probe)
    #expect(runs() == 2)
    probe.isAnew = false
    // The file's content is not believed blindly.
    let file = folder + "/cache/devices-double.json"
    try Data("{\"half\":".utf8).write(to: URL(fileURLWithPath: file))
    #expect(catalog(probe).entries.count == 3)
    #expect(runs() == 3)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/cache").count == 1)
    // Another driver than the one that was checked: asked again, twice not.
    let renewed = Device.faulty(nil, identifier: "double:0", name: "Newer")
    let all = catalog(probe, [renewed])
    #expect(runs() == 4)
    #expect(all.entries.map(\.verdict) == [.reference, .unchecked])
  }

  /// A record of somebody else's could name any device sound; a pipe would make the program wait.
  @Test func recordsOfOthersAreNotBelieved() throws {
    defer { clean() }
    let cache = VerdictCache(folder: folder + "/owned")
    let path = folder + "/owned/devices-double.json"
    let record = ProbeRecord(devices: [.init(identity: Self.first.identity, verdict: .identical)])
    func isBelieved() -> Bool { cache.record(of: "double", fingerprint: "a") != nil }
    cache.store(record, of: "double", fingerprint: "a")
    #expect(isBelieved())
    let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/owned")
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    for mode in [0o620, 0o602, 0o666] as [mode_t] {
      #expect(chmod(path, mode) == 0)
      #expect(!isBelieved())
    }
    #expect(chmod(path, 0o600) == 0)
    #expect(isBelieved())
    #expect(rename(path, path + ".moved") == 0)
    #expect(symlink(path + ".moved", path) == 0)
    #expect(!isBelieved())
    #expect(unlink(path) == 0)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(!isBelieved())
    cache.store(record, of: "double", fingerprint: "a")
    #expect(isBelieved())
  }

  /// A child that could not be started says nothing about its driver.
  @Test func aShortageIsNotRemembered() {
    defer { clean() }
    var probe = DeviceProbe(executable: folder + "/nowhere", arguments: [])
    probe.cacheFolder = folder + "/cache"
    for _ in 0..<2 {
      #expect(catalog(probe).devices.map(\.identifier) == ["cpu"])
      #expect(!FileManager.default.fileExists(atPath: folder + "/cache/devices-double.json"))
    }
  }

  @Test func aCacheThatCannotBeWrittenIsNoError() {
    defer { clean() }
    var probe = probe(Self.counted)
    probe.cacheFolder = "/proc/nothing"
    for _ in 0..<2 { #expect(catalog(probe).entries.count == 3) }
    #expect(runs() == 2)
  }

  @Test func recordsAgeAndFollowTheFingerprint() {
    defer { clean() }
    let cache = VerdictCache(folder: folder + "/aging")
    let now = Date()
    func record(_ verdict: DeviceVerdict) -> ProbeRecord {
      ProbeRecord(devices: [.init(identity: Self.first.identity, verdict: verdict)])
    }
    cache.store(record(.identical), of: "double", fingerprint: "a", now: now)
    #expect(cache.record(of: "double", fingerprint: "a", now: now) != nil)
    #expect(cache.record(of: "double", fingerprint: "b", now: now) == nil)
    #expect(cache.record(of: "other", fingerprint: "a", now: now) == nil)
    let day: TimeInterval = 86_400
    #expect(cache.record(of: "double", fingerprint: "a", now: now + 20 * day) != nil)
    #expect(cache.record(of: "double", fingerprint: "a", now: now + 40 * day) == nil)
    // A failure that may pass is not held against a driver for long.
    for bad in [ProbeRecord(failure: "it hangs"), record(.failed("no memory")), ProbeRecord()] {
      cache.store(bad, of: "double", fingerprint: "a", now: now)
      #expect(cache.record(of: "double", fingerprint: "a", now: now + day / 2) != nil)
      #expect(cache.record(of: "double", fingerprint: "a", now: now + 2 * day) == nil)
    }
    #expect(DriverFingerprint.make(executable: "/bin/bash").count == 16)
    #expect(
      DriverFingerprint.make(executable: "/bin/bash") != DriverFingerprint.make(executable: "/x"))
  }

  /// Two programs that start at once both get through, and leave one whole record.
  @Test func manyProgramsMayAskAtOnce() async throws {
    defer { clean() }
    let probe = probe(Self.counted, remembers: true)
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<4 { group.addTask { catalog(probe).entries.count } }
      for await count in group { #expect(count == 3) }
    }
    let before = runs()
    #expect(catalog(probe).entries.count == 3)
    #expect(runs() == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/cache").count == 1)
  }
}
