// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Makes the thread that answers signals. Once a process, before the first signal is taken.
///
/// - Parameter answer: called on that thread with a signal's number.
/// - Returns: 0, or the number of an error: EAGAIN where no thread can be made.
int focal_answer_signals(void (*answer)(int));

/// Takes a signal from now on: the thread answers it, and system calls go on.
///
/// - Returns: 0, or the number of an error.
int focal_take_signal(int number);

/// Whether a signal that was taken has come, and its answer is not done yet.
int focal_signals_are_waiting(void);

/// Whether so many files can be opened beside those that are.
///
/// - Returns: 0, or the number of an error.
int focal_try_descriptors(int count);

/// Whether so many threads can be made beside those that there are. They end at once.
///
/// - Returns: 0, or the number of an error.
int focal_try_threads(int count);
