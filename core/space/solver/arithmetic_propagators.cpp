#include <algorithm>
#include <limits>

#include "core/space/solver/propagators.h"
#include "core/space/solver/rule_propagator.h"

namespace kernelscape::space {
namespace {

/** Larger domains are not compared value by value. */
constexpr unsigned longest_compared_domain = 4096;
/** Results that are so few are looked at one by one: partial products have to divide one of them. */
constexpr unsigned few_results = 8;

/** The least quotient that is not below a / b, for a and b of at least 1. */
base::int128 ceiling_quotient(base::int128 a, base::int128 b) { return (a + b - 1) / b; }

WideRange widened(const ValueRange& range) { return {range.low, range.high}; }

/**
 * Returns the range of an operand for results in a range, if the other operands combine to a value in
 * `others`.
 */
WideRange remaining_range(FoldKind kind, const ValueRange& result, const WideRange& others,
                          const ValueRange& operand) {
  WideRange left{operand.low, operand.high};
  // The true value of a saturated result is unknown.
  const bool low_known = result.low > std::numeric_limits<std::int64_t>::min();
  const bool high_known = result.high < std::numeric_limits<std::int64_t>::max();
  if (kind == FoldKind::Sum) {
    if (low_known) left.low = std::max(left.low, result.low - others.high);
    if (high_known) left.high = std::min(left.high, result.high - others.low);
  } else if (others.low >= 1 && operand.low >= 1) {
    if (result.low >= 1) left.low = std::max(left.low, ceiling_quotient(result.low, others.high));
    if (high_known)
      left.high = std::min<base::int128>(left.high, std::max<base::int128>(result.high, 0) / others.low);
  }
  return left;
}

/** One propagation of a FoldRule. Each thread reuses the object to avoid allocations. */
class FoldPass {
 public:
  enum class Outcome : std::uint8_t { Failed, Known, Exact, Narrowed, Unchanged };

  Outcome run(Gecode::Space& home, Gecode::ViewArray<IntegerView>& views, const FoldRule& rule) {
    home_ = &home;
    views_ = &views;
    rule_ = &rule;
    find_open();
    if (open_.empty()) return set_result() ? Outcome::Known : Outcome::Failed;
    bool narrowed = false;
    if (!narrow_ranges(narrowed)) return Outcome::Failed;
    if (!find_sets()) return narrowed ? Outcome::Narrowed : Outcome::Unchanged;
    return narrow_sets() ? Outcome::Exact : Outcome::Failed;
  }

 private:
  IntegerView& view(int i) { return (*views_)[i]; }
  const ValueCode& code(int i) const { return rule_->codes[static_cast<std::size_t>(i)]; }
  ValueRange range(int i) { return range_of_values(view(i), code(i)); }

  /** Combines the assigned operands into one number, and lists the open ones. */
  void find_open() {
    open_.clear();
    known_ = neutral_of(rule_->kind);
    for (int i = 1; i < views_->size(); ++i) {
      if (view(i).assigned())
        known_ = join_numbers(rule_->kind, known_, code(i).value(view(i).val()));
      else
        open_.push_back(i);
    }
  }

  bool set_result() {
    const auto result = code(0).find(saturate(known_));
    return result && !Gecode::me_failed(view(0).eq(*home_, *result));
  }

  bool narrow(int i, const ValueRange& to, bool& narrowed) {
    const Gecode::ModEvent event = keep_range(*home_, view(i), code(i), to);
    narrowed = narrowed || event != Gecode::Int::ME_INT_NONE;
    return !Gecode::me_failed(event);
  }

  bool narrow_ranges(bool& narrowed) {
    const FoldKind kind = rule_->kind;
    // behind_[i]: range of the combination of the open operands from the i-th on.
    behind_.assign(open_.size() + 1, {neutral_of(kind), neutral_of(kind)});
    for (std::size_t i = open_.size(); i-- > 0;)
      behind_[i] = join_ranges(kind, widened(range(open_[i])), behind_[i + 1]);
    WideRange before{known_, known_};
    if (!narrow(0, join_ranges(kind, before, behind_[0]).saturated(), narrowed)) return false;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const ValueRange own = range(open_[i]);
      const WideRange others = join_ranges(kind, before, behind_[i + 1]);
      if (!narrow(open_[i], remaining_range(kind, range(0), others, own).saturated(), narrowed)) return false;
      before = join_ranges(kind, before, widened(own));
    }
    return true;
  }

  bool find_sets() {
    if (saturate(known_) != known_) return false;
    sets_.begin(rule_->kind, saturate(known_));
    few_.clear();
    if (view(0).size() <= few_results)
      for_each_value(view(0), code(0), [this](std::int64_t value) { few_.push_back(value); });
    for (const int i : open_) {
      if (view(i).size() > FoldSets::max_pairs(few_)) return false;
      sets_.add_operand();
      for_each_value(view(i), code(i), [this](std::int64_t value) { sets_.add_value(value); });
    }
    return sets_.reach(range(0), few_);
  }

