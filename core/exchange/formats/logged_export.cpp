#include "core/exchange/formats/logged_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/exchange/formats/logged_results.h"
#include "core/exchange/formats/session_key.h"
#include "core/space/knob_json.h"
#include "core/trial/fields.h"

namespace kernelscape::exchange {

ScalarParameters::ScalarParameters(const space::SearchSpace& space) : space_(space) {
  std::set<std::string> used;
  for (const space::Knob& knob : space.knobs()) used.insert(knob.name());
  const auto add = [&](std::string name, bool own_name, Part part) {
    // A knob keeps its name if possible.
    const bool free = own_name && !is_kernel_tuner_member(name);
    while (!free && (is_kernel_tuner_member(name) || !used.insert(name).second)) name += "_";
    names_.push_back(std::move(name));
    parts_.push_back(part);
  };
  for (std::size_t i = 0; i < space.knobs().size(); ++i) {
    const space::Knob& knob = space.knobs()[i];
    if (knob.kind() != space::KnobKind::Factorization) {
      splits_ = splits_ || knob.kind() == space::KnobKind::Permutation;
      add(knob.name(), true, {i, 0});
      continue;
    }
    splits_ = true;
    for (int element = 0; element < knob.element_count(); ++element)
      add(fmt::format("{}_{}", knob.name(), element), false, {i, element});
  }
}

nlohmann::ordered_json ScalarParameters::value(const Part& part, std::uint32_t index) const {
  const space::Knob& knob = space_.knobs()[part.knob];
  switch (knob.kind()) {
    case space::KnobKind::Factorization:
      return knob.element(index, part.element);
    case space::KnobKind::Permutation:
      return knob.describe(index);
    case space::KnobKind::Ordinal:
    case space::KnobKind::Categorical:
      break;
  }
  return std::visit([](const auto& held) { return nlohmann::ordered_json(held); }, knob.value(index));
}

std::vector<nlohmann::ordered_json> ScalarParameters::values(std::size_t parameter) const {
  const Part& part = parts_[parameter];
  const space::Knob& knob = space_.knobs()[part.knob];
  std::vector<nlohmann::ordered_json> values;
  if (knob.kind() == space::KnobKind::Factorization) {
    std::set<std::int64_t> factors;
    for (std::uint32_t index = 0; index < knob.count(); ++index)
      factors.insert(knob.element(index, part.element));
    return {factors.begin(), factors.end()};
  }
  for (std::uint32_t index = 0; index < knob.count(); ++index) values.push_back(value(part, index));
  return values;
}

std::vector<nlohmann::ordered_json> ScalarParameters::of(const space::Configuration& configuration) const {
  std::vector<nlohmann::ordered_json> values;
  for (const Part& part : parts_) values.push_back(value(part, configuration.indices[part.knob]));
  return values;
}

Result<TrialNumbers> TrialNumbers::of(const ExportRequest& request, const store::SessionRecord& record) {
  TrialNumbers numbers;
  if (record.kind == store::SessionKind::Recorded) return numbers;
  for (const store::StoredSeries& value : TRY(request.store.series().of(request.session))) {
    auto column = std::ranges::find(numbers.columns_, value.series, &trial::RecordedColumn::name);
    if (column == numbers.columns_.end())
      column = numbers.columns_.insert(numbers.columns_.end(), {value.series, {}});
    const auto trial = static_cast<std::size_t>(value.trial);
    if (column->values.size() <= trial) column->values.resize(trial + 1, no_logged_value);
    column->values[trial] = value.value;
  }
  return numbers;
}

std::vector<std::pair<std::string, double>> TrialNumbers::of_trial(std::int64_t trial) const {
  std::vector<std::pair<std::string, double>> numbers;
  for (const trial::RecordedColumn& column : columns_) {
    const auto row = static_cast<std::size_t>(trial);
    if (row < column.values.size() && std::isfinite(column.values[row]))
      numbers.emplace_back(column.name, column.values[row]);
  }
  return numbers;
}

std::vector<LoggedNumber> resource_numbers(const trial::Measurement& measurement) {
  std::vector<LoggedNumber> numbers;
  trial::for_each_field<trial::gpu_fields>([&](auto field) {
    if constexpr (!field.facts.logged.empty())
      if (measurement.resources)
        numbers.push_back(
            {field.facts.logged,
             static_cast<double>(trial::value_in(field, *measurement.resources)) * field.facts.column->factor,
             field.facts.column->unit});
  });
  return numbers;
}

std::vector<LoggedNumber> metric_numbers(const trial::Measurement& measurement) {
  std::vector<LoggedNumber> numbers;
  for (const trial::Metric& metric : measurement.metrics)
    if (!is_kernel_tuner_member(metric.name) && !(measurement.resources && is_resource_number(metric.name)))
      numbers.push_back({metric.name, metric.value, metric.unit});
  return numbers;
}

bool is_resource_number(std::string_view name) {
  bool found = false;
  trial::for_each_field<trial::gpu_fields>(
      [&](auto field) { found = found || (!field.facts.logged.empty() && field.facts.logged == name); });
  return found;
}

void note_what_is_left_out(const ExportRequest& request, const ExportedSession& session) {
  if (!request.notices) return;
  if (ScalarParameters(session.space).splits_knobs())
    request.notices->emplace_back(
        "parameters in this format are scalars: factorizations become one for each factor, permutations "
        "become texts");
  request.notices->emplace_back(
      "messages of failures, build logs, batches and similar data are only in the member \"kernelscape\", "
      "which other programs ignore");
}

}  // namespace kernelscape::exchange
