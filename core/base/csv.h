#pragma once

#include <string>
#include <string_view>

namespace kernelscape {

/** A field of a CSV file, in quotes where it has to be (RFC 4180, 2.5 to 2.7). */
void append_csv_field(std::string& text, std::string_view field);

/** In the fewest digits that read back the same; NaN is an empty field. */
void append_csv_field(std::string& text, double number);

}  // namespace kernelscape
