#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tuner/tuner.h"

namespace kernelscape {

/** Short forms of the hyperparameter kinds for the tables in the tuners' files. Ranges are inclusive. */
HyperparameterDeclaration integer_setting(std::string name, std::int64_t default_value, std::int64_t minimum,
                                          std::int64_t maximum, std::string unit, std::string documentation,
                                          std::string source);
/** A real number in [minimum, maximum]. */
HyperparameterDeclaration real_setting(std::string name, double default_value, double minimum, double maximum,
                                       std::string unit, std::string documentation, std::string source);
/** true or false. */
HyperparameterDeclaration boolean_setting(std::string name, bool default_value, std::string documentation,
                                          std::string source);
/** The first choice is the default. */
HyperparameterDeclaration choice_setting(std::string name, std::vector<std::string> choices,
                                         std::string documentation, std::string source);

/**
 * The setting of something that sessions could not choose at first.
 * @param before what they did then: sessions that are stored without the setting go on with it
 */
HyperparameterDeclaration later_setting(HyperparameterDeclaration declaration, SettingValue before);

/** The tuner's later settings and what was before them, as texts for parse_settings(). */
std::map<std::string, std::string> earlier_settings(const TunerDeclaration& tuner);

/**
 * Defaults overridden by name=value texts, of a tuner or of anything else with such settings; errors as
 * parse_settings() of a tuner.
 * @param owner as errors call it: "tuner gp"
 */
Result<SettingValues> parse_settings(std::string_view owner,
                                     std::span<const HyperparameterDeclaration> declarations,
                                     const std::map<std::string, std::string>& texts);

/** Any text, at first an empty one. */
HyperparameterDeclaration text_setting(std::string name, std::string documentation, std::string source);

/**
 * The series of a model's prediction of fitness and of its standard deviation, which several tuners report.
 * @param maker which model of which tuner, and how, in the middle of a sentence
 */
SeriesDescription predicted_mean_series(std::string maker);
/** The standard deviation of `predicted_mean_series`, in the unit of fitness. */
SeriesDescription predicted_deviation_series(std::string maker);

/**
 * The series of a model's score of which only the order says anything, which several tuners report.
 * @param maker which model of which tuner, and what it learns, in the middle of a sentence
 */
SeriesDescription predicted_score_series(std::string maker);

}  // namespace kernelscape
