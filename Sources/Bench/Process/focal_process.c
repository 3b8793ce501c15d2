// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_signals = 65 };

static sem_t arrivals;
static atomic_int counts[most_signals];
static atomic_int waiting;
static void (*answer_of)(int);

// Only what may be done at any moment: between two instructions of malloc, say.
static void note(int number) {
  const int kept = errno;
  atomic_fetch_add(&waiting, 1);
  atomic_fetch_add(&counts[number], 1);
  sem_post(&arrivals);
  errno = kept;
}

static void *serve(void *unused) {
  (void)unused;
  for (;;) {
    while (sem_wait(&arrivals) != 0) continue;
    for (int number = 1; number < most_signals; number++) {
      while (atomic_load(&counts[number]) > 0) {
        atomic_fetch_sub(&counts[number], 1);
        answer_of(number);
        atomic_fetch_sub(&waiting, 1);
      }
    }
  }
  return NULL;
}

int focal_answer_signals(void (*answer)(int)) {
  answer_of = answer;
  if (sem_init(&arrivals, 0, 0) != 0) return errno;
  pthread_t thread;
  // No other signal is this thread's; these are, even if whoever started the program blocks them. Its stack is the usual
  // one: the answer may be in any language.
  sigset_t others, before;
  sigfillset(&others);
  sigdelset(&others, SIGINT);
  sigdelset(&others, SIGTERM);
  sigdelset(&others, SIGHUP);
  pthread_sigmask(SIG_SETMASK, &others, &before);
  const int failure = pthread_create(&thread, NULL, serve, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failure == 0) pthread_detach(thread);
  return failure;
}

int focal_take_signal(int number) {
  if (number <= 0 || number >= most_signals) return EINVAL;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, NULL) == 0 ? 0 : errno;
}

int focal_signals_are_waiting(void) { return atomic_load(&waiting) > 0; }

int focal_try_descriptors(int count) {
#ifdef O_PATH
  // Needs no right to read.
  const int open_flags = O_PATH | O_CLOEXEC;
#else
  const int open_flags = O_RDONLY | O_CLOEXEC;
#endif
  int opened[16];
  int made = 0;
  int failure = 0;
  while (made < count && made < (int)(sizeof opened / sizeof *opened) && failure == 0) {
    opened[made] = open("/", open_flags);
    if (opened[made] < 0) {
      failure = errno;
    } else {
      made++;
    }
  }
  while (made > 0) close(opened[--made]);
  return failure;
}

static void *wait_for_end(void *end) {
  while (sem_wait(end) != 0) continue;
  return NULL;
}

int focal_try_threads(int count) {
  pthread_t *threads = calloc((size_t)count, sizeof *threads);
  sem_t end;
  if (!threads || sem_init(&end, 0, 0) != 0) {
    free(threads);
    return ENOMEM;
  }
  int made = 0;
  int failure = 0;
  while (made < count && failure == 0) {
    failure = pthread_create(&threads[made], NULL, wait_for_end, &end);
    if (failure == 0) made++;
  }
  for (int index = 0; index < made; index++) sem_post(&end);
  for (int index = 0; index < made; index++) pthread_join(threads[index], NULL);
  sem_destroy(&end);
  free(threads);
  return failure;
}
