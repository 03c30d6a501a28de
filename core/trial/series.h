#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernelscape::trial {

/** A number per trial that a tuner reports (epsilon, predicted deviation); it is stored and drawn. */
struct SeriesValue {
  std::string series;
  double value = 0;
};

/** How a series is related to the measurement of its trial. */
enum class SeriesRelation : std::uint8_t {
  None,      ///< not related to a measurement: a setting, a count
  Estimate,  ///< the tuner's prediction of the measurement, in the unit of fitness
  Ranking    ///< a score: the higher, the faster the tuner expects the trial to be; the unit has no meaning
};

enum class SeriesUnit : std::uint8_t {
  None,
  Fitness,     ///< GFLOP/s, or calls per second if no FLOP count is known
  Share,       ///< in [0, 1]
  ColumnRange  ///< the whole range of a column of the space
};

/** Placeholder in a description for the member of a family of series: "lengthscale {}". */
inline constexpr std::string_view series_member = "{}";

/**
 * The family with one series per column of the space: the lengthscale of a tuner's Gaussian process along it.
 */
inline constexpr std::string_view lengthscale_series = "lengthscale {}";

/**
 * A series, or a family of series, as its tuner declares it. Several tuners may report one series: their
 * descriptions are equal except for `maker`.
 */
struct SeriesDescription {
  std::string name;   ///< "predicted_mean"; for a family "lengthscale {}"
  std::string title;  ///< "Predicted performance", "Lengthscale of {}"
  SeriesUnit unit = SeriesUnit::None;
  SeriesRelation relation = SeriesRelation::None;
  bool steps = false;          ///< a state of the tuner that is constant until it changes
  std::string deviation = {};  ///< the series that is its standard deviation; empty: none
  std::string meaning = {};    ///< definition and origin
  std::string maker = {};      ///< for a series of several tuners: how this tuner computes it
  std::string group = {};      ///< for a family: "Lengthscales"

  bool operator==(const SeriesDescription&) const = default;
};

/**
 * Returns the member of a family with this name: for "lengthscale tile_oc[3]" it is "tile_oc[3]"; nullopt for
 * other names.
 */
std::optional<std::string> member_of_family(std::string_view family, std::string_view name);

/** Returns the name of a family's member; also for its title and meaning. */
std::string name_member(std::string_view family, std::string_view member);

}  // namespace kernelscape::trial
