#include "core/exchange/formats/varying_knobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/int128.h"
#include "core/base/visible_text.h"

namespace kernelscape::exchange {
namespace {

constexpr std::uint32_t no_position = ~std::uint32_t{0};

/**
 * A knob of the space: its choices in the order of their numbers, and the choice of trials without the knob.
 */
struct ShownKnob {
  LoggedKnob knob;
  std::vector<std::uint32_t> choice_of{};  ///< by choice of the log
  std::uint32_t absent = no_position;
};

/** Returns a knob with all choices as values of one kind, including "none" if `absent` is set. */
ShownKnob plain_knob(const LoggedKnob& logged, bool absent) {
  ShownKnob shown{.knob = LoggedKnob(logged.name(), ChoiceKind::Other)};
  for (const LoggedChoice& choice : logged.choices()) {
    const bool tuple = choice.kind == ChoiceKind::Split || choice.kind == ChoiceKind::Reorder;
    shown.choice_of.push_back(shown.knob.add(
        plain_choice(logged.name(), tuple ? space::KnobValue(choice_text(choice)) : choice.value)));
  }
  if (absent) shown.absent = shown.knob.add(plain_choice(logged.name(), std::string(absent_choice)));
  return shown;
}

ShownKnob whole_knob(const LoggedKnob& logged) {
  ShownKnob shown{.knob = logged};
  for (std::uint32_t choice = 0; choice < logged.choices().size(); ++choice)
    shown.choice_of.push_back(choice);
  return shown;
}

/** Returns true if a space can be created from the knobs. */
bool can_be_combined(const std::vector<space::Knob>& knobs) {
  base::uint128 product = 1;
  for (const space::Knob& knob : knobs) product = base::saturating_multiply(product, knob.count());
  return product <= base::uint128{1} << 127;
}

}  // namespace

LoggedChoice plain_choice(std::string knob, space::KnobValue value) {
  return LoggedChoice{.knob = std::move(knob), .value = std::move(value)};
}

std::string knob_name_of(std::string_view text) {
  std::string name(text);
  std::ranges::replace_if(
      name,
      [](char c) {
        const auto letter = static_cast<unsigned char>(c);
        return letter >= 0x80 || (std::isalnum(letter) == 0 && c != '_' && c != '.');
      },
      '_');
  return name;
}

void number_names(std::vector<LoggedChoice>& choices) {
  std::map<std::string, int> uses;
  for (LoggedChoice& choice : choices) {
    const int use = ++uses[choice.knob];
    if (use > 1) choice.knob += fmt::format("_n{}", use);
  }
}

Status VaryingKnobs::check(const VaryingTrial& trial) const {
  std::vector<LoggedChoice> choices = trial.choices;
  choices.insert(choices.end(), trial.background.begin(), trial.background.end());
  TRY(check_choices(choices));
  const auto fresh = static_cast<std::size_t>(std::ranges::count_if(
      choices, [&](const LoggedChoice& choice) { return !positions_.contains(choice.knob); }));
  if (knobs_.size() + fresh + 1 <= space::max_space_knobs) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("including it, the trials of its task have more than {} knobs",
                          space::max_space_knobs - 1));
}

Status VaryingKnobs::keep(ImportText& file, KeptTrial& kept, LoggedChoice choice, bool background) {
  const auto [found, is_new] = positions_.try_emplace(choice.knob, static_cast<std::uint32_t>(knobs_.size()));
  if (is_new) knobs_.push_back({.knob = LoggedKnob(choice.knob, choice.kind), .background = background});
  VaryingKnob& knob = knobs_[found->second];
  ++knob.trials;
  knob.background = knob.background && background;
  knob.one_kind = knob.one_kind && knob.knob.kind() == choice.kind;
  const std::size_t known = knob.knob.choices().size();
  const std::size_t numbers = choice.numbers.size();
  kept.choices.emplace_back(found->second, knob.knob.add(std::move(choice)));
  if (kept.choices.back().second < known) return {};
  return file.keep(kept_choice_bytes + numbers * sizeof(std::int64_t));
}

Status VaryingKnobs::add(ImportText& file, VaryingTrial trial) {
  TRY(check(trial));
  const auto [found, is_new] =
      structures_.try_emplace(std::move(trial.structure), static_cast<std::uint32_t>(structures_.size()));
  if (is_new) TRY(file.keep(kept_choice_bytes + 2 * found->first.size()));
  KeptTrial kept{.structure = found->second, .choices = {}};
  for (LoggedChoice& choice : trial.choices) TRY(keep(file, kept, std::move(choice), false));
  for (LoggedChoice& choice : trial.background) TRY(keep(file, kept, std::move(choice), true));
  TRY(file.keep(sizeof(KeptTrial) + 2 * kept.choices.size() * sizeof(kept.choices.front())));
  trials_.push_back(std::move(kept));
  return {};
}

bool VaryingKnobs::is_shown(const VaryingKnob& knob) const {
  return !knob.background || knob.knob.choices().size() > 1 || knob.trials < trials_.size();
}

