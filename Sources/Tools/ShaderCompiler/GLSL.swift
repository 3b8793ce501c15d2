// SPDX-License-Identifier: Apache-2.0

import CGlslang
import KernelDeclarations

/// Compiles a compute shader for Vulkan 1.1 to the words of a SPIR-V module.
///
/// - Throws: the compiler's complaints, each with file and line.
func compileGLSL(_ source: FlatSource) throws(CompilerError) -> [UInt32] {
  glslang_initialize_process()
  defer { glslang_finalize_process() }
  let result: Result<[UInt32], CompilerError> = source.text.withCString { text in
    var input = glslang_input_t()
    input.language = GLSLANG_SOURCE_GLSL
    input.stage = GLSLANG_STAGE_COMPUTE
    input.client = GLSLANG_CLIENT_VULKAN
    input.client_version = GLSLANG_TARGET_VULKAN_1_1
    input.target_language = GLSLANG_TARGET_SPV
    input.target_language_version = GLSLANG_TARGET_SPV_1_3
    input.code = text
    input.default_version = 450
    input.default_profile = GLSLANG_NO_PROFILE
    input.messages = glslang_messages_t(
      rawValue: GLSLANG_MSG_SPV_RULES_BIT.rawValue | GLSLANG_MSG_VULKAN_RULES_BIT.rawValue)
    input.resource = glslang_default_resource()

    guard let shader = glslang_shader_create(&input) else {
      return .failure(CompilerError("\(source.files[0]): error: no memory for the compiler"))
    }
    defer { glslang_shader_delete(shader) }
    guard glslang_shader_preprocess(shader, &input) != 0,
      glslang_shader_parse(shader, &input) != 0
    else {
      return .failure(complaints(glslang_shader_get_info_log(shader), of: source))
    }
    let program = glslang_program_create()
    defer { glslang_program_delete(program) }
    glslang_program_add_shader(program, shader)
    guard glslang_program_link(program, Int32(input.messages.rawValue)) != 0 else {
      return .failure(complaints(glslang_program_get_info_log(program), of: source))
    }
    var options = glslang_spv_options_t()
    options.disable_optimizer = true
    glslang_program_SPIRV_generate_with_options(program, GLSLANG_STAGE_COMPUTE, &options)
    let count = glslang_program_SPIRV_get_size(program)
    guard count > 0, let words = glslang_program_SPIRV_get_ptr(program) else {
      return .failure(complaints(glslang_program_SPIRV_get_messages(program), of: source))
    }
    return .success(Array(UnsafeBufferPointer(start: words, count: count)))
  }
  return try result.get()
}

/// The compiler's log, each line of the form `ERROR: 2:14: text` with the file's name in place of
/// its number, as other compilers and editors have it.
private func complaints(
  _ log: UnsafePointer<CChar>?, of source: FlatSource
) -> CompilerError {
  let text = log.map { String(cString: $0) } ?? ""
  let lines = text.split(separator: "\n").compactMap { complaint($0, files: source.files) }
  return CompilerError(
    lines.isEmpty
      ? "\(source.files[0]): error: it does not compile" : lines.joined(separator: "\n"))
}

/// One line of the log as `file:line: error: text`; `nil` for the summary at its end.
func complaint(_ line: Substring, files: [String]) -> String? {
  for (mark, word) in [("ERROR: ", "error"), ("WARNING: ", "warning")] where line.hasPrefix(mark) {
    let rest = line.dropFirst(mark.count)
    if rest.hasSuffix("No code generated.") { return nil }
    let parts = rest.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let file = Int(parts[0]), files.indices.contains(file),
      let number = Int(parts[1])
    else { return "\(files[0]): \(word): \(rest)" }
    return "\(files[file]):\(number): \(word):\(parts[2])"
  }
  return String(line)
}

/// Checks the module against the rules of SPIR-V and of Vulkan 1.1.
func validateSPIRV(_ words: [UInt32], of path: String) throws(CompilerError) {
  let context = spvContextCreate(SPV_ENV_VULKAN_1_1)
  defer { spvContextDestroy(context) }
  var diagnostic: spv_diagnostic?
  defer { spvDiagnosticDestroy(diagnostic) }
  guard spvValidateBinary(context, words, words.count, &diagnostic) == SPV_SUCCESS else {
    let text = diagnostic?.pointee.error.map { String(cString: $0) } ?? "no reason given"
    throw CompilerError("\(path): error: its SPIR-V is not valid: \(text)")
  }
}
