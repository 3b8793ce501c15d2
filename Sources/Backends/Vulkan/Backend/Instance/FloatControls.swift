// SPDX-License-Identifier: Apache-2.0

/// The module with what the device promises of floats asked for: denormals stay what they are, no
/// optimisation takes numbers for finite, and results are rounded to the nearest: else Vulkan lets a
/// driver round either way.
///
/// A device's promises are known at run time only; a module that requires more is not valid.
func withFloatControls(_ module: [UInt32], _ features: PhysicalDevice.Features) -> [UInt32] {
  // Capability and execution mode of DenormPreserve, SignedZeroInfNanPreserve and RoundingModeRTE.
  let modes: [(capability: UInt32, mode: UInt32)] =
    (features.preservesDenormals ? [(4464, 4459)] : [])
    + (features.preservesNaN ? [(4466, 4461)] : [])
    + (features.roundsToNearest ? [(4467, 4462)] : [])
  guard !modes.isEmpty else { return module }
  let (opExtension, opEntryPoint, opExecutionMode, opCapability): (UInt32, UInt32, UInt32, UInt32) =
    (10, 15, 16, 17)

  // Capabilities come first, then extensions; execution modes follow the entry points.
  var firstExtension: Int?
  var afterEntryPoints: Int?
  var entryPoint: UInt32?
  var index = 5
  while index < module.count {
    let operation = module[index] & 0xFFFF
    let count = Int(module[index] >> 16)
    guard count > 0 else { return module }
    if operation != opCapability, firstExtension == nil { firstExtension = index }
    if operation == opEntryPoint, index + 2 < module.count {
      entryPoint = module[index + 2]
      afterEntryPoints = index + count
    }
    if operation == opExecutionMode { break }
    index += count
  }
  guard let firstExtension, let afterEntryPoints, let entryPoint,
    afterEntryPoints <= module.count
  else { return module }
  let name = Array("SPV_KHR_float_controls".utf8) + [0, 0]
  let nameWords = words(ofLittleEndian: name)
  var result = Array(module[..<firstExtension])
  for mode in modes { result += [2 << 16 | opCapability, mode.capability] }
  result.append(UInt32(1 + nameWords.count) << 16 | opExtension)
  result += nameWords
  result += module[firstExtension..<afterEntryPoints]
  for mode in modes { result += [4 << 16 | opExecutionMode, entryPoint, mode.mode, 32] }
  result += module[afterEntryPoints...]
  return result
}

/// Groups of four bytes as words, the first byte in the lowest bits; what is left over is dropped.
func words(ofLittleEndian bytes: [UInt8]) -> [UInt32] {
  var words: [UInt32] = []
  words.reserveCapacity(bytes.count / 4)
  for start in stride(from: 0, through: bytes.count - 4, by: 4) {
    var word: UInt32 = 0
    for index in 0..<4 { word |= UInt32(bytes[start + index]) << UInt32(8 * index) }
    words.append(word)
  }
  return words
}
