// SPDX-License-Identifier: Apache-2.0

/// A module's instructions, and what its types and decorations say.
struct ModuleCode {
  typealias Identifier = UInt32

  let header: [UInt32]
  /// Each with its first word: count of words, operation.
  private(set) var instructions: [ArraySlice<UInt32>] = []
  /// Instructions of types, constants and variables by their results.
  private var definitions: [Identifier: ArraySlice<UInt32>] = [:]
  private var bindings: [Identifier: Int] = [:]
  private var arrayStrides: [Identifier: UInt32] = [:]
  private var memberOffsets: [Identifier: [UInt32: UInt32]] = [:]
  private var readOnly: Set<Identifier> = []

  /// A buffer that can be fetched.
  struct Buffer {
    var binding: Int
    var element: FetchingModule.Element
    /// The type of the array's elements.
    var type: Identifier
    /// Bytes from one element to the next.
    var stride: UInt32
  }

  init(_ module: [UInt32]) {
    header = Array(module.prefix(5))
    var index = 5
    while index < module.count {
      let count = Int(module[index] >> 16)
      guard count > 0, index + count <= module.count else { break }
      let instruction = module[index..<index + count]
      instructions.append(instruction)
      index += count
      let words = Array(instruction)
      switch words[0] & 0xFFFF {
      case SPIRV.typeInt, SPIRV.typeFloat, SPIRV.typeVector, SPIRV.typeArray,
        SPIRV.typeRuntimeArray, SPIRV.typeStruct, SPIRV.typePointer:
        definitions[words[1]] = instruction
      case SPIRV.constant, SPIRV.variable: definitions[words[2]] = instruction
      case SPIRV.decorate where words.count == 4 && words[2] == SPIRV.binding:
        bindings[words[1]] = Int(words[3])
      case SPIRV.decorate where words.count == 4 && words[2] == SPIRV.arrayStride:
        arrayStrides[words[1]] = words[3]
      case SPIRV.memberDecorate where words.count == 5 && words[3] == SPIRV.offset:
        memberOffsets[words[1], default: [:]][words[2]] = words[4]
      case SPIRV.memberDecorate where words.count == 4 && words[3] == SPIRV.nonWritable:
        readOnly.insert(words[1])
      default: break
      }
    }
  }

  private func definition(_ identifier: Identifier) -> [UInt32] {
    definitions[identifier].map(Array.init) ?? [0, 0, 0, 0]
  }

  private func operation(_ identifier: Identifier) -> UInt32 { definition(identifier)[0] & 0xFFFF }

  /// The type with this definition behind its result; `nil` if the module has none.
  func type(_ operation: UInt32, _ operands: [UInt32]) -> Identifier? {
    definitions.first {
      $0.value.first.map { $0 & 0xFFFF } == operation && Array($0.value.dropFirst(2)) == operands
    }?.key
  }

  /// A number's or vector's texel; `nil` for other types.
  func element(_ type: Identifier) -> FetchingModule.Element? {
    let words = definition(type)
    switch words[0] & 0xFFFF {
    case SPIRV.typeFloat where words[2] == 32: return .float
    case SPIRV.typeInt where words[2] == 32: return words[3] == 0 ? .unsigned : .signed
    case SPIRV.typeInt where words[2] == 16 && words[3] == 0: return .halfWord
    case SPIRV.typeInt where words[2] == 8 && words[3] == 0: return .byte
    case SPIRV.typeVector where words[3] == 4 && element(words[2]) == .float: return .vector
    default: return nil
    }
  }

  /// Whether a type is of 32-bit numbers alone, in arrays and structs.
  private func isOfWords(_ type: Identifier) -> Bool {
    let words = definition(type)
    switch words[0] & 0xFFFF {
    case SPIRV.typeFloat, SPIRV.typeInt: return words[2] == 32
    case SPIRV.typeArray:
      return arrayStrides[type] != nil && operation(words[3]) == SPIRV.constant
        && isOfWords(words[2])
    case SPIRV.typeStruct: return words.dropFirst(2).allSatisfy(isOfWords)
    default: return false
    }
  }

  /// One step of an access chain: bytes that are known, bytes for each unit of the index, and what lies there.
  enum Step {
    case constant(bytes: UInt32, type: Identifier)
    case scaled(bytes: UInt32, type: Identifier)
  }

  func step(into type: Identifier, by index: Identifier) -> Step? {
    let words = definition(type)
    switch words[0] & 0xFFFF {
    case SPIRV.typeStruct:
      let member = definition(index)
      guard member[0] & 0xFFFF == SPIRV.constant, let offset = memberOffsets[type]?[member[3]],
        Int(member[3]) + 2 < words.count
      else { return nil }
      return .constant(bytes: offset, type: words[Int(member[3]) + 2])
    case SPIRV.typeArray:
      return arrayStrides[type].map { .scaled(bytes: $0, type: words[2]) }
    default: return nil
    }
  }

