#include "core/trial/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace kernelscape::trial {
namespace {

using nlohmann::json;

json budget_object(const Budget& budget) {
  return {{"trials", budget.trials},
          {"minutes", budget.minutes},
          {"target_gflops", budget.target_gflops},
          {"patience", budget.patience},
          {"identical_failures", budget.identical_failures}};
}

std::unexpected<Error> broken(std::string_view what) {
  return fail(ErrorCode::Corrupt, fmt::format("the stored budget is damaged: {}", what),
              "run `kernelscape show SESSION` to see the parts of the session that can be read");
}

template <typename Number>
bool read_number(const json& object, const char* name, Number& number) {
  const auto found = object.find(name);
  if (found == object.end()) return true;
  if (std::is_integral_v<Number> ? !found->is_number_integer() : !found->is_number()) return false;
  constexpr double most = std::is_same_v<Number, std::int32_t> ? double{INT32_MAX} : 0x1p53;
  const double value = found->get<double>();
  if (!std::isfinite(value) || value < 0 || value > most) return false;
  number = found->get<Number>();
  return true;
}

Result<Budget> read_budget(const json& object) {
  Budget budget;
  if (!object.is_object()) return broken("not a JSON object");
  if (!read_number(object, "trials", budget.trials)) return broken("trials");
  if (!read_number(object, "minutes", budget.minutes)) return broken("minutes");
  if (!read_number(object, "target_gflops", budget.target_gflops)) return broken("target_gflops");
  if (!read_number(object, "patience", budget.patience)) return broken("patience");
  if (!read_number(object, "identical_failures", budget.identical_failures))
    return broken("identical_failures");
  return budget;
}

Result<Limit> read_limit(const json& object, std::int32_t after_batch) {
  Limit limit;
  if (!object.is_object() || !read_number(object, "from_batch", limit.from_batch) ||
      !read_number(object, "trials", limit.trials) || limit.from_batch <= after_batch) {
    return broken("limits");
  }
  return limit;
}

template <typename Number>
Status check_not_lowered(const char* name, Number before, Number now) {
  if (before == 0 || now == 0 || now >= before) return {};
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("the session's budget of {} {} can only be raised: {} is lower", before, name, now),
      "pass a higher limit (the trials and time used so far count), 0 for no limit, or omit the option");
}

}  // namespace

std::string budget_to_json(const Budget& budget) { return budget_object(budget).dump(); }

Result<Budget> budget_from_json(std::string_view text) {
  return read_budget(json::parse(text, nullptr, false));
}

std::optional<std::string> budget_reached(const Budget& budget, const BudgetUse& use) {
  if (budget.trials > 0 && use.trials >= budget.trials) return trials_over(budget);
  if (budget.minutes > 0 && use.session_seconds >= budget_seconds(budget)) return time_over(budget);
  if (budget.target_gflops > 0 && use.best_gflops >= budget.target_gflops) {
    return fmt::format("{:.4g} GFLOPS reached the target of {:.4g}", use.best_gflops, budget.target_gflops);
  }
  const std::int64_t without_better = use.trials - 1 - use.best_trial;
  if (budget.patience > 0 && without_better >= budget.patience) {
    return fmt::format("{} without improvement",
                       without_better == 1 ? "1 trial" : fmt::format("{} trials", without_better));
  }
  if (budget.identical_failures > 0 && use.identical_failures >= budget.identical_failures)
    return std::string(identical_failures_reason);
  return std::nullopt;
}

double budget_seconds(const Budget& budget) {
  constexpr double seconds_per_minute = 60;
  return budget.minutes * seconds_per_minute;
}

std::string trials_over(const Budget& budget) {
  return budget.trials == 1 ? "1 trial" : fmt::format("{} trials", budget.trials);
}

std::string time_over(const Budget& budget) {
  return budget.minutes == 1 ? "1 minute" : fmt::format("{} minutes", budget.minutes);
}

std::int64_t BudgetPlan::limit_at(std::int32_t batch) const {
  std::int64_t trials = budget.trials;
  for (const Limit& limit : limits) {
    if (limit.from_batch <= batch) trials = limit.trials;
  }
  return trials;
}

std::int64_t BudgetPlan::batch_request(std::int32_t batch, std::int64_t batch_size,
                                       std::int64_t proposed) const {
  const std::int64_t limit = limit_at(batch);
  if (limit == 0) return batch_size;
  return std::clamp<std::int64_t>(limit - proposed, 0, batch_size);
}

BudgetPlan make_budget_plan(const Budget& budget) { return {budget, {{0, budget.trials}}}; }

std::string budget_plan_to_json(const BudgetPlan& plan) {
  json object = budget_object(plan.budget);
  json& limits = object["limits"] = json::array();
  for (const Limit& limit : plan.limits) {
    limits.push_back({{"from_batch", limit.from_batch}, {"trials", limit.trials}});
  }
  return object.dump();
}

Result<BudgetPlan> budget_plan_from_json(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  Budget budget = TRY(read_budget(object));
  if (!object.contains("identical_failures")) budget.identical_failures = 0;
  const auto limits = object.find("limits");
  if (limits == object.end()) return make_budget_plan(budget);
  if (!limits->is_array() || limits->empty()) return broken("limits");
  BudgetPlan plan{budget, {}};
  for (const json& entry : *limits)
    plan.limits.push_back(TRY(read_limit(entry, plan.limits.empty() ? -1 : plan.limits.back().from_batch)));
  if (plan.limits.front().from_batch != 0) return broken("limits");
  return plan;
}

Result<BudgetPlan> raise_budget(const BudgetPlan& plan, const Budget& budget, std::int32_t batch) {
  TRY(check_not_lowered("trials", plan.budget.trials, budget.trials));
  TRY(check_not_lowered("minutes", plan.budget.minutes, budget.minutes));
  TRY(check_not_lowered("target-gflops", plan.budget.target_gflops, budget.target_gflops));
  TRY(check_not_lowered("patience", plan.budget.patience, budget.patience));
  BudgetPlan raised = plan;
  raised.budget = budget;
  if (raised.limits.back().trials != budget.trials) {
    if (raised.limits.back().from_batch == batch) raised.limits.pop_back();
    raised.limits.push_back({batch, budget.trials});
  }
  return raised;
}

}  // namespace kernelscape::trial
