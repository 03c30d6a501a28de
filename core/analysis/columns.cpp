#include "core/analysis/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace kernelscape::analysis {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t largest_exact = 1LL << 53;  // larger integers are not exact as doubles
constexpr std::uint32_t max_listed_labels = 1U << 16;
constexpr std::size_t max_usual_metrics = 6;  // an imported file may have dozens

/** The work of a call, from which rates are derived; 0: unknown. */
struct CallWork {
  double flops = 0;
  double bytes = 0;
};

using RowReader = double (*)(const trial::Row& row, const CallWork& work);

/**
 * Returns NaN for an error. Written without a branch: errors occur at random, and mispredictions would
 * dominate the cost.
 */
double timed(const trial::Row& row, double value) {
  const bool has_time =
      (row.category == trial::ErrorCategory::NoError) & (row.sample_count > 0) & (row.median_seconds > 0);
  const std::array choices{none, value};
  return choices[has_time ? 1 : 0];
}

struct MeasuredColumn {
  Column column;
  RowReader read = nullptr;
};

/** The texts of an enum or of yes and no; none for a number. An unknown value has no label. */
template <typename Field>
std::vector<std::string> labels_of() {
  using Value = typename Field::Value;
  if constexpr (std::is_same_v<Value, bool>) return {"false", "true"};
  std::vector<std::string> labels;
  if constexpr (std::is_enum_v<Value>)
    for (std::size_t code = Field::facts.zero_is_unknown ? 1 : 0; code < trial::enumerator_count<Value>;
         ++code)
      labels.emplace_back(to_string(static_cast<Value>(code)));
  return labels;
}

template <typename Field>
constexpr ColumnKind kind_of() {
  using Value = typename Field::Value;
  if (std::is_same_v<Value, bool> || std::is_enum_v<Value> || std::is_same_v<Value, std::string>)
    return ColumnKind::Label;
  return std::is_same_v<Value, double> ? ColumnKind::Real : ColumnKind::Integer;
}

/** Returns NaN for a row without resources, and for 0 where it means that the value is not known. */
template <typename Field>
double read_field(const trial::Row& row, const CallWork&) {
  constexpr trial::ColumnFacts facts = *Field::facts.column;
  double value = 0;
  if constexpr (Field::of_resources) {
    if (!row.resources) return none;
    value = static_cast<double>((*row.resources).*Field::in_trial);
  } else if constexpr (Field::of_probe) {
    value = trial::probe_in(Field(), row);
  } else {
    value = static_cast<double>(row.*Field::in_row);
  }
  if constexpr (Field::facts.zero_is_unknown)
    if (value == 0) return none;
  if constexpr (Field::facts.zero_is_unknown && kind_of<Field>() == ColumnKind::Label) value -= 1;
  if constexpr (facts.factor != 1) value *= facts.factor;
  return facts.timed ? timed(row, value) : value;
}

/** Returns the machine's speed while the trial was measured, in percent of its usual speed. */
double machine_speed(const trial::Row& row, const CallWork&) {
  return row.machine.speed.known() ? 100 * row.machine.speed.lowest() : none;
}

/** Trials without a reading, such as failed builds, have a value only within a slow phase. */
double slow_phase(const trial::Row& row, const CallWork&) {
  if (row.machine.slow_phase) return 1;
  return row.machine.speed.known() ? 0 : none;
}

double gflops(const trial::Row& row, const CallWork& work) {
  return timed(row, work.flops / row.median_seconds / 1e9);
}

double gigabytes_per_second(const trial::Row& row, const CallWork& work) {
  return timed(row, work.bytes / row.median_seconds / 1e9);
}

template <typename Field>
MeasuredColumn column_of_field() {
  const trial::ColumnFacts& facts = *Field::facts.column;
  return {{.name = std::string(facts.name),
           .title = std::string(facts.title),
           .unit = std::string(facts.unit),
           .kind = kind_of<Field>(),
           .logarithmic = facts.logarithmic,
           .labels = labels_of<Field>(),
           .measured = facts.measured,
           .usual = facts.usual,
           .of_runs = facts.of_runs},
          read_field<Field>};
}

/** Names columns of the samples as such if they are shown beside an objective that is not their median. */
void name_objective(Column& column) {
  if (column.measured == trial::Measured::Milliseconds) column.title = "objective";
  if (column.measured == trial::Measured::FirstQuartile || column.measured == trial::Measured::ThirdQuartile)
    column.title = "sample " + column.title;
}

