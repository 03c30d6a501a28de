#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kernelscape::exchange {

/**
 * Returns the checksum that files of tensors have in their header: the generated C computes the same number
 * while it reads a file. It detects damage and other models' files, not forgery. @param bytes a multiple of 8
 */
std::uint64_t tensor_checksum(std::span<const std::byte> bytes);

/**
 * Returns the content of a file of tensors, little-endian: "KSTENSOR", the version 1 and 0 as u32, the number
 * of bytes and their checksum as u64, zeros up to 64 bytes, then the bytes. @param bytes a multiple of 8
 */
std::string tensor_file(std::span<const std::byte> bytes);

/** Returns true if a file with this beginning was written as a file of tensors. */
bool is_tensor_file(std::string_view head);

}  // namespace kernelscape::exchange
