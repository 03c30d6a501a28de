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
  space::SearchSpace space = *space::SearchSpace::make(
      {*space::Knob::factorization("tile_oc", 64, 4), *space::Knob::permutation("order", {"ic", "oh", "oc"}),
       *space::Knob::ordinal("step", {std::int64_t{0}, std::int64_t{512}, std::int64_t{1500}}),
       *space::Knob::categorical("layout", {std::string("nchw"), std::string("3x3"), std::string("a \"b\"")}),
       *space::Knob::categorical("odd `name`", {false, true})});
  analysis::TrialColumns columns{space, 1e9, true};
  trial::Snapshot snapshot;

  Trials() {
    trial::Table table(space.knobs().size());
    for (std::uint32_t trial = 0; trial < 130; ++trial) {
      trial::Row row{.number = trial, .category = static_cast<trial::ErrorCategory>(trial % 9)};
      if (trial % 9 == 0) row.sample_count = 1;
      if (trial % 9 == 0) row.median_seconds = 1e-4 * (trial + 1);
      if (trial % 3 == 0) row.resources = trial::KernelResources{.registers = 32, .occupancy = 0.5};
      space::Configuration configuration;
      for (const space::Knob& knob : space.knobs()) configuration.indices.push_back(trial % knob.count());
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
  for (const analysis::Completion& offer : analysis::completions(text, size / 2, trials.columns))
    if (offer.position + offer.length > size) std::abort();
  const auto filter = analysis::Filter::parse(text, trials.columns);
  if (!filter) {
    if (filter.error().message.empty() || filter.error().position + filter.error().length > size)
      std::abort();
    return 0;
  }
  const auto again = analysis::Filter::parse(filter->text(), trials.columns);
  if (!again || again->text() != filter->text()) std::abort();
  const analysis::RowSet rows = filter->evaluate(trials.snapshot, trials.columns);
  if (again->evaluate(trials.snapshot, trials.columns) != rows) std::abort();
  return 0;
}
