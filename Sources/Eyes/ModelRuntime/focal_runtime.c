// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "focal_runtime.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Places in the table of functions, which no later version moves.
enum Slot {
  GetErrorMessage = 2,
  CreateEnv = 3,
  CreateSession = 7,
  Run = 9,
  CreateSessionOptions = 10,
  SetIntraOpNumThreads = 24,
  SessionGetInputCount = 30,
  SessionGetOutputCount = 31,
  SessionGetInputTypeInfo = 33,
  SessionGetOutputTypeInfo = 34,
  SessionGetInputName = 36,
  SessionGetOutputName = 37,
  CreateTensorWithDataAsOrtValue = 49,
  GetTensorMutableData = 51,
  CastTypeInfoToTensorInfo = 55,
  GetTensorElementType = 60,
  GetDimensionsCount = 61,
  GetDimensions = 62,
  GetTensorTypeAndShape = 65,
  CreateCpuMemoryInfo = 69,
  AllocatorFree = 76,
  GetAllocatorWithDefaultOptions = 78,
  ReleaseEnv = 92,
  ReleaseStatus = 93,
  ReleaseMemoryInfo = 94,
  ReleaseSession = 95,
  ReleaseValue = 96,
  ReleaseTypeInfo = 98,
  ReleaseTensorTypeAndShapeInfo = 99,
  ReleaseSessionOptions = 100,
  AddSessionConfigEntry = 130,
};

enum {
  /// The version of the interface that is asked for: ONNX Runtime 1.14 and later have it.
  INTERFACE = 14,
  /// Only what ends the program is printed; everything else comes back as a status.
  FATAL_ONLY = 4,
  ARENA = 1,
  USUAL_MEMORY = 0,
};

typedef void *Handle;
typedef const void *const *Table;

struct Base {
  Table (*getTable)(uint32_t version);
  const char *(*version)(void);
};

struct FocalModelRuntime {
  Table table;
  Handle environment;
  char version[64];
};

struct FocalModelSession {
  const struct FocalModelRuntime *runtime;
  Handle session;
  struct FocalModelPort *ports[2];
  int32_t counts[2];
};

/// A function of the table, by its type.
#define CALL(table, slot, type) ((type)(uintptr_t)(table)[slot])

typedef Handle (*Make)(Handle *);
typedef void (*Release)(Handle);

__attribute__((format(printf, 1, 2))) static char *text(const char *format, ...) {
  char *result = NULL;
  va_list list;
  va_start(list, format);
  if (vasprintf(&result, format, list) < 0) result = strdup("no memory");
  va_end(list);
  return result;
}

/// The text of a status, which goes; NULL of success.
static char *taken(Table table, Handle status) {
  if (!status) return NULL;
  const char *message = CALL(table, GetErrorMessage, const char *(*)(Handle))(status);
  char *result = text("%s", message && *message ? message : "the runtime says no reason");
  CALL(table, ReleaseStatus, Release)(status);
  return result;
}

static void release(Table table, enum Slot slot, Handle handle) {
  if (handle) CALL(table, slot, Release)(handle);
}

char *focal_runtime_open(const char *path, struct FocalModelRuntime **result) {
  *result = NULL;
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return text("%s", dlerror());
  const struct Base *(*getBase)(void) =
      (const struct Base *(*)(void))(uintptr_t)dlsym(library, "OrtGetApiBase");
  const struct Base *base = getBase ? getBase() : NULL;
  if (!base) return text("it has no OrtGetApiBase: it is no ONNX Runtime");
  const char *version = base->version();
  Table table = base->getTable(INTERFACE);
  if (!table) return text("version %s is older than 1.14", version);
  struct FocalModelRuntime *runtime = calloc(1, sizeof *runtime);
  if (!runtime) return text("no memory");
  runtime->table = table;
  snprintf(runtime->version, sizeof runtime->version, "%s", version);
  char *problem = taken(table, CALL(table, CreateEnv, Handle(*)(int, const char *, Handle *))(
                                   FATAL_ONLY, "focal", &runtime->environment));
  if (problem) {
    free(runtime);
    return problem;
  }
  *result = runtime;
  return NULL;
}

const char *focal_runtime_version(const struct FocalModelRuntime *runtime) {
  return runtime->version;
}

/// Type and shape of a tensor.
static char *readShape(Table table, Handle info, int32_t *type, int32_t *rank, int64_t *sides) {
  int element = 0;
  size_t count = 0;
  char *problem =
      taken(table, CALL(table, GetTensorElementType, Handle(*)(Handle, int *))(info, &element));
  if (!problem)
    problem =
        taken(table, CALL(table, GetDimensionsCount, Handle(*)(Handle, size_t *))(info, &count));
  *type = element;
  *rank = count > FOCAL_MODEL_RANK ? FOCAL_MODEL_RANK + 1 : (int32_t)count;
  if (!problem && count <= FOCAL_MODEL_RANK)
    problem = taken(table, CALL(table, GetDimensions, Handle(*)(Handle, int64_t *, size_t))(
                               info, sides, count));
  return problem;
}

