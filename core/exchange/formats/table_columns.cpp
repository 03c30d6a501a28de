#include "core/exchange/formats/table_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/result_table.h"

namespace kernelscape::exchange {
namespace {

using Words = std::vector<std::string>;

template <std::size_t Size>
bool is_one_of(std::string_view word, const std::array<std::string_view, Size>& known) {
  return std::ranges::find(known, word) != known.end();
}

constexpr auto row_words = std::to_array<std::string_view>(
    {"id",     "index",  "idx",        "trial",    "iteration",  "iter",     "run",      "rep",
     "repeat", "sample", "repetition", "rank",     "row",        "number",   "no",       "step",
     "date",   "#",      "timestamp",  "datetime", "generation", "hostname", "trial_id", "unnamed"});
constexpr auto status_words =
    std::to_array<std::string_view>({"status", "state", "disposition", "valid", "correct", "passed",
                                     "success", "ok", "check", "outcome", "verified", "correctness"});
constexpr auto message_words = std::to_array<std::string_view>(
    {"error", "errors", "exception", "failure", "reason", "message", "msg", "stderr"});
constexpr auto success_words = std::to_array<std::string_view>(
    {"ok", "success", "successful", "succeeded", "passed", "pass", "valid", "true", "yes", "complete",
     "completed", "correct", "done", "no_error", "noerror", "finished", "1", "none", "not_verified"});
constexpr auto no_message_words = std::to_array<std::string_view>(
    {"", "none", "ok", "0", "no_error", "false", "nan", "null", "success", "no", "-"});
/** Last words of the names of results other than times and rates. */
constexpr auto result_words = std::to_array<std::string_view>(
    {"flops", "gflops", "bandwidth", "throughput", "energy",    "power",     "watts",  "joules",
     "std",   "stddev", "stdev",     "variance",   "var",       "speedup",   "cycles", "efficiency",
     "p50",   "p90",    "p95",       "p99",        "registers", "occupancy", "loss",   "accuracy"});
/** Words for a time that is not that of the kernel. */
constexpr auto other_time_words = std::to_array<std::string_view>(
    {"compile",   "compilation", "build", "std",      "stddev", "stdev", "overhead", "verification",
     "framework", "search",      "wall",  "walltime", "total",  "var",   "stamp",    "max",
     "timeout",   "p90",         "p95",   "p99",      "setup",  "since"});
constexpr auto statistic_words =
    std::to_array<std::string_view>({"min", "max", "mean", "median", "avg", "average", "std", "best"});
/** Numbers of failed measurements. */
constexpr auto no_number_words = std::to_array<std::string_view>(
    {"inf", "+inf", "-inf", "infinity", "-infinity", "nan", "na", "n/a", "none", "null", "-"});
/** Last words of the names of columns that say with 0 and 1 whether a result is right. */
constexpr auto truth_words = std::to_array<std::string_view>(
    {"valid", "correct", "passed", "success", "ok", "verified", "correctness"});
constexpr auto score_words =
    std::to_array<std::string_view>({"score", "objective", "cost", "value", "fitness"});

/** Facts about the first values of a column. */
struct ColumnFacts {
  Words words{};
  std::size_t numbers = 0;  ///< finite
  std::size_t whole = 0;
  std::size_t texts = 0;  ///< neither numbers nor empty
  std::size_t distinct = 0;
  std::size_t success = 0;  ///< words for success
  std::size_t characters = 0;

