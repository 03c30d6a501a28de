#include "ui/charts/bars/bar_rows.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double max_row_height = 30;
constexpr double min_row_height = 14;  ///< minimum row height that a chart requests
constexpr double bar_share = 0.7;      ///< share of a row's height
constexpr double letter_side = 16;     ///< side of the square around a letter
constexpr double letter_plate_height = 14;
constexpr double min_bar_width = 60;      ///< minimum width that labels leave to a panel
constexpr double bar_label_share = 0.25;  ///< share of the width that labels always get
constexpr double tick_overhang = 10;      ///< overhang of an axis' last label
constexpr double break_before_end = 14;   ///< distance of a break from the end of its bar
constexpr double break_width = 4;
constexpr double break_lean = 4;  ///< horizontal distance between the upper and lower end of a break
constexpr Interval drawable{1e-280, 1e280};  ///< range of lengths that an axis can show, and of their sum

double length_of(double value) {
  return std::isfinite(value) && value >= drawable.low ? std::min(value, drawable.high) : 0;
}

double length_of(const Bar& bar, std::size_t parts) {
  double length = 0;
  for (std::size_t part = 0; part < parts; ++part) length += length_of(bar.parts[part].value);
  return length;
}

}  // namespace

BarLayout::BarLayout(BarRows content, const QRectF& area)
    : content_(std::move(content)),
      area_(area),
      line_(text_height(style::TextSize::Small)),
      top_(area.top()) {
  if (!content_.rows.empty()) parts_ = content_.rows.front().bars.front().parts.size();
  if (!content_.part_names.empty()) place_legend();
  if (!content_.panels.front().heading.isEmpty()) top_ += line_ + bar_gap_pixels;
  place_rows();
  place_panels();
}

double BarLayout::min_height(const BarRows& content) {
  if (!content.all) return 0;
  const int lines = (content.part_names.empty() ? 0 : 3) + (content.axis ? 2 : 0) +
                    (content.panels.front().heading.isEmpty() ? 0 : 1);
  return min_row_height * static_cast<double>(content.rows.size()) +
         lines * text_height(style::TextSize::Small);
}

bool BarLayout::has_marks() const {
  return std::ranges::any_of(content_.rows, [](const BarRow& row) {
    return std::ranges::any_of(row.bars, [](const Bar& bar) { return bar.mark.has_value(); });
  });
}

void BarLayout::place_legend() {
  const double line = line_ + 3;
  QPointF next(area_.left(), top_ + line / 2);
  QStringList names;
  for (const std::size_t part : used_parts()) names.append(content_.part_names[static_cast<qsizetype>(part)]);
  if (has_marks()) names.append(content_.marks.name);
  for (const QString& name : names) {
    const double width = swatch_pixels + 4 + text_width(name, style::TextSize::Small);
    if (next.x() > area_.left() && next.x() + width > area_.right()) next = {area_.left(), next.y() + line};
    legend_.push_back(next);
    next.rx() += width + 2 * bar_gap_pixels;
  }
  top_ = next.y() + line / 2 + bar_gap_pixels;
}

void BarLayout::place_rows() {
  if (!content_.note.isEmpty()) below_ = wrapped(content_.note, style::TextSize::Small, area_.width());
  const auto rows = static_cast<double>(content_.rows.size());
  const double axis = content_.axis ? 2 * line_ + tick_length + 2 : 0;
  double room = area_.bottom() - top_ - axis - line_ * static_cast<double>(below_.size());
  const double least = content_.all ? 1 : line_ + 5;
  shown_ = content_.rows.size();
  if (!content_.all && rows > 0 && room < least * rows) {
    room -= line_;
    shown_ = static_cast<std::size_t>(std::clamp(room / least, 0.0, rows));
    below_.prepend(elided(left_out(), style::TextSize::Small, area_.width()));
  }
  row_height_ = std::clamp(room / std::max(1.0, rows), least, max_row_height);
}

