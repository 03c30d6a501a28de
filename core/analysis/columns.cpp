#include "core/analysis/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace kernelscape {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t largest_exact = 1LL << 53;  // integers beyond it are not all doubles

using RowReader = double (*)(const TrialRow& row, double flops);

/** None for an error. Without a branch: errors come at random, and guessing them costs more than the rest. */
double timed(const TrialRow& row, double value) {
  const bool has_time =
      (row.category == ErrorCategory::NoError) & (row.sample_count > 0) & (row.median_seconds > 0);
  const std::array choices{none, value};
  return choices[has_time ? 1 : 0];
}

struct MeasuredColumn {
  Column column;
  RowReader read = nullptr;
};

std::vector<std::string> category_labels() {
  std::vector<std::string> labels;
  for (std::size_t code = 0; code < error_category_count; ++code)
    labels.emplace_back(to_string(static_cast<ErrorCategory>(code)));
  return labels;
}

/** What compilers leave unsaid is 0. */
double unless_zero(double value) { return value == 0 ? none : value; }

std::vector<std::string> limit_labels() {
  std::vector<std::string> labels;
  for (std::size_t limit = 1; limit < occupancy_limit_count; ++limit)
    labels.emplace_back(to_string(static_cast<OccupancyLimit>(limit)));
  return labels;
}

std::vector<MeasuredColumn> resource_columns() {
  constexpr double percent = 100;
  using Row = const TrialRow&;
  std::vector<MeasuredColumn> all;
  all.push_back({{.name = "registers", .title = "registers"}, [](Row row, double) {
                   return row.resources ? unless_zero(row.resources->registers) : none;
                 }});
  all.push_back({{.name = "spilled_bytes", .title = "spilled", .unit = "B"}, [](Row row, double) {
                   return row.resources ? static_cast<double>(row.resources->spilled_bytes) : none;
                 }});
  all.push_back({{.name = "shared_bytes", .title = "shared memory", .unit = "B"}, [](Row row, double) {
                   return row.resources ? static_cast<double>(row.resources->shared_bytes) : none;
                 }});
  all.push_back({{.name = "threads", .title = "threads", .logarithmic = true},
                 [](Row row, double) { return row.resources ? unless_zero(row.resources->threads) : none; }});
  all.push_back({{.name = "occupancy", .title = "occupancy", .unit = "%", .kind = ColumnKind::Real},
                 [](Row row, double) {
                   return row.resources ? unless_zero(row.resources->occupancy * percent) : none;
                 }});
  all.push_back(
      {{.name = "limited_by", .title = "limited by", .kind = ColumnKind::Label, .labels = limit_labels()},
       [](Row row, double) {
         return row.resources ? unless_zero(static_cast<double>(row.resources->limited_by)) - 1 : none;
       }});
  return all;
}

std::vector<MeasuredColumn> measured_columns(bool with_speed) {
  constexpr double ms_per_second = 1e3;
  const std::vector<std::string> truth{"false", "true"};
  using Row = const TrialRow&;
  std::vector<MeasuredColumn> all;
  all.push_back(
      {{.name = "trial", .title = "trial"}, [](Row row, double) { return static_cast<double>(row.number); }});
  all.push_back(
      {{.name = "batch", .title = "batch"}, [](Row row, double) { return static_cast<double>(row.batch); }});
  all.push_back({{.name = "error", .title = "error", .kind = ColumnKind::Label, .labels = category_labels()},
                 [](Row row, double) { return static_cast<double>(row.category); }});
  if (with_speed) {
    all.push_back({{.name = "gflops", .title = "GFLOPS", .kind = ColumnKind::Real},
                   [](Row row, double flops) { return timed(row, flops / row.median_seconds / 1e9); }});
  }
  const auto add_time = [&](std::string name, std::string title, RowReader read) {
    Column column{.name = std::move(name), .title = std::move(title), .unit = "ms", .kind = ColumnKind::Real};
    column.logarithmic = true;
    all.push_back({std::move(column), read});
  };
  add_time("ms", "median", [](Row row, double) { return timed(row, row.median_seconds * ms_per_second); });
  add_time("ms_q1", "first quartile",
           [](Row row, double) { return timed(row, row.first_quartile_seconds * ms_per_second); });
  add_time("ms_q3", "third quartile",
           [](Row row, double) { return timed(row, row.third_quartile_seconds * ms_per_second); });
  all.push_back({{.name = "samples", .title = "samples"},
                 [](Row row, double) { return static_cast<double>(row.sample_count); }});
  all.push_back({{.name = "samples_saved", .title = "saved"},
                 [](Row row, double) { return static_cast<double>(row.samples_saved); }});
  all.push_back({{.name = "build_s", .title = "build", .unit = "s", .kind = ColumnKind::Real},
                 [](Row row, double) { return row.build_seconds; }});
  all.push_back({{.name = "run_s", .title = "run", .unit = "s", .kind = ColumnKind::Real},
                 [](Row row, double) { return row.run_seconds; }});
  all.push_back({{.name = "finished_s", .title = "finished", .unit = "s", .kind = ColumnKind::Real},
                 [](Row row, double) { return row.finished_seconds; }});
  all.push_back({{.name = "cut_short", .title = "cut short", .kind = ColumnKind::Label, .labels = truth},
                 [](Row row, double) { return row.cut_short ? 1.0 : 0.0; }});
  return all;
}

