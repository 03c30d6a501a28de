#include "core/space/solver/propagators.h"
#include "core/space/solver/rule_propagator.h"

namespace kernelscape::space {
namespace {

/** Longer domains are not tried value by value: only ranges then decide. */
constexpr unsigned longest_tried_domain = 8192;

/** The indices of a KnobRowSet as Gecode iterates over ranges. */
class RowRanges {
 public:
  explicit RowRanges(const KnobRowSet& rows) : rows_(rows) { ++*this; }
  bool operator()() const { return first_ < rows_.end(); }
  void operator++() {
    first_ = rows_.next(behind_, true);
    behind_ = first_ < rows_.end() ? rows_.next(first_, false) : rows_.end();
  }
  int min() const { return static_cast<int>(first_); }
  int max() const { return static_cast<int>(behind_) - 1; }
  unsigned width() const { return behind_ - first_; }

 private:
  const KnobRowSet& rows_;
  std::uint32_t first_ = 0;
  std::uint32_t behind_ = 0;
};

/** One propagation of a KnobRule. Kept by a thread from one to the next for the sake of its memory. */
class KnobPass {
 public:
  /** @param views the knob's index, then its columns */
  bool run(Gecode::Space& home, Gecode::ViewArray<IntegerView>& views, const KnobRule& rule) {
    rows_.clear(rule.count);
    for (Gecode::Int::ViewRanges<IntegerView> range(views[0]); range(); ++range)
      rows_.insert(static_cast<std::uint32_t>(range.min()), static_cast<std::uint32_t>(range.max()));
    for (std::size_t i = 0; i < rule.columns.size(); ++i)
      keep_rows(views[1 + static_cast<int>(i)], rule.columns[i], rule.codes[i], rule.count);
    const std::size_t count = rows_.count();
    if (count == 0) return false;
    if (count < views[0].size()) {
      RowRanges kept(rows_);
      if (Gecode::me_failed(views[0].narrow_r(home, kept, false))) return false;
    }
    for (std::size_t i = 0; i < rule.columns.size(); ++i)
      if (!keep_values_of_rows(home, views[1 + static_cast<int>(i)], rule.columns[i], rule.codes[i]))
        return false;
    return true;
  }

 private:
  /** Removes the rows whose values the column cannot have. */
  void keep_rows(const IntegerView& view, const ColumnRows& column, const ValueCode& code,
                 std::uint32_t row_count) {
    if (view.size() == column.values().size()) return;
    std::size_t kept_rows = 0;
    for_each_place(view, column, code, [&](std::size_t place) { kept_rows += column.rows(place).size(); });
    if (2 * kept_rows < row_count) {
      of_kept_.clear(row_count);
      for_each_place(view, column, code, [&](std::size_t place) {
        for (const std::uint32_t row : column.rows(place)) of_kept_.insert(row);
      });
      rows_.intersect(of_kept_);
      return;
    }
    std::size_t next = 0;
    const auto erase_until = [&](std::size_t end) {
      for (; next < end; ++next)
        for (const std::uint32_t row : column.rows(next)) rows_.erase(row);
    };
    for_each_place(view, column, code, [&](std::size_t place) {
      erase_until(place);
      next = place + 1;
    });
    erase_until(column.values().size());
  }

  /** Keeps only values that occur in a remaining row. */
  bool keep_values_of_rows(Gecode::Space& home, IntegerView& view, const ColumnRows& column,
                           const ValueCode& code) {
    integers_.clear();
    for_each_place(view, column, code, [&](std::size_t place) {
      for (const std::uint32_t row : column.rows(place))
        if (rows_.contains(row)) {
          integers_.push_back(*code.find(column.values()[place]));
          break;
        }
    });
    return !Gecode::me_failed(keep_integers(home, view, integers_));
  }

  /** Calls `visit` with the place of each value that the column can have. */
  template <typename Visit>
  static void for_each_place(const IntegerView& view, const ColumnRows& column, const ValueCode& code,
                             const Visit& visit) {
    std::size_t place = 0;
    for_each_value(view, code, [&](std::int64_t value) {
      while (column.values()[place] < value) ++place;
      visit(place);
    });
  }

