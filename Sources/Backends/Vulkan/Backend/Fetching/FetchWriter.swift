// SPDX-License-Identifier: Apache-2.0

/// Writes a module anew, with fetches in place of the loads from some buffers.
struct FetchWriter {
  private let code: ModuleCode
  private let buffers: [UInt32: ModuleCode.Buffer]
  private var bound: UInt32
  /// Types, constants and variables that the module lacked.
  private var globals: [UInt32] = []
  private var decorations: [UInt32] = []
  private var constants: [UInt32: UInt32] = [:]
  private var types: [[UInt32]: UInt32] = [:]
  private var views: [UInt32: UInt32] = [:]

  init(_ code: ModuleCode, _ buffers: [UInt32: ModuleCode.Buffer]) {
    self.code = code
    self.buffers = buffers
    bound = code.header[3]
  }

  private mutating func newIdentifier() -> UInt32 {
    bound += 1
    return bound - 1
  }

  private mutating func type(_ operation: UInt32, _ operands: [UInt32]) -> UInt32 {
    if let known = code.type(operation, operands) ?? types[[operation] + operands] { return known }
    let identifier = newIdentifier()
    globals += [UInt32(operands.count + 2) << 16 | operation, identifier] + operands
    types[[operation] + operands] = identifier
    return identifier
  }

  private var unsigned: UInt32 { mutating get { type(SPIRV.typeInt, [32, 0]) } }
  private var float: UInt32 { mutating get { type(SPIRV.typeFloat, [32]) } }

  private mutating func texelType(isFloat: Bool) -> UInt32 {
    let component = isFloat ? float : unsigned
    return type(SPIRV.typeVector, [component, 4])
  }

  /// Uniform texel buffers: a dimension of buffers, neither depth nor layers nor samples, to be sampled.
  private mutating func imageType(isFloat: Bool) -> UInt32 {
    let component = isFloat ? float : unsigned
    return type(SPIRV.typeImage, [component, 5, 0, 0, 0, 1, 0])
  }

  private mutating func constant(_ value: UInt32) -> UInt32 {
    if let known = constants[value] { return known }
    let type = unsigned, identifier = newIdentifier()
    globals += [4 << 16 | SPIRV.constant, type, identifier, value]
    constants[value] = identifier
    return identifier
  }

  /// The module's words: views stand for the buffers' variables, fetches for the loads.
  mutating func write() -> [UInt32] {
    for (variable, buffer) in buffers.sorted(by: { $0.value.binding < $1.value.binding }) {
      let image = imageType(isFloat: buffer.element.isFloat)
      let pointer = type(SPIRV.typePointer, [SPIRV.uniformConstant, image])
      let view = newIdentifier()
      globals += [4 << 16 | SPIRV.variable, pointer, view, SPIRV.uniformConstant]
      decorations += [4 << 16 | SPIRV.decorate, view, SPIRV.descriptorSet, 0]
      decorations += [
        4 << 16 | SPIRV.decorate, view, SPIRV.binding,
        UInt32(KernelBindings.texels + buffer.binding),
      ]
      views[variable] = view
    }
    let body = functions()
    var result = code.header
    result[3] = bound
    result += [2 << 16 | SPIRV.capability, SPIRV.sampledBuffer]
    var isDecorated = false
    for instruction in code.instructions {
      let words = Array(instruction)
      let operation = words[0] & 0xFFFF
      if operation == SPIRV.function { break }
      if operation == SPIRV.decorate {
        if !isDecorated { result += decorations }
        isDecorated = true
        if buffers[words[1]] != nil { continue }
      }
      if operation == SPIRV.variable, buffers[words[2]] != nil { continue }
      result += words
    }
    return result + globals + body
  }

  /// The functions, in which fetches stand for loads.
  private mutating func functions() -> [UInt32] {
    var result: [UInt32] = []
    /// The indices of the chains into fetched buffers.
    var chains: [UInt32: (variable: UInt32, indices: [UInt32])] = [:]
    let first = code.instructions.firstIndex { ($0.first ?? 0) & 0xFFFF == SPIRV.function }
    for instruction in code.instructions[(first ?? code.instructions.count)...] {
      let words = Array(instruction)
      switch words[0] & 0xFFFF {
      case SPIRV.accessChain where buffers[words[3]] != nil:
        // The first index is the array's in its block.
        chains[words[2]] = (words[3], Array(words.dropFirst(5)))
      case SPIRV.load:
        if let chain = chains[words[3]] {
          result += fetch(chain.variable, chain.indices, type: words[1], into: words[2])
        } else {
          result += words
        }
      default: result += words
      }
    }
    return result
  }