/** Returns the number of rows left out, with the length of the longest bar among them. */
QString BarLayout::left_out() const {
  const auto longest =
      std::max_element(content_.rows.begin() + static_cast<std::ptrdiff_t>(shown_), content_.rows.end(),
                       [this](const BarRow& one, const BarRow& other) {
                         return length_of(one.bars.front(), parts_) < length_of(other.bars.front(), parts_);
                       });
  const auto rest = static_cast<std::int64_t>(content_.rows.size() - shown_);
  return QCoreApplication::translate("BarLayout", "%1 more, each at most %2")
      .arg(style::format_count(rest), longest->bars.front().text);
}

/** Returns the width of the texts behind the bars, with the gap before them. */
double BarLayout::texts_width(std::size_t panel) const {
  double widest = content_.axis ? tick_overhang : 0;
  for (const BarRow& row : content_.rows)
    if (const QString& text = row.bars[panel].text; !text.isEmpty())
      widest = std::max(widest, text_width(text, style::TextSize::Small) + bar_gap_pixels);
  return widest;
}

void BarLayout::place_panels() {
  for (const BarRow& row : content_.rows) {
    labels_ = std::max(labels_, std::ceil(text_width(row.label, style::TextSize::Small)));
    if (!row.letter.isEmpty()) letters_ = letter_side;
  }
  const std::size_t panels = content_.panels.size();
  const double between = 2 * bar_gap_pixels;
  double room = area_.width() - letters_ + bar_gap_pixels;
  for (std::size_t panel = 0; panel < panels; ++panel) room -= between + min_bar_width + texts_width(panel);
  // In a narrow chart only the letters are shown; the names are in the readout.
  if (labels_ > room)
    labels_ = letters_ > 0 ? 0 : std::min(labels_, std::max(room, bar_label_share * area_.width()));
  const double before = labels_ + letters_;
  double left = before > 0 ? std::round(area_.left() + before + bar_gap_pixels) : area_.left();
  const double column = (area_.right() - left + between) / static_cast<double>(panels);
  for (std::size_t panel = 0; panel < panels; ++panel, left += column) {
    double most = content_.panels[panel].most;
    if (most <= 0)
      for (const BarRow& row : content_.rows)
        most =
            std::max({most, length_of(row.bars[panel], parts_), length_of(row.bars[panel].mark.value_or(0))});
    Axis values = content_.axis.value_or(Axis{});
    values.range = {0, most > 0 ? most : 1};
    const double width = std::max(1.0, column - between - texts_width(panel));
    const double height = row_height_ * static_cast<double>(std::max<std::size_t>(1, shown_));
    frames_.push_back({QRectF(left, top_, width, height), values, row_axis(shown_), {}});
  }
}

QRectF BarLayout::row(std::size_t row) const {
  return {area_.left(), top_ + row_height_ * static_cast<double>(row), area_.width(), row_height_};
}

PlotBar BarLayout::plot_bar(BarPlace place, std::size_t panel) const {
  const Bar& bar = content_.rows[place.row].bars[panel];
  const double most = frames_[panel].x.range.high;
  return {{std::min(length_of(bar, place.part), most), std::min(length_of(bar, place.part + 1), most)},
          row_interval(place.row, bar_share),
          bar.parts[place.part].fill};
}

QRectF BarLayout::part(BarPlace place, std::size_t panel) const {
  const PlotFrame& frame = frames_[panel];
  const PlotBar bar = plot_bar(place, panel);
  return {frame.map(bar.x.low, bar.y.high), frame.map(bar.x.high, bar.y.low)};
}

bool BarLayout::is_cut(std::size_t row, std::size_t panel) const {
  return length_of(content_.rows[row].bars[panel], parts_) > frames_[panel].x.range.high;
}

std::optional<BarPlace> BarLayout::at(QPointF position) const {
  const double row = std::floor((position.y() - top_) / row_height_);
  if (!(row >= 0) || row >= static_cast<double>(shown_)) return std::nullopt;
  BarPlace place{static_cast<std::size_t>(row)};
  if (parts_ == 1) return place;
  for (; place.part < parts_; ++place.part) {
    const QRectF rectangle = part(place);
    if (position.x() >= rectangle.left() && position.x() < rectangle.right()) return place;
  }
  return std::nullopt;
}

