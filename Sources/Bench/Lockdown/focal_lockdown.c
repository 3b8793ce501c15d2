// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLockdown.h"

#include <errno.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
// Calls of the 32-bit pointer interface have this bit.
#define OTHER_INTERFACE 0x40000000u
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define OTHER_INTERFACE 0xffffffffu
#endif

#define LOAD(field) \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, field))
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define IF_LEAST(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (value), (yes), (no))
#define END_WITH(action) BPF_STMT(BPF_RET | BPF_K, (action))

/// Installs a filter for all threads that there are.
static int install(struct sock_filter *instructions, unsigned short count) {
  const struct sock_fprog program = {count, instructions};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  const long result =
      syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
  // A thread that cannot take the filter is named by its number, and then nothing says an error.
  if (result != 0) return result < 0 ? errno : EBUSY;
  return 0;
}

int focal_refuse_network(void) {
  // Sockets between processes of the machine stay: drivers talk to their services by them. A ring of
  // requests can make sockets past the filter.
  struct sock_filter instructions[] = {
      LOAD(arch),
      IF_EQUAL(ARCHITECTURE, 0, 9),
      LOAD(nr),
      IF_LEAST(OTHER_INTERFACE, 7, 0),
      IF_EQUAL(__NR_io_uring_setup, 6, 0),
      IF_EQUAL(__NR_socket, 0, 4),
      LOAD(args[0]),
      IF_EQUAL(AF_UNIX, 2, 0),
      IF_EQUAL(AF_NETLINK, 1, 0),
      END_WITH(SECCOMP_RET_ERRNO | EACCES),
      END_WITH(SECCOMP_RET_ALLOW),
      END_WITH(SECCOMP_RET_ERRNO | ENOSYS),
  };
  return install(instructions, sizeof instructions / sizeof *instructions);
}

int focal_refuse_programs(void) {
  struct sock_filter instructions[] = {
      LOAD(arch),
      IF_EQUAL(ARCHITECTURE, 0, 5),
      LOAD(nr),
      IF_LEAST(OTHER_INTERFACE, 3, 0),
      IF_EQUAL(__NR_execve, 2, 0),
      IF_EQUAL(__NR_execveat, 1, 0),
      END_WITH(SECCOMP_RET_ALLOW),
      END_WITH(SECCOMP_RET_ERRNO | EACCES),
  };
  return install(instructions, sizeof instructions / sizeof *instructions);
}
#else
int focal_refuse_network(void) { return ENOSYS; }
int focal_refuse_programs(void) { return ENOSYS; }
#endif
