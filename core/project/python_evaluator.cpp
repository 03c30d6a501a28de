#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/visible_text.h"
#include "core/project/python_value.h"

namespace kernelscape::project {
namespace {

using Node = PythonExpression::Node;
using Form = PythonObject::Form;

/** Evaluates parts of an expression; errors refer to its text. */
class PythonEvaluator {
 public:
  PythonEvaluator(std::string_view text, const PythonNames& names, std::uint64_t& steps)
      : text_(text), names_(names), steps_(steps), last_step_(steps + max_python_steps) {}

  /**
   * Evaluates a node. Every value is counted, so that the time of the next operation is limited by the count.
   */
  Result<PythonObject> operator()(const Node& node) {
    Result<PythonObject> value = value_of(node);
    if (value) TRY(count(node, cost_of(*value)));
    return value;
  }

 private:
  /** Receives the elements of a comprehension; returns false to stop. */
  using Visit = std::function<Result<bool>(PythonObject element)>;

  Result<PythonObject> value_of(const Node& node) {
    using enum Node::Kind;
    switch (node.kind) {
      case Constant:
        return PythonObject{.value = node.constant};
      case None:
        return PythonObject{.form = Form::None};
      case Name:
        return named(node);
      case Local:
        if (node.slot < locals_.size() && locals_[node.slot]) return *locals_[node.slot];
        return refuse(node, fmt::format("{} has no value yet", base::quoted_line(node.name, 60)));
      case Bits:
      case Sum:
      case Product:
      case Power:
        return arithmetic(node);
      case Negate:
      case Plus:
        return at(node, python_sign(node.kind == Negate, TRY((*this)(node.operands[0]))));
      case Invert:
        return at(node, python_invert(TRY((*this)(node.operands[0]))));
      case Not:
        return PythonObject{.value = !python_truth(TRY((*this)(node.operands[0])))};
      case And:
      case Or:
        return connected(node);
      case Compare:
        return compared(node);
      case Conditional:
        return (*this)(node.operands[python_truth(TRY((*this)(node.operands[1]))) ? 0 : 2]);
      case Call:
        return called(node);
      case List:
      case Tuple:
      case Set:
        return row(node, node.kind == List ? Form::List : node.kind == Set ? Form::Set : Form::Tuple);
      case Subscript:
        return subscript(node);
      case Comprehension:
        return comprehended(node, node.name == "{" ? Form::Set : Form::List, node.name == "[");
      case Spread:
      case Slice:
      case For:
        break;  // a part of one of the other objects
    }
    return PythonObject{};
  }

  static std::uint64_t cost_of(const PythonObject& object) {
    const std::string* text = python_text(object);
    return text != nullptr ? 1 + text->size() / 4 : object.weight;
  }

  /** A text is looked for at each place of another. */
  static std::uint64_t cost_of_search(PythonOperator by, const PythonObject& item, const PythonObject& row) {
    constexpr std::uint64_t letters_a_step = 64;
    const std::string* text = python_text(row);
    const std::string* part = python_text(item);
    const bool searches = by == PythonOperator::In || by == PythonOperator::NotIn;
    return searches && text != nullptr && part != nullptr ? text->size() * part->size() / letters_a_step : 0;
  }

  std::unexpected<Error> refuse(const Node& node, std::string_view what) const {
    return std::unexpected(python_error(text_, node.position, what));
  }

  template <typename Value>
  Result<Value> at(const Node& node, std::expected<Value, std::string> result) const {
    if (!result) return refuse(node, result.error());
    return *std::move(result);
  }

  Status count(const Node& node, std::uint64_t steps) {
    steps_ += steps;
    if (steps_ > last_step_) return refuse(node, fmt::format("this needs over {} steps", max_python_steps));
    return {};
  }

  Result<PythonObject> named(const Node& node) const {
    const std::optional<PythonBinding> binding = names_ ? names_(node.name) : std::nullopt;
    if (!binding || (!binding->list && binding->values.size() != 1))
      return refuse(node, fmt::format("nothing is named {}", base::quoted_line(node.name, 60)));
    if (!binding->list) return PythonObject{.value = binding->values[0]};
    std::vector<PythonObject> items;
    for (const PythonValue& value : binding->values) items.push_back({.value = value});
    return at(node, python_row(Form::List, std::move(items)));
  }

  Result<std::vector<PythonObject>> all_of(const Node& node) {
    std::vector<PythonObject> all;
    for (const Node& operand : node.operands) {
      if (operand.kind != Node::Kind::Spread) {
        all.push_back(TRY((*this)(operand)));
        continue;
      }
      const PythonObject spread = TRY((*this)(operand.operands[0]));
      if (node.kind != Node::Kind::Set && python_unordered(spread)) return refuse(operand, no_order);
      for (PythonObject& item : TRY(at(operand, python_items(spread)))) all.push_back(std::move(item));
      TRY(count(operand, all.size()));
    }
    return all;
  }

  Result<PythonObject> row(const Node& node, Form form) {
    return at(node, python_row(form, TRY(all_of(node))));
  }

  Result<PythonObject> arithmetic(const Node& node) {
    PythonObject left = TRY((*this)(node.operands[0]));
    for (std::size_t i = 0; i < node.operators.size(); ++i) {
      const PythonObject right = TRY((*this)(node.operands[i + 1]));
      left = TRY(at(node, python_arithmetic(node.operators[i], left, right)));
      TRY(count(node, left.weight));
    }
    return left;
  }

  /** Returns the first operand that decides, else the last one. */
  Result<PythonObject> connected(const Node& node) {
    PythonObject value;
    for (const Node& operand : node.operands) {
      value = TRY((*this)(operand));
      if (python_truth(value) == (node.kind == Node::Kind::Or)) break;
    }
    return value;
  }

