// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLockdown.h"

#include <errno.h>

#if defined(__linux__) && __has_include(<linux/landlock.h>)
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The headers may be older than the kernel; the numbers are the same on every architecture.
#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446

#define RIGHT(bit) (1ull << (bit))
#define EXECUTE RIGHT(0)
#define WRITE_FILE RIGHT(1)
#define READ_FILE RIGHT(2)
#define READ_FOLDER RIGHT(3)
// All that changes a folder, without making device nodes, which nobody needs.
#define CHANGE_FOLDER \
  (RIGHT(4) | RIGHT(5) | RIGHT(7) | RIGHT(8) | RIGHT(9) | RIGHT(10) | RIGHT(12))
#define EVERYTHING_OF_FIRST_VERSION (RIGHT(13) - 1)
// Renaming from folder to folder: since the second version. Before, it is refused in any case.
#define REFER RIGHT(13)
#define TRUNCATE RIGHT(14)
#define ONLY_OF_FILES (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE)
// Binds all threads and not only the calling one: since the eighth version.
#define FOR_ALL_THREADS 8u

static uint64_t rights_of(unsigned place) {
  uint64_t rights = 0;
  if (place & FOCAL_MAY_READ) rights |= READ_FILE | READ_FOLDER;
  if (place & FOCAL_MAY_LIST) rights |= READ_FOLDER;
  if (place & FOCAL_MAY_WRITE) rights |= WRITE_FILE | CHANGE_FOLDER | REFER | TRUNCATE;
  if (place & FOCAL_MAY_START) rights |= EXECUTE;
  return rights;
}

static int add(int set, const char *path, uint64_t rights) {
  const int place = open(path, O_PATH | O_CLOEXEC);
  // A missing file needs no right.
  if (place < 0) return 0;
  struct stat status;
  int failure = fstat(place, &status) == 0 ? 0 : errno;
  if (failure == 0) {
    if (!S_ISDIR(status.st_mode)) rights &= ONLY_OF_FILES;
    const struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = place};
    if (rights != 0 && syscall(ADD_RULE, set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) {
      failure = errno;
    }
  }
  close(place);
  return failure;
}

/// Whether the calling thread is the only one.
static int is_alone(void) {
  struct stat status;
  return stat("/proc/self/task", &status) == 0 && status.st_nlink == 3;
}

int focal_confine_files(const struct focal_place *places, int count) {
  const long version = syscall(CREATE_RULESET, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 0) return errno;
  const int is_for_one = is_alone();
  if (version < 8 && !is_for_one) return EBUSY;
  uint64_t handled = EVERYTHING_OF_FIRST_VERSION;
  if (version >= 2) handled |= REFER;
  if (version >= 3) handled |= TRUNCATE;
  const struct {
    uint64_t files;
  } attributes = {handled};
  const int set = (int)syscall(CREATE_RULESET, &attributes, sizeof attributes, 0);
  if (set < 0) return errno;
  int failure = 0;
  for (int index = 0; index < count && failure == 0; index++) {
    failure = add(set, places[index].path, rights_of(places[index].rights) & handled);
  }
  if (failure == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) failure = errno;
  if (failure == 0 && syscall(RESTRICT_SELF, set, is_for_one ? 0 : FOR_ALL_THREADS) != 0) {
    failure = errno;
  }
  close(set);
  return failure;
}
#else
int focal_confine_files(const struct focal_place *places, int count) {
  (void)places;
  (void)count;
  return ENOSYS;
}
#endif
