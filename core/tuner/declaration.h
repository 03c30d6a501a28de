#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tuner/tuner.h"

namespace kernelscape::tuner {

/**
 * Returns the settings that were added to the tuner later, with the values that stand for the behavior before
 * they existed, as texts for parse_settings().
 */
std::map<std::string, std::string> earlier_settings(const Declaration& tuner);

/**
 * Returns the defaults overridden by name=value texts, for a tuner or any other owner of such settings.
 * Errors are those of parse_settings() of a tuner.
 * @param owner the owner's name in errors: "tuner gp"
 */
Result<SettingValues> parse_settings(std::string_view owner,
                                     std::span<const HyperparameterDeclaration> declarations,
                                     const std::map<std::string, std::string>& texts);

/**
 * Returns the series of a model's prediction of fitness, which several tuners report.
 * @param maker which model of which tuner, and how, as the middle of a sentence
 */
trial::SeriesDescription predicted_mean_series(std::string maker);
/** Returns the series of the standard deviation of `predicted_mean_series`, in the unit of fitness. */
trial::SeriesDescription predicted_deviation_series(std::string maker);

/**
 * Returns the series of a model's score, of which only the order has a meaning and which several tuners
 * report.
 * @param maker which model of which tuner, and what it learns, as the middle of a sentence
 */
trial::SeriesDescription predicted_score_series(std::string maker);

}  // namespace kernelscape::tuner
