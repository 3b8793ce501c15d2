// SPDX-License-Identifier: Apache-2.0

#include "openexr_kit.h"

#include <deque>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfIntAttribute.h>
#include <OpenEXR/ImfMultiPartOutputFile.h>
#include <OpenEXR/ImfOutputPart.h>
#include <OpenEXR/ImfPartType.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <OpenEXR/ImfTiledOutputPart.h>

static Imath::Box2i box(const int32_t *window) {
  return {Imath::V2i(window[0], window[1]),
          Imath::V2i(window[0] + window[2] - 1, window[1] + window[3] - 1)};
}

int kit_write_exr(const char *path, const struct KitPart *parts, int32_t partCount,
                  const char *names) {
  try {
    std::istringstream lines(names);
    std::vector<std::string> partNames(static_cast<size_t>(partCount));
    for (auto &name : partNames) std::getline(lines, name);
    std::vector<Imf::Header> headers;
    std::vector<std::vector<std::string>> channels;
    for (int32_t part = 0; part < partCount; ++part) {
      const KitPart &facts = parts[part];
      Imf::Header header(box(facts.display), box(facts.data));
      Imf::addOwner(header, "somebody");
      header.insert("kitShot", Imf::IntAttribute(7));
      header.compression() = static_cast<Imf::Compression>(facts.compression);
      if (!partNames[part].empty()) header.setName(partNames[part]);
      header.setType(facts.tile ? Imf::TILEDIMAGE : Imf::SCANLINEIMAGE);
      if (facts.tile)
        header.setTileDescription(Imf::TileDescription(facts.tile, facts.tile, Imf::ONE_LEVEL));
      channels.emplace_back();
      for (int32_t index = 0; index < facts.channelCount; ++index) {
        std::string name;
        std::getline(lines, name);
        const int step = facts.sampling[index] ? facts.sampling[index] : 1;
        header.channels().insert(
            name, Imf::Channel(static_cast<Imf::PixelType>(facts.types[index]), step, step));
        channels.back().push_back(name);
      }
      headers.push_back(header);
    }
    Imf::MultiPartOutputFile file(path, headers.data(), partCount);
    for (int32_t part = 0; part < partCount; ++part) {
      const KitPart &facts = parts[part];
      const size_t width = static_cast<size_t>(facts.data[2]);
      const size_t count = width * static_cast<size_t>(facts.data[3]);
      const ptrdiff_t first = facts.data[1] * static_cast<ptrdiff_t>(width) + facts.data[0];
      std::deque<std::vector<Imath::half>> halves;
      Imf::FrameBuffer frame;
      for (int32_t index = 0; index < facts.channelCount; ++index) {
        const size_t step = facts.sampling[index] ? static_cast<size_t>(facts.sampling[index]) : 1;
        const bool isHalf = facts.types[index] == Imf::HALF;
        const size_t size = isHalf ? sizeof(Imath::half) : sizeof(float);
        const char *base = reinterpret_cast<const char *>(facts.planes[index]);
        if (isHalf) {
          halves.emplace_back(facts.planes[index], facts.planes[index] + count);
          base = reinterpret_cast<const char *>(halves.back().data());
        }
        frame.insert(channels[part][index],
                     Imf::Slice(static_cast<Imf::PixelType>(facts.types[index]),
                                const_cast<char *>(base) -
                                    first * static_cast<ptrdiff_t>(size),
                                size, size * width, static_cast<int>(step),
                                static_cast<int>(step)));
      }
      if (facts.tile) {
        Imf::TiledOutputPart output(file, part);
        output.setFrameBuffer(frame);
        output.writeTiles(0, output.numXTiles() - 1, 0, output.numYTiles() - 1);
      } else {
        Imf::OutputPart output(file, part);
        output.setFrameBuffer(frame);
        output.writePixels(facts.data[3]);
      }
    }
    return 1;
  } catch (const std::exception &) {
    return 0;
  }
}
