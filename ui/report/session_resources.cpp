#include <algorithm>
#include <cmath>

#include "core/base/quantile.h"
#include "core/trial/trial_fields.h"
#include "ui/models/trial_values.h"
#include "ui/report/reported_session.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

std::vector<Measured> numbers_of_kernels() {
  std::vector<Measured> numbers;
  for_each_field<gpu_fields>([&](auto field) {
    if constexpr (std::is_arithmetic_v<typename decltype(field)::Value>)
      numbers.push_back(field.facts.column->measured);
  });
  return numbers;
}

/** Returns the known values of a column, ascending. */
std::vector<double> known_values(const SourceData& source, std::size_t column) {
  std::vector<double> values = source.columns().values(source.trials, 0, source.trials.size(), column);
  std::erase_if(values, [](double value) { return std::isnan(value); });
  std::ranges::sort(values);
  return values;
}

/**
 * Returns the limiting resources by number of kernels, most frequent first: "registers (120), threads (3)".
 */
QString limits_text(const SourceData& source) {
  const std::optional<std::size_t> column = source.columns().find(Measured::LimitedBy);
  if (!column) return {};
  const Column& limits = source.columns().columns()[*column];
  std::vector<std::pair<std::int64_t, std::size_t>> counts;
  for (std::size_t label = 0; label < limits.labels.size(); ++label) counts.emplace_back(0, label);
  for (const double value : known_values(source, *column)) --counts[static_cast<std::size_t>(value)].first;
  std::ranges::sort(counts);
  QStringList parts;
  for (const auto& [negative, label] : counts)
    if (negative < 0)
      parts << QStringLiteral("%1 (%2)").arg(report_string(limits.labels.at(label)).replace(u'_', u' '),
                                             format_count(-negative));
  return parts.join(QStringLiteral(", "));
}

}  // namespace

void append_resources(ReportBlocks& blocks, const ReportedSession& session) {
  const SourceData& source = *session.source;
  ReportTable table;
  table.caption = QStringLiteral("Device resources of the built kernels");
  table.columns = {{QStringLiteral("per kernel")},
                   {QStringLiteral("least"), true},
                   {QStringLiteral("median"), true},
                   {QStringLiteral("most"), true},
                   {QStringLiteral("the best"), true}};
  const std::int64_t best = source.headline.row;
  for (const Measured what : numbers_of_kernels()) {
    const std::optional<std::size_t> position = source.columns().find(what);
    if (!position) continue;
    const std::vector<double> values = known_values(source, *position);
    if (values.empty()) continue;
    const Column& column = source.columns().columns()[*position];
    table.rows.push_back(
        {column_title(column), shown_value(column, values.front()),
         shown_value(column, sorted_quantile(values, 0.5)), shown_value(column, values.back()),
         best == no_row ? no_number()
                        : shown_value(column, source.columns().value(source.trials, best, *position))});
  }
  if (table.rows.empty()) return;
  blocks.emplace_back(ReportHeading{2, QStringLiteral("Resources")});
  blocks.emplace_back(std::move(table));
  if (const QString limits = limits_text(source); !limits.isEmpty())
    blocks.emplace_back(
        ReportParagraph{QStringLiteral("Registers and spills are per thread, shared memory and threads per "
                                       "block. Limits of the theoretical occupancy: %1.")
                            .arg(limits),
                        ReportTone::Muted});
}

}  // namespace kernelscape