  bool narrow_sets() {
    integers_.clear();
    Gecode::Int::ViewRanges<IntegerView> range(view(0));
    sets_.keep_reached([&](std::int64_t reached) {
      const std::optional<int> integer = code(0).find(reached);
      if (!integer) return false;
      while (range() && range.max() < *integer) ++range;
      if (!range() || range.min() > *integer) return false;
      if (integers_.empty() || integers_.back() != *integer) integers_.push_back(*integer);
      return true;
    });
    if (!keep(0)) return false;
    sets_.find_support();
    for (std::size_t i = 0; i < open_.size(); ++i) {
      integers_.clear();
      for (const std::int64_t value : sets_.supported(i)) integers_.push_back(*code(open_[i]).find(value));
      if (!keep(open_[i])) return false;
    }
    return true;
  }

  bool keep(int i) {
    // A variable that occurs twice may have lost some values at its first occurrence.
    return !Gecode::me_failed(rule_->repeats ? intersect_integers(*home_, view(i), integers_)
                                             : keep_integers(*home_, view(i), integers_));
  }

  Gecode::Space* home_ = nullptr;
  Gecode::ViewArray<IntegerView>* views_ = nullptr;
  const FoldRule* rule_ = nullptr;
  std::vector<int> open_;   ///< operands that are not assigned
  base::int128 known_ = 0;  ///< combination of the assigned operands
  std::vector<WideRange> behind_;
  FoldSets sets_;
  std::vector<std::int64_t> few_;
  std::vector<int> integers_;
};

class FoldPropagator final : public RulePropagator<FoldPropagator, FoldRule> {
 public:
  using RulePropagator::RulePropagator;

  Gecode::PropCost cost(const Gecode::Space&, const Gecode::ModEventDelta&) const override {
    return Gecode::PropCost::linear(Gecode::PropCost::HI, x.size());
  }

  Gecode::ExecStatus narrow(Gecode::Space& home) {
    static thread_local FoldPass pass;
    switch (pass.run(home, x, rule())) {
      case FoldPass::Outcome::Failed:
        return Gecode::ES_FAILED;
      case FoldPass::Outcome::Known:
        return home.ES_SUBSUMED(*this);
      case FoldPass::Outcome::Exact:
        return rule().repeats ? Gecode::ES_NOFIX : Gecode::ES_FIX;
      case FoldPass::Outcome::Narrowed:
        return Gecode::ES_NOFIX;
      case FoldPass::Outcome::Unchanged:
        break;
    }
    return Gecode::ES_FIX;
  }
};

/** One propagation of a SelectRule; kept as FoldPass is. */
class SelectPass {
 public:
  bool run(Gecode::Space& home, Gecode::ViewArray<IntegerView>& views, const SelectRule& rule) {
    home_ = &home;
    views_ = &views;
    rule_ = &rule;
    narrowed_ = false;
    return narrow_selector() && narrow_result() && (!view(1).assigned() || narrow_chosen());
  }
  bool narrowed() const { return narrowed_; }  ///< true if a domain changed

 private:
  IntegerView& view(int i) { return (*views_)[i]; }
  const ValueCode& code(int i) const { return rule_->codes[static_cast<std::size_t>(i)]; }
  ValueRange range(int i) { return range_of_values(view(i), code(i)); }
  int choice_of(int selector) const { return 2 + static_cast<int>(code(1).value(selector)); }

  bool succeeded(Gecode::ModEvent event) {
    narrowed_ = narrowed_ || event != Gecode::Int::ME_INT_NONE;
    return !Gecode::me_failed(event);
  }

  bool comparable(int i) { return view(i).size() <= longest_compared_domain; }

  void list(int i, std::vector<std::int64_t>& values) {
    for_each_value(view(i), code(i), [&](std::int64_t value) { values.push_back(value); });
  }

  /** Returns true if a choice and the result may be equal, by a limited check. */
  bool can_be_result(int choice) {
    const ValueRange a = range(0);
    const ValueRange b = range(choice);
    if (a.high < b.low || b.high < a.low) return false;
    if (view(choice).assigned() || view(0).assigned()) {
      const int known = view(choice).assigned() ? choice : 0;
      const int other = known == 0 ? choice : 0;
      const auto integer = code(other).find(code(known).value(view(known).val()));
      return integer && view(other).in(*integer);
    }
    if (!comparable(0) || !comparable(choice)) return true;
    Gecode::Int::ViewValues<IntegerView> result(view(0));
    bool found = false;
    for_each_value(view(choice), code(choice), [&](std::int64_t value) {
      while (result() && code(0).value(result.val()) < value) ++result;
      found = found || (result() && code(0).value(result.val()) == value);
    });
    return found;
  }

  bool narrow_selector() {
    integers_.clear();
    for (Gecode::Int::ViewValues<IntegerView> selector(view(1)); selector(); ++selector)
      if (can_be_result(choice_of(selector.val()))) integers_.push_back(selector.val());
    return succeeded(keep_integers(*home_, view(1), integers_));
  }

