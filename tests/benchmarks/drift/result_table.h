#pragma once

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/comparison/bootstrap.h"
#include "tests/benchmarks/drift/session_facts.h"

/** The tables over all pairs of sessions, those of earlier runs with the same settings included. */
namespace kernelscape::drift {

constexpr double headline_tolerance = 0.03;

inline double total(const std::vector<Json>& sessions, const char* name) {
  double sum = 0;
  for (const Json& session : sessions) sum += number(session, name);
  return sum;
}

/** "3 of 4 (75 %)" */
inline std::string share_text(double part, double whole) {
  return whole > 0 ? fmt::format("{:.0f} of {:.0f} ({:.1f} %)", part, whole, 100 * part / whole) : "none";
}

/** The geometric mean with its 95 % bootstrap interval. */
inline std::string mean_text(const std::vector<double>& ratios) {
  if (ratios.empty()) return "none";
  std::vector<double> logarithms;
  double sum = 0;
  for (const double ratio : ratios) sum += logarithms.emplace_back(std::log(ratio));
  std::string text = fmt::format("{:.3f}", std::exp(sum / static_cast<double>(ratios.size())));
  if (const auto interval = analysis::bootstrap_mean_interval(logarithms))
    text += fmt::format(" ({:.3f} to {:.3f})", std::exp(interval->low), std::exp(interval->high));
  return text;
}

inline bool headline_holds(const Json& session) {
  const double change = number(session, "headline_seconds") / number(session, "truth_seconds") - 1;
  return session.value("marked", false) || std::fabs(change) <= headline_tolerance;
}

/** The best kernels' quiet speed, disturbed / undisturbed. */
inline std::vector<double> speed_ratios(const std::vector<Json>& pairs, const char* side) {
  std::vector<double> ratios;
  for (const Json& pair : pairs)
    if (pair.contains(side))
      ratios.push_back(number(pair["undisturbed"], "truth_seconds") / number(pair[side], "truth_seconds"));
  return ratios;
}

inline std::vector<Json> sessions_of(const std::vector<Json>& pairs, const char* side) {
  std::vector<Json> sessions;
  for (const Json& pair : pairs)
    if (pair.contains(side)) sessions.push_back(pair[side]);
  return sessions;
}

/** The table's values for the disturbed sessions of one of the two programs. */
inline std::vector<std::string> values_of(const std::vector<Json>& pairs, const char* side) {
  const std::vector<Json> disturbed = sessions_of(pairs, side);
  double intervals = 0;
  for (const Json& session : disturbed) intervals += static_cast<double>(session["confirmed"].size());
  return {mean_text(speed_ratios(pairs, side)),
          share_text(static_cast<double>(std::ranges::count_if(disturbed, headline_holds)),
                     static_cast<double>(disturbed.size())),
          share_text(total(disturbed, "phases_found"), total(disturbed, "phases_to_find")),
          share_text(total(disturbed, "intervals_holding"), intervals)};
}

inline void print_summary(const std::vector<Json>& pairs) {
  const std::vector<std::string> now = values_of(pairs, "disturbed");
  const std::vector<std::string> before = values_of(pairs, "before");
  const std::vector<std::pair<const char*, const char*>> rows{
      {"best kernel of a disturbed session, measured again in quiet / of an undisturbed one, geometric mean",
       "0.98"},
      {"headline of a disturbed session within 3 % of its quiet time, or marked", "all"},
      {"disturbed phases longer than 5 s that are found", "95 %"},
      {"confirmed 95 % intervals of disturbed sessions that hold the quiet time", "90 %"}};
  fmt::print("\n| what | this program | program of --before | goal |\n|---|---|---|---|\n");
  for (std::size_t i = 0; i < rows.size(); ++i)
    fmt::print("| {} | {} | {} | {} |\n", rows[i].first, now[i], before[i], rows[i].second);
  const std::vector<Json> quiet = sessions_of(pairs, "undisturbed");
  const auto count = static_cast<double>(quiet.size());
  double intervals = 0;
  for (const Json& session : quiet) intervals += static_cast<double>(session["confirmed"].size());
  fmt::print("| false alarms in {} undisturbed sessions | {:.0f} | | 1 in 100 |\n", quiet.size(),
             total(quiet, "false_alarms"));
  fmt::print("| headlines of undisturbed sessions within 3 % | {} | | |\n",
             share_text(static_cast<double>(std::ranges::count_if(quiet, headline_holds)), count));
  fmt::print("| confirmed 95 % intervals of undisturbed sessions that hold the quiet time | {} | | |\n",
             share_text(total(quiet, "intervals_holding"), intervals));
  fmt::print("| probes of undisturbed sessions, share of the run time | {:.2f} % | | 3 % |\n",
             100 * total(quiet, "probe_seconds") / std::max(total(quiet, "run_seconds"), 1e-9));
  const auto unsteady =
      std::ranges::count_if(pairs, [](const Json& pair) { return !pair.value("steady", false); });
  fmt::print("\n{} pairs; quiet times of {} changed by more than 2 % while they were measured\n",
             pairs.size(), unsteady);
}

/** One row per disturbance: what it did, and what came of it. */
inline void print_by_disturbance(const std::vector<Json>& pairs) {
  fmt::print(
      "\n| disturbance | pairs | time disturbed | trials per second inside / outside | best, disturbed / "
      "undisturbed | headlines that hold | phases found |\n|---|---|---|---|---|---|---|\n");
  for (const std::string& name : disturbance_names()) {
    std::vector<Json> chosen;
    for (const Json& pair : pairs)
      if (pair["disturbance"] == name) chosen.push_back(pair);
    if (chosen.empty()) continue;
    const std::vector<Json> disturbed = sessions_of(chosen, "disturbed");
    std::vector<double> rates;
    for (const Json& session : disturbed)
      if (const double rate = number(session, "rate_in_phases"); rate > 0) rates.push_back(rate);
    const std::vector<std::string> values = values_of(chosen, "disturbed");
    fmt::print("| {} | {} | {:.0f} % | {} | {} | {} | {} |\n", name, chosen.size(),
               100 * total(disturbed, "disturbed_share") / static_cast<double>(disturbed.size()),
               mean_text(rates), values[0], values[1], values[2]);
  }
}

}  // namespace kernelscape::drift
