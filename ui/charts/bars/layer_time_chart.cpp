#include "ui/charts/bars/layer_time_chart.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double milliseconds_per_second = 1e3;
constexpr std::size_t limit_part = 0;       ///< the part that no kernel can save
constexpr double outlier_ratio = 4;         ///< a row this much longer than the next is cut
constexpr double room_beyond_others = 1.2;  ///< length of the axis, relative to the longest row that fits

QString time_of(double seconds) { return style::format_quantity(seconds, QStringLiteral("s")); }

/** Returns the length that a layer's row needs on the time axis. */
double extent_of(const LayerTime& layer) { return std::max(layer.tuned_seconds, layer.vendor_seconds); }

/**
 * Returns where the time axis ends if the longest rows, at most a quarter of all, would make the others
 * unreadable: slightly behind the longest of the others. Returns 0 if the axis can show all rows.
 */
double axis_cut(const std::vector<LayerTime>& layers) {
  std::vector<double> extents;
  for (const LayerTime& layer : layers)
    if (const double extent = extent_of(layer); extent > 0) extents.push_back(extent);
  std::ranges::sort(extents, std::greater());
  for (std::size_t longer = std::max<std::size_t>(1, extents.size() / 4); longer > 0; --longer) {
    if (longer < extents.size() && extents[longer - 1] > outlier_ratio * extents[longer])
      return room_beyond_others * extents[longer];
  }
  return 0;
}

Fill limit_fill() { return {hairline_ink(), style::Hatch::BackDiagonal, muted_ink()}; }

}  // namespace

double LayerTime::left_seconds() const { return std::max(0.0, tuned_seconds - limit_seconds); }

LayerTimeChart::LayerTimeChart(QWidget* parent) : BarChart(parent) {
  set_title(tr("Time of each layer and possible saving"));
  set_data({});
  set_explanation(tr(
      "The time of each layer in a run of the network: the time of its best kernel, times the number of "
      "calls. The hatched part is the lower bound of the machine: the layer's operations at the measured "
      "peak, or its bytes at the measured bandwidth, whichever takes longer. The part beyond it is the "
      "possible saving; layers with the largest saving stand above. If no limit was measured, as on a fleet, "
      "a bar is plain. A tick is the time of the vendor's library: a bar that ends before it is faster, and "
      "the percentage behind the bar is the kernel's speed relative to the library.\n\nIf a few layers take "
      "more than four times as long as all others, the axis ends behind the others: a bar with a break "
      "across "
      "it is longer than drawn, the number behind it is its whole time, and a tick beyond the axis is left "
      "out.\n\nA click on a layer "
      "chooses it."));
}

void LayerTimeChart::set_data(LayerTimeData data) {
  const std::optional<BarPlace> before = read();
  std::optional<BarPlace> after;
  if (before && before->row < data_.layers.size()) {
    const auto same = std::ranges::find(data.layers, data_.layers[before->row].layer, &LayerTime::layer);
    if (same != data.layers.end())
      after = {static_cast<std::size_t>(same - data.layers.begin()), before->part};
  }
  data_ = std::move(data);
  show_bars(after);
}

BarRows LayerTimeChart::bars() const {
  BarRows content;
  content.part_names = {tr("up to the machine's limit"), tr("possible saving"), tr("limit unknown")};
  content.marks = {data_.vendor, {text_ink(), 2, {}}};
  content.axis = Axis{tr("time of all calls"), QStringLiteral("ms")};
  const double cut = axis_cut(data_.layers);
  content.panels.front().most = cut * milliseconds_per_second;
  if (cut > 0) content.note = cut_note(cut);
  for (const LayerTime& layer : data_.layers) {
    Bar bar;
    const bool known = layer.limit_seconds > 0;
    const double limit = std::min(layer.limit_seconds, layer.tuned_seconds);
    const double left = known ? layer.left_seconds() : 0;
    bar.parts = {{limit * milliseconds_per_second, limit_fill()},
                 {left * milliseconds_per_second, Fill{accent_ink()}},
                 {known ? 0 : layer.tuned_seconds * milliseconds_per_second, Fill{muted_ink()}}};
    if (layer.vendor_seconds > 0) bar.mark = layer.vendor_seconds * milliseconds_per_second;
    if (layer.tuned_seconds <= 0) {
      bar.text = tr("no kernel");
    } else {
      bar.text = time_of(layer.tuned_seconds);
      if (layer.vendor_seconds > 0)
        bar.text += tr(", %1").arg(style::format_percent(layer.vendor_seconds / layer.tuned_seconds));
    }
    QString label = layer.name;
    if (layer.multiplicity > 1) label += tr(" × %1").arg(style::format_count(layer.multiplicity));
    content.rows.push_back({.label = label, .bars = {std::move(bar)}});
  }
  return content;
}

