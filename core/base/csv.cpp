#include "core/base/csv.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace kernelscape {

void append_csv_field(std::string& text, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    text += field;
    return;
  }
  text += '"';
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

void append_csv_field(std::string& text, double number) {
  if (!std::isnan(number)) fmt::format_to(std::back_inserter(text), "{}", number);
}

}  // namespace kernelscape
