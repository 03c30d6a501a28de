#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/filter/filter.h"
#include "core/analysis/filter/filter_completion.h"

using namespace kernelscape;

namespace {

/** One knob of each kind of column, with texts that need quotes, and a trial for each of some configurations.
 */
struct Trials {
  SearchSpace space = *SearchSpace::make(
      {*Knob::factorization("tile_oc", 64, 4), *Knob::permutation("order", {"ic", "oh", "oc"}),
       *Knob::ordinal("step", {std::int64_t{0}, std::int64_t{512}, std::int64_t{1500}}),
       *Knob::categorical("layout", {std::string("nchw"), std::string("3x3"), std::string("a \"b\"")}),
       *Knob::categorical("odd `name`", {false, true})});
  TrialColumns columns{space, 1e9, true};
  TrialSnapshot snapshot;

  Trials() {
    TrialTable table(space.knobs().size());
    for (std::uint32_t trial = 0; trial < 130; ++trial) {
      TrialRow row{.number = trial, .category = static_cast<ErrorCategory>(trial % 9)};
      if (trial % 9 == 0) row.sample_count = 1;
      if (trial % 9 == 0) row.median_seconds = 1e-4 * (trial + 1);
      if (trial % 3 == 0) row.resources = KernelResources{.registers = 32, .occupancy = 0.5};
      Configuration configuration;
      for (const Knob& knob : space.knobs()) configuration.indices.push_back(trial % knob.count());
      table.append(row, configuration);
    }
    snapshot = table.snapshot();
  }
};

}  // namespace

/** Any bytes give a filter or an error within the text; a filter's own text passes the same trials. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Trials trials;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const Completion& offer : completions(text, size / 2, trials.columns))
    if (offer.position + offer.length > size) std::abort();
  const auto filter = Filter::parse(text, trials.columns);
  if (!filter) {
    if (filter.error().message.empty() || filter.error().position + filter.error().length > size)
      std::abort();
    return 0;
  }
  const auto again = Filter::parse(filter->text(), trials.columns);
  if (!again || again->text() != filter->text()) std::abort();
  const RowSet rows = filter->evaluate(trials.snapshot, trials.columns);
  if (again->evaluate(trials.snapshot, trials.columns) != rows) std::abort();
  return 0;
}
