#include "core/loop_nest/index_expression.h"

#include <fmt/format.h>

#include <algorithm>

namespace kernelscape::loop_nest {

std::int64_t floor_quotient(std::int64_t value, std::int64_t divisor) {
  const std::int64_t quotient = value / divisor;
  return value % divisor < 0 ? quotient - 1 : quotient;
}

IndexExpression IndexExpression::variable(int number) {
  IndexExpression result;
  result.terms_.push_back({Atom{AtomKind::Variable, number, 1, nullptr}, 1});
  return result;
}

std::strong_ordering IndexExpression::compare(const Atom& a, const Atom& b) {
  if (const auto order = a.kind <=> b.kind; order != 0) return order;
  if (a.kind == AtomKind::Variable) return a.variable <=> b.variable;
  if (const auto order = a.divisor <=> b.divisor; order != 0) return order;
  return *a.inner <=> *b.inner;
}

std::strong_ordering operator<=>(const IndexExpression& a, const IndexExpression& b) {
  const std::size_t common = std::min(a.terms_.size(), b.terms_.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (const auto order = IndexExpression::compare(a.terms_[i].atom, b.terms_[i].atom); order != 0)
      return order;
    if (const auto order = a.terms_[i].coefficient <=> b.terms_[i].coefficient; order != 0) return order;
  }
  if (const auto order = a.terms_.size() <=> b.terms_.size(); order != 0) return order;
  return a.constant_ <=> b.constant_;
}

bool IndexExpression::depends_on(int variable) const {
  return std::ranges::any_of(terms_, [&](const Term& term) {
    return term.atom.kind == AtomKind::Variable ? term.atom.variable == variable
                                                : term.atom.inner->depends_on(variable);
  });
}

std::vector<int> IndexExpression::variables() const {
  std::vector<int> result;
  for (const Term& term : terms_) {
    if (term.atom.kind == AtomKind::Variable) {
      result.push_back(term.atom.variable);
    } else {
      const std::vector<int> inner = term.atom.inner->variables();
      result.insert(result.end(), inner.begin(), inner.end());
    }
  }
  std::ranges::sort(result);
  result.erase(std::ranges::unique(result).begin(), result.end());
  return result;
}

std::optional<std::int64_t> IndexExpression::coefficient(int variable) const {
  std::int64_t result = 0;
  for (const Term& term : terms_) {
    if (term.atom.kind == AtomKind::Variable) {
      if (term.atom.variable == variable) result = term.coefficient;
    } else if (term.atom.inner->depends_on(variable)) {
      return std::nullopt;
    }
  }
  return result;
}

Range IndexExpression::atom_range(const Atom& atom, const Ranges& ranges) {
  if (atom.kind == AtomKind::Variable) return ranges[static_cast<std::size_t>(atom.variable)];
  const Range inner = atom.inner->range(ranges);
  const Range quotient{floor_quotient(inner.low, atom.divisor), floor_quotient(inner.high, atom.divisor)};
  if (atom.kind == AtomKind::Quotient) return quotient;
  if (quotient.low == quotient.high)
    return {inner.low - quotient.low * atom.divisor, inner.high - quotient.low * atom.divisor};
  return {0, atom.divisor - 1};
}

Range IndexExpression::range(const Ranges& ranges) const {
  Range result{constant_, constant_};
  for (const Term& term : terms_) {
    const Range atom = atom_range(term.atom, ranges);
    const std::int64_t a = atom.low * term.coefficient;
    const std::int64_t b = atom.high * term.coefficient;
    result.low += std::min(a, b);
    result.high += std::max(a, b);
  }
  return result;
}

std::int64_t IndexExpression::evaluate(const std::vector<std::int64_t>& values) const {
  std::int64_t result = constant_;
  for (const Term& term : terms_) {
    std::int64_t value = 0;
    if (term.atom.kind == AtomKind::Variable) {
      value = values[static_cast<std::size_t>(term.atom.variable)];
    } else {
      const std::int64_t inner = term.atom.inner->evaluate(values);
      const std::int64_t quotient = floor_quotient(inner, term.atom.divisor);
      value = term.atom.kind == AtomKind::Quotient ? quotient : inner - quotient * term.atom.divisor;
    }
    result += term.coefficient * value;
  }
  return result;
}

IndexExpression IndexExpression::substitute(int variable, const IndexExpression& replacement,
                                            const Ranges& ranges) const {
  if (!depends_on(variable)) return *this;
  IndexExpression result(constant_);
  for (const Term& term : terms_) {
    if (term.atom.kind == AtomKind::Variable) {
      if (term.atom.variable == variable)
        result += replacement * term.coefficient;
      else
        result.add_term(term.atom, term.coefficient);
      continue;
    }
    const IndexExpression inner = term.atom.inner->substitute(variable, replacement, ranges);
    const IndexExpression atom = term.atom.kind == AtomKind::Quotient
                                     ? floor_divide(inner, term.atom.divisor, ranges)
                                     : modulo(inner, term.atom.divisor, ranges);
    result += atom * term.coefficient;
  }
  return result;
}

IndexExpression IndexExpression::without_constant() const {
  IndexExpression result = *this;
  result.constant_ = 0;
  return result;
}

void IndexExpression::add_term(const Atom& atom, std::int64_t coefficient) {
  if (coefficient == 0) return;
  const auto place = std::ranges::lower_bound(
      terms_, atom, [](const Atom& a, const Atom& b) { return compare(a, b) < 0; }, &Term::atom);
  if (place == terms_.end() || compare(place->atom, atom) != 0) {
    terms_.insert(place, Term{atom, coefficient});
    return;
  }
  place->coefficient += coefficient;
  if (place->coefficient == 0) terms_.erase(place);
}

void IndexExpression::merge_quotients_and_remainders() {
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (terms_[i].atom.kind != AtomKind::Remainder) continue;
    const Atom remainder = terms_[i].atom;
    const std::int64_t coefficient = terms_[i].coefficient;
    const Atom quotient{AtomKind::Quotient, 0, remainder.divisor, remainder.inner};
    const auto other =
        std::ranges::find_if(terms_, [&](const Term& term) { return compare(term.atom, quotient) == 0; });
    if (other == terms_.end() || other->coefficient != coefficient * remainder.divisor) continue;
    add_term(quotient, -coefficient * remainder.divisor);
    add_term(remainder, -coefficient);
    *this += *remainder.inner * coefficient;
    return;  // += has added the rest
  }
}

