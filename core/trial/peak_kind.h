#pragma once

#include <cstdint>
#include <string_view>

namespace kernelscape {

/** Arithmetic whose peak is measured of a processor. */
enum class PeakKind : std::uint8_t {
  MultiplyAdds,  ///< of f32
  ByteProducts   ///< u8 x i8, added up in i32
};

/** "FMA peak", "8-bit peak". */
constexpr std::string_view to_string(PeakKind kind) {
  return kind == PeakKind::MultiplyAdds ? "FMA peak" : "8-bit peak";
}

}  // namespace kernelscape
