#include "core/analysis/filter/filter_units.h"

#include <array>
#include <span>

namespace kernelscape::analysis {
namespace {

enum class Quantity : std::uint8_t { Time, Speed, Size, Bandwidth, Energy, Share };

/**
 * `many` of the unit are `few` of the quantity's base unit; both are exact, so that a division rounds once.
 */
struct Unit {
  std::string_view name;
  Quantity quantity;
  double few;
  double many;
  bool listed = true;  ///< false: another spelling
};

constexpr std::array units{
    Unit{"ns", Quantity::Time, 1, 1e9},
    Unit{"us", Quantity::Time, 1, 1e6},
    Unit{"\u00b5s", Quantity::Time, 1, 1e6, false},  // micro sign
    Unit{"\u03bcs", Quantity::Time, 1, 1e6, false},  // Greek mu
    Unit{"ms", Quantity::Time, 1, 1e3},
    Unit{"s", Quantity::Time, 1, 1},
    Unit{"min", Quantity::Time, 60, 1},
    Unit{"h", Quantity::Time, 3600, 1},
    Unit{"MFLOPS", Quantity::Speed, 1, 1e3},
    Unit{"MFLOP/s", Quantity::Speed, 1, 1e3, false},
    Unit{"GFLOPS", Quantity::Speed, 1, 1},
    Unit{"GFLOP/s", Quantity::Speed, 1, 1, false},
    Unit{"TFLOPS", Quantity::Speed, 1e3, 1},
    Unit{"TFLOP/s", Quantity::Speed, 1e3, 1, false},
    Unit{"B", Quantity::Size, 1, 1},
    Unit{"KiB", Quantity::Size, 1 << 10, 1},
    Unit{"MiB", Quantity::Size, 1 << 20, 1},
    Unit{"kB", Quantity::Size, 1e3, 1, false},
    Unit{"MB", Quantity::Size, 1e6, 1, false},
    Unit{"bytes", Quantity::Size, 1, 1, false},
    Unit{"MB/s", Quantity::Bandwidth, 1, 1e3},
    Unit{"GB/s", Quantity::Bandwidth, 1, 1},
    Unit{"TB/s", Quantity::Bandwidth, 1e3, 1},
    Unit{"mJ", Quantity::Energy, 1, 1e3},
    Unit{"J", Quantity::Energy, 1, 1},
    Unit{"kJ", Quantity::Energy, 1e3, 1},
    Unit{"%", Quantity::Share, 1, 1},
};

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return &unit;
  return nullptr;
}

/** A measured column whose title is already a unit (GFLOPS) has no separate unit. */
const Unit* unit_of(const Column& column) {
  if (column.knob) return nullptr;
  return find_unit(column.unit.empty() ? column.title : column.unit);
}

double convert(double number, const Unit& from, const Unit& to) {
  return number * (from.few * to.many) / (from.many * to.few);
}

}  // namespace

std::vector<std::string> accepted_units(const Column& column) {
  std::vector<std::string> names;
  const Unit* own = unit_of(column);
  for (const Unit& unit : units)
    if (own && unit.listed && unit.quantity == own->quantity) names.emplace_back(unit.name);
  return names;
}

std::optional<double> convert_to_column(double number, std::string_view unit, const Column& column) {
  const Unit* from = find_unit(unit);
  const Unit* own = unit_of(column);
  if (!from || !own || from->quantity != own->quantity) return std::nullopt;
  return convert(number, *from, *own);
}

std::optional<double> column_factor(const Column& from, const Column& to) {
  const Unit* first = unit_of(from);
  const Unit* second = unit_of(to);
  if (!first && !second) return 1;
  if (!first || !second || first->quantity != second->quantity) return std::nullopt;
  return convert(1, *first, *second);
}

}  // namespace kernelscape::analysis