IndexExpression& IndexExpression::operator+=(const IndexExpression& other) {
  constant_ += other.constant_;
  for (const Term& term : other.terms_) add_term(term.atom, term.coefficient);
  merge_quotients_and_remainders();
  return *this;
}

IndexExpression& IndexExpression::operator*=(std::int64_t factor) {
  if (factor == 0) return *this = IndexExpression(0);
  constant_ *= factor;
  for (Term& term : terms_) term.coefficient *= factor;
  return *this;
}

IndexExpression floor_divide(const IndexExpression& value, std::int64_t divisor, const Ranges& ranges) {
  if (divisor == 1) return value;
  IndexExpression quotient(floor_quotient(value.constant_, divisor));
  IndexExpression rest(value.constant_ - quotient.constant_ * divisor);
  for (const IndexExpression::Term& term : value.terms_) {
    if (term.coefficient % divisor == 0)
      quotient.add_term(term.atom, term.coefficient / divisor);
    else
      rest.add_term(term.atom, term.coefficient);
  }
  const Range bounds = rest.range(ranges);
  const std::int64_t low = floor_quotient(bounds.low, divisor);
  if (low == floor_quotient(bounds.high, divisor)) {
    quotient.constant_ += low;
    return quotient;
  }
  quotient.add_term(
      {IndexExpression::AtomKind::Quotient, 0, divisor, std::make_shared<const IndexExpression>(rest)}, 1);
  return quotient;
}

IndexExpression modulo(const IndexExpression& value, std::int64_t divisor, const Ranges& ranges) {
  if (divisor == 1) return IndexExpression(0);
  const std::int64_t constant = value.constant_ - floor_quotient(value.constant_, divisor) * divisor;
  IndexExpression rest(constant);
  for (const IndexExpression::Term& term : value.terms_)
    if (term.coefficient % divisor != 0) rest.add_term(term.atom, term.coefficient);
  const Range bounds = rest.range(ranges);
  const std::int64_t low = floor_quotient(bounds.low, divisor);
  if (low == floor_quotient(bounds.high, divisor)) return rest + IndexExpression(-low * divisor);
  IndexExpression result;
  result.add_term(
      {IndexExpression::AtomKind::Remainder, 0, divisor, std::make_shared<const IndexExpression>(rest)}, 1);
  return result;
}

std::string IndexExpression::to_c(const std::function<std::string(int)>& name) const {
  std::string text;
  for (const Term& term : terms_) {
    const bool negative = term.coefficient < 0;
    const std::int64_t factor = negative ? -term.coefficient : term.coefficient;
    std::string atom;
    if (term.atom.kind == AtomKind::Variable) {
      atom = name(term.atom.variable);
    } else {
      // Emitted quotients only have non-negative values: C's truncation is the floor.
      const char* sign = term.atom.kind == AtomKind::Quotient ? "/" : "%";
      atom = fmt::format("(({}) {} {})", term.atom.inner->to_c(name), sign, term.atom.divisor);
    }
    if (factor != 1) atom = fmt::format("{} * {}", atom, factor);
    if (text.empty())
      text = negative ? "-" + atom : atom;
    else
      text += (negative ? " - " : " + ") + atom;
  }
  if (text.empty()) return fmt::format("{}", constant_);
  if (constant_ > 0) text += fmt::format(" + {}", constant_);
  if (constant_ < 0) text += fmt::format(" - {}", -constant_);
  return text;
}

}  // namespace kernelscape::loop_nest