static char *readPort(const struct FocalModelSession *session, int32_t isOutput, size_t index,
                      struct FocalModelPort *port) {
  Table table = session->runtime->table;
  Handle allocator = NULL, info = NULL, shape = NULL;
  char *name = NULL;
  char *problem = taken(table, CALL(table, GetAllocatorWithDefaultOptions, Make)(&allocator));
  if (!problem)
    problem = taken(table, CALL(table, isOutput ? SessionGetOutputName : SessionGetInputName,
                                Handle(*)(Handle, size_t, Handle, char **))(
                               session->session, index, allocator, &name));
  if (!problem && strlen(name) >= FOCAL_MODEL_NAME)
    problem = text("the name of a tensor has more than %d letters", FOCAL_MODEL_NAME - 1);
  if (!problem) snprintf(port->name, sizeof port->name, "%s", name);
  if (name) taken(table, CALL(table, AllocatorFree, Handle(*)(Handle, void *))(allocator, name));
  if (!problem)
    problem =
        taken(table, CALL(table, isOutput ? SessionGetOutputTypeInfo : SessionGetInputTypeInfo,
                          Handle(*)(Handle, size_t, Handle *))(session->session, index, &info));
  // Belongs to the information that it is a view of.
  if (!problem)
    problem = taken(table, CALL(table, CastTypeInfoToTensorInfo, Handle(*)(Handle, Handle *))(
                               info, &shape));
  if (!problem && shape)
    problem = readShape(table, shape, &port->elementType, &port->rank, port->sides);
  release(table, ReleaseTypeInfo, info);
  return problem;
}

static char *readPorts(struct FocalModelSession *session, int32_t isOutput) {
  Table table = session->runtime->table;
  size_t count = 0;
  char *problem =
      taken(table, CALL(table, isOutput ? SessionGetOutputCount : SessionGetInputCount,
                        Handle(*)(Handle, size_t *))(session->session, &count));
  if (problem) return problem;
  if (count > 256) return text("it has %zu tensors at one end", count);
  session->ports[isOutput] = calloc(count + 1, sizeof **session->ports);
  if (!session->ports[isOutput]) return text("no memory");
  session->counts[isOutput] = (int32_t)count;
  for (size_t k = 0; k < count && !problem; k++)
    problem = readPort(session, isOutput, k, session->ports[isOutput] + k);
  return problem;
}

char *focal_session_open(const struct FocalModelRuntime *runtime, const char *path, int32_t threads,
                         struct FocalModelSession **result) {
  Table table = runtime->table;
  *result = NULL;
  struct FocalModelSession *session = calloc(1, sizeof *session);
  if (!session) return text("no memory");
  session->runtime = runtime;
  Handle options = NULL;
  char *problem = taken(table, CALL(table, CreateSessionOptions, Make)(&options));
  if (!problem)
    problem = taken(table, CALL(table, SetIntraOpNumThreads, Handle(*)(Handle, int))(options, threads));
  // Threads that wait for work in a loop would take what the rest of the program has to do between two pictures.
  if (!problem)
    problem = taken(table, CALL(table, AddSessionConfigEntry,
                                Handle(*)(Handle, const char *, const char *))(
                               options, "session.intra_op.allow_spinning", "0"));
  if (!problem)
    problem =
        taken(table, CALL(table, CreateSession, Handle(*)(Handle, const char *, Handle, Handle *))(
                         runtime->environment, path, options, &session->session));
  release(table, ReleaseSessionOptions, options);
  if (!problem) problem = readPorts(session, 0);
  if (!problem) problem = readPorts(session, 1);
  if (problem) {
    focal_session_close(session);
  } else {
    *result = session;
  }
  return problem;
}

void focal_session_close(struct FocalModelSession *session) {
  if (!session) return;
  release(session->runtime->table, ReleaseSession, session->session);
  free(session->ports[0]);
  free(session->ports[1]);
  free(session);
}

int32_t focal_session_count(const struct FocalModelSession *session, int32_t isOutput) {
  return session->counts[isOutput];
}

const struct FocalModelPort *focal_session_port(const struct FocalModelSession *session,
                                                int32_t isOutput, int32_t index) {
  return session->ports[isOutput] + index;
}