std::vector<MeasuredColumn> measured_columns(const CallWork& work, bool with_resources,
                                             const std::optional<std::vector<std::string>>& workers,
                                             bool own_objectives) {
  std::vector<MeasuredColumn> all;
  const auto add = [&](auto field) {
    using Field = decltype(field);
    if constexpr (Field::facts.column.has_value()) {
      const bool of_workers = Field::facts.column->measured == trial::Measured::Worker;
      if (of_workers && !workers) return;
      const trial::Measured what = Field::facts.column->measured;
      if (!own_objectives && (what == trial::Measured::Objective || what == trial::Measured::SampleMedian))
        return;
      all.push_back(column_of_field<Field>());
      if (own_objectives) name_objective(all.back().column);
      if (of_workers) all.back().column.labels = *workers;
    }
  };
  trial::for_each_field<trial::trial_fields>(add);
  if (with_resources) trial::for_each_field<trial::gpu_fields>(add);
  if (work.flops > 0)
    all.push_back({{.name = "gflops",
                    .title = "GFLOPS",
                    .kind = ColumnKind::Real,
                    .measured = trial::Measured::Gflops,
                    .usual = 1,
                    .of_runs = true},
                   gflops});
  std::ranges::sort(all, {}, [](const MeasuredColumn& column) { return *column.column.measured; });
  return all;
}

/** Returns the times of the speed probe and what is derived from them. */
std::vector<MeasuredColumn> machine_columns() {
  std::vector<MeasuredColumn> all;
  trial::for_each_field<trial::probe_fields>(
      [&](auto field) { all.push_back(column_of_field<decltype(field)>()); });
  all.push_back({{.name = "speed",
                  .title = "machine's speed",
                  .unit = "%",
                  .kind = ColumnKind::Real,
                  .measured = trial::Measured::Speed,
                  .usual = trial::place_of_knobs + 4,
                  .of_runs = true},
                 machine_speed});
  all.push_back({{.name = "slow_phase",
                  .title = "slow phase",
                  .kind = ColumnKind::Label,
                  .labels = {"false", "true"},
                  .measured = trial::Measured::SlowPhase,
                  .of_runs = true},
                 slow_phase});
  return all;
}

MeasuredColumn bandwidth_column() {
  return {{.name = "gbs",
           .title = "bandwidth",
           .unit = "GB/s",
           .kind = ColumnKind::Real,
           .measured = trial::Measured::Bandwidth,
           .of_runs = true},
          gigabytes_per_second};
}

bool suits_log_axis(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return least > 0 && most >= 8 * least;
}

bool is_exact_number(const space::KnobValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return *integer >= -largest_exact && *integer <= largest_exact;
  return std::holds_alternative<double>(value);
}

double number_of(const space::KnobValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  return std::get<double>(value);
}

template <typename Predicate>
bool all_values(const space::Knob& knob, const Predicate& predicate) {
  for (std::uint32_t index = 0; index < knob.count(); ++index)
    if (!predicate(knob.value(index))) return false;
  return true;
}

/** Returns distinct texts, so that a label identifies one value: a knob may have both 1 and "1". */
std::vector<std::string> distinct_texts(const space::Knob& knob) {
  std::vector<std::string> texts;
  std::set<std::string> taken;
  for (std::uint32_t index = 0; index < knob.count(); ++index) {
    const std::string plain = knob.describe(index);
    std::string text = plain;
    for (int copy = 2; !taken.insert(text).second; ++copy) text = fmt::format("{} ({})", plain, copy);
    texts.push_back(std::move(text));
  }
  return texts;
}

