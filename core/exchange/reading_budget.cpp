#include "core/exchange/reading_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/memory.h"
#include "core/base/numbers.h"

namespace kernelscape::exchange {

ReadingBudget ReadingBudget::of_this_machine() {
  constexpr std::uint64_t share = 4;
  ReadingBudget budget;
  budget.max_memory_bytes = std::min(budget.max_memory_bytes, base::available_memory_bytes() / share);
  return budget;
}

Error out_of_reading_memory(const HeldMemory& held) {
  return {ErrorCode::Refused,
          fmt::format("reading it would need more than {} of memory",
                      base::bytes_text(static_cast<double>(held.max_bytes()))),
          "close other programs, allow this program more memory (ulimit -v), or split the file"};
}

}  // namespace kernelscape::exchange
