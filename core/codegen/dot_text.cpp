#include "core/codegen/dot_text.h"

#include <fmt/format.h>

#include <array>

namespace kernelscape::codegen {
namespace {

/** An instruction of a CPU for int8 dot products of groups of four, by the number of 32-bit lanes. */
struct DotInstruction {
  std::int64_t lanes;
  const char* available;  ///< preprocessor condition
  const char* gcc;
  const char* clang;
};

constexpr std::array<DotInstruction, 3> dot_instructions{
    {{16, "defined(__AVX512VNNI__)", "__builtin_ia32_vpdpbusd_v16si", "__builtin_ia32_vpdpbusd512"},
     {8, "defined(__AVXVNNI__) || (defined(__AVX512VNNI__) && defined(__AVX512VL__))",
      "__builtin_ia32_vpdpbusd_v8si", "__builtin_ia32_vpdpbusd256"},
     {4, "defined(__AVXVNNI__) || (defined(__AVX512VNNI__) && defined(__AVX512VL__))",
      "__builtin_ia32_vpdpbusd_v4si", "__builtin_ia32_vpdpbusd128"}}};

/** Lanes of vdpbf16ps: CPUs that have it have vectors of 512 bits. */
constexpr std::int64_t bf16_dot_lanes = 16;

}  // namespace

std::string byte_dot_product(std::int64_t lanes) {
  std::string text;
  for (const DotInstruction& instruction : dot_instructions)
    if (instruction.lanes == lanes)
      text += fmt::format(
          "#if ({0}) && defined(__clang__)\n"
          "  return {1}(sum, data, weight);\n"
          "#elif {0}\n"
          "  return {2}(sum, data, weight);\n"
          "#else\n",
          instruction.available, instruction.clang, instruction.gcc);
  const bool instructions = !text.empty();
  text +=
      "  sum += (data & 255) * (weight << 24 >> 24);\n"
      "  sum += (data >> 8 & 255) * (weight << 16 >> 24);\n"
      "  sum += (data >> 16 & 255) * (weight << 8 >> 24);\n"
      "  return sum + (data >> 24 & 255) * (weight >> 24);\n";
  if (instructions) text += "#endif\n";
  return text;
}

std::string bf16_group_note(std::string_view body) {
  const bool dots = body.find("add_dot_x") != std::string_view::npos;
  return fmt::format("A lane adds up the products of pairs of bf16: {}",
                     dots ? "by vdpbf16ps where the compiler's flags allow it, else in plain C."
                          : "each is converted to f32.");
}

std::string bf16_products(std::int64_t lanes) {
  return fmt::format(
      "  sum += ({0})(data & -65536) * ({0})(weight & -65536);\n"
      "  return sum + ({0})(data << 16) * ({0})(weight << 16);\n",
      fmt::format("float_x{}", lanes));
}

std::string bf16_dot_product(std::int64_t lanes) {
  if (lanes != bf16_dot_lanes) return bf16_products(lanes);
  // Compilers disagree about the types of the vectors that their own functions for vdpbf16ps take.
  return "#if defined(__AVX512BF16__)\n"
         "  __asm__(\"vdpbf16ps %2, %1, %0\" : \"+v\"(sum) : \"v\"(data), \"v\"(weight));\n"
         "  return sum;\n"
         "#else\n" +
         bf16_products(lanes) + "#endif\n";
}

}  // namespace kernelscape::codegen
