#include "ui/charts/bars/error_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/bars/part_looks.h"
#include "ui/charts/chart_looks.h"
#include "ui/style/numbers.h"

namespace kernelscape {
namespace {

constexpr double most_error_row_height = 30;
constexpr double letter_side = 16;

double value_of(const CategoryTotals& totals, bool by_seconds) {
  const double value = by_seconds ? totals.work_seconds() : static_cast<double>(totals.trials);
  return std::isfinite(value) ? std::max(0.0, value) : 0;
}

}  // namespace

ErrorChart::ErrorChart(QWidget* parent) : Chart(parent) {
  set_title(tr("Error categories by trials and by work seconds"));
  set_data({});
}

void ErrorChart::set_data(const ErrorBreakdown& breakdown) {
  data_ = breakdown;
  shown_.clear();
  for (std::size_t index = 0; index < error_category_count; ++index)
    if (index == 0 || breakdown.categories[index].trials > 0)
      shown_.push_back(static_cast<ErrorCategory>(index));
  if (readout() && static_cast<std::size_t>(readout()->row) >= shown_.size()) set_readout(std::nullopt);
  invalidate();
}

double ErrorChart::most(bool by_seconds) const {
  double largest = 0;
  for (const ErrorCategory category : shown_)
    largest = std::max(largest, value_of(data_.of(category), by_seconds));
  return largest;
}

QString ErrorChart::number_text(ErrorCategory category, bool by_seconds) const {
  const double value = value_of(data_.of(category), by_seconds);
  const double all = value_of(data_.all(), by_seconds);
  const QString number = by_seconds ? format_duration(value) : format_count(data_.of(category).trials);
  return all > 0 ? QStringLiteral("%1  (%2)").arg(number, format_percent(value / all)) : number;
}

double ErrorChart::number_width(bool by_seconds) const {
  double widest = 0;
  for (const ErrorCategory category : shown_)
    widest = std::max(widest, text_width(number_text(category, by_seconds), TextSize::Small));
  return widest;
}

ErrorChart::Layout ErrorChart::layout_for(const QRectF& area) const {
  Layout layout;
  const double header = text_height(TextSize::Small) + bar_gap_pixels;
  layout.first_row = area.top() + header;
  layout.row_height =
      std::min(most_error_row_height,
               (area.height() - header) / static_cast<double>(std::max<std::size_t>(1, shown_.size())));
  layout.label_left = area.left();
  double label = 0;
  for (const ErrorCategory category : shown_)
    label = std::max(label, text_width(category_name(category), TextSize::Small));
  // In a narrow chart the letters must do; the names are in the readout.
  const double panels = area.width() - letter_side - bar_gap_pixels;
  if (panels - label < 2 * (number_width(false) + number_width(true))) label = 0;
  const double left = area.left() + letter_side + (label > 0 ? label + 2 * bar_gap_pixels : bar_gap_pixels);
  const double width = std::max(2.0, (area.right() - left - 2 * bar_gap_pixels) / 2);
  const double height = layout.row_height * static_cast<double>(shown_.size());
  const auto panel = [&](double x, bool by_seconds) {
    return QRectF(x, layout.first_row, std::max(1.0, width - number_width(by_seconds) - bar_gap_pixels),
                  height);
  };
  layout.trials = panel(left, false);
  layout.seconds = panel(left + width + 2 * bar_gap_pixels, true);
  return layout;
}

QRectF ErrorChart::bar(const Layout& layout, std::size_t row, bool by_seconds) const {
  const QRectF& panel = by_seconds ? layout.seconds : layout.trials;
  const double largest = most(by_seconds);
  const double share = largest > 0 ? value_of(data_.of(shown_[row]), by_seconds) / largest : 0;
  const double inset = layout.row_height > 14 ? 4 : 1;
  return {panel.left(), panel.top() + layout.row_height * static_cast<double>(row) + inset,
          panel.width() * share, std::max(1.0, layout.row_height - 2 * inset)};
}

std::pair<QRectF, QRectF> ErrorChart::bars_of(std::size_t row) const {
  const Layout layout = layout_for(body_rect());
  return {bar(layout, row, false), bar(layout, row, true)};
}

void ErrorChart::paint_chart(Canvas& canvas, const QRectF& area) {
  const Layout layout = layout_for(area);
  const TextStyle header{.ink = muted_ink(), .anchor = Qt::AlignLeft | Qt::AlignTop};
  canvas.text({layout.trials.left(), area.top()}, tr("trials"), header);
  canvas.text({layout.seconds.left(), area.top()},
              elided(tr("work seconds (build + run)"), TextSize::Small, area.right() - layout.seconds.left()),
              header);
  for (std::size_t row = 0; row < shown_.size(); ++row) {
    const ErrorCategory category = shown_[row];
    const double middle = bar(layout, row, false).center().y();
    canvas.text({layout.label_left + letter_side / 2, middle},
                QString(QLatin1Char(colours().of(category).letter)),
                {.ink = category_ink(category), .anchor = Qt::AlignCenter, .bold = true});
    const double label_room = layout.trials.left() - layout.label_left - letter_side - bar_gap_pixels;
    if (label_room > bar_gap_pixels)
      canvas.text({layout.label_left + letter_side + bar_gap_pixels, middle}, category_name(category),
                  {.ink = text_ink()});
    for (const bool by_seconds : {false, true}) {
      const QRectF rectangle = bar(layout, row, by_seconds);
      canvas.rect(rectangle, category_fill(category));
      canvas.text({rectangle.right() + bar_gap_pixels, middle}, number_text(category, by_seconds),
                  {.ink = text_ink()});
    }
  }
  for (const QRectF& panel : {layout.trials, layout.seconds})
    canvas.line(panel.topLeft(), panel.bottomLeft(), {hairline_ink(), 1, {}});
}

void ErrorChart::paint_overlay(Canvas& canvas, const QRectF& area) {
  if (!readout()) return;
  const Layout layout = layout_for(area);
  const QRectF row(area.left() - 2,
                   layout.first_row + layout.row_height * static_cast<double>(readout()->row),
                   area.width() + 4, layout.row_height);
  canvas.outline(row, {accent_ink(), 1, {}});
}

Readout ErrorChart::readout_of(std::size_t row) const {
  const ErrorCategory category = shown_[row];
  const CategoryTotals& totals = data_.of(category);
  const Layout layout = layout_for(body_rect());
  const QRectF rectangle = bar(layout, row, false);
  return {{layout.seconds.left(), rectangle.center().y()},
          {category_title(category), tr("%1 trials").arg(number_text(category, false)),
           tr("%1 of work").arg(number_text(category, true)),
           tr("build %1, run %2")
               .arg(format_duration(totals.build_seconds), format_duration(totals.run_seconds))},
          static_cast<std::int64_t>(row)};
}

std::optional<Readout> ErrorChart::readout_at(QPointF position) const {
  const QRectF body = body_rect();
  const Layout layout = layout_for(body);
  if (position.x() < body.left() || position.x() > body.right()) return std::nullopt;
  const double row = std::floor((position.y() - layout.first_row) / layout.row_height);
  if (!(row >= 0 && row < static_cast<double>(shown_.size()))) return std::nullopt;
  return readout_of(static_cast<std::size_t>(row));
}

std::optional<Readout> ErrorChart::step_readout(const std::optional<Readout>& from, Qt::Key direction) const {
  if (!from) return readout_of(0);
  const bool back = direction == Qt::Key_Up || direction == Qt::Key_Left;
  const std::int64_t last = static_cast<std::int64_t>(shown_.size()) - 1;
  return readout_of(static_cast<std::size_t>(std::clamp<std::int64_t>(from->row + (back ? -1 : 1), 0, last)));
}

void ErrorChart::activate(const Readout& readout) {
  emit category_activated(shown_[static_cast<std::size_t>(readout.row)]);
}

QSize ErrorChart::minimumSizeHint() const {
  return Chart::minimumSizeHint().expandedTo(
      {0, static_cast<int>(14.0 * static_cast<double>(shown_.size()) + 3 * text_height(TextSize::Normal))});
}

QString ErrorChart::summary() const {
  QStringList parts;
  for (const ErrorCategory category : shown_)
    parts.append(QStringLiteral("%1 %2").arg(category_name(category), number_text(category, false)));
  return parts.join(QStringLiteral(", "));
}

QString ErrorChart::explanation() const {
  return tr(
      "How the trials ended (left) and what they cost (right): work seconds are what each trial's own build "
      "and "
      "run took, summed over the workers, not wall time. A category with few trials and a long bar on the "
      "right "
      "wastes measuring time. A click on a row shows its trials.\n\nCategories as in table I of NoSE, the "
      "two "
      "views as in its figures 3 and 7.");
}

ChartTable ErrorChart::table() const {
  ChartTable table{{"code", "category", "trials", "build (work s)", "run (work s)", "build + run (work s)"},
                   {}};
  for (const ErrorCategory category : shown_) {
    const CategoryTotals& totals = data_.of(category);
    table.rows.push_back({static_cast<double>(category), std::string(to_string(category)),
                          static_cast<double>(totals.trials), totals.build_seconds, totals.run_seconds,
                          totals.work_seconds()});
  }
  return table;
}

}  // namespace kernelscape
