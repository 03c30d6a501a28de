#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/formats/logged_knobs.h"
#include "core/exchange/import_text.h"
#include "core/exchange/importer.h"

namespace kernelscape::exchange {

/** The value of a knob that a trial lacks and other trials have. */
inline constexpr std::string_view absent_choice = "none";
/** The knob that distinguishes structures if there are several. */
inline constexpr std::string_view structure_knob = "structure";

/** The configuration of one trial as a log contains it. */
struct VaryingTrial {
  /**
   * The part of the configuration that is not a choice: trials with equal structures differ in their choices
   * only.
   */
  std::string structure;
  std::vector<LoggedChoice> choices;  ///< with distinct knobs
  /** Further choices, which become knobs only if trials differ in them. */
  std::vector<LoggedChoice> background{};
};

/** A space created from a log, with the configuration of each trial. */
struct LoggedSpace {
  space::SearchSpace space;
  std::vector<space::Configuration> configurations;
  std::string notice{};  ///< why the knobs differ from those of the log; empty: they do not
};

/**
 * Creates knobs for logs whose trials have different knobs, such as programs that a tuner composes. The space
 * has the knobs of all trials, and another knob that numbers the structures, so that configurations are equal
 * exactly if the logged trials are equal.
 */
class VaryingKnobs {
 public:
  /** Adds a trial and counts it against the file's budget. Nothing is kept of a trial that is an error. */
  Status add(ImportText& file, VaryingTrial trial);

  std::size_t trial_count() const { return trials_.size(); }          ///< number of trials that were added
  std::size_t structure_count() const { return structures_.size(); }  ///< number of different structures

  /**
   * Returns the space and counts its configurations against the file's budget. @param max_numbers as for
   * knobs_of_choices()
   */
  Result<LoggedSpace> space(ImportText& file, std::uint64_t& max_numbers) const;

 private:
  struct VaryingKnob {
    LoggedKnob knob;
    bool background = false;
    bool one_kind = true;    ///< all its choices have one kind
    std::size_t trials = 0;  ///< number of trials that have the knob
  };
  struct KeptTrial {
    std::uint32_t structure = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> choices;  ///< knob, choice
  };

  struct ShownKnobs;

  Status check(const VaryingTrial& trial) const;
  Status keep(ImportText& file, KeptTrial& kept, LoggedChoice choice, bool background);
  bool is_shown(const VaryingKnob& knob) const;
  ShownKnobs shown_knobs(bool listed) const;
  std::vector<space::Configuration> configurations_of(const ShownKnobs& shown,
                                                      const ChoiceIndices& indices) const;
  Result<LoggedSpace> numbered_programs() const;

  std::map<std::string, std::uint32_t> structures_;
  std::unordered_map<std::string, std::uint32_t> positions_;
  std::vector<VaryingKnob> knobs_;
  std::vector<KeptTrial> trials_;
};

/** Returns a valid knob name: letters, digits, dots and underscores; "_" replaces all other characters. */
std::string knob_name_of(std::string_view text);

/** Numbers choices with the same name: "split_3_0", "split_3_0_n2". */
void number_names(std::vector<LoggedChoice>& choices);

/** Returns a choice with any value. */
LoggedChoice plain_choice(std::string knob, space::KnobValue value);

/** Returns a part of the file with the trials in their order. @param finished_seconds by trial */
ImportedTrials logged_part(trial::RecordingHeader header, LoggedSpace space,
                           std::vector<trial::Measurement> measurements,
                           const std::vector<double>& finished_seconds);

}  // namespace kernelscape::exchange
