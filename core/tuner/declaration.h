#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tuner/tuner.h"

namespace kernelscape {

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
