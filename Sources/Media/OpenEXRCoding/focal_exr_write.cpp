// SPDX-License-Identifier: Apache-2.0
//
// Writing.

#include "focal_exr.h"

#include "focal_exr_streams.h"

#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <OpenEXR/ImfAttribute.h>
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfOpaqueAttribute.h>
#include <OpenEXR/ImfOutputFile.h>
#include <OpenEXR/ImfStandardAttributes.h>

using namespace focal_exr;

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

extern "C" {

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
