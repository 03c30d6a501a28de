#include "ui/models/trial_values.h"

#include <QCoreApplication>
#include <cmath>

#include "ui/style/numbers.h"

namespace kernelscape::models {
namespace {

constexpr int all_digits = 10;

QString value_text(const char* text) { return QCoreApplication::translate("TrialValues", text); }

QString label_of(const analysis::Column& column, double value) {
  return QString::fromStdString(column.labels.at(static_cast<std::size_t>(value)));
}

}  // namespace

QString column_title(const analysis::Column& column) {
  const QString title = QString::fromStdString(column.title);
  return column.unit.empty() ? title
                             : QStringLiteral("%1 (%2)").arg(title, QString::fromStdString(column.unit));
}

QString column_help(const analysis::Column& column) {
  QString help = column_title(column);
  if (column.name != column.title)
    help += QLatin1Char('\n') + value_text("name in filters: %1").arg(QString::fromStdString(column.name));
  return help;
}

QString shown_value(const analysis::Column& column, double value) {
  if (std::isnan(value)) return style::no_number();
  if (column.kind == analysis::ColumnKind::Label) return label_of(column, value);
  if (column.kind == analysis::ColumnKind::Integer)
    return style::format_count(static_cast<std::int64_t>(value));
  return style::format_number(value);
}

QString full_value(const analysis::Column& column, double value) {
  if (std::isnan(value)) return value_text("none");
  if (column.kind != analysis::ColumnKind::Real) return shown_value(column, value);
  const QString number = style::format_number(value, all_digits);
  return column.unit.empty() ? number : number + QLatin1Char(' ') + QString::fromStdString(column.unit);
}

QString spilled_text(const trial::KernelResources& resources) {
  return resources.spills() ? style::format_bytes(static_cast<double>(resources.spilled_bytes))
                            : value_text("nothing");
}

}  // namespace kernelscape::models
