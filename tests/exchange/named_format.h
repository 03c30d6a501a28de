#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

namespace kernelscape {

/** Reads a text as the import format of this name, whatever it looks like. */
inline Result<exchange::ImportedFile> read_as(std::string_view format, exchange::ImportText& text) {
  const auto found = std::ranges::find(exchange::import_formats(), format, &exchange::ImportFormat::name);
  if (found == exchange::import_formats().end())
    throw std::runtime_error("no import format " + std::string(format));
  return found->read(text);
}

}  // namespace kernelscape
