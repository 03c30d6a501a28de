#include "ui/charts/bars/part_styles.h"

namespace kernelscape::charts {
namespace {

constexpr std::array<const char*, phase_count> phase_names = {"search", "build", "run", "idle"};

}  // namespace

QString phase_name(std::size_t phase) { return QString::fromLatin1(phase_names.at(phase)); }

Fill phase_fill(std::size_t phase) {
  const style::PhaseColours& phases = style::colours().phases;
  const std::array hues = {phases.search, phases.build, phases.run, phases.idle};
  constexpr std::array hatches = {style::Hatch::Diagonal, style::Hatch::Dots, style::Hatch::Solid,
                                  style::Hatch::Horizontal};
  return {{std::string("phase-") + phase_names.at(phase), hues.at(phase)}, hatches.at(phase), surface_ink()};
}

QString category_name(trial::ErrorCategory category) {
  const std::string_view name = trial::to_string(category);
  return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

QString category_title(trial::ErrorCategory category) {
  return QStringLiteral("%1  %2")
      .arg(QLatin1Char(style::colours().of(category).letter))
      .arg(category_name(category));
}

}  // namespace kernelscape::charts