  KnobRowSet rows_;  ///< those that are left
  KnobRowSet of_kept_;
  std::vector<int> integers_;
};

class KnobPropagator final : public RulePropagator<KnobPropagator, KnobRule> {
 public:
  using RulePropagator::RulePropagator;

  /** Runs after all cheaper propagators. */
  Gecode::PropCost cost(const Gecode::Space&, const Gecode::ModEventDelta&) const override {
    return Gecode::PropCost::cubic(Gecode::PropCost::LO, x.size());
  }

  Gecode::ExecStatus narrow(Gecode::Space& home) {
    static thread_local KnobPass pass;
    if (!pass.run(home, x, rule())) return Gecode::ES_FAILED;
    return x.assigned() ? home.ES_SUBSUMED(*this) : Gecode::ES_FIX;
  }
};

/** Removes every value of a knob with which the condition is false whatever the others are. */
class ConditionPropagator final : public RulePropagator<ConditionPropagator, KnobCondition> {
 public:
  using RulePropagator::RulePropagator;

  Gecode::PropCost cost(const Gecode::Space&, const Gecode::ModEventDelta&) const override {
    return Gecode::PropCost::crazy(Gecode::PropCost::LO, x.size());
  }

  Gecode::ExecStatus narrow(Gecode::Space& home) {
    ConditionView view(rule());
    for (int i = 0; i < x.size(); ++i) set_domain(view, i);
    const Truth truth = view.truth();
    if (truth == Truth::False) return Gecode::ES_FAILED;
    if (truth == Truth::True) return home.ES_SUBSUMED(*this);
    bool changed = false;
    for (int i = 0; i < x.size(); ++i) {
      if (x[i].assigned() || x[i].size() > longest_tried_domain) continue;
      std::vector<int> refuted = refuted_values(view, i);
      if (!refuted.empty()) {
        Gecode::Iter::Values::Array values(refuted.data(), static_cast<int>(refuted.size()));
        GECODE_ME_CHECK(x[i].minus_v(home, values, false));
        changed = true;
      }
      set_domain(view, i);
    }
    return changed ? Gecode::ES_NOFIX : Gecode::ES_FIX;
  }

 private:
  void set_domain(ConditionView& view, int i) const {
    view.set(static_cast<std::size_t>(i), [&](const auto& visit) {
      for (Gecode::Int::ViewValues<IntegerView> value(x[i]); value(); ++value) visit(value.val());
    });
  }

  std::vector<int> refuted_values(ConditionView& view, int i) const {
    const auto position = static_cast<std::size_t>(i);
    const std::vector<std::uint32_t>& classes = rule().classes(position);
    std::vector<std::int8_t> refuted_class(classes.size(), -1);  // -1: not tried yet
    std::vector<int> refuted;
    for (Gecode::Int::ViewValues<IntegerView> value(x[i]); value(); ++value) {
      std::int8_t& verdict = refuted_class[classes[static_cast<std::size_t>(value.val())]];
      if (verdict < 0) {
        view.set(position, [&](const auto& visit) { visit(value.val()); });
        verdict = view.truth() == Truth::False ? 1 : 0;
      }
      if (verdict > 0) refuted.push_back(value.val());
    }
    return refuted;
  }
};

}  // namespace

void post_knob(Gecode::Space& space, const KnobRule& rule, const Gecode::IntVarArgs& index_and_columns) {
  KnobPropagator::post(space, rule, index_and_columns);
}

void post_condition(Gecode::Space& space, const KnobCondition& condition, const Gecode::IntVarArgs& indices) {
  // Without a knob no event would ever wake a propagator.
  if (indices.size() > 0)
    ConditionPropagator::post(space, condition, indices);
  else if (ConditionView(condition).truth() == Truth::False)
    space.fail();
}

}  // namespace kernelscape::space