/** Sets kind and labels; returns the value per index, or nothing if the value is the index itself. */
std::vector<double> whole_values(const space::SearchSpace& space, std::size_t position, Column& column) {
  const space::Knob& knob = space.knobs()[position];
  const bool listed = knob.kind() == space::KnobKind::Ordinal || knob.kind() == space::KnobKind::Categorical;
  const bool truths = listed && all_values(knob, [](const space::KnobValue& value) {
                        return std::holds_alternative<bool>(value);
                      });
  if (truths || (listed && all_values(knob, is_exact_number))) {
    std::vector<double> values(knob.count());
    for (std::uint32_t index = 0; index < knob.count(); ++index) values[index] = number_of(knob.value(index));
    if (truths) {
      column.kind = ColumnKind::Label;
      column.labels = {"false", "true"};
      return values;
    }
    const auto is_real = [](const space::KnobValue& value) { return std::holds_alternative<double>(value); };
    const bool integers = all_values(knob, [&](const space::KnobValue& value) { return !is_real(value); });
    column.kind = integers ? ColumnKind::Integer : ColumnKind::Real;
    column.logarithmic = suits_log_axis(values);
    return values;
  }
  column.kind = ColumnKind::Label;
  // Texts of tuples are distinct already.
  const bool made = !listed && knob.count() > max_listed_labels;
  column.labels = made ? ColumnLabels(space, position) : ColumnLabels(distinct_texts(knob));
  return {};
}

std::vector<double> factor_values(const space::Knob& knob, int factor) {
  std::vector<double> values(knob.count());
  for (std::uint32_t index = 0; index < knob.count(); ++index)
    values[index] = static_cast<double>(knob.element(index, factor));
  return values;
}

double item_position(const space::Knob& knob, std::uint32_t index, int item) {
  const space::KnobRow order = knob.row(index);
  return static_cast<double>(std::ranges::find(order, item) - order.begin());
}

/** Formats with at most four significant digits, but never rounds the integer part. */
std::string measured_text(double value) {
  const double magnitude = std::abs(value);
  return magnitude >= 1000 && magnitude < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace

struct TrialColumns::Data {
  Data(space::SearchSpace of_trials, const CallWork& of_call) : space(std::move(of_trials)), work(of_call) {}

  space::SearchSpace space;
  CallWork work;
  std::vector<Column> columns;
  std::vector<RowReader> readers;  ///< per column; null: of a knob or a metric
  /** Per column: the value per index of its knob; empty if it is the index, or an item's position. */
  std::vector<std::vector<double>> of_index;
  std::map<std::string, std::size_t, std::less<>> by_name;
  std::vector<std::size_t> default_columns;  ///< per knob

  /** Returns the column's name, which gets the prefix if an earlier column has the name. */
  std::string add(Column column, RowReader reader, std::vector<double> values,
                  std::string_view prefix = "knob.") {
    while (by_name.contains(column.name)) column.name.insert(0, prefix);
    by_name.emplace(column.name, columns.size());
    columns.push_back(std::move(column));
    readers.push_back(reader);
    of_index.push_back(std::move(values));
    return columns.back().name;
  }

  double value_of_index(std::size_t position, std::uint32_t index) const {
    if (const std::vector<double>& listed = of_index[position]; !listed.empty()) return listed.at(index);
    const Column& column = columns[position];
    const space::Knob& knob = space.knobs()[*column.knob];
    if (index >= knob.count()) throw std::out_of_range("the knob has no such index");
    return column.element < 0 ? index : item_position(knob, index, column.element);
  }

  void add_metric(std::size_t position, const trial::MetricName& metric) {
    add({.name = metric.name,
         .title = metric.name,
         .unit = metric.unit,
         .kind = ColumnKind::Real,
         .metric = position,
         .usual = position < max_usual_metrics ? trial::place_of_metrics : trial::nowhere},
        nullptr, {}, "metric.");
  }

  /** Returns the value of a column that is not a knob's. */
  double measured_value(const trial::Snapshot& trials, std::int64_t row, std::size_t position) const {
    if (const auto& metric = columns[position].metric) return trials.metric(row, *metric);
    return readers[position](trials.row(row), work);
  }

  void add_knob(std::size_t position) {
    const space::Knob& knob = space.knobs()[position];
    Column whole{.name = knob.name(), .title = knob.name(), .knob = position, .usual = trial::place_of_knobs};
    std::vector<double> values = whole_values(space, position, whole);
    default_columns.push_back(columns.size());
    const std::string name = add(std::move(whole), nullptr, std::move(values));
    const bool factors = knob.kind() == space::KnobKind::Factorization;
    if (!factors && knob.kind() != space::KnobKind::Permutation) return;
    default_columns.back() += factors ? static_cast<std::size_t>(knob.element_count()) : 1U;
    for (int element = 0; element < knob.element_count(); ++element) {
      const std::string which =
          factors ? fmt::format("{}", element) : knob.items()[static_cast<std::size_t>(element)];
      Column column{.name = fmt::format("{}[{}]", name, which),
                    .title = fmt::format("{}[{}]", knob.name(), which),
                    .logarithmic = factors,
                    .knob = position,
                    .element = element};
      add(std::move(column), nullptr, factors ? factor_values(knob, element) : std::vector<double>());
    }
  }
};

TrialColumns::TrialColumns(const space::SearchSpace& space, double flops, bool with_resources,
                           const std::optional<std::vector<std::string>>& workers, bool own_objectives,
                           bool with_probes, const std::vector<trial::MetricName>& metrics, double bytes) {
  auto data = std::make_shared<Data>(space, CallWork{flops, bytes});
  for (MeasuredColumn& measured : measured_columns(data->work, with_resources, workers, own_objectives))
    data->add(std::move(measured.column), measured.read, {});
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob) data->add_knob(knob);
  if (bytes > 0) {
    MeasuredColumn bandwidth = bandwidth_column();
    data->add(std::move(bandwidth.column), bandwidth.read, {}, "machine.");
  }
  if (with_probes)
    for (MeasuredColumn& measured : machine_columns())
      data->add(std::move(measured.column), measured.read, {}, "machine.");
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) data->add_metric(metric, metrics[metric]);
  data_ = std::move(data);
}