std::vector<std::size_t> BarLayout::used_parts() const {
  std::vector<std::size_t> used;
  for (std::size_t part = 0; part < parts_; ++part)
    if (std::ranges::any_of(content_.rows, [&](const BarRow& row) {
          return parts_ == 1 || length_of(row.bars.front().parts[part].value) > 0;
        }))
      used.push_back(part);
  return used;
}

std::optional<BarPlace> BarLayout::step(const std::optional<BarPlace>& from, Qt::Key direction) const {
  const std::vector<std::size_t> used = used_parts();
  if (shown_ == 0 || used.empty()) return std::nullopt;
  if (!from) return BarPlace{0, used.front()};
  const bool back = direction == Qt::Key_Up || direction == Qt::Key_Left;
  const bool level = direction == Qt::Key_Left || direction == Qt::Key_Right;
  const auto moved = [back](std::size_t index, std::size_t count) {
    return back ? index - std::min<std::size_t>(index, 1) : std::min(index + 1, count - 1);
  };
  if (shown_ > 1 && (parts_ == 1 || !level)) return BarPlace{moved(from->row, shown_), from->part};
  const auto place = static_cast<std::size_t>(std::ranges::find(used, from->part) - used.begin());
  return BarPlace{from->row, used[moved(place, used.size())]};
}

void BarLayout::paint_legend(Canvas& canvas) const {
  const std::vector<std::size_t> used = used_parts();
  for (std::size_t key = 0; key < legend_.size(); ++key) {
    const QPointF at = legend_[key];
    const QPointF text(at.x() + swatch_pixels + 4, at.y());
    if (key == used.size()) {
      const QPointF middle(at.x() + swatch_pixels / 2, at.y());
      const QPointF half(0, swatch_pixels / 2);
      canvas.line(middle - half, middle + half, content_.marks.stroke);
      canvas.text(text, content_.marks.name, {.ink = text_ink()});
      continue;
    }
    canvas.rect(QRectF(at.x(), at.y() - swatch_pixels / 2, swatch_pixels, swatch_pixels),
                content_.rows.front().bars.front().parts[used[key]].fill);
    canvas.text(text, content_.part_names[static_cast<qsizetype>(used[key])], {.ink = text_ink()});
  }
}

void BarLayout::paint(Canvas& canvas, QtPlot& plot) const {
  paint_legend(canvas);
  for (std::size_t panel = 0; panel < frames_.size(); ++panel) paint_panel(canvas, plot, panel);
  for (std::size_t row = 0; row < shown_; ++row) paint_row(canvas, row);
  double y = area_.bottom() - line_ * (static_cast<double>(below_.size()) - 0.5);
  for (const QString& text : below_) {
    canvas.text({area_.left(), y}, text, {.ink = muted_ink()});
    y += line_;
  }
}

void BarLayout::paint_panel(Canvas& canvas, QtPlot& plot, std::size_t panel) const {
  const PlotFrame& frame = frames_[panel];
  const QRectF& bars = frame.plot;
  const QString& heading = content_.panels[panel].heading;
  const double end =
      panel + 1 < frames_.size() ? frames_[panel + 1].plot.left() - bar_gap_pixels : area_.right();
  double left = bars.left();
  // The first heading may begin above the labels.
  if (panel == 0) left = std::clamp(end - text_width(heading, style::TextSize::Small), area_.left(), left);
  canvas.text({left, bars.top() - bar_gap_pixels}, elided(heading, style::TextSize::Small, end - left),
              {.ink = text_ink(), .anchor = Qt::AlignLeft | Qt::AlignBottom});
  if (content_.axis) paint_x_grid(canvas, frame);
  std::vector<PlotSeries> series;
  for (std::size_t row = 0; row < shown_; ++row)
    for (std::size_t part = 0; part < parts_; ++part) series.emplace_back(plot_bar({row, part}, panel));
  plot.paint(canvas, frame, series);
  canvas.line(bars.topLeft(), bars.bottomLeft(), thin_stroke(hairline_ink()));
  if (content_.axis) paint_x_axis(canvas, frame, area_.right());
}

