#include <algorithm>
#include <cmath>

#include "core/base/quantile.h"
#include "core/trial/fields.h"
#include "ui/models/trial_values.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape::report {
namespace {

std::vector<trial::Measured> numbers_of_kernels() {
  std::vector<trial::Measured> numbers;
  trial::for_each_field<trial::gpu_fields>([&](auto field) {
    if constexpr (std::is_arithmetic_v<typename decltype(field)::Value>)
      numbers.push_back(field.facts.column->measured);
  });
  return numbers;
}

/** Returns the known values of a column, ascending. */
std::vector<double> known_values(const workspace::SourceData& source, std::size_t column) {
  std::vector<double> values = source.columns().values(source.trials, 0, source.trials.size(), column);
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::ranges::sort(values);
  return values;
}

/**
 * Returns the limiting resources by number of kernels, most frequent first: "registers (120), threads (3)".
 */
QString limits_text(const workspace::SourceData& source) {
  const std::optional<std::size_t> column = source.columns().find(trial::Measured::LimitedBy);
  if (!column) return {};
  const analysis::Column& limits = source.columns().columns()[*column];
  std::vector<std::pair<std::int64_t, std::size_t>> counts;
  for (std::size_t label = 0; label < limits.labels.size(); ++label) counts.emplace_back(0, label);
  for (const double value : known_values(source, *column)) --counts[static_cast<std::size_t>(value)].first;
  std::ranges::sort(counts);
  QStringList parts;
  for (const auto& [negative, label] : counts)
    if (negative < 0)
      parts << QStringLiteral("%1 (%2)").arg(report_string(limits.labels.at(label)).replace(u'_', u' '),
                                             style::format_count(-negative));
  return parts.join(QStringLiteral(", "));
}

}  // namespace

void append_resources(Blocks& blocks, const ReportedSession& session) {
  const workspace::SourceData& source = *session.source;
  Table table;
  table.caption = QStringLiteral("Device resources of the built kernels");
  table.columns = {{QStringLiteral("per kernel")},
                   {QStringLiteral("least"), true},
                   {QStringLiteral("median"), true},
                   {QStringLiteral("most"), true},
                   {QStringLiteral("the best"), true}};
  const std::int64_t best = source.headline.row;
  for (const trial::Measured what : numbers_of_kernels()) {
    const std::optional<std::size_t> position = source.columns().find(what);
    if (!position) continue;
    const std::vector<double> values = known_values(source, *position);
    if (values.empty()) continue;
    const analysis::Column& column = source.columns().columns()[*position];
    table.rows.push_back(
        {models::column_title(column), models::shown_value(column, values.front()),
         models::shown_value(column, base::sorted_quantile(values, 0.5)),
         models::shown_value(column, values.back()),
         best == analysis::no_row
             ? style::no_number()
             : models::shown_value(column, source.columns().value(source.trials, best, *position))});
  }
  if (table.rows.empty()) return;
  blocks.emplace_back(Heading{2, QStringLiteral("Resources")});
  blocks.emplace_back(std::move(table));
  if (const QString limits = limits_text(source); !limits.isEmpty())
    blocks.emplace_back(
        Paragraph{QStringLiteral("Registers and spills are per thread, shared memory and threads per "
                                 "block. Limits of the theoretical occupancy: %1.")
                      .arg(limits),
                  Tone::Muted});
}

}  // namespace kernelscape::report
