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

namespace kernelscape {

/** The value of a knob that a trial lacks where others have it. */
inline constexpr std::string_view absent_choice = "none";
/** The knob that tells structures apart, where there are several. */
inline constexpr std::string_view structure_knob = "structure";

/** What a log says of one trial's configuration. */
struct VaryingTrial {
  /** All of it that is no choice: what equals here differs in its choices alone. */
  std::string structure;
  std::vector<LoggedChoice> choices;  ///< their knobs are named once each
  /** Knobs as well, but only where trials differ in them. */
  std::vector<LoggedChoice> background{};
};

/** A space of what a log names, with each trial's configuration. */
struct LoggedSpace {
  SearchSpace space;
  std::vector<Configuration> configurations;
  std::string notice{};  ///< where the knobs are not as the log has them: why
};

/**
 * Knobs of logs whose trials do not all have the same ones, such as programs that a tuner composes: the
 * space has all of them, and one more that numbers the structures, so that configurations are equal exactly
 * where trials are.
 */
class VaryingKnobs {
 public:
  /** Counts what is kept against the file's budget. Nothing is kept of a trial that is an error. */
  Status add(ImportText& file, VaryingTrial trial);

  std::size_t trial_count() const { return trials_.size(); }          ///< that were added
  std::size_t structure_count() const { return structures_.size(); }  ///< different ones

  /** Counts its configurations against the file's budget. @param most_numbers as of knobs_of_choices() */
  Result<LoggedSpace> space(ImportText& file, std::uint64_t& most_numbers) const;

 private:
  struct VaryingKnob {
    LoggedKnob knob;
    bool background = false;
    bool one_kind = true;    ///< of all its choices
    std::size_t trials = 0;  ///< that have it
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
  std::vector<Configuration> configurations_of(const ShownKnobs& shown, const ChoiceIndices& indices) const;
  Result<LoggedSpace> numbered_programs() const;

  std::map<std::string, std::uint32_t> structures_;
  std::unordered_map<std::string, std::uint32_t> positions_;
  std::vector<VaryingKnob> knobs_;
  std::vector<KeptTrial> trials_;
};

/** Names that are knobs': letters, digits, dots and underscores; "_" stands for everything else. */
std::string knob_name_of(std::string_view text);

/** The choices named again have a number behind their names: "split_3_0", "split_3_0_n2". */
void number_names(std::vector<LoggedChoice>& choices);

/** A choice of any value. */
LoggedChoice plain_choice(std::string knob, KnobValue value);

/** A part of trials in their order. @param finished_seconds by trial */
ImportedTrials logged_part(RecordingHeader header, LoggedSpace space, std::vector<Measurement> measurements,
                           const std::vector<double>& finished_seconds);

}  // namespace kernelscape