void BarLayout::paint_row(Canvas& canvas, std::size_t row) const {
  const BarRow& shown = content_.rows[row];
  const double middle = this->row(row).center().y();
  const double left = frames_.front().plot.left() - bar_gap_pixels;
  canvas.text(
      {left - letters_, middle}, elided(shown.label, style::TextSize::Small, labels_),
      {.ink = shown.letter.isEmpty() ? shown.ink : text_ink(), .anchor = Qt::AlignRight | Qt::AlignVCenter});
  canvas.text({left - letters_ / 2, middle}, shown.letter,
              {.ink = shown.ink, .anchor = Qt::AlignCenter, .bold = true});
  for (std::size_t panel = 0; panel < frames_.size(); ++panel) {
    for (std::size_t part = 0; part < parts_; ++part) paint_on_part(canvas, {row, part}, panel);
    if (is_cut(row, panel)) paint_break(canvas, row, panel);
    if (shows_mark(row, panel)) paint_mark(canvas, row, panel);
    double end = part({row, parts_ - 1}, panel).right();
    if (shows_mark(row, panel)) end = std::max(end, frames_[panel].map_x(length_of(*shown.bars[panel].mark)));
    canvas.text({end + bar_gap_pixels, middle}, shown.bars[panel].text, {.ink = text_ink()});
  }
}

/** Paints two slanted lines, with the background between them, near the end of a bar. */
void BarLayout::paint_break(Canvas& canvas, std::size_t row, std::size_t panel) const {
  const QRectF bar = part({row, parts_ - 1}, panel);
  const double x = bar.right() - break_before_end;
  const std::array<QPointF, 4> corners = {QPointF(x, bar.bottom()), QPointF(x + break_lean, bar.top()),
                                          QPointF(x + break_lean + break_width, bar.top()),
                                          QPointF(x + break_width, bar.bottom())};
  canvas.polygon(corners, surface_ink());
  canvas.line(corners[0], corners[1], thin_stroke(text_ink()));
  canvas.line(corners[3], corners[2], thin_stroke(text_ink()));
}

/** Returns true if a bar has a mark that lies in its panel. */
bool BarLayout::shows_mark(std::size_t row, std::size_t panel) const {
  const std::optional<double>& mark = content_.rows[row].bars[panel].mark;
  return mark && length_of(*mark) <= frames_[panel].x.range.high;
}

/** Paints a tick slightly higher than the bar. */
void BarLayout::paint_mark(Canvas& canvas, std::size_t row, std::size_t panel) const {
  const double x = frames_[panel].map_x(length_of(*content_.rows[row].bars[panel].mark));
  const QRectF around = this->row(row).adjusted(0, 1, 0, -1);
  Stroke halo = content_.marks.stroke;
  halo.ink = surface_ink();
  halo.width += 2;
  canvas.line({x, around.top()}, {x, around.bottom()}, halo);
  canvas.line({x, around.top()}, {x, around.bottom()}, content_.marks.stroke);
}

/** Paints the border and the letter that distinguish a part from other parts. */
void BarLayout::paint_on_part(Canvas& canvas, BarPlace place, std::size_t panel) const {
  const QRectF rectangle = part(place, panel);
  if (rectangle.width() <= 1) return;
  const BarPart& shown = content_.rows[place.row].bars[panel].parts[place.part];
  if (shown.border) {
    canvas.outline(rectangle, *shown.border);
  } else if (place.part > 0) {
    canvas.line(rectangle.topLeft(), rectangle.bottomLeft(), thin_stroke(surface_ink()));
  }
  const QSizeF plate(text_width(shown.letter, style::TextSize::Small, true) + 4, letter_plate_height);
  if (shown.letter.isEmpty() || rectangle.width() < plate.width() + 4 || rectangle.height() < plate.height())
    return;
  canvas.rect(QRectF(rectangle.center() - QPointF(plate.width(), plate.height()) / 2, plate), surface_ink());
  canvas.text(rectangle.center(), shown.letter, {.ink = text_ink(), .anchor = Qt::AlignCenter, .bold = true});
}

}  // namespace kernelscape::charts
