#include "core/exchange/model/tensor_file.h"

#include <cstring>

namespace kernelscape::exchange {
namespace {

constexpr std::string_view tensor_magic = "KSTENSOR";
constexpr std::size_t tensor_header_bytes = 64;

template <typename T>
void append_number(std::string& text, T number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  text.append(bytes, sizeof number);
}

}  // namespace

std::uint64_t tensor_checksum(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0x9e3779b97f4a7c15U;
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    sum = (sum ^ word) * 0x100000001b3U;
    sum ^= sum >> 29;
  }
  return sum;
}

std::string tensor_file(std::span<const std::byte> bytes) {
  std::string text(tensor_magic);
  text.reserve(tensor_header_bytes + bytes.size());
  append_number(text, std::uint32_t{1});
  append_number(text, std::uint32_t{0});
  append_number(text, static_cast<std::uint64_t>(bytes.size()));
  append_number(text, tensor_checksum(bytes));
  text.resize(tensor_header_bytes, '\0');
  text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text;
}

bool is_tensor_file(std::string_view head) { return head.starts_with(tensor_magic); }

}  // namespace kernelscape::exchange
