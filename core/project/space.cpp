#include "core/project/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/project/condition_lowering.h"
#include "core/project/expression_parts.h"
#include "core/project/python_node.h"
#include "core/project/python_value.h"
#include "core/space/contradiction.h"
#include "core/space/member_search.h"

namespace kernelscape::project {
namespace {

constexpr std::uint64_t notice_effort = 20'000'000;         // per question: some tenths of a second
constexpr std::uint64_t total_notice_effort = 100'000'000;  // for all questions together
constexpr std::size_t max_notices = 64;
constexpr std::size_t max_project_conditions = 1024;

std::unexpected<Error> refuse_parameter(const Parameter& parameter, std::string_view what,
                                        std::string hint = {}) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("parameter {}: {}", base::quoted_line(parameter.name), what), std::move(hint));
}

/** Returns a value as written in an expression. */
std::string written(const space::KnobValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return base::quoted_line(*text, 40);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "True" : "False";
  return space::to_string(value);
}

std::optional<space::KnobValue> whole_value(const space::KnobValue& value) {
  if (std::holds_alternative<std::int64_t>(value)) return value;
  if (const auto* truth = std::get_if<bool>(&value)) return std::int64_t{*truth ? 1 : 0};
  const auto* real = std::get_if<double>(&value);
  if (real == nullptr || std::trunc(*real) != *real || *real < -0x1p63 || *real >= 0x1p63)
    return std::nullopt;
  return static_cast<std::int64_t>(*real);
}

std::optional<space::KnobValue> real_value(const space::KnobValue& value) {
  if (const auto* real = std::get_if<double>(&value))
    return std::isfinite(*real) ? std::optional(value) : std::nullopt;
  const auto whole = whole_value(value);
  if (!whole) return std::nullopt;
  const auto real = static_cast<double>(std::get<std::int64_t>(*whole));
  return compare_exactly(std::get<std::int64_t>(*whole), real) == 0 ? std::optional<space::KnobValue>(real)
                                                                    : std::nullopt;
}

std::optional<space::KnobValue> truth_value(const space::KnobValue& value) {
  if (std::holds_alternative<bool>(value)) return value;
  const auto whole = whole_value(value);
  if (!whole || (std::get<std::int64_t>(*whole) != 0 && std::get<std::int64_t>(*whole) != 1))
    return std::nullopt;
  return std::get<std::int64_t>(*whole) == 1;
}

/** Converts a value to its declared type; nullopt if it has another type. */
std::optional<space::KnobValue> typed_value(std::string_view type, const space::KnobValue& value) {
  if (type == "string")
    return std::holds_alternative<std::string>(value) ? std::optional(value) : std::nullopt;
  if (type == "float") return real_value(value);
  if (type == "bool") return truth_value(value);
  auto whole = whole_value(value);
  if (type == "uint" && whole && std::get<std::int64_t>(*whole) < 0) return std::nullopt;
  return whole;
}

/**
 * Returns true if the type is used without a notice: an integer is accepted as a real; other conversions add
 * a notice.
 */
bool is_usual(std::string_view type, const space::KnobValue& value) {
  return type == "float"  ? !std::holds_alternative<bool>(value)
         : type == "bool" ? std::holds_alternative<bool>(value)
                          : type == "string" || std::holds_alternative<std::int64_t>(value);
}

Status check_type(const Parameter& parameter) {
  static const std::vector<std::string> known{"int", "uint", "float", "bool", "string"};
  if (std::ranges::find(known, parameter.type) != known.end()) return {};
  return refuse_parameter(parameter, fmt::format("there is no type {}", base::quoted_line(parameter.type)),
                          base::suggest(parameter.type, known));
}

/** Makes a space step by step; its notices are about the steps so far. */
class SpaceMaker {
 public:
  SpaceMaker(const std::vector<Parameter>& parameters, const std::vector<Condition>& conditions,
             const std::vector<std::int64_t>& problem_size)
      : parameters_(parameters), conditions_(conditions), problem_size_(problem_size) {}

