// SPDX-License-Identifier: Apache-2.0
//
// Reading.

#include "focal_exr.h"

#include "focal_exr_chunks.h"
#include "focal_exr_header.h"
#include "focal_exr_streams.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include <OpenEXR/ImfAttribute.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfChromaticitiesAttribute.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfThreading.h>

using namespace focal_exr;

struct FocalEXRFile {
  std::unique_ptr<Imf::IStream> stream;
  /// The same.
  const FocalEXRBytes *bytes = nullptr;
  std::unique_ptr<Imf::MultiPartInputFile> file;
  std::vector<FocalEXRAttribute> attributes;
  std::vector<std::vector<uint8_t>> values;
  bool lacksMemory = false;
  char message[FOCAL_EXR_MESSAGE_SIZE] = {0};
};

namespace {

int64_t side(int from, int to) { return static_cast<int64_t>(to) - from + 1; }

void setWindow(const Imath::Box2i &box, int32_t *result) {
  const int64_t width = side(box.min.x, box.max.x), height = side(box.min.y, box.max.y);
  result[0] = box.min.x;
  result[1] = box.min.y;
  result[2] = static_cast<int32_t>(std::clamp<int64_t>(width, INT32_MIN, INT32_MAX));
  result[3] = static_cast<int32_t>(std::clamp<int64_t>(height, INT32_MIN, INT32_MAX));
}

/// Whether an attribute says how pixels are stored, or what is said apart.
bool isOfStorage(const char *name) {
  static const char *const names[] = {
      "channels",      "chunkCount",    "chromaticities", "compression", "dataWindow",
      "displayWindow", "dwaCompressionLevel", "lineOrder", "maxSamplesPerPixel", "multiView",
      "name",          "pixelAspectRatio", "preview",     "tiles",       "type",
      "version",       "deepImageState", "idManifest"};
  return std::any_of(std::begin(names), std::end(names),
                     [name](const char *other) { return std::strcmp(name, other) == 0; });
}

template <class Stream> struct FocalEXRFile *open(std::unique_ptr<Stream> stream) {
  focalCheckHeaders(*stream);
  prepareThreads();
  auto result = std::make_unique<FocalEXRFile>();
  result->bytes = stream.get();
  result->stream = std::move(stream);
  // Without a rebuilt index, so that a file that is cut short is known as such.
  result->file = std::make_unique<Imf::MultiPartInputFile>(*result->stream,
                                                           Imf::globalThreadCount(), false);
  return result.release();
}

} // namespace

