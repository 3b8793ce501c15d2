// SPDX-License-Identifier: Apache-2.0
//
// Tells the thread sanitizer what Swift's own libraries do, which are not built with it: what comes after what. Without
// that, nearly everything that passes from thread to thread through them is reported. Loaded before them (LD_PRELOAD), each
// function here calls the one that it stands for. What it tells:
//
// - Mutex: a free one is taken by an instruction of the program, which the sanitizer sees; one that is held is waited
//   for in the library.
// - Dispatch: work begins after it was given to a queue; a block on a queue after the blocks before; a wait ends after
//   what it waits for. Swift's tasks run as such work, and are not ordered by their queue.
// - Objects: the last holder frees one, or gives its memory to a pool, after all others are done with it.
// - Continuations: a task goes on after the call that resumes it.
//
// Two blocks on one concurrent queue, and two releases of one object, count as ordered, though they need not be: a race
// between them alone is not found.

#define _GNU_SOURCE
#include <Block.h>
#include <dispatch/dispatch.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

// In programs that are built with the sanitizer; others are let through.
__attribute__((weak)) void __tsan_acquire(void *);
__attribute__((weak)) void __tsan_release(void *);

static void acquire(void *place) {
  if (__tsan_acquire) __tsan_acquire(place);
}
static void release(void *place) {
  if (__tsan_release) __tsan_release(place);
}

// The function of this name in the library, found once.
#define REAL(type, name)                              \
  static type *real;                                  \
  if (!real) real = (type *)dlsym(RTLD_NEXT, (name));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// Synchronization._MutexHandle._lockSlow(UInt32), of a thread's own number, and _unlockSlow().
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
typedef SWIFT void Lock(uint32_t, SELF void *);
typedef SWIFT void Unlock(SELF void *);

SWIFT void lockSlow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void lockSlow(uint32_t thread, SELF void *handle) {
  REAL(Lock, LOCK)
  real(thread, handle);
  acquire(handle);
}

SWIFT void unlockSlow(SELF void *handle) __asm__(UNLOCK);
SWIFT void unlockSlow(SELF void *handle) {
  REAL(Unlock, UNLOCK)
  release(handle);
  real(handle);
}

// Work with what it was given.
typedef struct {
  void *context;
  dispatch_function_t function;
} Work;

static void run(void *context) {
  Work work = *(Work *)context;
  acquire(context);
  free(context);
  work.function(work.context);
}

typedef void Async(dispatch_queue_t, void *, dispatch_function_t);
void dispatch_async_f(dispatch_queue_t queue, void *context, dispatch_function_t function) {
  REAL(Async, "dispatch_async_f")
  Work *work = malloc(sizeof *work);
  if (!work) abort();
  *work = (Work){context, function};
  release(work);
  real(queue, work, run);
}

typedef void AsyncBlock(dispatch_queue_t, dispatch_block_t);
void dispatch_async(dispatch_queue_t queue, dispatch_block_t block) {
  REAL(AsyncBlock, "dispatch_async")
  dispatch_block_t copy = Block_copy(block);
  release(copy);
  real(queue, ^{
    acquire(copy);
    acquire(queue);
    copy();
    release(queue);
    Block_release(copy);
  });
}

void dispatch_sync(dispatch_queue_t queue, dispatch_block_t block) {
  REAL(AsyncBlock, "dispatch_sync")
  release(block);
  real(queue, ^{
    acquire(block);
    acquire(queue);
    block();
    release(queue);
    release(block);
  });
  acquire(block);
}

typedef void Apply(size_t, dispatch_queue_t, void (^)(size_t));
void dispatch_apply(size_t count, dispatch_queue_t queue, void (^block)(size_t)) {
  REAL(Apply, "dispatch_apply")
  release(block);
  real(count, queue, ^(size_t i) {
    acquire(block);
    block(i);
    release(block);
  });
  acquire(block);
}

typedef intptr_t Signal(dispatch_semaphore_t);
intptr_t dispatch_semaphore_signal(dispatch_semaphore_t semaphore) {
  REAL(Signal, "dispatch_semaphore_signal")
  release(semaphore);
  return real(semaphore);
}

typedef intptr_t Wait(dispatch_semaphore_t, dispatch_time_t);
intptr_t dispatch_semaphore_wait(dispatch_semaphore_t semaphore, dispatch_time_t limit) {
  REAL(Wait, "dispatch_semaphore_wait")
  const intptr_t result = real(semaphore, limit);
  acquire(semaphore);
  return result;
}

typedef void Leave(dispatch_group_t);
void dispatch_group_leave(dispatch_group_t group) {
  REAL(Leave, "dispatch_group_leave")
  release(group);
  real(group);
}

typedef intptr_t GroupWait(dispatch_group_t, dispatch_time_t);
intptr_t dispatch_group_wait(dispatch_group_t group, dispatch_time_t limit) {
  REAL(GroupWait, "dispatch_group_wait")
  const intptr_t result = real(group, limit);
  acquire(group);
  return result;
}

typedef void Release(void *);
void swift_release(void *object) {
  REAL(Release, "swift_release")
  // Tagged and null ones are none.
  if ((intptr_t)object > 0) {
    acquire(object);
    release(object);
  }
  real(object);
}

// A resumption may come before the task waits: then no work is given to a queue.
typedef SWIFT void Resume(void *);
SWIFT void swift_continuation_resume(void *task) {
  REAL(Resume, "swift_continuation_resume")
  release(task);
  real(task);
}
SWIFT void swift_continuation_throwingResume(void *task) {
  REAL(Resume, "swift_continuation_throwingResume")
  release(task);
  real(task);
}
typedef SWIFT void Fail(void *, void *);
SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error) {
  REAL(Fail, "swift_continuation_throwingResumeWithError")
  release(task);
  real(task, error);
}

#define ASYNC __attribute__((swiftasynccall))
#define CONTEXT __attribute__((swift_async_context))
typedef SWIFT void *Current(void);
static void *currentTask(void) {
  REAL(Current, "swift_task_getCurrent")
  return real();
}

// What a continuation begins with, as of an async function: who called it, and where it goes on.
typedef ASYNC void GoOn(CONTEXT void *);
typedef struct {
  void *caller;
  GoOn *next;
} Continuation;

// Where continuations that are waited for go on. A place is empty, taken for good by a continuation's address, or used again
// by a later continuation of that address.
enum { places = 1 << 20 };
static struct {
  void *_Atomic continuation;
  GoOn *next;
} waiting[places];

static size_t placeOf(void *continuation) {
  size_t i = ((uintptr_t)continuation >> 4) % places;
  for (size_t n = 0; n < places; n++, i = (i + 1) % places) {
    void *holder = NULL;
    if (atomic_compare_exchange_strong(&waiting[i].continuation, &holder, continuation)) return i;
    if (holder == continuation) return i;
  }
  abort();
}

// The resumption has come by now, wherever it came from.
static ASYNC void goOn(CONTEXT void *continuation) {
  acquire(currentTask());
  GoOn *next = waiting[placeOf(continuation)].next;
  __attribute__((musttail)) return next(continuation);
}

typedef ASYNC void Await(Continuation *, CONTEXT void *);
ASYNC void swift_continuation_await(Continuation *continuation, CONTEXT void *context) {
  REAL(Await, "swift_continuation_await")
  waiting[placeOf(continuation)].next = continuation->next;
  continuation->next = goOn;
  __attribute__((musttail)) return real(continuation, context);
}
