#include "ui/views/trials/trial_selection.h"

#include <algorithm>

#include "ui/workspace/source.h"

namespace kernelscape::views {

analysis::RowSet TrialSelection::rows() const {
  analysis::RowSet selection = workspace_.selection();
  const std::int64_t size = workspace_.source() ? workspace_.source()->trials.size() : 0;
  if (selection.size() < size) selection.grow(size);
  return selection;
}

void TrialSelection::toggle(std::int64_t row) {
  if (row == analysis::no_row) return;
  analysis::RowSet selection = rows();
  selection.flip(row);
  model_.select_in_place(std::move(selection));
}

void TrialSelection::select_range(std::int64_t start, std::int64_t row) {
  const int from = std::max(0, model_.position_of(start));
  const int to = model_.position_of(row);
  if (to < 0) return;
  analysis::RowSet selection(rows().size());
  for (int position = std::min(from, to); position <= std::max(from, to); ++position)
    selection.set(model_.row_at(position));
  model_.select_in_place(std::move(selection));
}

void TrialSelection::select_shown() {
  analysis::RowSet selection(rows().size());
  for (const std::uint32_t row : model_.rows()) selection.set(static_cast<std::int64_t>(row));
  workspace_.set_selection(std::move(selection));
}

void TrialSelection::clear() { workspace_.set_selection(analysis::RowSet(rows().size())); }

}  // namespace kernelscape::views