/** Returns the sentence below the bars that names the layers longer than the axis. */
QString LayerTimeChart::cut_note(double cut) const {
  QStringList longer;
  for (const LayerTime& layer : data_.layers)
    if (extent_of(layer) > cut) longer.append(layer.name);
  return tr("The axis ends at %1, so that short layers can be read. Longer: %2.")
      .arg(time_of(cut), longer.join(QStringLiteral(", ")));
}

QStringList LayerTimeChart::lines_of(BarPlace place) const {
  const LayerTime& layer = data_.layers[place.row];
  const auto calls = static_cast<double>(std::max<std::int64_t>(1, layer.multiplicity));
  QStringList lines{layer.name};
  if (layer.tuned_seconds > 0) {
    lines.append(layer.multiplicity == 1
                     ? time_of(layer.tuned_seconds)
                     : tr("%1: %2 calls of %3 each")
                           .arg(time_of(layer.tuned_seconds), style::format_count(layer.multiplicity),
                                time_of(layer.tuned_seconds / calls)));
    if (!layer.confirmed) lines.append(tr("not confirmed: not measured again yet"));
  } else {
    lines.append(tr("no kernel: %1").arg(layer.missing));
  }
  if (layer.vendor_seconds > 0) {
    QString text = tr("%1: %2").arg(data_.vendor, time_of(layer.vendor_seconds));
    if (layer.tuned_seconds > 0)
      text += tr(", the kernel has %1 of its speed")
                  .arg(style::format_percent(layer.vendor_seconds / layer.tuned_seconds));
    lines.append(text);
  }
  lines.append(layer.limit_seconds > 0 ? tr("machine's limit: %1").arg(time_of(layer.limit_seconds))
                                       : tr("the machine's limit is unknown"));
  if (layer.tuned_seconds > 0 && layer.limit_seconds > 0)
    lines.append(tr("possible saving: at most %1").arg(time_of(layer.left_seconds())));
  return lines;
}

/** Returns the readout of a layer's whole row, including the area behind its bar. */
std::optional<Readout> LayerTimeChart::readout_at(QPointF position) const {
  const BarLayout layout = bar_layout();
  for (std::size_t row = 0; row < layout.shown(); ++row) {
    if (!layout.row(row).contains(position)) continue;
    const std::size_t part = layout.at(position).value_or(BarPlace{row, limit_part}).part;
    const double middle = layout.row(row).center().y();
    return Readout{{layout.part({row, part}).center().x(), middle},
                   lines_of({row, part}),
                   static_cast<std::int64_t>(row * layout.parts() + part)};
  }
  return std::nullopt;
}

void LayerTimeChart::paint_overlay(Canvas& canvas, const QRectF&) {
  const std::optional<BarPlace> place = read();
  const BarLayout layout = bar_layout();
  if (place && place->row < layout.shown()) canvas.outline(layout.row(place->row), thin_stroke(accent_ink()));
}

void LayerTimeChart::activate_bar(BarPlace place) {
  if (place.row < data_.layers.size())
    emit layer_activated(static_cast<qint64>(data_.layers[place.row].layer));
}

Table LayerTimeChart::table() const {
  Table table{{"layer", "times", "tuned (s)", "vendor (s)", "limit (s)", "possible saving (s)", "confirmed",
               "no kernel"},
              {}};
  const auto known = [](double seconds) { return seconds > 0 ? seconds : std::nan(""); };
  for (const LayerTime& layer : data_.layers)
    table.rows.push_back(
        {layer.name.toStdString(), static_cast<double>(layer.multiplicity), known(layer.tuned_seconds),
         known(layer.vendor_seconds), known(layer.limit_seconds),
         layer.limit_seconds > 0 && layer.tuned_seconds > 0 ? layer.left_seconds() : std::nan(""),
         layer.confirmed ? "yes" : "no", layer.missing.toStdString()});
  return table;
}

QString LayerTimeChart::summary() const {
  QStringList parts;
  for (const LayerTime& layer : data_.layers)
    parts.append(layer.tuned_seconds > 0 ? tr("%1 %2").arg(layer.name, time_of(layer.tuned_seconds))
                                         : tr("%1 no kernel").arg(layer.name));
  return parts.join(QStringLiteral(", "));
}

}  // namespace kernelscape::charts
