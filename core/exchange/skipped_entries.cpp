#include "core/exchange/skipped_entries.h"

#include <fmt/format.h>

namespace kernelscape::exchange {
namespace {

constexpr std::size_t max_named_entries = 5;

}  // namespace

Status SkippedEntries::skip(std::string_view place, const Error& why, std::size_t entries) {
  Error error{why.code, fmt::format("{}: {}", place, why.message), why.hint};
  if (why.code != ErrorCode::InvalidArgument) return std::unexpected(std::move(error));
  if (!first_) first_ = std::move(error);
  count_ += entries;
  if (named_.size() == max_named_entries) return {};
  const std::string others = entries > 1 ? fmt::format(" and {} others", entries - 1) : std::string();
  named_.push_back(fmt::format("{}, {}{}: skipped, {}", file_, place, others, why.message));
  named_entries_ += entries;
  return {};
}

std::vector<std::string> SkippedEntries::notices() const {
  std::vector<std::string> notices = named_;
  if (count_ > named_entries_)
    notices.push_back(
        fmt::format("{}: {} more {} were skipped, {} in all", file_, count_ - named_entries_, noun_, count_));
  return notices;
}

}  // namespace kernelscape::exchange
