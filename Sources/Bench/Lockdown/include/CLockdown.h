// SPDX-License-Identifier: Apache-2.0
#pragma once

/// From now on this process, and all that it starts, can make no socket that reaches beyond the machine. For good.
///
/// - Returns: 0, or an error number where the kernel has no such filters.
int focal_refuse_network(void);
