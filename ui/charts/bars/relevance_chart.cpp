#include "ui/charts/bars/relevance_chart.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/chart_looks.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

constexpr double most_row_height = 28;
constexpr double most_thickness = 16;
constexpr std::size_t summarised_columns = 3;

QString name_of(const ColumnRelevance& column) { return QString::fromStdString(column.column); }

}  // namespace

struct RelevanceChart::Layout {
  QRectF bars;  ///< from zero to all of the similarity
  double row_height = 1;
  std::size_t shown = 0;
  double heading_y = 0;

  double middle(std::size_t bar) const { return bars.top() + (static_cast<double>(bar) + 0.5) * row_height; }
};

RelevanceChart::RelevanceChart(QWidget* parent) : Chart(parent) { set_title(tr("What matters so far")); }

void RelevanceChart::set_data(RelevanceData data) {
  if (data == data_) return;
  const auto read = readout() ? bar_at(readout()->position) : std::nullopt;
  const std::string column = read ? data_.columns[*read].column : std::string();
  data_ = std::move(data);
  set_title(tr("What matters so far"),
            data_.trial < 0 ? QString() : tr("to the model of trial %1").arg(format_count(data_.trial)));
  invalidate();
  // The column's bar may have gone to another place.
  const auto bar = static_cast<std::size_t>(
      std::ranges::find(data_.columns, column, &ColumnRelevance::column) - data_.columns.begin());
  set_readout(bar < layout_of(body_rect()).shown ? std::optional(readout_of(bar)) : std::nullopt);
}

RelevanceChart::Layout RelevanceChart::layout_of(const QRectF& area) const {
  Layout layout;
  const double line = text_height(TextSize::Small);
  double labels = 0;
  for (const ColumnRelevance& column : data_.columns)
    labels = std::max(labels, text_width(name_of(column), TextSize::Small));
  labels = std::min(labels, area.width() * bar_label_share);
  const double value_width = text_width(QStringLiteral("00.0 %"), TextSize::Small) + 8;
  layout.heading_y = area.top() + line / 2;
  layout.bars = QRectF(QPointF(std::round(area.left() + labels + 8), area.top() + line + 4),
                       QPointF(area.right() - value_width, area.bottom() - line - 6));
  const auto count = static_cast<double>(std::max<std::size_t>(1, data_.columns.size()));
  layout.row_height = std::clamp(layout.bars.height() / count, line + 1, most_row_height);
  const double room = std::max(0.0, layout.bars.height() / layout.row_height + 0.01);
  layout.shown = std::min(data_.columns.size(), static_cast<std::size_t>(room));
  return layout;
}

void RelevanceChart::paint_chart(Canvas& canvas, const QRectF& area) {
  const Layout layout = layout_of(area);
  const double line = text_height(TextSize::Small);
  const double bottom = layout.bars.top() + layout.row_height * static_cast<double>(layout.shown);
  canvas.text({area.left(), layout.heading_y},
              elided(tr("similarity lost across the whole range"), TextSize::Small, area.width()),
              {.ink = text_ink()});
  for (std::size_t bar = 0; bar < layout.shown; ++bar) paint_bar(canvas, area, layout, bar);
  canvas.line(layout.bars.topLeft(), {layout.bars.left(), bottom}, {hairline_ink(), 1, {}});
  if (layout.shown == data_.columns.size()) return;
  const ColumnRelevance& hidden = data_.columns[layout.shown];
  const auto rest = static_cast<std::int64_t>(data_.columns.size() - layout.shown);
  canvas.text({area.left(), area.bottom() - line / 2},
              elided(tr("%1 more, each at most %2").arg(format_count(rest), format_percent(hidden.share)),
                     TextSize::Small, area.width()),
              {.ink = muted_ink()});
}

void RelevanceChart::paint_bar(Canvas& canvas, const QRectF& area, const Layout& layout,
                               std::size_t bar) const {
  const ColumnRelevance& column = data_.columns[bar];
  const double middle = layout.middle(bar);
  const double thickness = std::min(most_thickness, layout.row_height - 4);
  const QRectF where(layout.bars.left(), middle - thickness / 2, column.share * layout.bars.width(),
                     thickness);
  canvas.rect(where, accent_ink());
  canvas.text({layout.bars.left() - 6, middle},
              elided(name_of(column), TextSize::Small, layout.bars.left() - area.left() - 6),
              {.ink = text_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter});
  canvas.text({where.right() + 5, middle}, format_percent(column.share), {.ink = muted_ink()});
}

