// SPDX-License-Identifier: Apache-2.0

#include "focal_exr_header.h"

#include "focal_exr.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include <OpenEXR/ImfCompression.h>

namespace {

/// The magic number and the version with its flags.
constexpr uint64_t fileHeadSize = 8;
constexpr uint64_t flagsPlace = 5;
constexpr unsigned char multiPartFlag = 0x10;
/// Of a name and a type, each with its zero.
constexpr uint64_t mostNameSize = 256;
constexpr uint64_t lengthSize = 4;
/// Numbers of ways to compress that new versions of the format may add; a larger one is damage.
constexpr int mostCompressions = 32;

/// An attribute without its value.
struct Head {
  /// Whether it is none, and the header ends.
  bool isEnd = false;
  std::string name;
  int64_t valueSize = 0;
  /// Of name, type and length.
  uint64_t size = 0;
};

/// Returns false for what the library refuses: a name without an end, or the end of the file.
bool readHead(const FocalEXRBytes &bytes, uint64_t place, Head &head) {
  char held[2 * mostNameSize + lengthSize];
  const int64_t there = bytes.read(held, sizeof held, place);
  if (there < 1) return false;
  const char *const end = held + there;
  const char *const name = std::find(static_cast<const char *>(held), end, '\0');
  if (name == end) return false;
  head.isEnd = name == held;
  head.name = held;
  if (head.isEnd) return true;
  const char *const type = std::find(name + 1, end, '\0');
  if (end - type < static_cast<std::ptrdiff_t>(1 + lengthSize)) return false;
  uint32_t length = 0;
  for (uint64_t index = 0; index < lengthSize; ++index)
    length |= static_cast<uint32_t>(static_cast<unsigned char>(type[1 + index])) << (8 * index);
  head.valueSize = static_cast<int32_t>(length);
  head.size = static_cast<uint64_t>(type - held) + 1 + lengthSize;
  return true;
}

} // namespace

void focalCheckHeaders(const FocalEXRBytes &bytes) {
  char flags = 0;
  if (bytes.read(&flags, 1, flagsPlace) != 1) return;
  const bool hasParts = (static_cast<unsigned char>(flags) & multiPartFlag) != 0;
  uint64_t place = fileHeadSize;
  // Of several parts, an empty header ends the list.
  bool followsEnd = false;
  for (Head head; readHead(bytes, place, head); followsEnd = head.isEnd) {
    if (head.isEnd) {
      if (!hasParts || followsEnd) return;
      ++place;
      continue;
    }
    const uint64_t rest = bytes.count() - std::min(bytes.count(), place + head.size);
    if (head.valueSize < 0 || static_cast<uint64_t>(head.valueSize) > rest)
      throw std::runtime_error("an attribute is longer than the file");
    unsigned char number = 0;
    if (head.name == "compression" && head.valueSize == 1 &&
        bytes.read(reinterpret_cast<char *>(&number), 1, place + head.size) == 1 &&
        number >= Imf::NUM_COMPRESSION_METHODS && number < mostCompressions)
      throw std::runtime_error(FOCAL_EXR_NEWER_COMPRESSION);
    place += head.size + static_cast<uint64_t>(head.valueSize);
  }
}