/** For all trials: the knobs of the space, and the positions of the log's knobs among them. */
struct VaryingKnobs::ShownKnobs {
  std::vector<ShownKnob> knobs{};
  std::vector<std::uint32_t> place_of{};  ///< by knob of the log
  bool numbered = false;                  ///< the structures are a knob, which is the last one
};

/** Returns the knobs of the space. @param listed knobs have only the values that occur */
VaryingKnobs::ShownKnobs VaryingKnobs::shown_knobs(bool listed) const {
  ShownKnobs shown;
  shown.place_of.assign(knobs_.size(), no_position);
  for (std::size_t i = 0; i < knobs_.size(); ++i) {
    const VaryingKnob& knob = knobs_[i];
    if (!is_shown(knob)) continue;
    shown.place_of[i] = static_cast<std::uint32_t>(shown.knobs.size());
    const bool absent = knob.trials < trials_.size();
    const bool plain = listed || absent || !knob.one_kind;
    shown.knobs.push_back(plain ? plain_knob(knob.knob, absent) : whole_knob(knob.knob));
  }
  shown.numbered = structures_.size() > 1 || shown.knobs.empty();
  if (!shown.numbered) return shown;
  ShownKnob structure{.knob = LoggedKnob(std::string(structure_knob), ChoiceKind::Other)};
  for (std::size_t i = 0; i < structures_.size(); ++i)
    structure.choice_of.push_back(
        structure.knob.add(plain_choice(std::string(structure_knob), fmt::format("structure {}", i + 1))));
  shown.knobs.push_back(std::move(structure));
  return shown;
}

std::vector<space::Configuration> VaryingKnobs::configurations_of(const ShownKnobs& shown,
                                                                  const ChoiceIndices& indices) const {
  std::vector<space::Configuration> configurations;
  for (const KeptTrial& trial : trials_) {
    std::vector<std::uint32_t>& own = configurations.emplace_back().indices;
    for (std::size_t i = 0; i < shown.knobs.size(); ++i) {
      const std::uint32_t absent = shown.knobs[i].absent;
      own.push_back(absent == no_position ? 0 : indices[i][absent]);
    }
    for (const auto& [knob, choice] : trial.choices)
      if (const std::uint32_t at = shown.place_of[knob]; at != no_position)
        own[at] = indices[at][shown.knobs[at].choice_of[choice]];
    if (shown.numbered) own.back() = indices.back()[shown.knobs.back().choice_of[trial.structure]];
  }
  return configurations;
}

/** Returns a space with a single knob that numbers the programs. */
Result<LoggedSpace> VaryingKnobs::numbered_programs() const {
  std::map<std::pair<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>>, std::uint32_t>
      programs;
  std::vector<space::Configuration> configurations;
  for (const KeptTrial& trial : trials_) {
    const auto next = static_cast<std::uint32_t>(programs.size());
    const auto found = programs.try_emplace({trial.structure, trial.choices}, next).first;
    configurations.push_back({{found->second}});
  }
  std::vector<space::KnobValue> values;
  for (std::size_t i = 0; i < programs.size(); ++i) values.emplace_back(fmt::format("program {}", i + 1));
  std::vector<space::Knob> knobs{TRY(space::Knob::categorical("program", std::move(values)))};
  space::SearchSpace space = TRY(space::SearchSpace::make_explicit(std::move(knobs), configurations));
  return LoggedSpace{std::move(space), std::move(configurations),
                     "its knobs have over 2^127 combinations: its programs are numbered instead"};
}

Result<LoggedSpace> VaryingKnobs::space(ImportText& file, std::uint64_t& max_numbers) const {
  // As members of the space, and as configurations of the trials.
  const std::size_t numbers = (knobs_.size() + 1) * sizeof(std::uint32_t);
  TRY(file.keep(2 * trials_.size() * (sizeof(space::Configuration) + numbers)));
  for (const bool listed : {false, true}) {
    const ShownKnobs shown = shown_knobs(listed);
    std::vector<LoggedKnob> logged;
    for (const ShownKnob& knob : shown.knobs) logged.push_back(knob.knob);
    KnobsOfChoices made = TRY(knobs_of_choices(logged, {}, max_numbers));
    if (!can_be_combined(made.knobs)) continue;
    std::vector<space::Configuration> configurations = configurations_of(shown, made.indices);
    space::SearchSpace space = TRY(space::SearchSpace::make_explicit(std::move(made.knobs), configurations));
    return LoggedSpace{
        std::move(space), std::move(configurations),
        listed ? "its knobs would have over 2^127 combinations: they have only the values that occur" : ""};
  }
  return numbered_programs();
}

ImportedTrials logged_part(trial::RecordingHeader header, LoggedSpace space,
                           std::vector<trial::Measurement> measurements,
                           const std::vector<double>& finished_seconds) {
  ImportedTrials part{.header = std::move(header), .space = std::move(space.space), .trials = {}};
  for (std::size_t i = 0; i < measurements.size(); ++i)
    part.trials.push_back({.configuration = std::move(space.configurations[i]),
                           .measurement = std::move(measurements[i]),
                           .finished_seconds = finished_seconds[i]});
  return part;
}

}  // namespace kernelscape::exchange
