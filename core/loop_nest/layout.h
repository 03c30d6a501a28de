#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernelscape {

/**
 * One dimension of a physical layout, outermost first: (logical index of `source` / divisor) % extent.
 * The outermost dimension of a source is not wrapped: its extent covers the rest.
 */
struct LayoutDimension {
  int source = 0;
  std::int64_t divisor = 1;
  std::int64_t extent = 1;

  bool operator==(const LayoutDimension&) const = default;
};

/**
 * How a tensor lies in memory: NCHW, NCHW16c, packed weights. Elements of the physical box that no logical
 * element maps to (a remainder channel block) hold zero in inputs and are ignored in outputs.
 */
struct Layout {
  std::string name;                 ///< "NCHW16c"
  std::vector<std::int64_t> shape;  ///< logical, row-major; any shape of the tensor's elements
  std::vector<LayoutDimension> dimensions;

  std::int64_t physical_count() const;  ///< elements that memory holds, those of the padding too
  std::int64_t logical_count() const;   ///< elements of the tensor: the product of `shape`
  /** Physical offset of a logical index (one entry per logical dimension). */
  std::int64_t offset(const std::vector<std::int64_t>& index) const;
  bool operator==(const Layout&) const = default;
};

/** The layout that stores the dimensions in their order, unpacked and unpadded. */
Layout row_major(std::string name, std::vector<std::int64_t> shape);

/** Physical offset of every logical element in row-major order: packs inputs, unpacks outputs. */
std::vector<std::int64_t> physical_offsets(const Layout& layout);

}  // namespace kernelscape
