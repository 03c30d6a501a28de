#include "core/space/solver/knob_tables.h"

#include <algorithm>

namespace kernelscape::space {
namespace {

/**
 * Maximum number of evaluated variables and operands for all tables together: some hundredths of a second.
 */
constexpr std::uint64_t max_table_effort = std::uint64_t{1} << 23;

/** Dependence of a variable or constraint: on no knob, one knob, or several. */
class Owner {
 public:
  Owner() = default;
  explicit Owner(std::uint32_t knob) : state_(State::One), knob_(knob) {}

  bool none() const { return state_ == State::None; }
  bool is(std::size_t knob) const { return state_ == State::One && knob_ == knob; }
  void join(const Owner& other) {
    if (none())
      *this = other;
    else if (!other.none() && !other.is(knob_))
      state_ = State::Several;
  }

 private:
  enum class State : std::uint8_t { None, One, Several };
  State state_ = State::None;
  std::uint32_t knob_ = 0;
};

class Tabulation {
 public:
  Tabulation(const std::vector<Knob>& knobs, const ConstraintSystem& system)
      : knobs_(knobs),
        system_(system),
        of_variables_(system.variables().size()),
        of_constraints_(system.constraints().size()) {
    tables_.held.assign(system.constraints().size(), false);
  }

  KnobTables run() {
    find_owners();
    for (std::size_t knob = 0; knob < knobs_.size(); ++knob) {
      tables_.knobs.emplace_back();
      add_elements(knob);
      if (const auto own = own_constraints(knob); !own.empty()) add_constraints(knob, own);
    }
    return std::move(tables_);
  }

 private:
  void find_owners() {
    for (VariableId id = 0; id < of_variables_.size(); ++id)
      if (const auto& element = system_.variables()[id].element) of_variables_[id] = Owner(element->knob);
    for (std::size_t i = 0; i < of_constraints_.size(); ++i) {
      const Constraint& constraint = system_.constraints()[i];
      Owner owner;
      for (const VariableId id : operands(constraint)) owner.join(of_variables_[id]);
      if (const auto left = left_side(constraint)) {
        if (system_.defines(i))
          of_variables_[*left] = owner;
        else
          owner.join(of_variables_[*left]);
      }
      of_constraints_[i] = owner;
    }
  }

  void add_elements(std::size_t knob) {
    for (VariableId id = 0; id < of_variables_.size(); ++id) {
      const std::optional<KnobElement>& element = system_.variables()[id].element;
      if (!element || element->knob != knob) continue;
      KnobTable::Column column{id, {}};
      for (std::uint32_t row = 0; row < knobs_[knob].count(); ++row)
        column.values.push_back(knobs_[knob].element(row, element->position));
      tables_.knobs[knob].columns.push_back(std::move(column));
    }
  }

  /** Those that depend on this knob alone. */
  std::vector<std::size_t> own_constraints(std::size_t knob) const {
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < of_constraints_.size(); ++i)
      if (of_constraints_[i].is(knob)) own.push_back(i);
    return own;
  }

  void add_constraints(std::size_t knob, const std::vector<std::size_t>& own) {
    // They may rest on what is derived from constants.
    std::vector<std::size_t> evaluated;
    std::uint64_t effort = system_.variables().size();
    for (std::size_t i = 0; i < of_constraints_.size(); ++i) {
      const bool constant = of_constraints_[i].none() && system_.defines(i);
      if (!constant && !of_constraints_[i].is(knob)) continue;
      evaluated.push_back(i);
      effort += 1 + operands(system_.constraints()[i]).size();
    }
    const std::uint32_t rows = knobs_[knob].count();
    if (effort > (max_table_effort - taken_) / rows) return;
    taken_ += effort * rows;
    evaluate(knob, own, system_.with_constraints(evaluated));
    for (const std::size_t constraint : own) tables_.held[constraint] = true;
  }

  void evaluate(std::size_t knob, const std::vector<std::size_t>& own, const ConstraintSystem& part) {
    KnobTable& table = tables_.knobs[knob];
    const std::size_t first_derived = table.columns.size();
    for (const std::size_t constraint : own)
      if (system_.defines(constraint))
        table.columns.push_back({*left_side(system_.constraints()[constraint]), {}});
    Configuration configuration{std::vector<std::uint32_t>(knobs_.size(), 0)};
    for (std::uint32_t row = 0; row < knobs_[knob].count(); ++row) {
      configuration.indices[knob] = row;
      const Evaluation evaluation = part.evaluate(knobs_, configuration);
      for (std::size_t i = first_derived; i < table.columns.size(); ++i)
        table.columns[i].values.push_back(evaluation.values[table.columns[i].variable]);
      table.refused.push_back(!evaluation.violated.empty());
    }
    if (std::ranges::count(table.refused, true) == 0) table.refused.clear();
  }

  const std::vector<Knob>& knobs_;
  const ConstraintSystem& system_;
  std::vector<Owner> of_variables_;
  std::vector<Owner> of_constraints_;
  std::uint64_t taken_ = 0;
  KnobTables tables_;
};

}  // namespace

KnobTables tabulate_knobs(const std::vector<Knob>& knobs, const ConstraintSystem& system) {
  return Tabulation(knobs, system).run();
}

}  // namespace kernelscape::space
