#include "core/codegen/half_text.h"

#include <fmt/format.h>

#include <array>

namespace kernelscape::codegen {
namespace {

constexpr std::array<const char*, 2> half_types{"f16", "bf16"};

bool calls(std::string_view body, const std::string& function) {
  return body.find(function + "(") != std::string_view::npos;
}

constexpr const char* scalar_f16 =
    "static inline float from_f16(unsigned short x) {\n"
    "  const unsigned magnitude = (x & 0x7fffu) << 13;\n"
    "  union { unsigned bits; float value; } number = {magnitude};\n"
    "  number.value *= 0x1p112f;\n"
    "  number.bits |= (magnitude >= 0x0f800000u ? 0x7f800000u : 0u) | (x & 0x8000u) << 16;\n"
    "  return number.value;\n"
    "}\n";

constexpr const char* scalar_bf16 =
    "static inline float from_bf16(unsigned short x) {\n"
    "  const union { unsigned bits; float value; } number = {(unsigned)x << 16};\n"
    "  return number.value;\n"
    "}\n";

/** Returns the lines that convert f16 by an instruction where the compiler's flags allow it; empty: none. */
std::string f16_instruction(std::int64_t lanes) {
  if (lanes == 16)
    return "#if defined(__AVX512F__)\n"
           "  typedef short words __attribute__((vector_size(32)));\n"
           "  return __builtin_ia32_vcvtph2ps512_mask((words)x, (float_x16){0}, -1, 4);\n"
           "#else\n";
  if (lanes == 8)
    return "#if defined(__F16C__)\n"
           "  typedef short words __attribute__((vector_size(16)));\n"
           "  return __builtin_ia32_vcvtph2ps256((words)x);\n"
           "#else\n";
  return {};
}

/**
 * Returns the body of the conversion of N halves. In plain C, the bits of an f16 are those of an f32 whose
 * exponent is too small by 112, denormals included; infinities and NaN need the largest exponent.
 */
std::string conversion(std::string_view type, std::int64_t lanes) {
  if (type == "bf16")
    return fmt::format("  return (float_x{0})(__builtin_convertvector(x, bits_x{0}) << 16);\n", lanes);
  const std::string instruction = f16_instruction(lanes);
  return instruction +
         fmt::format(
             "  const bits_x{0} bits = __builtin_convertvector(x, bits_x{0});\n"
             "  const bits_x{0} magnitude = (bits & 0x7fff) << 13;\n"
             "  const bits_x{0} value = (bits_x{0})((float_x{0})magnitude * 0x1p112f);\n"
             "  const bits_x{0} infinite = (magnitude >= 0x0f800000) & 0x7f800000;\n"
             "  return (float_x{0})(value | infinite | (bits & 0x8000) << 16);\n",
             lanes) +
         (instruction.empty() ? "" : "#endif\n");
}

}  // namespace

bool is_half(std::string_view element_type) { return element_type == "f16" || element_type == "bf16"; }

std::string half_scalar_functions(std::string_view body) {
  std::string text;
  if (calls(body, "from_f16")) text += scalar_f16;
  if (calls(body, "from_bf16")) text += scalar_bf16;
  return text;
}

std::string half_vector_functions(std::string_view body, std::int64_t lanes) {
  std::string text;
  for (const char* type : half_types) {
    const std::string load = fmt::format("load_{}_x{}", type, lanes);
    const std::string broadcast = fmt::format("broadcast_{}_x{}", type, lanes);
    const bool loads = calls(body, load);
    const bool broadcasts = calls(body, broadcast);
    if (!loads && !broadcasts) continue;
    if (text.empty())
      text = fmt::format(
          "typedef int bits_x{0} __attribute__((vector_size({1})));\n"
          "typedef unsigned short half_x{0} __attribute__((vector_size({2})));\n"
          "typedef unsigned short unaligned_half_x{0} __attribute__((vector_size({2}), aligned(2), "
          "may_alias));\n",
          lanes, 4 * lanes, 2 * lanes);
    text += fmt::format("static inline float_x{0} convert_{1}_x{0}(half_x{0} x) {{\n{2}}}\n", lanes, type,
                        conversion(type, lanes));
    if (loads)
      text += fmt::format(
          "static inline float_x{0} {1}(const unsigned short *p) {{ return convert_{2}_x{0}(*(const "
          "unaligned_half_x{0} *)p); }}\n",
          lanes, load, type);
    if (broadcasts)
      text += fmt::format(
          "static inline float_x{0} {1}(unsigned short x) {{ return convert_{2}_x{0}(x - (half_x{0}){{0}}); "
          "}}\n",
          lanes, broadcast, type);
  }
  return text;
}

}  // namespace kernelscape::codegen
