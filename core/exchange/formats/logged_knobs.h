#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/space/search_space.h"

namespace kernelscape::exchange {

inline constexpr double milliseconds_per_second = 1e3;
/** The value in a column of a result that has no number. */
inline constexpr double no_logged_value = std::numeric_limits<double>::quiet_NaN();

/** How a log writes a knob's choice: the kinds of AutoTVM. Other logs have scalars only. */
enum class ChoiceKind : std::uint8_t {
  Split,     ///< "sp": factors, outermost first; the first may be -1, the remaining factor
  Reorder,   ///< "re": items in their order
  Annotate,  ///< "an": "none", "vec", "unroll", ... per loop
  Other      ///< "ot": any scalar
};

/** A knob and its choice: ["tile_f", "sp", [6, 1, 32, 1]]. */
struct LoggedChoice {
  std::string knob;
  ChoiceKind kind = ChoiceKind::Other;
  std::vector<std::int64_t> numbers{};  ///< for Split and Reorder
  space::KnobValue value{};             ///< for Other; for Annotate: the list as JSON text

  bool operator==(const LoggedChoice&) const = default;
};

/** Returns "[6, 1, 32, 1]", or the value: a text that distinguishes the choices of a knob. */
std::string choice_text(const LoggedChoice& entity);

/** A knob of a log with its distinct choices in the order of their first use. */
class LoggedKnob {
 public:
  LoggedKnob(std::string name, ChoiceKind kind) : name_(std::move(name)), kind_(kind) {}

  /** Adds a choice and returns its position in choices(). */
  std::uint32_t add(LoggedChoice entity);
  /** Returns the position of a choice, or nothing if it was not added. */
  std::optional<std::uint32_t> find(const LoggedChoice& entity) const;

  const std::string& name() const { return name_; }  ///< name in the log: "tile_f"
  ChoiceKind kind() const { return kind_; }          ///< of all its choices
  /** Returns the distinct choices in the order of their first use. */
  const std::vector<LoggedChoice>& choices() const { return choices_; }

 private:
  std::string name_;
  ChoiceKind kind_;
  std::vector<LoggedChoice> choices_;
  std::unordered_map<std::string, std::uint32_t> positions_;
};

/**
 * Returns an error if the choices are not a configuration: too many knobs for a space, a knob twice, or names
 * or values that are too long or have control characters.
 */
Status check_choices(std::span<const LoggedChoice> choices);

/** By knob of the log, by choice: the index of the knob's value. */
using ChoiceIndices = std::vector<std::vector<std::uint32_t>>;

/** The mapping from knobs of a log to those of a space. */
struct KnobsInSpace {
  std::vector<std::uint32_t> knob_of;  ///< by knob of the log: the index of the space's knob
  ChoiceIndices indices;
};

/**
 * Maps the knobs to a template's space if the space has exactly these knobs, in any order, and every choice
 * is one of their values. Otherwise the error says why not.
 */
Result<KnobsInSpace> knobs_in_space(const space::SearchSpace& space, const std::vector<LoggedKnob>& knobs);

/** Returns the product of the factors of a split, if it is known. */
using SplitExtent = std::function<std::optional<std::int64_t>(std::string_view knob)>;

/** Knobs created from the choices in a log. */
struct KnobsOfChoices {
  std::vector<space::Knob> knobs;
  ChoiceIndices indices;
};

/**
 * Creates knobs from logged choices. Splits become factorizations if all tuples have the same product,
 * reorders become permutations, numbers become ordinals. Other choices, and choices that would take more than
 * `max_numbers` numbers, become a list of the values that occur. @param extent_of may be empty @param
 * max_numbers numbers that remain for tables of values; the numbers of these knobs are subtracted
 */
Result<KnobsOfChoices> knobs_of_choices(const std::vector<LoggedKnob>& knobs, const SplitExtent& extent_of,
                                        std::uint64_t& max_numbers);

}  // namespace kernelscape::exchange
