// SPDX-License-Identifier: Apache-2.0
#pragma once

/// From now on this process, and all that it starts, can make no socket that reaches beyond the machine. For good.
///
/// - Returns: 0, or an error number where the kernel has no such filters.
int focal_refuse_network(void);

/// Makes large blocks of memory go back to the system when they are freed, and few arenas hold the small
/// ones: for programs that run for hours. Without effect where the C library knows nothing of it.
void focal_return_freed_memory(void);
