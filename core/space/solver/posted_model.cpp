#include "core/space/solver/posted_model.h"

#include <algorithm>
#include <set>

#include "core/space/constraint_graph.h"
#include "core/space/solver/knob_tables.h"

namespace kernelscape::space {
namespace {

/** Maximum number of values of a variable for which the values are listed. */
constexpr std::size_t max_listed_values = 65'536;
/** Maximum number of combinations for all lists together: about a second. */
constexpr std::size_t max_joined_values = std::size_t{1} << 23;

/** Propagation limit of the whole system: some tenths of a second. */
constexpr std::uint64_t max_propagations = std::uint64_t{1} << 20;

using ValueList = std::optional<std::vector<std::int64_t>>;

void sort_and_unite(std::vector<std::int64_t>& values) {
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
}

bool passes_integers(const ValueRange& range) {
  return !representable(range.low) || !representable(range.high);
}

/**
 * Lists the possible values of variables. Returns nullopt if there are too many, or the limit for all lists
 * is reached.
 */
class ValueLister {
 public:
  ValueList joined(FoldKind kind, const std::vector<const ValueList*>& operands) {
    std::vector<base::int128> partial{neutral_of(kind)};
    for (const ValueList* operand : operands) {
      if (!*operand || !take_effort(partial.size() * (*operand)->size())) return std::nullopt;
      std::vector<base::int128> next;
      for (const base::int128 left : partial)
        for (const std::int64_t right : **operand) next.push_back(join_numbers(kind, left, right));
      std::ranges::sort(next);
      next.erase(std::ranges::unique(next).begin(), next.end());
      if (next.size() > max_listed_values) return std::nullopt;
      partial = std::move(next);
    }
    std::vector<std::int64_t> values;
    for (const base::int128 value : partial) values.push_back(saturate(value));
    sort_and_unite(values);
    return values;
  }

  ValueList united(const std::vector<const ValueList*>& lists) {
    std::vector<std::int64_t> values;
    for (const ValueList* list : lists) {
      if (!*list || !take_effort((*list)->size())) return std::nullopt;
      values.insert(values.end(), (*list)->begin(), (*list)->end());
    }
    sort_and_unite(values);
    if (values.size() > max_listed_values) return std::nullopt;
    return values;
  }

 private:
  bool take_effort(std::size_t values) {
    if (values > max_joined_values - taken_) return false;
    taken_ += values;
    return true;
  }

  std::size_t taken_ = 0;
};

}  // namespace

/** Makes the integers of all variables and posts all constraints. */
class ModelBuilder {
 public:
  ModelBuilder(const std::vector<Knob>& knobs, const ConstraintSystem& system, PostedModel& model)
      : knobs_(knobs),
        system_(system),
        model_(model),
        tables_(tabulate_knobs(knobs, system)),
        bounds_(system.variables().size()),
        lists_(system.variables().size()),
        space_(std::make_unique<SolverSpace>()) {
    model_.integers_.resize(system.variables().size());
  }

  void run() {
    for (std::size_t knob = 0; knob < knobs_.size(); ++knob) add_knob(knob);
    for (VariableId id = 0; id < system_.variables().size(); ++id)
      if (const auto& constant = system_.variables()[id].constant) {
        bounds_[id] = {*constant, *constant};
        lists_[id] = std::vector{*constant};
      }
    find_bounds();
    const std::vector<Check> checks = checks_of(system_);
    auto check = checks.begin();
    for (std::size_t i = 0; i < system_.constraints().size(); ++i) {
      const bool posted = tables_.held[i] || post_constraint(i);
      if (check == checks.end() || check->constraint != i) continue;
      if (!posted) add_condition(*check);
      ++check;
    }
    space_->knobs = Gecode::IntVarArray(*space_, indices_);
    space_->variables = Gecode::IntVarArray(*space_, variables_);
    space_->propagations = max_propagations;
    if (space_->propagate())
      model_.root_ = std::move(space_);
    else
      model_.given_up_ = space_->propagations == 0;
  }

 private:
  using Integer = PostedModel::Integer;

  void add_knob(std::size_t knob) {
    indices_ << Gecode::IntVar(*space_, 0, static_cast<int>(knobs_[knob].count()) - 1);
    const Gecode::IntVar index = indices_[static_cast<int>(knob)];
    KnobRule rule{knobs_[knob].count(), {}, {}};
    Gecode::IntVarArgs index_and_columns;
    index_and_columns << index;
    for (const auto& [id, column] : tables_.knobs[knob].columns) {
      const auto [low, high] = std::ranges::minmax(column);
      bounds_[id] = {low, high};
      auto rows = ColumnRows::of(column, max_listed_values);
      if (!rows) continue;
      lists_[id] = rows->values();
      rule.codes.push_back(add_integer(id)->code);
      index_and_columns << variable(id);
      post_values(*space_, variable(id), rule.codes.back(), rows->values());
      rule.columns.push_back(std::move(*rows));
    }
    if (!rule.columns.empty())
      post_knob(*space_, model_.knobs_.emplace_back(std::move(rule)), index_and_columns);
    const std::vector<bool>& refused = tables_.knobs[knob].refused;
    if (refused.empty()) return;
    std::vector<std::int64_t> allowed;
    for (std::size_t row = 0; row < refused.size(); ++row)
      if (!refused[row]) allowed.push_back(static_cast<std::int64_t>(row));
    post_values(*space_, index, {}, allowed);
  }

  /** Of what is derived from several knobs. */
  void find_bounds() {
    for (std::size_t i = 0; i < system_.constraints().size(); ++i)
      if (system_.defines(i) && !tables_.held[i])
        bounds_[*left_side(system_.constraints()[i])] = range_of_left_side(system_.constraints()[i], bounds_);
    lists_needed_ = std::ranges::any_of(bounds_, passes_integers);
  }