extern "C" {

struct FocalEXRFile *focal_exr_open(const uint8_t *bytes, size_t count, char *message) {
  try {
    return open(std::make_unique<MemoryInput>(bytes, count));
  } catch (const std::exception &error) {
    say(message, error.what());
    return nullptr;
  }
}

struct FocalEXRFile *focal_exr_open_file(int descriptor, char *message) {
  try {
    return open(std::make_unique<DiskInput>(descriptor));
  } catch (const std::exception &error) {
    say(message, error.what());
    return nullptr;
  }
}

void focal_exr_close(struct FocalEXRFile *file) { delete file; }

int32_t focal_exr_part_count(const struct FocalEXRFile *file) { return file->file->parts(); }

int focal_exr_part(struct FocalEXRFile *file, int32_t part, struct FocalEXRPart *result) {
  try {
    *result = FocalEXRPart{};
    const Imf::Header &header = file->file->header(part);
    result->name = header.hasName() ? header.name().c_str() : nullptr;
    result->isDeep = header.hasType() && Imf::isDeepData(header.type()) ? 1 : 0;
    setWindow(header.displayWindow(), result->display);
    setWindow(header.dataWindow(), result->data);
    for (auto channel = header.channels().begin(); channel != header.channels().end(); ++channel)
      ++result->channelCount;
    result->pixelAspectRatio = header.pixelAspectRatio();
    if (Imf::hasChromaticities(header)) {
      const Imf::Chromaticities &said = Imf::chromaticities(header);
      const float numbers[8] = {said.red.x,  said.red.y,  said.green.x, said.green.y,
                                said.blue.x, said.blue.y, said.white.x, said.white.y};
      result->hasChromaticities = 1;
      std::memcpy(result->chromaticities, numbers, sizeof numbers);
    }
    // A part whose chunks are not all there would be read as black in places.
    result->isComplete = file->file->partComplete(part) ? 1 : 0;
    return 1;
  } catch (const std::exception &error) {
    say(file->message, error.what());
    return 0;
  }
}

int focal_exr_channel(struct FocalEXRFile *file, int32_t part, int32_t number,
                      struct FocalEXRChannel *result) {
  const Imf::ChannelList &channels = file->file->header(part).channels();
  int32_t index = 0;
  for (auto channel = channels.begin(); channel != channels.end(); ++channel, ++index) {
    if (index != number) continue;
    result->name = channel.name();
    result->isHalf = channel.channel().type == Imf::HALF ? 1 : 0;
    result->samplingX = channel.channel().xSampling;
    result->samplingY = channel.channel().ySampling;
    return 1;
  }
  return 0;
}

int focal_exr_attributes(struct FocalEXRFile *file, int32_t part,
                         const struct FocalEXRAttribute **result, int32_t *count) {
  try {
    file->attributes.clear();
    file->values.clear();
    const Imf::Header &header = file->file->header(part);
    for (auto item = header.begin(); item != header.end(); ++item) {
      if (isOfStorage(item.name())) continue;
      MemoryOutput stream;
      item.attribute().writeValueTo(stream, attributeVersion);
      file->values.emplace_back(stream.bytes(), stream.bytes() + stream.count());
      file->attributes.push_back(
          {item.name(), item.attribute().typeName(), nullptr, stream.count()});
    }
    for (size_t index = 0; index < file->values.size(); ++index)
      file->attributes[index].bytes = file->values[index].data();
    *result = file->attributes.data();
    *count = static_cast<int32_t>(file->attributes.size());
    return 1;
  } catch (const std::exception &error) {
    say(file->message, error.what());
    return 0;
  }
}

int focal_exr_read(struct FocalEXRFile *file, int32_t part, const char *const *names,
                   float *const *planes, int32_t channelCount, int32_t firstRow,
                   int32_t rowCount) {
  try {
    Imf::InputPart input(*file->file, part);
    const Imath::Box2i window = input.header().dataWindow();
    const int64_t width = side(window.min.x, window.max.x);
    const int top = window.min.y + firstRow;
    Imf::FrameBuffer frame;
    for (int32_t index = 0; index < channelCount; ++index) {
      // Slices are addressed by the picture's own coordinates.
      char *base = reinterpret_cast<char *>(planes[index]) -
                   (top * width + window.min.x) * static_cast<int64_t>(sizeof(float));
      frame.insert(names[index], Imf::Slice(Imf::FLOAT, base, sizeof(float),
                                            static_cast<size_t>(width) * sizeof(float)));
    }
    input.setFrameBuffer(frame);
    input.readPixels(top, top + rowCount - 1);
    return 1;
  } catch (const std::bad_alloc &error) {
    file->lacksMemory = true;
    say(file->message, error.what());
    return 0;
  } catch (const std::exception &error) {
    say(file->message, error.what());
    return 0;
  }
}

int focal_exr_check_chunks(struct FocalEXRFile *file) {
  try {
    focalCheckChunks(*file->bytes);
    return 1;
  } catch (const std::exception &error) {
    say(file->message, error.what());
    return 0;
  }
}

int focal_exr_lacks_memory(const struct FocalEXRFile *file) { return file->lacksMemory ? 1 : 0; }

const char *focal_exr_message(const struct FocalEXRFile *file) { return file->message; }
}
