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

namespace kernelscape {

inline constexpr double milliseconds_per_second = 1e3;
/** What stands in a column for which a result has no number. */
inline constexpr double no_logged_value = std::numeric_limits<double>::quiet_NaN();

/** How a log writes a knob's choice: the kinds of AutoTVM. Other logs have scalars only. */
enum class ChoiceKind : std::uint8_t {
  Split,     ///< "sp": factors, outermost first; the first may be -1, what remains
  Reorder,   ///< "re": items in their order
  Annotate,  ///< "an": "none", "vec", "unroll", ... per loop
  Other      ///< "ot": any scalar
};

/** A knob and its choice: ["tile_f", "sp", [6, 1, 32, 1]]. */
struct LoggedChoice {
  std::string knob;
  ChoiceKind kind = ChoiceKind::Other;
  std::vector<std::int64_t> numbers{};  ///< of Split and Reorder
  KnobValue value{};                    ///< of Other; Annotate: the list as JSON text

  bool operator==(const LoggedChoice&) const = default;
};

/** "[6, 1, 32, 1]", or the value: tells the choices of a knob apart. */
std::string choice_text(const LoggedChoice& entity);

/** A knob of a log with its distinct choices in the order of their first use. */
class LoggedKnob {
 public:
  LoggedKnob(std::string name, ChoiceKind kind) : name_(std::move(name)), kind_(kind) {}

  /** The choice's position in choices(). */
  std::uint32_t add(LoggedChoice entity);
  /** Returns the position of a choice, or nothing if it was not added. */
  std::optional<std::uint32_t> find(const LoggedChoice& entity) const;

  const std::string& name() const { return name_; }  ///< as the log has it: "tile_f"
  ChoiceKind kind() const { return kind_; }          ///< of all its choices
  /** Distinct, in the order of their first use. */
  const std::vector<LoggedChoice>& choices() const { return choices_; }

 private:
  std::string name_;
  ChoiceKind kind_;
  std::vector<LoggedChoice> choices_;
  std::unordered_map<std::string, std::uint32_t> positions_;
};

/**
 * Refuses choices that are no configuration: of more knobs than a space can have, of one knob twice, or with
 * names or values that are too long or have control characters.
 */
Status check_choices(std::span<const LoggedChoice> choices);

/** By knob of the log, by choice: the index of the knob's value. */
using ChoiceIndices = std::vector<std::vector<std::uint32_t>>;

/** Knobs of a log among those of a space. */
struct KnobsInSpace {
  std::vector<std::uint32_t> knob_of;  ///< by knob of the log: the space's
  ChoiceIndices indices;
};

/** Where a template's space has these knobs, in any order, and every choice is one of their values; else why
 * not. */
Result<KnobsInSpace> knobs_in_space(const SearchSpace& space, const std::vector<LoggedKnob>& knobs);

/** What the factors of a split multiply to, where it is known. */
using SplitExtent = std::function<std::optional<std::int64_t>(std::string_view knob)>;

/** Knobs made of what a log names. */
struct KnobsOfChoices {
  std::vector<Knob> knobs;
  ChoiceIndices indices;
};

/**
 * Splits become factorizations where all tuples have one product, reorders permutations, numbers ordinals;
 * what is none of these, or would take more than `most_numbers` numbers, becomes a list of the values that
 * appear.
 * @param extent_of may be empty
 * @param most_numbers left for tables of values; what these knobs take is subtracted
 */
Result<KnobsOfChoices> knobs_of_choices(const std::vector<LoggedKnob>& knobs, const SplitExtent& extent_of,
                                        std::uint64_t& most_numbers);

}  // namespace kernelscape
