#include "core/graph/operators/matrix_product.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>

#include "core/base/first_exception.h"
#include "core/base/processors.h"

namespace kernelscape::graph {

namespace {

// A panel of so many rows stays in the second cache: 128 KiB.
constexpr std::int64_t panel_rows = 256;

// Below so many multiplications a thread costs more than it saves.
constexpr double min_work_for_threads = 1 << 20;

/** A part of a product: some of its rows and of its columns. */
struct ProductPart {
  const MatrixProduct* product;
  std::int64_t first_row;
  std::int64_t last_row;
  std::int64_t first_column;
  std::int64_t columns;
};

/** Adds left * panel to sums, where left is one row. Four rows of the panel at a time save loads and stores.
 */
template <std::size_t lanes>
void add_row_product(const double* left, std::int64_t depth, const double* panel,
                     std::array<double, lanes>& sums) {
  std::int64_t k = 0;
  for (; k + 4 <= depth; k += 4, panel += 4 * lanes) {
    const double a = left[k];
    const double b = left[k + 1];
    const double c = left[k + 2];
    const double d = left[k + 3];
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      sums[lane] += (a * panel[lane] + b * panel[lanes + lane]) +
                    (c * panel[2 * lanes + lane] + d * panel[3 * lanes + lane]);
    }
  }
  for (; k < depth; ++k, panel += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += left[k] * panel[lane];
}

template <std::size_t lanes>
void compute_part(const ProductPart& part, std::vector<double>& panel) {
  const MatrixProduct& product = *part.product;
  for (std::int64_t first = 0; first < product.depth; first += panel_rows) {
    const std::int64_t rows = std::min(panel_rows, product.depth - first);
    product.right({first, rows, part.first_column, part.columns}, lanes, panel.data());
    for (std::int64_t row = part.first_row; row < part.last_row; ++row) {
      double* const result = product.result + row * product.columns + part.first_column;
      std::array<double, lanes> sums{};
      std::copy_n(result, part.columns, sums.begin());
      add_row_product<lanes>(product.left + row * product.depth + first, rows, panel.data(), sums);
      std::copy_n(sums.begin(), part.columns, result);
    }
  }
}

/** Returns the columns of a panel; a vector would waste the lanes of a wide one. */
std::int64_t lanes_of(const MatrixProduct& product) {
  return product.columns <= 2 ? 2 : product.columns <= 8 ? 8 : max_panel_columns;
}

/** Divides products into parts. @param min_parts rows are divided too if there are fewer columns than that */
std::vector<ProductPart> parts_of(const std::vector<MatrixProduct>& products, std::int64_t min_parts) {
  std::int64_t panels = 0;
  for (const MatrixProduct& product : products) panels += product.columns / lanes_of(product) + 1;
  const std::int64_t row_parts = (min_parts + panels - 1) / panels;
  std::vector<ProductPart> parts;
  for (const MatrixProduct& product : products) {
    const std::int64_t lanes = lanes_of(product);
    const std::int64_t rows = std::max<std::int64_t>((product.rows + row_parts - 1) / row_parts, 16);
    for (std::int64_t column = 0; column < product.columns; column += lanes) {
      for (std::int64_t row = 0; row < product.rows; row += rows) {
        parts.push_back({&product, row, std::min(row + rows, product.rows), column,
                         std::min(lanes, product.columns - column)});
      }
    }
  }
  return parts;
}

}  // namespace

void multiply(const std::vector<MatrixProduct>& products) {
  double work = 0;
  for (const MatrixProduct& product : products) {
    work += static_cast<double>(product.rows) * static_cast<double>(product.depth) *
            static_cast<double>(product.columns);
  }
  if (products.empty() || work == 0) return;
  const std::int64_t threads = work < min_work_for_threads ? 1 : std::max(base::usable_cores(), 1);
  const std::vector<ProductPart> parts = parts_of(products, threads == 1 ? 1 : 4 * threads);
  std::atomic<std::size_t> next{0};
  const auto compute_parts = [&] {
    std::vector<double> panel(static_cast<std::size_t>(panel_rows * max_panel_columns));
    for (std::size_t i = next++; i < parts.size(); i = next++) {
      switch (lanes_of(*parts[i].product)) {
        case 2:
          compute_part<2>(parts[i], panel);
          break;
        case 8:
          compute_part<8>(parts[i], panel);
          break;
        default:
          compute_part<static_cast<std::size_t>(max_panel_columns)>(parts[i], panel);
      }
    }
  };
  base::FirstException exception;
  {
    std::vector<std::jthread> helpers;
    helpers.reserve(static_cast<std::size_t>(threads));
    try {
      for (std::int64_t i = 1; i < threads; ++i) helpers.emplace_back([&] { exception.run(compute_parts); });
    } catch (const std::system_error&) {
      // The machine has no further thread: those that started, and this one, compute all parts.
    }
    exception.run(compute_parts);
  }
  exception.throw_again();
}

}  // namespace kernelscape::graph