  Result<PythonObject> compared(const Node& node) {
    PythonObject left = TRY((*this)(node.operands[0]));
    for (std::size_t i = 0; i < node.operators.size(); ++i) {
      PythonObject right = TRY((*this)(node.operands[i + 1]));
      TRY(count(node, cost_of_search(node.operators[i], left, right)));
      if (!TRY(at(node, python_compares(node.operators[i], left, right))))
        return PythonObject{.value = false};
      left = std::move(right);
    }
    return PythonObject{.value = true};
  }

  Result<PythonObject> subscript(const Node& node) {
    const PythonObject of = TRY((*this)(node.operands[0]));
    const Node& which = node.operands[1];
    if (which.kind != Node::Kind::Slice) return at(node, python_subscript(of, TRY((*this)(which))));
    return at(node, python_slice(of, TRY(all_of(which))));
  }

  /** Evaluates a call. any and all stop at the element that decides. */
  Result<PythonObject> called(const Node& node) {
    const bool generator = node.operands.size() == 1 && node.operands[0].kind == Node::Kind::Comprehension &&
                           node.operands[0].name == "(";
    if (!generator) {
      const std::vector<PythonObject> arguments = TRY(all_of(node));
      for (const PythonObject& argument : arguments)
        if (argument.range && node.name != "len")
          TRY(count(node, std::min<std::uint64_t>(argument.range->count, max_python_items)));
      return at(node, python_call(node.name, arguments));
    }
    const bool any = node.name == "any";
    if (!any && node.name != "all") {
      const bool ordered = node.name == "list" || node.name == "tuple";
      const PythonObject elements = TRY(comprehended(node.operands[0], Form::List, ordered));
      if (takes_rows(node.name)) return at(node, python_call(node.name, {&elements, 1}));
      return refuse(node, fmt::format("{} does not take a generator", node.name));
    }
    bool decided = false;
    std::ignore = TRY(run(node.operands[0], 1, false, [&](const PythonObject& element) -> Result<bool> {
      decided = python_truth(element) == any;
      return !decided;
    }));
    return PythonObject{.value = decided == any};
  }

  static bool takes_rows(std::string_view function) {
    static constexpr std::array<std::string_view, 8> all{"min",  "max", "sum",   "sorted",
                                                         "list", "set", "tuple", "math.prod"};
    return std::ranges::find(all, function) != all.end();
  }

  Result<PythonObject> comprehended(const Node& node, Form form, bool ordered) {
    std::vector<PythonObject> items;
    std::ignore = TRY(run(node, 1, ordered, [&](PythonObject element) -> Result<bool> {
      items.push_back(std::move(element));
      return true;
    }));
    return at(node, python_row(form, std::move(items)));
  }

  /**
   * Runs the loops of a comprehension, starting with loop `loop_at`.
   * @return whether `visit` wants more elements
   */
  Result<bool> run(const Node& node, std::size_t loop_at, bool ordered, const Visit& visit) {
    if (loop_at == node.operands.size()) return visit(TRY((*this)(node.operands[0])));
    const Node& loop = node.operands[loop_at];
    const PythonObject through = TRY((*this)(loop.operands[1]));
    if (loop_at == 1) forget(node);
    if (ordered && python_unordered(through)) return refuse(loop, no_order);
    std::vector<PythonObject> items = TRY(at(loop, python_items(through)));
    TRY(count(loop, items.size()));
    for (PythonObject& item : items) {
      TRY(assign(loop.operands[0], std::move(item)));
      bool wanted = true;
      for (std::size_t i = 2; wanted && i < loop.operands.size(); ++i)
        wanted = python_truth(TRY((*this)(loop.operands[i])));
      if (wanted && !TRY(run(node, loop_at + 1, ordered, visit))) return false;
    }
    return true;
  }

  /** Clears the variables of a comprehension: none has a value before its loop assigns it. */
  void forget(const Node& node) {
    for (std::size_t i = 1; i < node.operands.size(); ++i) forget_target(node.operands[i].operands[0]);
  }
  void forget_target(const Node& target) {
    if (target.kind == Node::Kind::Local && target.slot < locals_.size()) locals_[target.slot].reset();
    for (const Node& operand : target.operands) forget_target(operand);
  }

  Status assign(const Node& target, PythonObject value) {
    if (target.kind == Node::Kind::Local) {
      if (locals_.size() <= target.slot) locals_.resize(target.slot + 1);
      locals_[target.slot] = std::move(value);
      return {};
    }
    if (python_unordered(value)) return refuse(target, no_order);
    std::vector<PythonObject> items = TRY(at(target, python_items(value)));
    if (items.size() != target.operands.size())
      return refuse(target, fmt::format("{} values for {} variables", items.size(), target.operands.size()));
    for (std::size_t i = 0; i < items.size(); ++i) TRY(assign(target.operands[i], std::move(items[i])));
    return {};
  }

  static constexpr std::string_view no_order = "a set has no order: write sorted(...)";

  std::string_view text_;
  const PythonNames& names_;
  std::uint64_t& steps_;
  std::uint64_t last_step_;
  std::vector<std::optional<PythonObject>> locals_;
};

}  // namespace

Result<PythonObject> compute_python(std::string_view text, const PythonExpression::Node& node,
                                    const PythonNames& names, std::uint64_t* steps) {
  std::uint64_t taken = 0;
  return PythonEvaluator(text, names, steps != nullptr ? *steps : taken)(node);
}

}  // namespace kernelscape::project