/// Copies a result out of the runtime.
static char *copyResult(Table table, Handle value, int64_t most, struct FocalModelTensor *result) {
  Handle shape = NULL;
  char *problem =
      taken(table, CALL(table, GetTensorTypeAndShape, Handle(*)(Handle, Handle *))(value, &shape));
  int32_t type = 0;
  if (!problem) problem = readShape(table, shape, &type, &result->rank, result->sides);
  release(table, ReleaseTensorTypeAndShapeInfo, shape);
  if (problem) return problem;
  if (type != FOCAL_MODEL_FLOAT) return text("a result is of type %d, and not of floats", type);
  if (result->rank > FOCAL_MODEL_RANK) return text("a result has more than 8 sides");
  int64_t count = 1;
  for (int32_t k = 0; k < result->rank; k++) {
    if (result->sides[k] < 0 || (result->sides[k] > 0 && count > most / result->sides[k]))
      return text("a result has more than %lld numbers", (long long)most);
    count *= result->sides[k];
  }
  void *data = NULL;
  problem =
      taken(table, CALL(table, GetTensorMutableData, Handle(*)(Handle, void **))(value, &data));
  if (problem) return problem;
  result->values = malloc((size_t)(count + 1) * sizeof *result->values);
  if (!result->values) return text("no memory");
  if (count > 0) memcpy(result->values, data, (size_t)count * sizeof *result->values);
  return NULL;
}

/// Numbers as the runtime takes them, in their own memory if they are floats. `bytes` gets the memory of others.
static char *makeInput(Table table, Handle memory, const struct FocalModelPort *port,
                       const struct FocalModelTensor *tensor, uint8_t **bytes, Handle *value) {
  size_t count = 1;
  for (int32_t k = 0; k < tensor->rank; k++) count *= (size_t)tensor->sides[k];
  void *numbers = tensor->values;
  size_t size = count * sizeof(float);
  int type = FOCAL_MODEL_FLOAT;
  if (port->elementType == FOCAL_MODEL_BYTE) {
    *bytes = malloc(count + 1);
    if (!*bytes) return text("no memory");
    for (size_t k = 0; k < count; k++) {
      const float number = tensor->values[k];
      (*bytes)[k] = number >= 255 ? 255 : number > 0 ? (uint8_t)(number + 0.5f) : 0;
    }
    numbers = *bytes;
    size = count;
    type = FOCAL_MODEL_BYTE;
  }
  return taken(table, CALL(table, CreateTensorWithDataAsOrtValue,
                           Handle(*)(Handle, void *, size_t, const int64_t *, size_t, int, Handle *))(
                          memory, numbers, size, tensor->sides, (size_t)tensor->rank, type, value));
}

char *focal_session_run(const struct FocalModelSession *session, const int32_t *inputs,
                        const struct FocalModelTensor *tensors, int32_t inputCount,
                        const int32_t *outputs, int32_t count, int64_t most,
                        struct FocalModelTensor *results) {
  Table table = session->runtime->table;
  memset(results, 0, (size_t)count * sizeof *results);
  Handle memory = NULL;
  // Inputs, then outputs.
  const size_t all = (size_t)inputCount + (size_t)count;
  Handle *values = calloc(all + 1, sizeof *values);
  const char **names = calloc(all + 1, sizeof *names);
  uint8_t **bytes = calloc((size_t)inputCount + 1, sizeof *bytes);
  char *problem = values && names && bytes ? NULL : text("no memory");
  if (!problem)
    problem = taken(table, CALL(table, CreateCpuMemoryInfo, Handle(*)(int, int, Handle *))(
                               ARENA, USUAL_MEMORY, &memory));
  for (int32_t k = 0; k < inputCount && !problem; k++) {
    const struct FocalModelPort *port = session->ports[0] + inputs[k];
    names[k] = port->name;
    problem = makeInput(table, memory, port, tensors + k, bytes + k, values + k);
  }
  if (!problem) {
    for (int32_t k = 0; k < count; k++)
      names[inputCount + k] = session->ports[1][outputs[k]].name;
    problem = taken(
        table, CALL(table, Run,
                    Handle(*)(Handle, Handle, const char *const *, const Handle *, size_t,
                              const char *const *, size_t, Handle *))(
                   session->session, NULL, names, values, (size_t)inputCount, names + inputCount,
                   (size_t)count, values + inputCount));
  }
  for (int32_t k = 0; k < count && !problem; k++)
    problem = copyResult(table, values[inputCount + k], most, results + k);
  if (problem) {
    for (int32_t k = 0; k < count; k++) {
      free(results[k].values);
      results[k].values = NULL;
    }
  }
  for (size_t k = 0; values && k < all; k++) release(table, ReleaseValue, values[k]);
  for (int32_t k = 0; bytes && k < inputCount; k++) free(bytes[k]);
  release(table, ReleaseMemoryInfo, memory);
  free(values);
  free(names);
  free(bytes);
  return problem;
}
