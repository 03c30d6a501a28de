#include "ui/charts/curves/profile_chart.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "ui/charts/direct_labels.h"
#include "ui/charts/styles.h"
#include "ui/style/numbers.h"

namespace kernelscape::charts {
namespace {

constexpr double min_profile_ratio = 2;        ///< minimum upper end of the home range
constexpr double profile_head_room = 1.05;     ///< margin beyond 100 %
constexpr double profile_room_beyond = 1.1;    ///< margin beyond the last step
constexpr std::size_t max_profile_lines = 12;  ///< maximum number of lines of a readout

/** Returns the share of all runs within a ratio; 0 below the first step. */
double share_within(const TunerProfile& profile, double ratio) {
  const auto after = std::ranges::upper_bound(profile.ratios, ratio) - profile.ratios.begin();
  return after == 0 ? 0 : profile.shares[static_cast<std::size_t>(after - 1)];
}

/** Returns the position in the band that applies at a ratio; nullopt left of the band or without a band. */
std::optional<std::size_t> band_place(const TunerProfile& profile, double ratio) {
  const auto after = std::ranges::upper_bound(profile.band_ratios, ratio) - profile.band_ratios.begin();
  if (after == 0 || static_cast<std::size_t>(after) > profile.band_low.size()) return {};
  return static_cast<std::size_t>(after - 1);
}

/** Returns an end of the band in percent; NaN if there is no band. */
double band_end(const TunerProfile& profile, const std::vector<double>& ends, double ratio) {
  const std::optional<std::size_t> place = band_place(profile, ratio);
  return place ? ends[*place] * percent : std::numeric_limits<double>::quiet_NaN();
}

/**
 * Returns the ratio to draw: a time of zero cannot be shown on a logarithmic axis and is placed left of
 * everything.
 */
double shown_ratio(const PlotFrame& frame, double ratio) { return ratio > 0 ? ratio : frame.x.range.low; }

/** Extends the steps to the end of the visible range, since the profile is constant after the last step. */
void extend(std::vector<QPointF>& points, const PlotFrame& frame) {
  if (!points.empty())
    points.emplace_back(std::max(points.back().x(), frame.x.range.high), points.back().y());
}

/** Returns the share with its interval, if there is one: "62 % [51 %, 73 %]". */
QString share_text(const TunerProfile& profile, double ratio) {
  QString share = style::format_percent(share_within(profile, ratio));
  const std::optional<std::size_t> place = band_place(profile, ratio);
  if (!place) return share;
  return QStringLiteral("%1 [%2, %3]")
      .arg(share, style::format_percent(profile.band_low[*place]),
           style::format_percent(profile.band_high[*place]));
}

}  // namespace

ProfileChart::ProfileChart(QWidget* parent) : XyChart(parent) {
  set_title(tr("Performance profiles"));
  home_changed();
  set_explanation(tr(
      "On every task the times of all runs are divided by the smallest median of any tuner there: a curve "
      "shows the share of a tuner's runs that needed at most x times that median. At 1 it is the share of "
      "runs that were as fast as the best tuner's median; the right end of a curve is the share of runs that "
      "reached the goal at all. A curve above another one everywhere is better at any ratio; curves that "
      "cross are inconclusive. The band is the 95 % interval at each point by the bootstrap: bands that "
      "overlap are inconclusive too.\n\nThe best is the best of these tuners: with other tuners the curves "
      "change. Hidden tuners are not drawn but still count for the best median.\n\nDolan and More, "
      "Benchmarking optimization software with performance profiles, Mathematical Programming 91, 2002."));
}

void ProfileChart::set_data(ProfileData data) {
  const bool same_kind = data.cost == data_.cost;
  data_ = std::move(data);
  const QString of = tr("%1, %2 tasks").arg(data_.cost).arg(data_.tasks);
  set_title(tr("Performance profiles"), data_.profiles.empty() ? QString() : of);
  home_changed();
  if (!same_kind) reset_view();
  refresh_readout();
}

void ProfileChart::set_hidden(const std::set<std::size_t>& arms) {
  if (arms == hidden_) return;
  hidden_ = arms;
  set_readout(std::nullopt);
  home_changed();
}

void ProfileChart::set_highlighted(std::optional<std::size_t> arm) {
  if (arm == highlighted_) return;
  highlighted_ = arm;
  invalidate();
}

std::vector<const TunerProfile*> ProfileChart::shown() const {
  std::vector<const TunerProfile*> profiles;
  for (const TunerProfile& profile : data_.profiles)
    if (!hidden_.contains(profile.arm)) profiles.push_back(&profile);
  return profiles;
}

std::vector<double> ProfileChart::steps() const {
  std::vector<double> ratios;
  for (const TunerProfile* profile : shown())
    std::ranges::copy_if(profile->ratios, std::back_inserter(ratios),
                         [](double ratio) { return std::isfinite(ratio); });
  std::ranges::sort(ratios);
  const auto rest = std::ranges::unique(ratios);
  ratios.erase(rest.begin(), rest.end());
  return ratios;
}

void ProfileChart::home_changed() {
  double least = 1;
  double most = min_profile_ratio;
  for (const double ratio : steps()) {
    if (ratio > 0) least = std::min(least, ratio);
    most = std::max(most, ratio * profile_room_beyond);
  }
  set_home({tr("times the best tuner's median"), {}, AxisScale::Log2, {least, most}},
           {tr("share of runs"), QStringLiteral("%"), AxisScale::Linear, {0, percent * profile_head_room}});
}

/** Returns the band, whose edges are step functions like the profile. */
PlotArea ProfileChart::area_of(const PlotFrame& frame, const TunerProfile& profile) const {
  PlotArea area{{}, {}, arm_ink(profile.arm)};
  area.ink.role += "-band";
  area.ink.colour.setAlphaF(faint(profile.arm) ? 0.04F : 0.12F);
  for (std::size_t i = 0; i < profile.band_low.size(); ++i) {
    const double x = shown_ratio(frame, profile.band_ratios[i]);
    area.upper.emplace_back(x, profile.band_high[i] * percent);
    area.lower.emplace_back(x, profile.band_low[i] * percent);
  }
  extend(area.upper, frame);
  extend(area.lower, frame);
  area.upper = stair(area.upper);
  area.lower = stair(area.lower);
  return area;
}

PlotLine ProfileChart::line_of(const PlotFrame& frame, const TunerProfile& profile) const {
  PlotLine line{{}, arm_stroke(profile.arm, highlighted_ == profile.arm ? 3 : 2), 0, true};
  if (faint(profile.arm)) {
    line.stroke.ink.role += "-faint";
    line.stroke.ink.colour.setAlphaF(0.35F);
  }
  std::vector<QPointF>& points = line.points;
  for (std::size_t step = 0; step < profile.ratios.size() && std::isfinite(profile.ratios[step]); ++step) {
    const double x = shown_ratio(frame, profile.ratios[step]);
    // Begin with a vertical line from zero.
    if (points.empty()) points.emplace_back(x, 0);
    points.emplace_back(x, profile.shares[step] * percent);
  }
  if (points.empty()) points.emplace_back(frame.x.range.low, 0);
  extend(points, frame);
  return line;
}

void ProfileChart::paint_names(Canvas& canvas, const PlotFrame& frame) const {
  std::vector<DirectLabel> labels;
  for (const TunerProfile* profile : shown()) {
    const double y = frame.map_y(share_within(*profile, frame.x.range.high) * percent);
    if (!(y >= frame.plot.top() - 1 && y <= frame.plot.bottom() + 1)) continue;
    labels.push_back({y + text_height(style::TextSize::Small), profile->name, arm_ink(profile->arm),
                      highlighted_ == profile->arm});
  }
  paint_direct_labels(canvas, frame.plot.adjusted(4, 0, -4, 0), Qt::AlignRight, labels);
}

void ProfileChart::paint_data(Canvas& canvas, const PlotFrame& frame) {
  std::vector<const TunerProfile*> profiles = shown();
  std::vector<PlotSeries> series;
  for (const TunerProfile* profile : profiles) series.emplace_back(area_of(frame, *profile));
  // Paint the highlighted profile last, on top.
  std::ranges::stable_partition(profiles,
                                [&](const TunerProfile* profile) { return highlighted_ != profile->arm; });
  for (const TunerProfile* profile : profiles) series.emplace_back(line_of(frame, *profile));
  paint_series(canvas, frame, series);
  paint_names(canvas, frame);
}

Readout ProfileChart::readout_of(double ratio, std::size_t arm, const PlotFrame& frame) const {
  std::vector<const TunerProfile*> profiles = shown();
  std::ranges::stable_sort(profiles, std::greater(),
                           [&](const TunerProfile* profile) { return share_within(*profile, ratio); });
  Readout readout;
  readout.row = static_cast<std::int64_t>(arm);
  readout.lines.append(tr("within %1 x of the best median").arg(style::format_number(ratio, 3)));
  for (const TunerProfile* profile : profiles) {
    const double share = share_within(*profile, ratio);
    if (profile->arm == arm) readout.position = frame.map(ratio, share * percent);
    if (static_cast<std::size_t>(readout.lines.size()) <= max_profile_lines)
      readout.lines.append(
          tr("%1  %2 (n = %3)").arg(profile->name, share_text(*profile, ratio)).arg(profile->runs));
  }
  if (profiles.size() > max_profile_lines)
    readout.lines.append(tr("and %1 more").arg(profiles.size() - max_profile_lines));
  return readout;
}

std::optional<Readout> ProfileChart::readout_at(QPointF position) const {
  const PlotFrame here = frame();
  const std::vector<const TunerProfile*> profiles = shown();
  if (profiles.empty() || !notice().isEmpty() || !here.plot.contains(position)) return std::nullopt;
  const double ratio = here.x_at(position.x());
  const TunerProfile* nearest = *std::ranges::min_element(profiles, {}, [&](const TunerProfile* profile) {
    return std::abs(here.map_y(share_within(*profile, ratio) * percent) - position.y());
  });
  return readout_of(ratio, nearest->arm, here);
}

/** Moves left and right from step to step, up and down from tuner to tuner. */
std::optional<Readout> ProfileChart::step_readout(const std::optional<Readout>& from,
                                                  Qt::Key direction) const {
  const std::vector<double> ratios = steps();
  const std::vector<const TunerProfile*> profiles = shown();
  if (profiles.empty() || ratios.empty() || !notice().isEmpty()) return std::nullopt;
  const PlotFrame here = frame();
  if (!from) return readout_of(ratios.front(), profiles.front()->arm, here);
  const double ratio = here.x_at(from->position.x());
  const auto arm = static_cast<std::size_t>(from->row);
  if (direction == Qt::Key_Left || direction == Qt::Key_Right) {
    // The ratio of a pixel is inexact: use the nearest step.
    const auto place =
        std::ranges::min_element(ratios, {}, [&](double step) { return std::abs(std::log(step / ratio)); }) -
        ratios.begin();
    const auto to =
        std::clamp<std::ptrdiff_t>(place + (direction == Qt::Key_Left ? -1 : 1), 0, std::ssize(ratios) - 1);
    return readout_of(ratios[static_cast<std::size_t>(to)], arm, here);
  }
  const auto found = std::ranges::find(profiles, arm, &TunerProfile::arm) - profiles.begin();
  const auto wanted =
      std::clamp<std::ptrdiff_t>(found + (direction == Qt::Key_Up ? -1 : 1), 0, std::ssize(profiles) - 1);
  return readout_of(ratio, profiles[static_cast<std::size_t>(wanted)]->arm, here);
}

void ProfileChart::activate(const Readout& readout) { emit arm_activated(readout.row); }

Table ProfileChart::table() const {
  Table table{{"tuner", "times the best median", "share (%)", "runs", "95 % from (%)", "95 % to (%)"}, {}};
  for (const TunerProfile* profile : shown())
    for (std::size_t step = 0; step < profile->ratios.size(); ++step)
      table.rows.push_back({profile->name.toStdString(), profile->ratios[step],
                            profile->shares[step] * percent, static_cast<double>(profile->runs),
                            band_end(*profile, profile->band_low, profile->ratios[step]),
                            band_end(*profile, profile->band_high, profile->ratios[step])});
  return table;
}

QString ProfileChart::summary() const {
  QStringList parts;
  for (const TunerProfile* profile : shown())
    parts.append(tr("%1: %2 of the runs within the best median")
                     .arg(profile->name, style::format_percent(share_within(*profile, 1))));
  return parts.join(QStringLiteral(", "));
}

}  // namespace kernelscape::charts
