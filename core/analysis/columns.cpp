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
#include <stdexcept>
#include <utility>

namespace kernelscape {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t largest_exact = 1LL << 53;  // integers beyond it are not all doubles
constexpr std::uint32_t most_listed_labels = 1U << 16;

using RowReader = double (*)(const TrialRow& row, double flops);

/** None for an error. Without a branch: errors come at random, and guessing them costs more than the rest. */
double timed(const TrialRow& row, double value) {
  const bool has_time =
      (row.category == ErrorCategory::NoError) & (row.sample_count > 0) & (row.median_seconds > 0);
  const std::array choices{none, value};
  return choices[has_time ? 1 : 0];
}

struct MeasuredColumn {
  Measured what = Measured::Trial;
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

/** A member of the row as it is. */
template <auto member>
double number(const TrialRow& row, double) {
  return static_cast<double>(row.*member);
}

/** Of a row that has no resources: none. */
template <auto member, int factor = 1>
double resource(const TrialRow& row, double) {
  return row.resources ? factor * static_cast<double>((*row.resources).*member) : none;
}

template <auto member, int factor = 1>
double known_resource(const TrialRow& row, double flops) {
  return unless_zero(resource<member, factor>(row, flops));
}

template <auto member>
double milliseconds(const TrialRow& row, double) {
  return timed(row, row.*member * 1e3);
}

double gflops(const TrialRow& row, double flops) { return timed(row, flops / row.median_seconds / 1e9); }

std::vector<MeasuredColumn> resource_columns() {
  using enum Measured;
  using Kernel = KernelResources;
  return {
      {Registers, {.name = "registers", .title = "registers"}, known_resource<&Kernel::registers>},
      {SpilledBytes,
       {.name = "spilled_bytes", .title = "spilled", .unit = "B"},
       resource<&Kernel::spilled_bytes>},
      {SharedBytes,
       {.name = "shared_bytes", .title = "shared memory", .unit = "B"},
       resource<&Kernel::shared_bytes>},
      {Threads,
       {.name = "threads", .title = "threads", .logarithmic = true},
       known_resource<&Kernel::threads>},
      {Occupancy,
       {.name = "occupancy", .title = "occupancy", .unit = "%", .kind = ColumnKind::Real},
       known_resource<&Kernel::occupancy, 100>},
      {LimitedBy,
       {.name = "limited_by", .title = "limited by", .kind = ColumnKind::Label, .labels = limit_labels()},
       [](const TrialRow& row, double flops) { return known_resource<&Kernel::limited_by>(row, flops) - 1; }},
  };
}

std::vector<MeasuredColumn> measured_columns(bool with_speed) {
  using enum Measured;
  using Row = TrialRow;
  const auto real = [](std::string name, std::string title, std::string unit) {
    return Column{.name = std::move(name),
                  .title = std::move(title),
                  .unit = std::move(unit),
                  .kind = ColumnKind::Real};
  };
  const auto time = [&](std::string name, std::string title) {
    Column column = real(std::move(name), std::move(title), "ms");
    column.logarithmic = true;
    return column;
  };
  std::vector<MeasuredColumn> all{
      {Trial, {.name = "trial", .title = "trial"}, number<&Row::number>},
      {Batch, {.name = "batch", .title = "batch"}, number<&Row::batch>},
      {Error,
       {.name = "error", .title = "error", .kind = ColumnKind::Label, .labels = category_labels()},
       number<&Row::category>},
      {Gflops, real("gflops", "GFLOPS", ""), gflops},
      {Milliseconds, time("ms", "median"), milliseconds<&Row::median_seconds>},
      {FirstQuartile, time("ms_q1", "first quartile"), milliseconds<&Row::first_quartile_seconds>},
      {ThirdQuartile, time("ms_q3", "third quartile"), milliseconds<&Row::third_quartile_seconds>},
      {Samples, {.name = "samples", .title = "samples"}, number<&Row::sample_count>},
      {SamplesSaved, {.name = "samples_saved", .title = "saved"}, number<&Row::samples_saved>},
      {BuildSeconds, real("build_s", "build", "s"), number<&Row::build_seconds>},
      {RunSeconds, real("run_s", "run", "s"), number<&Row::run_seconds>},
      {FinishedSeconds, real("finished_s", "finished", "s"), number<&Row::finished_seconds>},
      {CutShort,
       {.name = "cut_short", .title = "cut short", .kind = ColumnKind::Label, .labels = {"false", "true"}},
       number<&Row::cut_short>},
  };
  if (!with_speed) std::erase_if(all, [](const MeasuredColumn& column) { return column.what == Gflops; });
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

/** Fills in kind and labels; returns the value per index, nothing where that is the index itself. */
std::vector<double> whole_values(const SearchSpace& space, std::size_t position, Column& column) {
  const Knob& knob = space.knobs()[position];
  const bool listed = knob.kind() == KnobKind::Ordinal || knob.kind() == KnobKind::Categorical;
  const bool truths =
      listed && all_values(knob, [](const KnobValue& value) { return std::holds_alternative<bool>(value); });
  if (truths || (listed && all_values(knob, is_exact_number))) {
    std::vector<double> values(knob.count());
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
  // Tuples tell themselves apart.
  const bool made = !listed && knob.count() > most_listed_labels;
  column.labels = made ? ColumnLabels(space, position) : ColumnLabels(distinct_texts(knob));
  return {};
}

std::vector<double> factor_values(const Knob& knob, int factor) {
  std::vector<double> values(knob.count());
  for (std::uint32_t index = 0; index < knob.count(); ++index)
    values[index] = static_cast<double>(knob.element(index, factor));
  return values;
}

double item_position(const Knob& knob, std::uint32_t index, int item) {
  const KnobRow order = knob.row(index);
  return static_cast<double>(std::ranges::find(order, item) - order.begin());
}

/** At most four significant digits, but never a rounded integer part. */
std::string measured_text(double value) {
  const double magnitude = std::abs(value);
  return magnitude >= 1000 && magnitude < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

}  // namespace

struct TrialColumns::Data {
  Data(SearchSpace of_trials, double task_flops) : space(std::move(of_trials)), flops(task_flops) {}

  SearchSpace space;
  double flops = 0;
  std::vector<Column> columns;
  std::vector<RowReader> readers;  ///< per column; null: of a knob
  /** Per column: the value per index of its knob; empty where it is the index, or an item's position. */
  std::vector<std::vector<double>> of_index;
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

  double value_of_index(std::size_t position, std::uint32_t index) const {
    if (const std::vector<double>& listed = of_index[position]; !listed.empty()) return listed.at(index);
    const Column& column = columns[position];
    const Knob& knob = space.knobs()[*column.knob];
    if (index >= knob.count()) throw std::out_of_range("an index that the knob does not have");
    return column.element < 0 ? index : item_position(knob, index, column.element);
  }

  void add_knob(std::size_t position) {
    const Knob& knob = space.knobs()[position];
    Column whole{.name = knob.name(), .title = knob.name(), .knob = position};
    std::vector<double> values = whole_values(space, position, whole);
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
      add(std::move(column), nullptr, factors ? factor_values(knob, element) : std::vector<double>());
    }
  }
};

TrialColumns::TrialColumns(const SearchSpace& space, double flops, bool with_resources) {
  auto data = std::make_shared<Data>(space, flops);
  std::vector<MeasuredColumn> all = measured_columns(flops > 0);
  if (with_resources) std::ranges::move(resource_columns(), std::back_inserter(all));
  for (MeasuredColumn& measured : all) {
    measured.column.measured = measured.what;
    data->add(std::move(measured.column), measured.read, {});
  }
  for (std::size_t knob = 0; knob < space.knobs().size(); ++knob) data->add_knob(knob);
  data_ = std::move(data);
}

const std::vector<Column>& TrialColumns::columns() const { return data_->columns; }

std::optional<std::size_t> TrialColumns::find(std::string_view name) const {
  const auto found = data_->by_name.find(name);
  if (found == data_->by_name.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> TrialColumns::find(Measured what) const {
  const auto found = std::ranges::find(data_->columns, what, &Column::measured);
  if (found == data_->columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - data_->columns.begin());
}

std::size_t TrialColumns::default_column(std::size_t knob) const { return data_->default_columns.at(knob); }

double TrialColumns::value(const TrialSnapshot& trials, std::int64_t row, std::size_t column) const {
  if (const RowReader read = data_->readers.at(column)) return read(trials.row(row), data_->flops);
  return data_->value_of_index(column, trials.knob_index(row, *data_->columns[column].knob));
}

std::vector<double> TrialColumns::values(const TrialSnapshot& trials, std::int64_t first, std::int64_t last,
                                         std::size_t column) const {
  std::vector<double> values(static_cast<std::size_t>(std::max<std::int64_t>(last - first, 0)));
  if (const RowReader read = data_->readers.at(column)) {
    for (double& value : values) value = read(trials.row(first++), data_->flops);
    return values;
  }
  const std::size_t knob = *data_->columns[column].knob;
  for (double& value : values) value = data_->value_of_index(column, trials.knob_index(first++, knob));
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

std::string TrialColumns::text(const TrialSnapshot& trials, std::int64_t row, std::size_t column) const {
  const double value = this->value(trials, row, column);
  const Column& shown = data_->columns[column];
  if (std::isnan(value)) return {};
  if (shown.kind == ColumnKind::Label) return shown.labels.at(static_cast<std::size_t>(value));
  if (shown.kind == ColumnKind::Integer) return fmt::format("{}", static_cast<std::int64_t>(value));
  return shown.knob ? fmt::format("{}", value) : measured_text(value);
}

}  // namespace kernelscape
