// SPDX-License-Identifier: Apache-2.0
//
// Where files are read and written: in memory and on the disk, and what reading and writing share.

#ifndef FOCAL_EXR_STREAMS_H
#define FOCAL_EXR_STREAMS_H

#include "focal_exr.h"

#include "focal_exr_chunks.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfThreading.h>

namespace focal_exr {

class MemoryInput final : public Imf::IStream, public FocalEXRBytes {
public:
  MemoryInput(const uint8_t *bytes, size_t count)
      : Imf::IStream("picture"), bytes_(bytes), count_(count) {}

  bool read(char target[], int size) override {
    if (size < 0 || place_ > count_ || static_cast<size_t>(size) > count_ - place_)
      throw std::runtime_error("the file ends too early");
    std::memcpy(target, bytes_ + place_, static_cast<size_t>(size));
    place_ += static_cast<size_t>(size);
    return place_ < count_;
  }
  uint64_t tellg() override { return place_; }
  void seekg(uint64_t place) override { place_ = place; }

  uint64_t count() const override { return count_; }
  int64_t read(char *target, uint64_t size, uint64_t place) const override {
    const uint64_t there = place < count_ ? std::min<uint64_t>(size, count_ - place) : 0;
    if (there > 0) std::memcpy(target, bytes_ + place, there);
    return static_cast<int64_t>(there);
  }

private:
  const uint8_t *bytes_;
  size_t count_;
  uint64_t place_ = 0;
};

/// A file on the disk, whose descriptor's place is not used.
class DiskInput final : public Imf::IStream, public FocalEXRBytes {
public:
  explicit DiskInput(int descriptor) : Imf::IStream("picture"), descriptor_(descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) throw std::runtime_error(std::strerror(errno));
    count_ = static_cast<uint64_t>(status.st_size);
  }

  bool read(char target[], int size) override {
    for (int done = 0; done < size;) {
      const ssize_t part = pread(descriptor_, target + done, static_cast<size_t>(size - done),
                                 static_cast<off_t>(place_));
      if (part < 0 && errno == EINTR) continue;
      if (part < 0) throw std::runtime_error(std::strerror(errno));
      if (part == 0) throw std::runtime_error("the file ends too early");
      done += static_cast<int>(part);
      place_ += static_cast<uint64_t>(part);
    }
    return place_ < count_;
  }
  uint64_t tellg() override { return place_; }
  void seekg(uint64_t place) override { place_ = place; }

  uint64_t count() const override { return count_; }
  int64_t read(char *target, uint64_t size, uint64_t place) const override {
    uint64_t done = 0;
    while (done < size) {
      const ssize_t part = pread(descriptor_, target + done, static_cast<size_t>(size - done),
                                 static_cast<off_t>(place + done));
      if (part < 0 && errno == EINTR) continue;
      if (part < 0) return -1;
      if (part == 0) break;
      done += static_cast<uint64_t>(part);
    }
    return static_cast<int64_t>(done);
  }

private:
  const int descriptor_;
  uint64_t count_ = 0;
  uint64_t place_ = 0;
};

/// A file on the disk. The library writes a few bytes at a time, so that some are held.
class DiskOutput final : public Imf::OStream {
public:
  explicit DiskOutput(int descriptor) : Imf::OStream("picture"), descriptor_(descriptor) {}

  void write(const char source[], int size) override {
    held_.insert(held_.end(), source, source + size);
    if (held_.size() > 1 << 20) flush();
  }
  uint64_t tellp() override { return place_ + held_.size(); }
  void seekp(uint64_t place) override {
    flush();
    place_ = place;
  }

  void flush() {
    for (size_t done = 0; done < held_.size();) {
      const ssize_t part =
          pwrite(descriptor_, held_.data() + done, held_.size() - done, static_cast<off_t>(place_));
      if (part < 0 && errno == EINTR) continue;
      if (part < 0) {
        errorNumber = errno;
        throw std::runtime_error(std::strerror(errno));
      }
      done += static_cast<size_t>(part);
      place_ += static_cast<uint64_t>(part);
    }
    held_.clear();
  }

  int errorNumber = 0;

private:
  const int descriptor_;
  uint64_t place_ = 0;
  std::vector<char> held_;
};

class MemoryOutput final : public Imf::OStream {
public:
  MemoryOutput() : Imf::OStream("picture") {}
  ~MemoryOutput() override { std::free(bytes_); }

  void write(const char source[], int size) override {
    const size_t end = place_ + static_cast<size_t>(size);
    if (end > capacity_) {
      const size_t capacity = end + end / 2 + 65536;
      void *grown = std::realloc(bytes_, capacity);
      if (!grown) throw std::bad_alloc();
      bytes_ = static_cast<uint8_t *>(grown);
      capacity_ = capacity;
    }
    if (place_ > count_) std::memset(bytes_ + count_, 0, place_ - count_);
    // Of a file of nothing there is no memory.
    if (size > 0) std::memcpy(bytes_ + place_, source, static_cast<size_t>(size));
    place_ = end;
    count_ = std::max(count_, end);
  }
  uint64_t tellp() override { return place_; }
  void seekp(uint64_t place) override { place_ = place; }

  const uint8_t *bytes() const { return bytes_; }
  size_t count() const { return count_; }

private:
  uint8_t *bytes_ = nullptr;
  size_t count_ = 0;
  size_t capacity_ = 0;
  size_t place_ = 0;
};

inline void say(char *message, const char *text) {
  std::snprintf(message, FOCAL_EXR_MESSAGE_SIZE, "%s", text);
}

/// The library's own threads decompress chunks side by side.
inline void prepareThreads() {
  static std::once_flag once;
  std::call_once(once, [] {
    Imf::setGlobalThreadCount(
        static_cast<int>(std::min(16u, std::max(1u, std::thread::hardware_concurrency()))));
  });
}

/// Attributes of the format's second version.
inline constexpr int attributeVersion = 2;

} // namespace focal_exr

#endif