const std::vector<Column>& TrialColumns::columns() const { return data_->columns; }

std::vector<std::size_t> TrialColumns::usual_columns(bool with_runs) const {
  std::vector<std::size_t> usual;
  for (std::size_t position = 0; position < columns().size(); ++position) {
    const Column& column = columns()[position];
    if (column.usual != trial::nowhere && (with_runs || !column.of_runs)) usual.push_back(position);
  }
  std::ranges::stable_sort(usual, {}, [&](std::size_t position) { return columns()[position].usual; });
  return usual;
}

std::optional<std::size_t> TrialColumns::find(std::string_view name) const {
  const auto found = data_->by_name.find(name);
  if (found == data_->by_name.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> TrialColumns::find(trial::Measured what) const {
  const auto found = std::ranges::find(data_->columns, what, &Column::measured);
  if (found == data_->columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - data_->columns.begin());
}

std::size_t TrialColumns::default_column(std::size_t knob) const { return data_->default_columns.at(knob); }

double TrialColumns::value(const trial::Snapshot& trials, std::int64_t row, std::size_t column) const {
  const std::optional<std::size_t> knob = data_->columns.at(column).knob;
  if (!knob) return data_->measured_value(trials, row, column);
  return data_->value_of_index(column, trials.knob_index(row, *knob));
}

std::vector<double> TrialColumns::values(const trial::Snapshot& trials, std::int64_t first, std::int64_t last,
                                         std::size_t column) const {
  std::vector<double> values(static_cast<std::size_t>(std::max<std::int64_t>(last - first, 0)));
  const std::optional<std::size_t> knob = data_->columns.at(column).knob;
  if (!knob) {
    for (double& value : values) value = data_->measured_value(trials, first++, column);
    return values;
  }
  for (double& value : values) value = data_->value_of_index(column, trials.knob_index(first++, *knob));
  return values;
}

double TrialColumns::value_of_index(std::size_t column, std::uint32_t index) const {
  return data_->value_of_index(column, index);
}

std::vector<double> TrialColumns::values_of_knob(std::size_t column, std::size_t most) const {
  const Column& asked = data_->columns.at(column);
  if (!asked.knob || asked.kind == ColumnKind::Label) return {};
  const std::uint32_t count = data_->space.knobs()[*asked.knob].count();
  if (count > most) return {};
  std::vector<double> values;
  for (std::uint32_t index = 0; index < count; ++index) values.push_back(value_of_index(column, index));
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return values;
}

std::string TrialColumns::text(const trial::Snapshot& trials, std::int64_t row, std::size_t column) const {
  const double value = this->value(trials, row, column);
  const Column& shown = data_->columns[column];
  if (std::isnan(value)) return {};
  if (shown.kind == ColumnKind::Label) return shown.labels.at(static_cast<std::size_t>(value));
  if (shown.kind == ColumnKind::Integer) return fmt::format("{}", static_cast<std::int64_t>(value));
  return shown.knob ? fmt::format("{}", value) : measured_text(value);
}

}  // namespace kernelscape::analysis
