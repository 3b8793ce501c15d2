// SPDX-License-Identifier: Apache-2.0

#include "focal_exr_chunks.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <OpenEXR/openexr.h>

namespace {

struct Source {
  const FocalEXRBytes *bytes;
};

int64_t readBytes(exr_const_context_t, void *data, void *buffer, uint64_t size, uint64_t offset,
                  exr_stream_error_func_ptr_t) {
  const FocalEXRBytes &bytes = *static_cast<Source *>(data)->bytes;
  return bytes.read(static_cast<char *>(buffer), size, offset);
}

int64_t byteCount(exr_const_context_t, void *data) {
  return static_cast<int64_t>(static_cast<Source *>(data)->bytes->count());
}

void keepSilent(exr_const_context_t, exr_result_t, const char *) {}

using Places = std::vector<std::pair<uint64_t, uint64_t>>;

void add(const exr_chunk_info_t &chunk, Places &places) {
  places.emplace_back(chunk.data_offset, chunk.data_offset + chunk.packed_size);
}

[[noreturn]] void refuse(const char *what, exr_result_t code) {
  throw std::runtime_error(std::string(what) + ": " + exr_get_default_error_message(code));
}

void addScanlines(exr_const_context_t file, int part, Places &places) {
  exr_attr_box2i_t window;
  int32_t rows = 0;
  if (exr_get_data_window(file, part, &window) != EXR_ERR_SUCCESS ||
      exr_get_scanlines_per_chunk(file, part, &rows) != EXR_ERR_SUCCESS || rows < 1)
    return;
  for (int64_t y = window.min.y; y <= window.max.y; y += rows) {
    exr_chunk_info_t chunk;
    const exr_result_t code =
        exr_read_scanline_chunk_info(file, part, static_cast<int>(y), &chunk);
    if (code != EXR_ERR_SUCCESS)
      refuse(("the piece of row " + std::to_string(y - window.min.y)).c_str(), code);
    add(chunk, places);
  }
}

void addTiles(exr_const_context_t file, int part, Places &places) {
  exr_attr_box2i_t window;
  uint32_t width = 0, height = 0;
  exr_tile_level_mode_t mode;
  exr_tile_round_mode_t round;
  if (exr_get_data_window(file, part, &window) != EXR_ERR_SUCCESS ||
      exr_get_tile_descriptor(file, part, &width, &height, &mode, &round) != EXR_ERR_SUCCESS ||
      width < 1 || height < 1)
    return;
  // The smaller versions are not read.
  const int64_t columns = (static_cast<int64_t>(window.max.x) - window.min.x + width) / width;
  const int64_t rows = (static_cast<int64_t>(window.max.y) - window.min.y + height) / height;
  for (int64_t y = 0; y < rows; ++y) {
    for (int64_t x = 0; x < columns; ++x) {
      exr_chunk_info_t chunk;
      const exr_result_t code = exr_read_tile_chunk_info(file, part, static_cast<int>(x),
                                                         static_cast<int>(y), 0, 0, &chunk);
      if (code != EXR_ERR_SUCCESS)
        refuse(("the tile of row " + std::to_string(y * height) + ", column " +
                std::to_string(x * width))
                   .c_str(),
               code);
      add(chunk, places);
    }
  }
}

void addParts(exr_const_context_t file, Places &places) {
  int parts = 0;
  if (exr_get_count(file, &parts) != EXR_ERR_SUCCESS) return;
  for (int part = 0; part < parts; ++part) {
    exr_storage_t storage;
    if (exr_get_storage(file, part, &storage) != EXR_ERR_SUCCESS) continue;
    if (storage == EXR_STORAGE_SCANLINE) addScanlines(file, part, places);
    if (storage == EXR_STORAGE_TILED) addTiles(file, part, places);
  }
}

} // namespace

void focalCheckChunks(const FocalEXRBytes &bytes) {
  Source source{&bytes};
  exr_context_initializer_t settings = EXR_DEFAULT_CONTEXT_INITIALIZER;
  settings.user_data = &source;
  settings.read_fn = readBytes;
  settings.size_fn = byteCount;
  settings.error_handler_fn = keepSilent;
  exr_context_t file = nullptr;
  // Files that this part of the library does not open are judged by the other one.
  if (exr_start_read(&file, "picture", &settings) != EXR_ERR_SUCCESS) return;
  Places places;
  try {
    addParts(file, places);
  } catch (...) {
    exr_finish(&file);
    throw;
  }
  exr_finish(&file);
  std::sort(places.begin(), places.end());
  for (size_t index = 1; index < places.size(); ++index) {
    if (places[index].first < places[index - 1].second)
      throw std::runtime_error("two pieces of the picture share the bytes from " +
                               std::to_string(places[index].first) + " on");
  }
}
