#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kernelscape {

/** A number per trial that a tuner reports (epsilon, predicted deviation): stored and drawn. */
struct SeriesValue {
  std::string series;
  double value = 0;
};

/** What a series says of the trial it belongs to. */
enum class SeriesRelation : std::uint8_t {
  None,      ///< nothing that could be measured: a setting, a count
  Estimate,  ///< what the tuner expects to be measured, in the unit of fitness
  Ranking    ///< a score: the higher, the faster the tuner expects the trial to be; the unit says nothing
};

enum class SeriesUnit : std::uint8_t {
  None,
  Fitness,     ///< GFLOPS, or calls per second where no FLOP count is known
  Share,       ///< in [0, 1]
  ColumnRange  ///< the whole range of a column of the space
};

/** What stands in a description for the member of a family of series: "lengthscale {}". */
inline constexpr std::string_view series_member = "{}";

/** One series per column of the space, how far a tuner's Gaussian process sees along it. */
inline constexpr std::string_view lengthscale_series = "lengthscale {}";

/**
 * A series, or a family of them, as its tuner declares it. Several tuners may report one series: they
 * describe it alike, but for what each of them says of itself.
 */
struct SeriesDescription {
  std::string name;   ///< "predicted_mean"; of a family "lengthscale {}"
  std::string title;  ///< "Predicted performance", "Lengthscale of {}"
  SeriesUnit unit = SeriesUnit::None;
  SeriesRelation relation = SeriesRelation::None;
  bool steps = false;          ///< a state of the tuner, which holds until it changes
  std::string deviation = {};  ///< the series that is its standard deviation; empty: none
  std::string meaning = {};    ///< what it is and where it comes from
  std::string maker = {};      ///< of one that several tuners report: how this one makes it
  std::string group = {};      ///< of a family: "Lengthscales"

  bool operator==(const SeriesDescription&) const = default;
};

/** The member of a family that has this name: of "lengthscale tile_oc[3]" it is "tile_oc[3]"; none of others.
 */
std::optional<std::string> member_of_family(std::string_view family, std::string_view name);

/** The name of a family's member, and its title and meaning alike. */
std::string name_member(std::string_view family, std::string_view member);

}  // namespace kernelscape