  /** Of a variable whose bounds and list are known; none where neither makes integers. */
  const std::optional<Integer>& add_integer(VariableId id) {
    ValueRange range = bounds_[id];
    ValueCode code;
    if (passes_integers(range)) {
      if (!lists_[id]) return model_.integers_[id];
      code = ValueCode(model_.listed_.emplace_back(*lists_[id]));
      range = {0, static_cast<std::int64_t>(lists_[id]->size()) - 1};
    }
    model_.integers_[id] = {variables_.size(), code};
    variables_ << Gecode::IntVar(*space_, static_cast<int>(range.low), static_cast<int>(range.high));
    return model_.integers_[id];
  }

  const Gecode::IntVar& variable(VariableId id) { return variables_[model_.integers_[id]->position]; }
  const ValueCode& code(VariableId id) const { return model_.integers_[id]->code; }

  /** False where an operand or the left side is no integer, or the constraint is an expression. */
  bool post_constraint(std::size_t number) {
    const Constraint& constraint = system_.constraints()[number];
    // Constants that occur only in tables are not operands of constraints.
    const auto has_integer = [this](VariableId id) {
      if (!model_.integers_[id] && system_.variables()[id].constant) add_integer(id);
      return model_.integers_[id].has_value();
    };
    if (std::holds_alternative<ExpressionConstraint>(constraint.rule)) return false;
    if (!std::ranges::all_of(operands(constraint), has_integer)) return false;
    if (const auto left = left_side(constraint)) {
      if (system_.defines(number)) {
        if (lists_needed_) lists_[*left] = values_of_left_side(constraint);
        add_integer(*left);
      }
      if (!has_integer(*left)) return false;
    }
    std::visit([this](const auto& rule) { post(rule); }, constraint.rule);
    return true;
  }

  ValueList values_of_left_side(const Constraint& constraint) {
    std::vector<const ValueList*> lists;
    for (const VariableId id : operands(constraint)) lists.push_back(&lists_[id]);
    if (std::holds_alternative<ProdConstraint>(constraint.rule))
      return lister_.joined(FoldKind::Product, lists);
    if (!std::holds_alternative<SelectConstraint>(constraint.rule))
      return lister_.joined(FoldKind::Sum, lists);
    lists.erase(lists.begin());  // the selector
    return lister_.united(lists);
  }

  void post(const ProdConstraint& rule) { fold(FoldKind::Product, rule.result, rule.factors); }
  void post(const SumConstraint& rule) { fold(FoldKind::Sum, rule.result, rule.terms); }
  void post(const EqConstraint& rule) { fold(FoldKind::Sum, rule.left, {rule.right}); }

  void fold(FoldKind kind, VariableId result, const std::vector<VariableId>& operands) {
    std::vector<VariableId> all{result};
    all.insert(all.end(), operands.begin(), operands.end());
    std::set<VariableId> different;
    bool repeats = false;
    for (const VariableId id : all)
      repeats = repeats || (!system_.variables()[id].constant && !different.insert(id).second);
    const auto& posted = model_.folds_.emplace_back(FoldRule{kind, repeats, codes(all)});
    post_fold(*space_, posted, variables(all));
  }

  void post(const SelectConstraint& rule) {
    std::vector<VariableId> all{rule.result, rule.selector};
    all.insert(all.end(), rule.choices.begin(), rule.choices.end());
    post_select(*space_, model_.selects_.emplace_back(SelectRule{codes(all)}), variables(all));
  }

  void post(const LeConstraint& rule) {
    const auto& posted = model_.at_mosts_.emplace_back(AtMostRule{code(rule.left), code(rule.right)});
    post_at_most(*space_, posted, variable(rule.left), variable(rule.right));
  }

  void post(const InConstraint& rule) {
    std::vector<std::int64_t> values = rule.values;
    sort_and_unite(values);
    post_values(*space_, variable(rule.variable), code(rule.variable), values);
  }

  void post(const ExpressionConstraint&) {}  // a condition

  void add_condition(const Check& check) {
    Gecode::IntVarArgs indices;
    for (const std::uint32_t knob : check.knobs) indices << indices_[static_cast<int>(knob)];
    post_condition(*space_, model_.conditions_.emplace_back(knobs_, system_, check), indices);
  }

  std::vector<ValueCode> codes(const std::vector<VariableId>& ids) const {
    std::vector<ValueCode> all;
    for (const VariableId id : ids) all.push_back(code(id));
    return all;
  }

  Gecode::IntVarArgs variables(const std::vector<VariableId>& ids) {
    Gecode::IntVarArgs all;
    for (const VariableId id : ids) all << variable(id);
    return all;
  }

  const std::vector<Knob>& knobs_;
  const ConstraintSystem& system_;
  PostedModel& model_;
  const KnobTables tables_;
  std::vector<ValueRange> bounds_;
  bool lists_needed_ = false;     ///< some variable's values pass Gecode's integers
  std::vector<ValueList> lists_;  ///< all that a variable can be, at most; none: too many, or not needed
  ValueLister lister_;
  std::unique_ptr<SolverSpace> space_;
  Gecode::IntVarArgs indices_;
  Gecode::IntVarArgs variables_;
};

PostedModel::PostedModel(const std::vector<Knob>& knobs, const ConstraintSystem& system) {
  ModelBuilder(knobs, system, *this).run();
}

std::unique_ptr<SolverSpace> PostedModel::copy() const {
  if (!root_) return nullptr;
  const std::scoped_lock lock(copying_);
  return std::unique_ptr<SolverSpace>(static_cast<SolverSpace*>(root_->clone()));
}

}  // namespace kernelscape::space