  bool numeric() const { return numbers > 0 && numbers >= 4 * texts; }
};

ColumnFacts facts_of(std::string_view name, const SampleRows& rows, std::size_t column, bool decimal_comma) {
  ColumnFacts facts{.words = words_of_head(name)};
  if (facts.words.empty()) facts.words.emplace_back(name);
  std::set<std::string_view> distinct;
  for (const std::vector<std::string>& row : rows) {
    const std::string& value = row[column];
    distinct.insert(value);
    facts.characters += value.size();
    if (const auto number = number_of_text(value, decimal_comma)) {
      ++facts.numbers;
      facts.whole += std::floor(*number) == *number ? 1U : 0U;
    } else if (!value.empty() && !is_one_of(base::lower_case(value), no_number_words)) {
      ++facts.texts;
    }
    facts.success += is_one_of(base::lower_case(value), success_words) ? 1U : 0U;
  }
  facts.distinct = distinct.size();
  return facts;
}

bool has_word(const Words& name, const auto& known) {
  return std::ranges::any_of(name, [&](const std::string& word) { return is_one_of(word, known); });
}

/** Returns how likely a column is the objective; 0: it is not. */
int objective_rank(std::string_view name, const ColumnFacts& facts) {
  if (facts.numbers == 0 || has_word(facts.words, other_time_words)) return 0;
  const auto names = [&](std::string_view word) {
    return std::ranges::find(facts.words, word) != facts.words.end();
  };
  const auto unit = unit_of_head(name);
  const bool timed = std::ranges::any_of(facts.words, is_time_word);
  if (unit && !unit->is_rate) {
    if (names("median")) return 9;
    if (names("mean") || names("avg") || names("average")) return 8;
    return names("min") || names("best") ? 6 : 7;
  }
  if (timed && is_time_word(facts.words.back())) return 5;
  if (timed && (names("median") || names("mean") || names("avg") || names("min"))) return 5;
  if (unit) return unit->of_flops ? 4 : 3;
  return is_one_of(facts.words.back(), score_words) ? 2 : 0;
}

bool is_row_number(const ColumnFacts& facts) {
  const std::string whole = base::join(facts.words, "_");
  return is_one_of(whole, row_words) || facts.words.front() == "timestamp" ||
         facts.words.back() == "timestamp" || facts.words.front() == "unnamed";
}

ColumnRole guessed_role(std::string_view name, const ColumnFacts& facts, std::size_t rows) {
  constexpr std::size_t few = 16;
  constexpr std::size_t long_text = 80;
  if (is_row_number(facts)) return ColumnRole::Ignored;
  const bool many = facts.distinct > few && 2 * facts.distinct > rows;
  if (facts.numeric() || facts.numbers + facts.texts == 0) {
    const std::string& last = facts.words.back();
    if (is_one_of(last, truth_words) && facts.distinct <= 2) return ColumnRole::Status;
    // "time_tile" is a parameter.
    const bool timed = std::ranges::any_of(facts.words, is_time_word) &&
                       (is_time_word(last) || has_word(facts.words, statistic_words));
    const bool statistic =
        facts.words.size() == 1 && (is_one_of(last, other_time_words) || is_one_of(last, statistic_words));
    const bool result = unit_of_head(name) || timed || statistic || is_one_of(last, result_words) ||
                        is_one_of(last, message_words);
    return result || (many && facts.whole < facts.numbers) ? ColumnRole::Number : ColumnRole::Parameter;
  }
  if (is_one_of(facts.words.back(), message_words)) return ColumnRole::Status;
  if (has_word(facts.words, status_words) && facts.success > 0) return ColumnRole::Status;
  return many && facts.characters > long_text * rows ? ColumnRole::Ignored : ColumnRole::Parameter;
}

Result<std::size_t> column_named(const std::vector<std::string>& names, std::string_view name,
                                 std::string_view option) {
  const auto found = std::ranges::find(names, base::trimmed(name));
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return fail(ErrorCode::NotFound, fmt::format("{} names no column: {}", option, base::quoted_line(name)),
              base::suggest(name, names));
}

/** Parses "status!=ok" or "time_ms >= 1000". */
Result<FailureRule> parse_failure_rule(const std::string& text, const std::vector<std::string>& names) {
  using Kind = FailureRule::Kind;
  struct Operator {
    std::string_view symbol;
    Kind kind;
  };
  constexpr std::array operators{Operator{"!=", Kind::NotEqual},     Operator{"<=", Kind::LessEqual},
                                 Operator{">=", Kind::GreaterEqual}, Operator{"==", Kind::Equal},
                                 Operator{"=", Kind::Equal},         Operator{"<", Kind::Less},
                                 Operator{">", Kind::Greater}};
  const std::size_t at = text.find_first_of("!<>=");
  const auto* const found = std::ranges::find_if(operators, [&](const Operator& known) {
    return at != std::string::npos && std::string_view(text).substr(at).starts_with(known.symbol);
  });
  if (found == operators.end())
    return fail(ErrorCode::InvalidArgument,
                fmt::format("--failed-when is no condition: {}", base::quoted_line(text)),
                "compare a column with a value: 'status!=ok', 'time_ms>=1000'; the comparisons are =, !=, <, "
                "<=, >, >=");
  FailureRule rule{.kind = found->kind};
  rule.column = TRY(column_named(names, std::string_view(text).substr(0, at), "--failed-when"));
  rule.value = base::trimmed(std::string_view(text).substr(at + found->symbol.size()));
  const bool ordered = rule.kind != Kind::Equal && rule.kind != Kind::NotEqual;
  if (!ordered || number_of_text(rule.value)) return rule;
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("--failed-when compares with {}, which is not a number", base::quoted_line(rule.value)),
      "compare texts with = or !=");
}

bool compares(const FailureRule& rule, std::string_view value, bool decimal_comma) {
  using Kind = FailureRule::Kind;
  const auto number = number_of_text(value, decimal_comma);
  const auto limit = number_of_text(rule.value);
  const bool equal = number && limit ? *number == *limit : value == rule.value;
  switch (rule.kind) {
    case Kind::NotOk:
      return !value.empty() && !is_one_of(base::lower_case(value), success_words);
    case Kind::HasText:
      return !is_one_of(base::lower_case(value), no_message_words);
    case Kind::Equal:
      return equal;
    case Kind::NotEqual:
      return !equal;
    case Kind::Less:
      return number && *number < *limit;
    case Kind::LessEqual:
      return number && *number <= *limit;
    case Kind::Greater:
      return number && *number > *limit;
    case Kind::GreaterEqual:
      return number && *number >= *limit;
  }
  return false;
}

/** Determines the columns step by step. */
class ColumnGuess {
 public:
  ColumnGuess(std::vector<std::string> names, const SampleRows& rows, const TableOptions& options,
              bool decimal_comma)
      : rows_(rows.size()), options_(options) {
    columns_.names = std::move(names);
    for (std::size_t i = 0; i < columns_.names.size(); ++i)
      facts_.push_back(facts_of(columns_.names[i], rows, i, decimal_comma));
  }

