#include "ui/charts/view_history.h"

namespace kernelscape::charts {
namespace {

constexpr std::size_t max_views = 100;

}  // namespace

void ViewHistory::push(const Range& view) {
  if (view == current()) return;
  views_.resize(position_ + 1);
  views_.push_back(view);
  // Keep the first view: going back always ends at home.
  if (views_.size() > max_views) views_.erase(views_.begin() + 1);
  position_ = views_.size() - 1;
}

void ViewHistory::back() {
  if (can_go_back()) --position_;
}

void ViewHistory::forward() {
  if (can_go_forward()) ++position_;
}

}  // namespace kernelscape::charts