std::optional<std::size_t> RelevanceChart::bar_at(QPointF position) const {
  const Layout layout = layout_of(body_rect());
  if (position.y() < layout.bars.top()) return std::nullopt;
  const auto bar = static_cast<std::size_t>((position.y() - layout.bars.top()) / layout.row_height);
  return bar < layout.shown ? std::optional(bar) : std::nullopt;
}

bool RelevanceChart::has_other_column_of(std::size_t bar) const {
  return std::ranges::count(data_.columns, data_.columns[bar].knob, &ColumnRelevance::knob) > 1;
}

Readout RelevanceChart::readout_of(std::size_t bar) const {
  const Layout layout = layout_of(body_rect());
  const ColumnRelevance& column = data_.columns[bar];
  const QPointF position(layout.bars.left() + column.share * layout.bars.width(), layout.middle(bar));
  Readout readout{position,
                  {tr("%1: lengthscale %2").arg(name_of(column), format_number(column.lengthscale, 3))}};
  readout.lines.append(tr("a move across its whole range"));
  readout.lines.append(tr("takes away %1 of the similarity").arg(format_percent(column.share)));
  if (has_other_column_of(bar))
    readout.lines.append(tr("all columns of %1 together: %2")
                             .arg(QString::fromStdString(column.knob), format_percent(column.knob_share)));
  return readout;
}

std::optional<Readout> RelevanceChart::readout_at(QPointF position) const {
  const auto bar = bar_at(position);
  return bar ? std::optional(readout_of(*bar)) : std::nullopt;
}

std::optional<Readout> RelevanceChart::step_readout(const std::optional<Readout>& from,
                                                    Qt::Key direction) const {
  const std::size_t shown = layout_of(body_rect()).shown;
  if (shown == 0) return std::nullopt;
  const auto bar = from ? bar_at(from->position) : std::nullopt;
  if (!bar) return readout_of(0);
  const bool back = direction == Qt::Key_Up || direction == Qt::Key_Left;
  if ((back && *bar == 0) || (!back && *bar + 1 >= shown)) return std::nullopt;
  return readout_of(back ? *bar - 1 : *bar + 1);
}

void RelevanceChart::activate(const Readout& readout) {
  if (const auto bar = bar_at(readout.position)) emit column_activated(name_of(data_.columns[*bar]));
}

ChartTable RelevanceChart::table() const {
  ChartTable table{{"column", "knob", "lengthscale (ranges)", "similarity taken away", "by the whole knob"},
                   {}};
  for (const ColumnRelevance& column : data_.columns)
    table.rows.push_back({column.column, column.knob, column.lengthscale, column.share, column.knob_share});
  return table;
}

QString RelevanceChart::explanation() const {
  return tr(
      "Which columns of the space matter to the tuner's Gaussian process. It takes two configurations to "
      "perform the more alike the nearer they are, and learns for each column how near is near: the "
      "lengthscale, in units of the column's whole range. A bar is the share of the similarity (the "
      "correlation that the model assumes) that a move across the whole range of the column takes away, all "
      "others the same: (1 - d) (1 - g(1 / lengthscale)), where g is the correlation over a distance in "
      "lengthscales, by default exp(-r), and d, by default 0.2, is what no distance takes away. A short "
      "lengthscale is a long bar. Before lengthscales are learnt all are 1 and all columns count alike.\n\n"
      "This is what the model believes after the trials that the tuner chose, not a share of the variance as "
      "in Explore, and it changes as trials come. A click on a bar shows its lengthscale over the trials.");
}

QString RelevanceChart::summary() const {
  QStringList parts;
  for (std::size_t bar = 0; bar < std::min(summarised_columns, data_.columns.size()); ++bar)
    parts.append(name_of(data_.columns[bar]) + QLatin1Char(' ') + format_percent(data_.columns[bar].share));
  return parts.join(QStringLiteral(", "));
}

}  // namespace kernelscape
