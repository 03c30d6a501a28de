#pragma once

#include <cstdint>
#include <string_view>

namespace kernelscape::trial {

/** The kind of arithmetic whose peak performance is measured. */
enum class PeakKind : std::uint8_t {
  MultiplyAdds,  ///< f32 multiply-adds
  ByteProducts   ///< int8 dot products: u8 x i8 into i32
};

/** Returns "FMA peak" or "8-bit peak". */
constexpr std::string_view to_string(PeakKind kind) {
  return kind == PeakKind::MultiplyAdds ? "FMA peak" : "8-bit peak";
}

}  // namespace kernelscape::trial