  Result<Space> make() {
    for (const Parameter& parameter : parameters_) knobs_.push_back(TRY(knob_of(parameter)));
    // Reports errors of the knobs before any condition is evaluated.
    if (auto alone = space::SearchSpace::make(knobs_); !alone)
      return std::unexpected(std::move(alone).error());
    if (conditions_.size() > max_project_conditions)
      return fail(ErrorCode::InvalidArgument, fmt::format("{} conditions are over the limit of {}",
                                                          conditions_.size(), max_project_conditions));
    for (const space::Knob& knob : knobs_) {
      variables_.push_back(
          all_.add_element(name_of_element(knob), static_cast<std::uint32_t>(variables_.size()), 0));
    }
    std::size_t parts = variables_.size();
    for (const Condition& condition : conditions_) {
      TRY(add(condition));
      parts += lowered_.empty() ? 0 : size_of(lowered_.back().holds);
      if (parts > space::max_constraint_parts)
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("the conditions up to {} are too large together",
                                base::quoted_line(condition.text, 200)),
                    "compare whole numbers, which is cheaper than evaluating values");
    }
    space::SearchSpace space = TRY(space::SearchSpace::make(knobs_, all_));
    TRY(check_members());
    say_failures();
    if (notices_.size() > max_notices) {
      const std::size_t more = notices_.size() - max_notices;
      notices_.resize(max_notices);
      notices_.push_back(fmt::format("and {} more", more));
    }
    return Space{std::move(space), std::move(notices_)};
  }

 private:
  struct Lowered {
    const Condition* condition;
    space::Expression holds;
    std::optional<space::Expression> fails;
  };

  ConditionScope scope() const { return {knobs_, variables_, problem_size_}; }

  /**
   * Returns the name of a knob's element. Reals and texts have no integer values, so constraints refer to
   * their indices.
   */
  static std::string name_of_element(const space::Knob& knob) {
    const space::KnobValue& value = knob.value(0);
    const bool place = std::holds_alternative<double>(value) || std::holds_alternative<std::string>(value);
    return place ? fmt::format("place of {}", knob.name()) : knob.name();
  }

  Result<space::Knob> knob_of(const Parameter& parameter) {
    TRY(check_type(parameter));
    std::vector<space::KnobValue> values;
    for (const space::KnobValue& value : parameter.values) {
      auto typed = typed_value(parameter.type, value);
      if (!typed)
        return refuse_parameter(parameter,
                                fmt::format("{} is not of type {}", written(value), parameter.type),
                                "change the value or the type");
      if (!is_usual(parameter.type, value))
        notices_.push_back(fmt::format("parameter {}: {} is converted to the {} {}",
                                       base::quoted_line(parameter.name), written(value), parameter.type,
                                       written(*typed)));
      values.push_back(*std::move(typed));
    }
    drop_repeated(parameter, values);
    const bool text = parameter.type == "string";
    const bool ascending = std::ranges::is_sorted(values);
    if (text || !ascending) return space::Knob::categorical(parameter.name, std::move(values));
    return space::Knob::ordinal(parameter.name, std::move(values));
  }

  void drop_repeated(const Parameter& parameter, std::vector<space::KnobValue>& values) {
    std::set<space::KnobValue> seen;
    std::set<space::KnobValue> said;
    std::vector<space::KnobValue> kept;
    for (const space::KnobValue& value : values) {
      if (seen.insert(value).second)
        kept.push_back(value);
      else if (said.insert(value).second)
        notices_.push_back(fmt::format("parameter {} lists {} more than once; it counts once",
                                       base::quoted_line(parameter.name), written(value)));
    }
    values = std::move(kept);
  }

  Status add(const Condition& condition) {
    TRY(check_names(condition));
    LoweredCondition lowered = TRY(lower_condition(condition.expression, scope(), budget_));
    const std::string quoted = base::quoted_line(condition.text, 200);
    if (search({lowered.holds}) == Found::None) return never_true(condition, lowered);
    if (search({not_expression(lowered.holds)}) == Found::None) {
      notices_.push_back(fmt::format("condition {} is always true", quoted));
      return {};
    }
    all_.add({space::ExpressionConstraint{lowered.holds}, condition.text});
    lowered_.push_back({&condition, std::move(lowered.holds), std::move(lowered.fails)});
    return {};
  }

  Status check_names(const Condition& condition) const {
    std::vector<std::string> known;
    for (const space::Knob& knob : knobs_) known.push_back(knob.name());
    if (!problem_size_.empty()) known.emplace_back("ProblemSize");
    for (const std::string& name : condition.expression.names())
      if (std::ranges::find(known, name) == known.end())
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("condition {}: no parameter is named {}",
                                base::quoted_line(condition.text, 200), base::quoted_line(name, 60)),
                    base::suggest(name, known));
    return {};
  }

  std::unexpected<Error> never_true(const Condition& condition, const LoweredCondition& lowered) {
    const std::string quoted = base::quoted_line(condition.text, 200);
    if (lowered.fails && search({not_expression(*lowered.fails)}) == Found::None) {
      space::Configuration first;
      first.indices.resize(knobs_.size());
      const Result<bool> truth = condition.expression.evaluate_truth(names_in(scope(), first));
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("condition {} can't be computed for any configuration{}", quoted,
                              truth ? "" : ": " + truth.error().message),
                  truth ? "" : truth.error().hint);
    }
    return fail(ErrorCode::InvalidArgument,
                fmt::format("condition {} is never true: no configuration is left", quoted),
                "change the condition, or the values of its parameters");
  }

  enum class Found : std::uint8_t { None, One, Unknown };

  /** Searches a configuration that satisfies all of these conditions, and writes it to `found`. */
  Found search(const std::vector<space::Expression>& conditions, space::Configuration* found = nullptr) {
    space::ConstraintSystem system;
    for (const space::Variable& variable : all_.variables())
      system.add_element(variable.name, variable.element->knob, variable.element->position);
    for (const space::Expression& condition : conditions)
      system.add({space::ExpressionConstraint{condition}, {}});
    space::MemberSearch members(knobs_, system);
    const std::uint64_t effort = std::min(notice_effort, notice_effort_left_);
    const space::SearchEnd end = members.visit(effort, [&](const space::Configuration& member) {
      if (found != nullptr) *found = member;
      return false;
    });
    notice_effort_left_ -= effort - members.effort_left();
    if (end == space::SearchEnd::Stopped) return Found::One;
    return end == space::SearchEnd::Complete ? Found::None : Found::Unknown;
  }

  /** Checks that the space has members; the error names conditions that exclude all configurations. */
  Status check_members() {
    std::vector<space::Expression> all;
    for (const Lowered& one : lowered_) all.push_back(one.holds);
    const Found found = search(all);
    if (found == Found::One) return {};
    const std::vector<std::size_t> least = space::contradicting_constraints(
        knobs_, all_, found == Found::None ? space::SolverLimits{} : space::brief_proof_limits);
    if (found == Found::Unknown && least.empty()) return {};
    std::vector<std::string> quoted;
    for (std::size_t i = 0; i < lowered_.size(); ++i)
      if (least.empty() || std::ranges::find(least, i) != least.end())
        quoted.push_back(base::quoted_line(lowered_[i].condition->text, 200));
    return fail(ErrorCode::InvalidArgument,
                "no configuration satisfies these conditions: " + base::join(quoted, ", "),
                "each can be true, but not all at once; change one, or the values of their parameters");
  }

  /**
   * Adds notices for conditions that can't be computed although all others hold, which is probably a mistake
   * of the user.
   */
  void say_failures() {
    for (std::size_t i = 0; i < lowered_.size(); ++i) {
      if (!lowered_[i].fails) continue;
      std::vector<space::Expression> others{*lowered_[i].fails};
      for (std::size_t j = 0; j < lowered_.size(); ++j)
        if (j != i) others.push_back(lowered_[j].holds);
      space::Configuration where;
      if (search(others, &where) == Found::One) say_failure(*lowered_[i].condition, where);
    }
  }

  void say_failure(const Condition& condition, const space::Configuration& where) {
    const Result<bool> truth = condition.expression.evaluate_truth(names_in(scope(), where));
    std::vector<std::string> values;
    for (const std::string& name : condition.expression.names())
      for (std::size_t knob = 0; knob < knobs_.size(); ++knob)
        if (knobs_[knob].name() == name)
          values.push_back(fmt::format("{} = {}", name, written(knobs_[knob].value(where.indices[knob]))));
    notices_.push_back(fmt::format(
        "condition {} where {}: such configurations are omitted",
        truth ? base::quoted_line(condition.text, 200) + " can't be computed" : truth.error().message,
        base::join(values, ", ")));
  }

  const std::vector<Parameter>& parameters_;
  const std::vector<Condition>& conditions_;
  const std::vector<std::int64_t>& problem_size_;
  std::vector<space::Knob> knobs_;
  std::vector<space::VariableId> variables_;  ///< indexed by knob
  space::ConstraintSystem all_;
  std::vector<Lowered> lowered_;  ///< lowered conditions that are constraints of `all_`, in their order
  std::vector<std::string> notices_;
  std::uint64_t notice_effort_left_ = total_notice_effort;
  ConditionBudget budget_;
};

}  // namespace

Result<Space> make_project_space(const std::vector<Parameter>& parameters,
                                 const std::vector<Condition>& conditions,
                                 const std::vector<std::int64_t>& problem_size) {
  return SpaceMaker(parameters, conditions, problem_size).make();
}

}  // namespace kernelscape::project
