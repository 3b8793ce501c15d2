// SPDX-License-Identifier: Apache-2.0
//
// ONNX Runtime, opened when the program runs, through its C interface. No header of it is needed: the interface is a
// table of functions that only grows, so a place in it means the same in every version.

#ifndef FOCAL_RUNTIME_H
#define FOCAL_RUNTIME_H

#include <stdint.h>

enum { FOCAL_MODEL_RANK = 8, FOCAL_MODEL_NAME = 256, FOCAL_MODEL_FLOAT = 1, FOCAL_MODEL_BYTE = 2 };

/// An input or an output of a model.
struct FocalModelPort {
  char name[FOCAL_MODEL_NAME];
  /// FOCAL_MODEL_FLOAT, or another of ONNX' types; 0 if it is no tensor.
  int32_t elementType;
  /// How many sides it has; more than FOCAL_MODEL_RANK if they do not fit.
  int32_t rank;
  /// -1 for a side that is open.
  int64_t sides[FOCAL_MODEL_RANK];
};

/// Floats with their shape.
struct FocalModelTensor {
  /// Of results, memory for free().
  float *values;
  int32_t rank;
  int64_t sides[FOCAL_MODEL_RANK];
};

struct FocalModelRuntime;
struct FocalModelSession;

// Each call returns NULL, or what went wrong as text for free().

/// Opens the library, which stays open until the program ends.
char *focal_runtime_open(const char *path, struct FocalModelRuntime **result);

/// The library's version.
const char *focal_runtime_version(const struct FocalModelRuntime *runtime);

/// Opens a model.
char *focal_session_open(const struct FocalModelRuntime *runtime, const char *path, int32_t threads,
                         struct FocalModelSession **result);
void focal_session_close(struct FocalModelSession *session);

int32_t focal_session_count(const struct FocalModelSession *session, int32_t isOutput);
const struct FocalModelPort *focal_session_port(const struct FocalModelSession *session,
                                                int32_t isOutput, int32_t index);

/// Runs the model once. `inputs` and `outputs` are indices of ports; floats for an input of bytes are rounded to 0 to 255.
/// Of results that hold more than `most` floats, an error is returned. Calls from several threads do not disturb each
/// other.
char *focal_session_run(const struct FocalModelSession *session, const int32_t *inputs,
                        const struct FocalModelTensor *tensors, int32_t inputCount,
                        const int32_t *outputs, int32_t count, int64_t most,
                        struct FocalModelTensor *results);

#endif
