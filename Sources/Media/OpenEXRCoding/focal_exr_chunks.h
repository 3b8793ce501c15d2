// SPDX-License-Identifier: Apache-2.0
//
// Whether the pieces of an OpenEXR file's pixels lie where files have them: each at a place of its own.

#ifndef FOCAL_EXR_CHUNKS_H
#define FOCAL_EXR_CHUNKS_H

#include <cstdint>

/// A file's bytes, anywhere.
class FocalEXRBytes {
public:
  virtual ~FocalEXRBytes() = default;
  virtual uint64_t count() const = 0;
  /// Reads some; returns how many there are, or -1.
  virtual int64_t read(char *target, uint64_t size, uint64_t place) const = 0;
};

/// Throws `std::runtime_error` for a piece that is missing, is another's, or overlaps one.
void focalCheckChunks(const FocalEXRBytes &bytes);

#endif
