// SPDX-License-Identifier: Apache-2.0

/// A kernel as the shared headers declare it: the one place where its buffers have names.
package struct KernelDeclaration: Sendable {
  /// Which devices run it.
  package enum Role: Sendable {
    /// Every device.
    case common
    /// Processors, which do a tile from end to end while it is in their cache.
    case fused
    /// Graphics devices, in place of a fused kernel.
    case part
  }

  package struct Buffer: Sendable {
    package enum Access: Sendable {
      case reads
      /// Writes, and may read what it wrote.
      case writes
      /// Room to work in, whose contents mean nothing before and after.
      case workspace
    }

    package var access: Access
    package var type: String
    package var name: String
    package var line: Int
    /// The same memory as elements of other types.
    package var views: [View] = []
  }

  package struct View: Sendable {
    package var type: String
    package var name: String
    package var line: Int
  }

  /// Memory that a workgroup of a graphics device shares.
  package struct SharedArray: Sendable {
    package var type: String
    package var name: String
    package var count: String
    package var line: Int
  }

  package var name: String
  package var role: Role
  /// Its comment, a line each.
  package var documentation: [String]
  /// The parameter struct.
  package var parameters: String
  /// Its 32-bit words, in order.
  package var parameterWords: [ParameterWord] = []
  /// In the order of their bindings.
  package var buffers: [Buffer] = []
  package var shared: [SharedArray] = []
  /// Width and height of a workgroup as constants of the headers; the common size if there is none.
  package var workgroup: [String] = ["FOCAL_GROUP_WIDTH", "FOCAL_GROUP_HEIGHT"]
  /// The header that declares it, and where.
  package var path: String
  package var line: Int

  /// The most buffers that a kernel may have: Vulkan binds its parameters behind them.
  package static let mostBuffers = 8

  /// The kernel's name as a type's.
  package var typeName: String { name.prefix(1).uppercased() + name.dropFirst() }
}

/// A number of a parameter struct.
package struct ParameterWord: Sendable, Equatable {
  /// Its place in the struct, such as `slicing.density` or `cell[2]`.
  package var path: String
  /// `int32_t`, `uint32_t` or `float`.
  package var type: String
}

/// A field of a struct of the shared headers.
struct FieldDeclaration: Sendable {
  var type: String
  var name: String
  /// Of an array, what stands between the brackets.
  var count: String?
}

/// A struct of the shared headers, as far as a buffer of them is compared.
package struct RecordDeclaration: Sendable {
  /// The type that all fields have, and their names; an array's is there once.
  package var type: String
  package var fields: [String]
}

/// The declarations of the shared headers.
package struct KernelDeclarations: Sendable {
  package var kernels: [KernelDeclaration] = []
  /// Structs whose fields are all of one type, by name.
  package var records: [String: RecordDeclaration] = [:]

  /// - Parameter headers: paths.
  /// - Throws: what cannot be read, with file and line.
  package init(headers: [String]) throws(CompilerError) {
    var structs: [String: [FieldDeclaration]] = [:]
    for path in headers {
      var parser = try DeclarationParser(path)
      try parser.parse()
      for kernel in parser.kernels {
        if let other = kernels.first(where: { $0.name == kernel.name }) {
          throw CompilerError(
            "\(path):\(kernel.line): error: the kernel \(kernel.name) is declared at "
              + "\(other.path):\(other.line) already")
        }
        kernels.append(kernel)
      }
      records.merge(parser.records) { first, _ in first }
      structs.merge(parser.structs) { first, _ in first }
    }
    for index in kernels.indices {
      guard let words = Self.words(of: kernels[index].parameters, at: "", structs) else {
        let kernel = kernels[index]
        throw CompilerError(
          "\(kernel.path):\(kernel.line): error: the parameters \(kernel.parameters) of "
            + "\(kernel.name) are no FOCAL_STRUCT of int32_t, uint32_t, float, structs of them and "
            + "arrays of a number of them")
      }
      kernels[index].parameterWords = words
    }
  }

  /// The words of a struct at `path`; `nil` if it holds anything but numbers.
  private static func words(
    of type: String, at path: String, _ structs: [String: [FieldDeclaration]]
  ) -> [ParameterWord]? {
    if ["int32_t", "uint32_t", "float"].contains(type) {
      return [ParameterWord(path: path, type: type)]
    }
    guard let fields = structs[type] else { return nil }
    var words: [ParameterWord] = []
    for field in fields {
      let name = path.isEmpty ? field.name : "\(path).\(field.name)"
      var places = [name]
      if let text = field.count {
        guard let count = Int(text) else { return nil }
        places = (0..<count).map { "\(name)[\($0)]" }
      }
      for place in places {
        guard let found = Self.words(of: field.type, at: place, structs) else { return nil }
        words += found
      }
    }
    return words
  }
}