  /// A struct's members or an array's elements, with their bytes from the start; none of a number.
  func parts(of type: Identifier) -> [(bytes: UInt32, type: Identifier)] {
    let words = definition(type)
    switch words[0] & 0xFFFF {
    case SPIRV.typeStruct:
      return words.dropFirst(2).enumerated().map {
        (memberOffsets[type]?[UInt32($0.offset)] ?? 0, $0.element)
      }
    case SPIRV.typeArray:
      let stride = arrayStrides[type] ?? 0
      return (0..<definition(words[3])[3]).map { ($0 * stride, words[2]) }
    default: return []
    }
  }

  /// The buffers that can be fetched, by their variables.
  func fetchedBuffers() -> [Identifier: Buffer] {
    var buffers: [Identifier: Buffer] = [:]
    var sharing: [Int: Int] = [:]
    for binding in bindings.values { sharing[binding, default: 0] += 1 }
    for (variable, binding) in bindings where sharing[binding] == 1 {
      let words = definition(variable)
      guard words[0] & 0xFFFF == SPIRV.variable, words[3] == SPIRV.storageBuffer else { continue }
      let block = definition(words[1])[3]
      guard readOnly.contains(block), operation(block) == SPIRV.typeStruct else { continue }
      let array = definition(block)[2]
      guard operation(array) == SPIRV.typeRuntimeArray, let stride = arrayStrides[array]
      else { continue }
      let type = definition(array)[2]
      let element = element(type) ?? (isOfWords(type) ? .structure : nil)
      guard let element, element == .structure || Int(stride) == element.byteCount
      else { continue }
      buffers[variable] = Buffer(binding: binding, element: element, type: type, stride: stride)
    }
    let loaded = onlyLoaded(Set(buffers.keys))
    return buffers.filter { loaded.contains($0.key) }
  }

  /// Those of some variables whose every use in a function is an access chain, and every use of that a load that can be
  /// fetched. A literal that equals an identifier counts as a use: then the buffer is loaded.
  private func onlyLoaded(_ candidates: Set<Identifier>) -> Set<Identifier> {
    var loaded = candidates
    /// The variables that access chains lead into.
    var chains: [Identifier: Identifier] = [:]
    var isInFunctions = false
    for words in instructions {
      let operation = words[words.startIndex] & 0xFFFF
      isInFunctions = isInFunctions || operation == SPIRV.function
      guard isInFunctions else { continue }
      func word(_ index: Int) -> UInt32 { words[words.startIndex + index] }
      var others = words.dropFirst()
      if operation == SPIRV.accessChain, candidates.contains(word(3)) {
        chains[word(2)] = word(3)
        others = words.dropFirst(4)
      } else if operation == SPIRV.load, words.count == 4, chains[word(3)] != nil,
        element(word(1)) != nil || isOfWords(word(1))
      {
        continue
      } else if operation == SPIRV.extendedInstruction {
        // Behind the set stands the number of the instruction.
        others = words.dropFirst(5)
      }
      for other in others {
        loaded.remove(other)
        if let variable = chains[other] { loaded.remove(variable) }
      }
    }
    return loaded
  }
}

/// SPIR-V's operations and numbers that the pass uses.
enum SPIRV {
  static let extendedInstruction: UInt32 = 12
  static let capability: UInt32 = 17
  static let typeInt: UInt32 = 21
  static let typeFloat: UInt32 = 22
  static let typeVector: UInt32 = 23
  static let typeImage: UInt32 = 25
  static let typeArray: UInt32 = 28
  static let typeRuntimeArray: UInt32 = 29
  static let typeStruct: UInt32 = 30
  static let typePointer: UInt32 = 32
  static let constant: UInt32 = 43
  static let function: UInt32 = 54
  static let variable: UInt32 = 59
  static let load: UInt32 = 61
  static let accessChain: UInt32 = 65
  static let decorate: UInt32 = 71
  static let memberDecorate: UInt32 = 72
  static let vectorExtract: UInt32 = 77
  static let compositeConstruct: UInt32 = 80
  static let compositeExtract: UInt32 = 81
  static let imageFetch: UInt32 = 95
  static let convertUnsigned: UInt32 = 113
  static let bitcast: UInt32 = 124
  static let add: UInt32 = 128
  static let multiply: UInt32 = 132

  static let arrayStride: UInt32 = 6
  static let nonWritable: UInt32 = 24
  static let binding: UInt32 = 33
  static let descriptorSet: UInt32 = 34
  static let offset: UInt32 = 35
  static let uniformConstant: UInt32 = 0
  static let storageBuffer: UInt32 = 12
  static let sampledBuffer: UInt32 = 46
}
