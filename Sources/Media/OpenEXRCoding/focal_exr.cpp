// SPDX-License-Identifier: Apache-2.0

#include "focal_exr.h"

#include "focal_exr_chunks.h"
#include "focal_exr_header.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <OpenEXR/ImfArray.h>
#include <OpenEXR/ImfAttribute.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfChromaticitiesAttribute.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIO.h>
#include <OpenEXR/ImfInputPart.h>
#include <OpenEXR/ImfMultiPartInputFile.h>
#include <OpenEXR/ImfOpaqueAttribute.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfThreading.h>

namespace {

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

void say(char *message, const char *text) {
  std::snprintf(message, FOCAL_EXR_MESSAGE_SIZE, "%s", text);
}

/// The library's own threads decompress chunks side by side.
void prepareThreads() {
  static std::once_flag once;
  std::call_once(once, [] {
    Imf::setGlobalThreadCount(
        static_cast<int>(std::min(16u, std::max(1u, std::thread::hardware_concurrency()))));
  });
}

int64_t side(int from, int to) { return static_cast<int64_t>(to) - from + 1; }

void setWindow(const Imath::Box2i &box, int32_t *result) {
  const int64_t width = side(box.min.x, box.max.x), height = side(box.min.y, box.max.y);
  result[0] = box.min.x;
  result[1] = box.min.y;
  result[2] = static_cast<int32_t>(std::clamp<int64_t>(width, INT32_MIN, INT32_MAX));
  result[3] = static_cast<int32_t>(std::clamp<int64_t>(height, INT32_MIN, INT32_MAX));
}

/// Attributes of the format's second version.
constexpr int attributeVersion = 2;

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

/// Attributes of types that the library does not know stay bytes.
void addAttribute(Imf::Header &header, const FocalEXRAttribute &said) {
  std::unique_ptr<Imf::Attribute> attribute(
      Imf::Attribute::knownType(said.type) ? Imf::Attribute::newAttribute(said.type)
                                           : new Imf::OpaqueAttribute(said.type));
  MemoryInput stream(said.bytes, said.count);
  attribute->readValueFrom(stream, static_cast<int>(said.count), attributeVersion);
  header.insert(said.name, *attribute);
}

} // namespace

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

struct FocalEXRWriter {
  /// One of both.
  std::unique_ptr<MemoryOutput> memory;
  std::unique_ptr<DiskOutput> disk;
  /// Behind them, because it writes its index when it goes.
  std::unique_ptr<Imf::OutputFile> file;
  std::vector<std::string> names;
  std::vector<Imath::half> halves;
  Imath::V2i first;
  size_t width = 0;
  bool storesHalves = false;
  char message[FOCAL_EXR_MESSAGE_SIZE] = {0};
};

namespace {

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

struct FocalEXRWriter *focal_exr_begin(int descriptor, const struct FocalEXRPicture *picture,
                                       char *message) {
  try {
    prepareThreads();
    const Imath::V2i first(picture->left, picture->top);
    const Imath::Box2i window(first, first + Imath::V2i(picture->width - 1, picture->height - 1));
    Imf::Header header(window, window, picture->pixelAspectRatio, Imath::V2f(0, 0), 1,
                       Imf::INCREASING_Y, Imf::ZIP_COMPRESSION);
    for (int32_t index = 0; index < picture->attributeCount; ++index)
      addAttribute(header, picture->attributes[index]);
    if (const float *said = picture->chromaticities) {
      Imf::addChromaticities(
          header, Imf::Chromaticities(Imath::V2f(said[0], said[1]), Imath::V2f(said[2], said[3]),
                                      Imath::V2f(said[4], said[5]), Imath::V2f(said[6], said[7])));
    }
    const Imf::PixelType type = picture->storesHalves ? Imf::HALF : Imf::FLOAT;
    auto writer = std::make_unique<FocalEXRWriter>();
    for (int32_t index = 0; index < picture->channelCount; ++index) {
      writer->names.push_back(picture->names[index]);
      header.channels().insert(picture->names[index], Imf::Channel(type));
    }
    writer->first = first;
    writer->width = static_cast<size_t>(picture->width);
    writer->storesHalves = picture->storesHalves != 0;
    if (descriptor < 0) {
      writer->memory = std::make_unique<MemoryOutput>();
      writer->file = std::make_unique<Imf::OutputFile>(*writer->memory, header);
    } else {
      writer->disk = std::make_unique<DiskOutput>(descriptor);
      writer->file = std::make_unique<Imf::OutputFile>(*writer->disk, header);
    }
    return writer.release();
  } catch (const std::exception &error) {
    say(message, error.what());
    return nullptr;
  }
}

int focal_exr_write_rows(struct FocalEXRWriter *writer, const float *const *planes,
                         int32_t rowCount) {
  try {
    const size_t width = writer->width, count = width * static_cast<size_t>(rowCount);
    const Imf::PixelType type = writer->storesHalves ? Imf::HALF : Imf::FLOAT;
    const size_t size = writer->storesHalves ? sizeof(Imath::half) : sizeof(float);
    // A file's halves are given as halves.
    if (writer->storesHalves) writer->halves.resize(count * writer->names.size());
    // Slices are addressed by the picture's own coordinates.
    const int y = writer->file->currentScanLine();
    const ptrdiff_t before =
        static_cast<ptrdiff_t>(size) * (static_cast<ptrdiff_t>(width) * y + writer->first.x);
    Imf::FrameBuffer frame;
    for (size_t index = 0; index < writer->names.size(); ++index) {
      const char *base = reinterpret_cast<const char *>(planes[index]);
      if (writer->storesHalves) {
        Imath::half *halves = writer->halves.data() + count * index;
        for (size_t x = 0; x < count; ++x) halves[x] = planes[index][x];
        base = reinterpret_cast<const char *>(halves);
      }
      frame.insert(writer->names[index],
                   Imf::Slice(type, const_cast<char *>(base) - before, size, width * size));
    }
    writer->file->setFrameBuffer(frame);
    writer->file->writePixels(rowCount);
    return 1;
  } catch (const std::exception &error) {
    say(writer->message, error.what());
    return 0;
  }
}

int focal_exr_finish(struct FocalEXRWriter *writer) {
  try {
    // The index is written when the file goes, whose failures are not told but by the stream.
    writer->file.reset();
    if (writer->disk) {
      writer->disk->flush();
      return writer->disk->errorNumber == 0;
    }
    return 1;
  } catch (const std::exception &error) {
    say(writer->message, error.what());
    return 0;
  }
}

const uint8_t *focal_exr_bytes(const struct FocalEXRWriter *writer, size_t *count) {
  *count = writer->memory ? writer->memory->count() : 0;
  return writer->memory ? writer->memory->bytes() : nullptr;
}

int focal_exr_error_number(const struct FocalEXRWriter *writer) {
  return writer->disk ? writer->disk->errorNumber : 0;
}

const char *focal_exr_writer_message(const struct FocalEXRWriter *writer) {
  return writer->message;
}

void focal_exr_writer_free(struct FocalEXRWriter *writer) { delete writer; }
}
