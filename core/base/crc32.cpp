#include "core/base/crc32.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace kernelscape {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t word_bytes = 8;
using CrcTables = std::array<std::array<std::uint32_t, 256>, word_bytes>;

/** Table k is the effect of a byte that k more bytes follow, so that eight bytes are looked up at once. */
constexpr CrcTables make_tables() {
  constexpr std::uint32_t reflected_polynomial = 0xedb88320U;
  CrcTables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1U) != 0 ? reflected_polynomial : 0U);
    tables[0][byte] = rest;
  }
  for (std::size_t k = 1; k < word_bytes; ++k)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xffU];
  return tables;
}

constexpr CrcTables crc_tables = make_tables();

}  // namespace

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (; bytes.size() >= word_bytes; bytes.remove_prefix(word_bytes)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), word_bytes);
    word ^= crc;
    crc = 0;
    for (std::size_t byte = 0; byte < word_bytes; ++byte)
      crc ^= crc_tables[word_bytes - 1 - byte][(word >> (8 * byte)) & 0xffU];
  }
  for (const char letter : bytes)
    crc = (crc >> 8) ^ crc_tables[0][(crc ^ static_cast<unsigned char>(letter)) & 0xffU];
  return ~crc;
}

}  // namespace kernelscape