  Result<TableColumns> run() {
    TRY(choose_objective());
    TRY(choose_unit());
    TRY(choose_parameters());
    TRY(choose_failures());
    columns_.guessed = options_.parameters.empty() || options_.objective.empty();
    return std::move(columns_);
  }

  /** Returns the roles without the user's statements; there may be no objective. */
  std::vector<ColumnRole> roles() {
    const bool ranked = choose_objective().has_value();
    for (std::size_t i = 0; i < facts_.size(); ++i)
      columns_.roles.push_back(ranked && i == columns_.objective
                                   ? ColumnRole::Objective
                                   : guessed_role(columns_.names[i], facts_[i], rows_));
    return std::move(columns_.roles);
  }

 private:
  Status choose_objective() {
    if (!options_.objective.empty()) {
      columns_.objective = TRY(column_named(columns_.names, options_.objective, "--objective"));
      return {};
    }
    int best = 0;
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      const auto names = [&](const std::vector<std::string>& stated) {
        return std::ranges::find(stated, columns_.names[i]) != stated.end();
      };
      if (names(options_.parameters) || names(options_.metrics) || names(options_.ignored)) continue;
      const int rank = objective_rank(columns_.names[i], facts_[i]);
      if (rank <= best) continue;
      best = rank;
      columns_.objective = i;
    }
    if (best > 0) return {};
    return fail(ErrorCode::InvalidArgument,
                "no column looks like a result: no name says time, ms, GFLOPS or the like",
                fmt::format("name the column that ranks: --objective NAME; columns: {}", names_text()));
  }

  Status choose_unit() {
    const std::string& name = columns_.names[columns_.objective];
    if (!options_.unit.empty()) {
      columns_.unit = TRY(parse_objective_unit(options_.unit));
      return {};
    }
    if (auto unit = unit_of_head(name)) {
      columns_.unit = *std::move(unit);
      return {};
    }
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("the unit of the column {} is not known", base::quoted_line(name)),
        "state it: --unit ms (or s, us, ns, GFLOPS, GB/s, none), or write it into the column's name, as in "
        "time_ms");
  }

  Status choose_parameters() {
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      ColumnRole role = guessed_role(columns_.names[i], facts_[i], rows_);
      if (!options_.parameters.empty() && role == ColumnRole::Parameter)
        role = facts_[i].numeric() ? ColumnRole::Number : ColumnRole::Ignored;
      columns_.roles.push_back(role);
    }
    columns_.roles[columns_.objective] = ColumnRole::Objective;
    TRY(state_role(options_.parameters, ColumnRole::Parameter, "--parameters", "a parameter"));
    TRY(state_role(options_.metrics, ColumnRole::Number, "--metrics", "a metric"));
    TRY(state_role(options_.ignored, ColumnRole::Ignored, "--ignore", "ignored"));
    if (!columns_.with(ColumnRole::Parameter).empty()) return {};
    return fail(ErrorCode::InvalidArgument, "no column looks like a parameter",
                fmt::format("name them: --parameters a,b,c; columns: {}", names_text()));
  }

  /** Sets the role that a user states for columns. @param option that states it @param role_text in errors */
  Status state_role(const std::vector<std::string>& names, ColumnRole role, std::string_view option,
                    std::string_view role_text) {
    for (const std::string& name : names) {
      const std::size_t column = TRY(column_named(columns_.names, name, option));
      if (column == columns_.objective)
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("{} is both {} and the objective", base::quoted_line(name), role_text),
                    "name another objective: --objective NAME");
      if (const auto [stated, is_new] = stated_.emplace(column, role); !is_new && stated->second != role)
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("the column {} has two roles", base::quoted_line(name)),
                    "name it in only one of --parameters, --metrics and --ignore");
      columns_.roles[column] = role;
    }
    return {};
  }

  Status choose_failures() {
    for (const std::string& text : options_.failed_when)
      columns_.failures.push_back(TRY(parse_failure_rule(text, columns_.names)));
    if (!options_.failed_when.empty()) return {};
    for (const std::size_t column : columns_.with(ColumnRole::Status)) {
      const bool message = is_one_of(facts_[column].words.back(), message_words);
      columns_.failures.push_back(
          {.column = column, .kind = message ? FailureRule::Kind::HasText : FailureRule::Kind::NotOk});
    }
    return {};
  }

  std::string names_text() const {
    constexpr std::size_t max_names = 16;
    const std::size_t shown = std::min(columns_.names.size(), max_names);
    const std::span first(columns_.names.data(), shown);
    return base::one_line(base::join(first, ", ")) + (shown < columns_.names.size() ? ", ..." : "");
  }

  std::size_t rows_;
  const TableOptions& options_;
  TableColumns columns_;
  std::vector<ColumnFacts> facts_;
  std::map<std::size_t, ColumnRole> stated_;  ///< by column
};

