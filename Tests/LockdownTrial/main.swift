// SPDX-License-Identifier: Apache-2.0

// Gives up rights, and then tries what is left: LockdownTrial read=/usr programs network -- open=/etc/passwd start=/bin/true
// Says a line for each right and each trial: 0, or the number of an error. After "apart" there is a thread with a filter of
// its own.

import CLockdown
import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
let border = arguments.firstIndex(of: "--") ?? arguments.endIndex

func halves(_ argument: String) -> (name: Substring, path: String) {
  let parts = argument.split(separator: "=", maxSplits: 1)
  return (parts[0], parts.count > 1 ? String(parts[1]) : "")
}

/// Starts a thread that stays, with a filter that refuses nothing and that no other thread has.
func startThreadApart() {
  var ends: [Int32] = [0, 0]
  guard pipe(&ends) == 0 else { return }
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { end in
      typealias Control = @convention(c) (Int32, UInt, UnsafeRawPointer?, UInt, UInt) -> Int32
      // What prctl takes are words, which are handed over alike with and without a prototype of each.
      let control = dlsym(nil, "prctl").map { unsafeBitCast($0, to: Control.self) }
      // BPF_RET | BPF_K with SECCOMP_RET_ALLOW, and a sock_fprog of this one instruction: its count, and where it is.
      let instruction: UInt64 = 0x7FFF_0000 << 32 | 6
      withUnsafePointer(to: instruction) { instruction in
        let program = (1, UnsafeRawPointer(instruction))
        withUnsafePointer(to: program) { program in
          // PR_SET_NO_NEW_PRIVS, and PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
          _ = control?(38, 1, nil, 0, 0)
          _ = control?(22, 2, program, 0, 0)
        }
      }
      var byte: UInt8 = 0
      write(Int32(Int(bitPattern: end)), &byte, 1)
      while true { pause() }
    }, UnsafeMutableRawPointer(bitPattern: Int(ends[1])))
  var byte: UInt8 = 0
  read(ends[0], &byte, 1)
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
if arguments[..<border].contains("apart") { startThreadApart() }
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
