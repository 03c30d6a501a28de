#include "core/space/table_allowance.h"

namespace kernelscape::space {
namespace {

thread_local TableAllowance* innermost_allowance = nullptr;

}  // namespace

TableAllowance::TableAllowance(std::uint64_t max_numbers) : around_(innermost_allowance), max_(max_numbers) {
  innermost_allowance = this;
}

TableAllowance::~TableAllowance() { innermost_allowance = around_; }

bool TableAllowance::take(base::uint128 numbers) {
  for (const TableAllowance* one = innermost_allowance; one != nullptr; one = one->around_)
    if (numbers > one->max_ - one->taken_) return false;
  for (TableAllowance* one = innermost_allowance; one != nullptr; one = one->around_)
    one->taken_ += static_cast<std::uint64_t>(numbers);
  return true;
}

}  // namespace kernelscape::space