std::string names_of(const TableColumns& columns, ColumnRole role) {
  constexpr std::size_t max_names = 24;
  std::vector<std::string> names;
  const std::vector<std::size_t> all = columns.with(role);
  for (const std::size_t column : all)
    if (names.size() < max_names) names.push_back(base::one_line(columns.names[column]));
  std::string text = base::join(names, ", ");
  if (all.size() > max_names) text += fmt::format(" and {} more", all.size() - max_names);
  return text;
}

}  // namespace

std::vector<std::size_t> TableColumns::with(ColumnRole role) const {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < roles.size(); ++i)
    if (roles[i] == role) columns.push_back(i);
  return columns;
}

Result<TableColumns> table_columns(std::vector<std::string> names, const SampleRows& rows,
                                   const TableOptions& options, bool decimal_comma) {
  std::map<std::string_view, std::size_t> positions;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [before, is_new] = positions.emplace(names[i], i);
    if (is_new) continue;
    return fail(ErrorCode::InvalidArgument,
                fmt::format("the columns {} and {} have the same name {}", before->second + 1, i + 1,
                            base::quoted_line(names[i])),
                "rename one of them");
  }
  return ColumnGuess(std::move(names), rows, options, decimal_comma).run();
}

std::vector<ColumnRole> suggested_roles(const std::vector<std::string>& names, const SampleRows& rows,
                                        bool decimal_comma) {
  return ColumnGuess(names, rows, TableOptions(), decimal_comma).roles();
}

std::string columns_notice(const TableColumns& columns) {
  const std::string objective = base::one_line(columns.names[columns.objective]);
  std::string text = fmt::format(
      "{}: parameters {}; objective {} in {}, {} is better",
      columns.guessed ? "columns, as guessed" : "columns", names_of(columns, ColumnRole::Parameter),
      objective, base::one_line(columns.unit.name), columns.unit.is_rate ? "higher" : "lower");
  std::vector<std::string> failures;
  for (const FailureRule& rule : columns.failures)
    failures.push_back(base::one_line(columns.names[rule.column]));
  if (!failures.empty()) text += fmt::format("; failures by {}", base::join(failures, ", "));
  if (const std::string names = names_of(columns, ColumnRole::Number); !names.empty())
    text += fmt::format("; further numbers {}", names);
  if (const std::string names = names_of(columns, ColumnRole::Ignored); !names.empty())
    text += fmt::format("; ignored {}", names);
  if (columns.guessed)
    text +=
        ". If that is wrong, import it with --parameters a,b --objective NAME --unit UNIT --failed-when "
        "COLUMN=VALUE";
  return text;
}

std::optional<std::string> failure_of_row(const TableColumns& columns,
                                          const std::function<std::string_view(std::size_t)>& field,
                                          bool decimal_comma) {
  std::vector<std::string> reasons;
  for (const FailureRule& rule : columns.failures) {
    const std::string_view value = field(rule.column);
    if (!compares(rule, value, decimal_comma)) continue;
    const bool text = !value.empty() && !number_of_text(value, decimal_comma);
    reasons.push_back(
        text ? std::string(value)
             : fmt::format("{} is {}", columns.names[rule.column], value.empty() ? "empty" : value));
  }
  if (reasons.empty()) return std::nullopt;
  return base::join(reasons, ": ");
}

}  // namespace kernelscape::exchange
