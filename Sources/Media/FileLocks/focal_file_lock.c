// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "focal_file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>

#if defined(__linux__)
#include <sys/vfs.h>

// A lock of the opening, not of the process: another opening of the same file that is closed leaves it. Unlike flock's,
// it meets those that a server of a network's file system keeps for its clients. It covers one byte far behind all
// content, because on some servers nobody else writes what is locked, not even another opening of the same process.
static int set_lock(int descriptor, short type) {
  struct flock lock;
  memset(&lock, 0, sizeof lock);
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = (off_t)1 << 62;
  lock.l_len = 1;
  int result;
  do {
    result = fcntl(descriptor, F_OFD_SETLK, &lock);
  } while (result != 0 && errno == EINTR);
  return result;
}

focal_lock_state focal_lock_file(int descriptor, bool alone) {
  if (set_lock(descriptor, alone ? F_WRLCK : F_RDLCK) == 0) return FOCAL_LOCK_HELD;
  return errno == EAGAIN || errno == EACCES ? FOCAL_LOCK_TAKEN : FOCAL_LOCK_UNKNOWN;
}

void focal_unlock_file(int descriptor) { set_lock(descriptor, F_UNLCK); }

bool focal_is_own_file_system(int descriptor) {
  // ext2 to ext4, XFS, Btrfs, tmpfs, ramfs, overlay, F2FS, ZFS, Bcachefs, JFS, FAT, exFAT, NTFS, HFS+.
  static const unsigned long known[] = {0xEF53,     0x58465342, 0x9123683E, 0x01021994, 0x858458F6, 0x794C7630, 0xF2F52010,
                                        0x2FC12FC1, 0xCA451A4E, 0x3153464A, 0x4D44,     0x2011BAB0, 0x7366746E, 0x482B};
  struct statfs status;
  if (fstatfs(descriptor, &status) != 0) return false;
  // Some machines have the type as a signed number.
  const unsigned long type = (unsigned long)status.f_type & 0xFFFFFFFF;
  for (size_t index = 0; index < sizeof known / sizeof known[0]; index++) {
    if (known[index] == type) return true;
  }
  return false;
}

#else
#include <sys/mount.h>
#include <sys/param.h>

focal_lock_state focal_lock_file(int descriptor, bool alone) {
  int result;
  do {
    result = flock(descriptor, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return FOCAL_LOCK_HELD;
  return errno == EWOULDBLOCK ? FOCAL_LOCK_TAKEN : FOCAL_LOCK_UNKNOWN;
}

void focal_unlock_file(int descriptor) { flock(descriptor, LOCK_UN); }

bool focal_is_own_file_system(int descriptor) {
  struct statfs status;
  return fstatfs(descriptor, &status) == 0 && (status.f_flags & MNT_LOCAL) != 0;
}
#endif
