// SPDX-License-Identifier: Apache-2.0

// Gives up rights, and then tries what is left: LockdownTrial read=/usr programs network -- open=/etc/passwd start=/bin/true
// Says a line for each trial: 0, or the number of an error.

import CLockdown
import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
let border = arguments.firstIndex(of: "--") ?? arguments.endIndex

func halves(_ argument: String) -> (name: Substring, path: String) {
  let parts = argument.split(separator: "=", maxSplits: 1)
  return (parts[0], parts.count > 1 ? String(parts[1]) : "")
}

var places: [focal_place] = []
for argument in arguments[..<border] {
  let (name, path) = halves(argument)
  let rights: Int =
    switch name {
    case "read": FOCAL_MAY_READ
    case "write": FOCAL_MAY_READ | FOCAL_MAY_WRITE
    case "start": FOCAL_MAY_READ | FOCAL_MAY_START
    case "list": FOCAL_MAY_LIST
    default: 0
    }
  if rights != 0 { places.append(focal_place(path: strdup(path), rights: UInt32(rights))) }
}
if !places.isEmpty { print(focal_confine_files(places, Int32(places.count))) }
if arguments[..<border].contains("programs") { print(focal_refuse_programs()) }
if arguments[..<border].contains("network") { print(focal_refuse_network()) }

func opened(_ path: String, _ flags: Int32) -> Int32 {
  let descriptor = open(path, flags | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { return errno }
  close(descriptor)
  return 0
}

for argument in arguments[border...].dropFirst() {
  let (name, path) = halves(argument)
  switch name {
  case "open": print(opened(path, O_RDONLY))
  case "create": print(opened(path, O_WRONLY | O_CREAT | O_TRUNC))
  case "remove": print(unlink(path) == 0 ? 0 : errno)
  case "start":
    var process = pid_t()
    var words: [UnsafeMutablePointer<CChar>?] = [strdup(path), nil]
    let failure = posix_spawn(&process, path, nil, nil, &words, environ)
    if failure == 0 { waitpid(process, nil, 0) }
    print(failure)
  case "socket":
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    print(socket >= 0 ? 0 : errno)
  default: print(-1)
  }
}