  private mutating func fetch(
    _ variable: UInt32, _ indices: [UInt32], type: UInt32, into result: UInt32
  ) -> [UInt32] {
    guard let buffer = buffers[variable], let view = views[variable], let first = indices.first
    else { return [] }
    let image = newIdentifier()
    var text = [4 << 16 | SPIRV.load, imageType(isFloat: buffer.element.isFloat), image, view]
    switch buffer.element {
    case .vector where indices.count > 1:
      let texel = newIdentifier()
      text += self.texel(.vector, of: image, at: first, into: texel)
      text += [5 << 16 | SPIRV.vectorExtract, type, result, texel, indices[1]]
    case .vector: text += texel(.vector, of: image, at: first, into: result)
    case .structure:
      let place = address(buffer, indices, &text)
      value(of: image, at: place, plus: 0, type: type, into: result, &text)
    default: text += number(buffer.element, of: image, at: first, type: type, into: result)
    }
    return text
  }

  private mutating func texel(
    _ element: FetchingModule.Element, of image: UInt32, at place: UInt32, into result: UInt32
  ) -> [UInt32] {
    [5 << 16 | SPIRV.imageFetch, texelType(isFloat: element.isFloat), result, image, place]
  }

  /// A texel's one number as a value of `type`.
  private mutating func number(
    _ element: FetchingModule.Element, of image: UInt32, at place: UInt32, type: UInt32,
    into result: UInt32
  ) -> [UInt32] {
    let texel = newIdentifier(), component = element.isFloat ? float : unsigned
    let text = self.texel(element, of: image, at: place, into: texel)
    guard type != component else {
      return text + [5 << 16 | SPIRV.compositeExtract, type, result, texel, 0]
    }
    let number = newIdentifier()
    let isNarrow = element == .byte || element == .halfWord
    return text + [5 << 16 | SPIRV.compositeExtract, component, number, texel, 0]
      + [4 << 16 | (isNarrow ? SPIRV.convertUnsigned : SPIRV.bitcast), type, result, number]
  }

  /// A number, or a struct or array of numbers, `words` words behind `place`.
  private mutating func value(
    of image: UInt32, at place: UInt32, plus words: UInt32, type: UInt32, into result: UInt32,
    _ text: inout [UInt32]
  ) {
    let parts = code.parts(of: type)
    if parts.isEmpty {
      let sum = words == 0 ? place : self.sum(place, constant(words), &text)
      text += number(.structure, of: image, at: sum, type: type, into: result)
      return
    }
    var constituents: [UInt32] = []
    for part in parts {
      constituents.append(newIdentifier())
      value(
        of: image, at: place, plus: words + part.bytes / 4, type: part.type,
        into: constituents[constituents.count - 1], &text)
    }
    text += [UInt32(3 + parts.count) << 16 | SPIRV.compositeConstruct, type, result] + constituents
  }

  private mutating func sum(_ a: UInt32, _ b: UInt32, _ text: inout [UInt32]) -> UInt32 {
    let sum = newIdentifier()
    text += [5 << 16 | SPIRV.add, unsigned, sum, a, b]
    return sum
  }

  private mutating func scaled(
    _ index: UInt32, by bytes: UInt32, _ text: inout [UInt32]
  ) -> UInt32 {
    let factor = constant(bytes / 4), product = newIdentifier()
    text += [5 << 16 | SPIRV.multiply, unsigned, product, index, factor]
    return product
  }

  /// The index of the first word that an access chain leads to.
  private mutating func address(
    _ buffer: ModuleCode.Buffer, _ indices: [UInt32], _ text: inout [UInt32]
  ) -> UInt32 {
    var place = scaled(indices[0], by: buffer.stride, &text)
    var known: UInt32 = 0, type = buffer.type
    for index in indices.dropFirst() {
      switch code.step(into: type, by: index) {
      case .constant(let bytes, let inner): (known, type) = (known + bytes, inner)
      case .scaled(let bytes, let inner):
        place = sum(place, scaled(index, by: bytes, &text), &text)
        type = inner
      case nil: preconditionFailure("an access chain leads into neither a struct nor an array")
      }
    }
    return known == 0 ? place : sum(place, constant(known / 4), &text)
  }
}
