// SPDX-License-Identifier: Apache-2.0

import FocalCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The error of a file that cannot be read, for every way of opening it.
extension CinematicError {
  /// - Parameter number: the system's error.
  package static func cannotRead(_ path: String, _ number: Int32) -> CinematicError {
    if path.isEmpty {
      return CinematicError(.unreadable, "a file's name is empty", remedy: "name a file")
    }
    let reason = String(cString: strerror(number))
    if number == ENOENT, path.contains("://") {
      return CinematicError(
        .unreadable, "cannot read \(path): only a file will do here", remedy: "download it first")
    }
    // Names come as text, in which other bytes are this character.
    if number == ENOENT, path.unicodeScalars.contains("\u{FFFD}") {
      return CinematicError(
        .unreadable, "cannot read \(path): a file's name must be UTF-8, and this one is not",
        remedy: "rename the file")
    }
    return CinematicError(
      .unreadable, "cannot read \(path): \(reason)",
      remedy: remedy(number))
  }

  /// The remedy for a file that cannot be opened or read.
  private static func remedy(_ number: Int32) -> String {
    switch number {
    case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP: "check the name"
    case EACCES, EPERM: "check the file's permissions"
    case EMFILE, ENFILE: "raise the limit of open files (ulimit -n), or end other programs"
    case ENOMEM, EAGAIN: "raise the limit of memory (ulimit -v), or end other programs"
    default: "check the disk, or copy the file to another one"
    }
  }

  package static func isFolder(_ path: String) -> CinematicError {
    CinematicError(.unreadable, "\(path) is a folder", remedy: "name a file in it")
  }

  /// Of pipes and devices, which cannot be read twice.
  package static func isNoRegularFile(_ path: String) -> CinematicError {
    CinematicError(
      .unsupported, "\(path) is not a regular file", remedy: "save it as a file first")
  }

  package static func isEmpty(_ path: String) -> CinematicError {
    CinematicError(
      .malformed, "\(path) is empty", remedy: "make, copy or download the file again")
  }
}