  bool narrow_result() {
    values_.clear();
    ValueRange hull{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
    bool listed = true;
    for (Gecode::Int::ViewValues<IntegerView> selector(view(1)); selector(); ++selector) {
      const int choice = choice_of(selector.val());
      const ValueRange own = range(choice);
      hull = {std::min(hull.low, own.low), std::max(hull.high, own.high)};
      listed = listed && values_.size() + view(choice).size() <= longest_compared_domain;
      if (listed) list(choice, values_);
    }
    if (!succeeded(keep_range(*home_, view(0), code(0), hull))) return false;
    if (!listed || !comparable(0)) return true;
    std::ranges::sort(values_);
    return keep_common(0, values_);
  }

  /** The selector is known: the choice is the result. */
  bool narrow_chosen() {
    const int choice = choice_of(view(1).val());
    if (!succeeded(keep_range(*home_, view(choice), code(choice), range(0)))) return false;
    if (!comparable(0) || !comparable(choice)) return true;
    values_.clear();
    list(0, values_);
    return keep_common(choice, values_);
  }

  /** Intersects the domain with the listed values. @param listed ascending */
  bool keep_common(int i, const std::vector<std::int64_t>& listed) {
    integers_.clear();
    auto place = listed.begin();
    for (Gecode::Int::ViewValues<IntegerView> own(view(i)); own(); ++own) {
      const std::int64_t value = code(i).value(own.val());
      while (place != listed.end() && *place < value) ++place;
      if (place != listed.end() && *place == value) integers_.push_back(own.val());
    }
    return succeeded(keep_integers(*home_, view(i), integers_));
  }

  Gecode::Space* home_ = nullptr;
  Gecode::ViewArray<IntegerView>* views_ = nullptr;
  const SelectRule* rule_ = nullptr;
  bool narrowed_ = false;
  std::vector<int> integers_;
  std::vector<std::int64_t> values_;
};

class SelectPropagator final : public RulePropagator<SelectPropagator, SelectRule> {
 public:
  using RulePropagator::RulePropagator;

  Gecode::PropCost cost(const Gecode::Space&, const Gecode::ModEventDelta&) const override {
    return Gecode::PropCost::quadratic(Gecode::PropCost::LO, x.size());
  }

  Gecode::ExecStatus narrow(Gecode::Space& home) {
    static thread_local SelectPass pass;
    if (!pass.run(home, x, rule())) return Gecode::ES_FAILED;
    if (x[0].assigned() && x[1].assigned() && !pass.narrowed()) {
      const int choice = 2 + static_cast<int>(rule().codes[1].value(x[1].val()));
      if (x[choice].assigned()) return home.ES_SUBSUMED(*this);
    }
    return pass.narrowed() ? Gecode::ES_NOFIX : Gecode::ES_FIX;
  }
};

class AtMostPropagator final : public RulePropagator<AtMostPropagator, AtMostRule> {
 public:
  using RulePropagator::RulePropagator;

  Gecode::PropCost cost(const Gecode::Space&, const Gecode::ModEventDelta&) const override {
    return Gecode::PropCost::binary(Gecode::PropCost::LO);
  }

  Gecode::ExecStatus narrow(Gecode::Space& home) {
    const auto& [left, right] = rule();
    GECODE_ME_CHECK(x[0].lq(home, left.at_most(right.value(x[1].max()))));
    GECODE_ME_CHECK(x[1].gq(home, right.at_least(left.value(x[0].min()))));
    if (left.value(x[0].max()) <= right.value(x[1].min())) return home.ES_SUBSUMED(*this);
    return Gecode::ES_FIX;
  }
};

}  // namespace

void post_fold(Gecode::Space& space, const FoldRule& rule, const Gecode::IntVarArgs& result_and_operands) {
  FoldPropagator::post(space, rule, result_and_operands);
}

void post_select(Gecode::Space& space, const SelectRule& rule,
                 const Gecode::IntVarArgs& result_selector_and_choices) {
  if (space.failed()) return;
  // Only what counts a choice is a selector.
  Gecode::Int::IntView selector(result_selector_and_choices[1]);
  const ValueRange inside{0, result_selector_and_choices.size() - 3};
  if (Gecode::me_failed(keep_range(space, selector, rule.codes[1], inside)))
    space.fail();
  else
    SelectPropagator::post(space, rule, result_selector_and_choices);
}

void post_at_most(Gecode::Space& space, const AtMostRule& rule, const Gecode::IntVar& left,
                  const Gecode::IntVar& right) {
  Gecode::IntVarArgs sides;
  sides << left << right;
  AtMostPropagator::post(space, rule, sides);
}

void post_values(Gecode::Space& space, const Gecode::IntVar& variable, const ValueCode& code,
                 std::span<const std::int64_t> values) {
  if (space.failed()) return;
  std::vector<int> integers;
  for (const std::int64_t value : values)
    if (const auto integer = code.find(value)) integers.push_back(*integer);
  IntegerView view(variable);
  if (Gecode::me_failed(intersect_integers(space, view, integers))) space.fail();
}

}  // namespace kernelscape::space
