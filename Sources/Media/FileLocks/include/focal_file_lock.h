// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdbool.h>

typedef enum {
  FOCAL_LOCK_HELD,
  /// Somebody else holds one that is against it.
  FOCAL_LOCK_TAKEN,
  /// The file system has none.
  FOCAL_LOCK_UNKNOWN,
} focal_lock_state;

/// Locks a file as long as this opening of it lives, without waiting. The kernel gives it back when the process
/// ends, however that is. On file systems of a network the server knows of it, where it is asked.
///
/// - Parameter alone: whether nobody else may hold any; else others may hold the same.
focal_lock_state focal_lock_file(int descriptor, bool alone);

/// Gives a lock back, if this opening holds one. Closing alone may leave it for a moment: a program that is just being
/// started has all descriptors of the one that starts it.
void focal_unlock_file(int descriptor);

/// Whether this kernel alone reads and writes the file system, so that it knows of every lock. Of file systems that are
/// not listed it is taken that others do, too: those of networks, and folders that a machine lends its guests.
bool focal_is_own_file_system(int descriptor);
