#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kernelscape::loop_nest {

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
 * The arrangement of a tensor in memory: NCHW, NCHW16c, packed weights. Elements of the physical box that no
 * logical element maps to (a remainder channel block) are zero in inputs and are ignored in outputs.
 */
struct Layout {
  std::string name;                 ///< "NCHW16c"
  std::vector<std::int64_t> shape;  ///< logical, row-major; any shape of the tensor's elements
  std::vector<LayoutDimension> dimensions;
  /// above 0: the tensor holds kernels of 3x3 that are transformed by Winograd's algorithm, for output tiles
  /// of this many rows and columns, before they are arranged; the last two extents of `shape` are then tile +
  /// 2
  int winograd_tile = 0;

  std::int64_t physical_count() const;  ///< elements in memory, including the padding
  std::int64_t logical_count() const;   ///< elements of the tensor: the product of `shape`
  /** Returns the physical offset of a logical index (one entry per logical dimension). */
  std::int64_t offset(const std::vector<std::int64_t>& index) const;
  bool operator==(const Layout&) const = default;
};

/** Returns the layout that stores the dimensions in their order, unpacked and unpadded. */
Layout row_major(std::string name, std::vector<std::int64_t> shape);

/**
 * Returns the physical offset of every logical element in row-major order, to pack inputs and unpack outputs.
 */
std::vector<std::int64_t> physical_offsets(const Layout& layout);

}  // namespace kernelscape::loop_nest
