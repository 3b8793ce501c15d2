// SPDX-License-Identifier: Apache-2.0
#pragma once

/// From now on this process, and all that it starts, can make no socket that reaches beyond the machine. For good.
///
/// - Returns: 0, or an error number where the kernel has no such filters; EBUSY where a thread has others of its own,
///   and nothing is refused.
int focal_refuse_network(void);

/// From now on this process, in whichever of its threads, can start no program. For good.
///
/// - Returns: 0, or an error number where the kernel has no such filters; EBUSY where a thread has others of its own,
///   and nothing is refused.
int focal_refuse_programs(void);

enum {
  FOCAL_MAY_READ = 1,
  FOCAL_MAY_WRITE = 2,
  FOCAL_MAY_START = 4,
  /// To list folders, without reading files in them.
  FOCAL_MAY_LIST = 8,
};

/// A file, or a folder with all that lies in it, and what may be done there.
struct focal_place {
  const char *path;
  unsigned rights;
};

/// From now on this process, and all that it starts, opens, makes and removes files in these places only; what is open
/// stays open. For good. To be called before there are other threads.
///
/// - Returns: 0, or an error number where the kernel has no Landlock; EBUSY where there are other threads, which some
///   kernels could not bind.
int focal_confine_files(const struct focal_place *places, int count);

/// Makes large blocks of memory go back to the system when they are freed, and few arenas hold the small
/// ones: for programs that run for hours. Without effect where the C library knows nothing of it.
void focal_return_freed_memory(void);
