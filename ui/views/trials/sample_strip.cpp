#include "ui/views/trials/sample_strip.h"

#include <QPainter>
#include <algorithm>

#include "core/base/quantile.h"
#include "core/trial/measurement.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"

namespace kernelscape::views {
namespace {

constexpr int plot_height = 72;
constexpr int side = 24;
constexpr double dot_radius = 3;
constexpr int pixels_per_tick = 80;

}  // namespace

TimeUnit unit_for(double seconds) {
  if (seconds >= 0.1) return {QStringLiteral("s"), 1};
  if (seconds >= 1e-4) return {QStringLiteral("ms"), 1e3};
  if (seconds >= 1e-7) return {QStringLiteral("µs"), 1e6};
  return {QStringLiteral("ns"), 1e9};
}

SampleStrip::SampleStrip(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void SampleStrip::set_samples(std::vector<double> seconds) {
  seconds_ = std::move(seconds);
  const QString unit = QStringLiteral("s");
  setAccessibleName(tr("%1 samples, median %2, quartiles %3 and %4")
                        .arg(style::format_count(static_cast<std::int64_t>(seconds_.size())),
                             style::format_quantity(base::quantile(seconds_, 0.5), unit),
                             style::format_quantity(base::quantile(seconds_, 0.25), unit),
                             style::format_quantity(base::quantile(seconds_, 0.75), unit)));
  update();
}

void SampleStrip::set_least_span(double min_seconds, double max_seconds) {
  span_ = {min_seconds, max_seconds};
  update();
}

QSize SampleStrip::sizeHint() const { return {320, minimumSizeHint().height()}; }

QSize SampleStrip::minimumSizeHint() const {
  return {200, plot_height + 3 * QFontMetrics(style::font_of(style::TextSize::Small)).height() + 16};
}

void SampleStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), style::colours().surface);
  if (seconds_.empty()) return;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(style::font_of(style::TextSize::Small));
  const double line = QFontMetricsF(painter.font()).height();
  const QRectF plot(side, line + 8, width() - 2 * side, plot_height);

  const Scale scale = scale_of(plot);
  paint_axis(painter, scale);
  paint_quartiles(painter, scale);
  paint_samples(painter, scale);
}

SampleStrip::Scale SampleStrip::scale_of(const QRectF& plot) const {
  std::vector<double> shown = seconds_;
  shown.insert(shown.end(), span_.begin(), span_.end());
  const auto [least, most] = std::ranges::minmax(shown);
  Scale scale{plot, unit_for(base::quantile(std::move(shown), 0.5)), {}};
  scale.axis.range = charts::padded_range({least * scale.unit.factor, most * scale.unit.factor},
                                          charts::AxisScale::Linear, 0.05);
  return scale;
}

double SampleStrip::Scale::x_of(double seconds) const {
  return plot.left() + axis.fraction(seconds * unit.factor) * plot.width();
}

void SampleStrip::paint_axis(QPainter& painter, const Scale& scale) const {
  const QRectF& plot = scale.plot;
  const double line = QFontMetricsF(painter.font()).height();
  for (const charts::Tick& tick :
       scale.axis.ticks(std::max(2, static_cast<int>(plot.width()) / pixels_per_tick))) {
    if (!tick.major) continue;
    const double x = plot.left() + scale.axis.fraction(tick.value) * plot.width();
    painter.setPen(style::colours().grid);
    painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
    painter.setPen(style::colours().muted_text);
    painter.drawText(QRectF(x - 40, plot.bottom() + 2, 80, line), Qt::AlignCenter, tick.label);
  }
  painter.drawText(QRectF(0, plot.bottom() + 2 + line, width(), line), Qt::AlignCenter,
                   tr("time per call (%1), samples from top to bottom").arg(scale.unit.name));
}

void SampleStrip::paint_quartiles(QPainter& painter, const Scale& scale) const {
  const QRectF& plot = scale.plot;
  QColor box = style::colours().accent;
  box.setAlphaF(0.16F);
  painter.fillRect(QRectF(QPointF(scale.x_of(base::quantile(seconds_, 0.25)), plot.top()),
                          QPointF(scale.x_of(base::quantile(seconds_, 0.75)), plot.bottom())),
                   box);
  painter.setPen(QPen(style::colours().accent, 2));
  const double median = base::quantile(seconds_, 0.5);
  const double middle = scale.x_of(median);
  painter.drawLine(QPointF(middle, plot.top()), QPointF(middle, plot.bottom()));
  constexpr double half = 100;
  const double centre = std::clamp(middle, half, std::max(half, width() - half));
  painter.drawText(QRectF(centre - half, 4, 2 * half, plot.top() - 4), Qt::AlignHCenter | Qt::AlignTop,
                   tr("median %1").arg(style::format_quantity(median, QStringLiteral("s"))));
}

void SampleStrip::paint_samples(QPainter& painter, const Scale& scale) const {
  painter.setPen(QPen(style::colours().surface, 1));
  painter.setBrush(style::colours().text);
  const double first = scale.plot.top() + 2 * dot_radius;
  const double step = (scale.plot.height() - 4 * dot_radius) /
                      static_cast<double>(std::max<std::size_t>(1, seconds_.size() - 1));
  for (std::size_t sample = 0; sample < seconds_.size(); ++sample) {
    const double y =
        seconds_.size() == 1 ? scale.plot.center().y() : first + step * static_cast<double>(sample);
    painter.drawEllipse(QPointF(scale.x_of(seconds_[sample]), y), dot_radius, dot_radius);
  }
}

}  // namespace kernelscape::views