bool suits_log_axis(const std::vector<double>& values) {
  const auto [least, most] = std::ranges::minmax(values);
  return least > 0 && most >= 8 * least;
}

bool is_exact_number(const KnobValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    return *integer >= -largest_exact && *integer <= largest_exact;
  return std::holds_alternative<double>(value);
}

double number_of(const KnobValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  return std::get<double>(value);
}

template <typename Predicate>
bool all_values(const Knob& knob, const Predicate& predicate) {
  for (std::uint32_t index = 0; index < knob.count(); ++index)
    if (!predicate(knob.value(index))) return false;
  return true;
}

/** Distinct, so that a label names one value: 1 and "1" may stand beside each other in a knob. */
std::vector<std::string> distinct_texts(const Knob& knob) {
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

/** Fills in kind and labels; returns the value per index. */
std::vector<double> whole_values(const Knob& knob, Column& column) {
  std::vector<double> values(knob.count());
  const bool listed = knob.kind() == KnobKind::Ordinal || knob.kind() == KnobKind::Categorical;
  const bool truths =
      listed && all_values(knob, [](const KnobValue& value) { return std::holds_alternative<bool>(value); });
  if (truths || (listed && all_values(knob, is_exact_number))) {
    for (std::uint32_t index = 0; index < knob.count(); ++index) values[index] = number_of(knob.value(index));
    if (truths) {
      column.kind = ColumnKind::Label;
      column.labels = {"false", "true"};
      return values;
    }
    const auto is_real = [](const KnobValue& value) { return std::holds_alternative<double>(value); };
    const bool integers = all_values(knob, [&](const KnobValue& value) { return !is_real(value); });
    column.kind = integers ? ColumnKind::Integer : ColumnKind::Real;
    column.logarithmic = suits_log_axis(values);
    return values;
  }
  column.kind = ColumnKind::Label;
  column.labels = distinct_texts(knob);
  for (std::uint32_t index = 0; index < knob.count(); ++index) values[index] = index;
  return values;
}

std::vector<double> factor_values(const Knob& knob, int factor) {
  std::vector<double> values(knob.count());
  for (std::uint32_t index = 0; index < knob.count(); ++index)
    values[index] = static_cast<double>(knob.element(index, factor));
  return values;
}

std::vector<double> item_positions(const Knob& knob, int item) {
  std::vector<double> values(knob.count());
  for (std::uint32_t index = 0; index < knob.count(); ++index) {
    const auto order = knob.row(index);
    values[index] = static_cast<double>(std::ranges::find(order, item) - order.begin());
  }
  return values;
}

/** At most four significant digits, but never a rounded integer part. */
std::string measured_text(double value) {
  const double magnitude = std::abs(value);
  return magnitude >= 1000 && magnitude < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace

struct TrialColumns::Data {
  double flops = 0;
  std::vector<Column> columns;
  std::vector<RowReader> readers;             ///< per column; null: of a knob
  std::vector<std::vector<double>> of_index;  ///< per column: the value per index of its knob
  std::map<std::string, std::size_t, std::less<>> by_name;
  std::vector<std::size_t> default_columns;  ///< per knob

  /** Returns its name, which a knob that is called like a column before it does not keep. */
  std::string add(Column column, RowReader reader, std::vector<double> values) {
    while (by_name.contains(column.name)) column.name = "knob." + column.name;
    by_name.emplace(column.name, columns.size());
    columns.push_back(std::move(column));
    readers.push_back(reader);
    of_index.push_back(std::move(values));
    return columns.back().name;
  }

  void add_knob(const Knob& knob, std::size_t position) {
    Column whole{.name = knob.name(), .title = knob.name(), .knob = position};
    std::vector<double> values = whole_values(knob, whole);
    default_columns.push_back(columns.size());
    const std::string name = add(std::move(whole), nullptr, std::move(values));
    const bool factors = knob.kind() == KnobKind::Factorization;
    if (!factors && knob.kind() != KnobKind::Permutation) return;
    default_columns.back() += factors ? static_cast<std::size_t>(knob.element_count()) : 1U;
    for (int element = 0; element < knob.element_count(); ++element) {
      const std::string which =
          factors ? fmt::format("{}", element) : knob.items()[static_cast<std::size_t>(element)];
      Column column{.name = fmt::format("{}[{}]", name, which),
                    .title = fmt::format("{}[{}]", knob.name(), which),
                    .logarithmic = factors,
                    .knob = position,
                    .element = element};
      add(std::move(column), nullptr, factors ? factor_values(knob, element) : item_positions(knob, element));
    }
  }
};

TrialColumns::TrialColumns(const SearchSpace& space, double flops, bool with_resources) {
  auto data = std::make_shared<Data>();
  data->flops = flops;
  std::vector<MeasuredColumn> all = measured_columns(flops > 0);
  if (with_resources) std::ranges::move(resource_columns(), std::back_inserter(all));
  for (MeasuredColumn& measured : all) data->add(std::move(measured.column), measured.read, {});
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob) data->add_knob(space.knobs()[knob], knob);
  data_ = std::move(data);
}

const std::vector<Column>& TrialColumns::columns() const { return data_->columns; }

std::optional<std::size_t> TrialColumns::find(std::string_view name) const {
  const auto found = data_->by_name.find(name);
  if (found == data_->by_name.end()) return std::nullopt;
  return found->second;
}

std::size_t TrialColumns::default_column(std::size_t knob) const { return data_->default_columns.at(knob); }

double TrialColumns::value(const TrialSnapshot& trials, std::int64_t row, std::size_t column) const {
  if (const RowReader read = data_->readers.at(column)) return read(trials.row(row), data_->flops);
  return data_->of_index[column].at(trials.knob_index(row, *data_->columns[column].knob));
}

std::vector<double> TrialColumns::values(const TrialSnapshot& trials, std::int64_t first, std::int64_t last,
                                         std::size_t column) const {
  std::vector<double> values(static_cast<std::size_t>(std::max<std::int64_t>(last - first, 0)));
  if (const RowReader read = data_->readers.at(column)) {
    for (double& value : values) value = read(trials.row(first++), data_->flops);
    return values;
  }
  const std::vector<double>& of_index = data_->of_index[column];
  const std::size_t knob = *data_->columns[column].knob;
  for (double& value : values) value = of_index.at(trials.knob_index(first++, knob));
  return values;
}

double TrialColumns::value_of_index(std::size_t column, std::uint32_t index) const {
  return data_->of_index.at(column).at(index);
}

std::string TrialColumns::text(const TrialSnapshot& trials, std::int64_t row, std::size_t column) const {
  const double value = this->value(trials, row, column);
  const Column& shown = data_->columns[column];
  if (std::isnan(value)) return {};
  if (shown.kind == ColumnKind::Label) return shown.labels[static_cast<std::size_t>(value)];
  if (shown.kind == ColumnKind::Integer) return fmt::format("{}", static_cast<std::int64_t>(value));
  return shown.knob ? fmt::format("{}", value) : measured_text(value);
}

}  // namespace kernelscape
