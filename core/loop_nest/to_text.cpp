#include <fmt/format.h>

#include "core/loop_nest/loop_nest.h"

namespace kernelscape {
namespace {

class Printer {
 public:
  explicit Printer(const LoopNest& nest) : nest_(nest) {}

  std::string run(const StatementPtr& statement) {
    print(statement, 0);
    return std::move(text_);
  }

 private:
  std::string spell(const IndexExpression& expression) const {
    return expression.to_c([&](int variable) { return nest_.variables[static_cast<std::size_t>(variable)]; });
  }

  std::string spell(const BufferAccess& access) const {
    const std::string& name = nest_.buffers[static_cast<std::size_t>(access.buffer)].name;
    return access.lane_stride == 0
               ? fmt::format("{}[{}]", name, spell(access.offset))
               : fmt::format("{}[{} :: {}]", name, spell(access.offset), access.lane_stride);
  }

  std::string spell(const std::vector<Condition>& conditions) const {
    std::string text;
    for (const Condition& condition : conditions) {
      if (!text.empty()) text += " and ";
      text += condition.divisor == 1 ? fmt::format("{} in [0, {})", spell(condition.value), condition.bound)
                                     : fmt::format("({}) / {} whole and in [0, {})", spell(condition.value),
                                                   condition.divisor, condition.bound);
    }
    return text;
  }

  void line(int depth, const std::string& content) {
    text_ += fmt::format("{:{}}{}\n", "", 2 * depth, content);
  }

  void print(const StatementPtr& statement, int depth) {
    std::visit([&](const auto& node) { print_node(node, depth); }, statement->node);
  }

  void print_node(const Loop& loop, int depth) {
    static constexpr std::string_view kinds[] = {"for", "parallel", "unrolled", "vectorized"};
    line(depth, fmt::format("{} {} in [{}, {})", kinds[static_cast<std::size_t>(loop.kind)],
                            nest_.variables[static_cast<std::size_t>(loop.variable)], loop.begin, loop.end));
    print(loop.body, depth + 1);
  }
  void print_node(const Let& let, int depth) {
    line(depth, fmt::format("let {} = {}", nest_.variables[static_cast<std::size_t>(let.variable)],
                            spell(let.value)));
    print(let.body, depth);
  }
  void print_node(const Guard& guard, int depth) {
    line(depth, "if " + spell(guard.conditions));
    print(guard.body, depth + 1);
  }
  void print_node(const Sequence& sequence, int depth) {
    for (const StatementPtr& part : sequence.statements) print(part, depth);
  }
  void print_node(const Allocate& allocate, int depth) {
    line(depth, "allocate " + nest_.buffers[static_cast<std::size_t>(allocate.buffer)].name);
    print(allocate.body, depth);
  }
  void print_node(const Barrier&, int depth) { line(depth, "barrier"); }
  void print_node(const Compute& compute, int depth) {
    std::string value = "0";
    if (compute.operation == Operation::Copy || compute.operation == Operation::CopyOrZero)
      value = spell(compute.sources[0]);
    if (compute.operation == Operation::MultiplyAccumulate)
      value = spell(compute.sources[0]) + " * " + spell(compute.sources[1]);
    std::string content = fmt::format("{} {} {}", spell(compute.destination),
                                      compute.operation == Operation::MultiplyAccumulate ? "+=" : "=", value);
    if (compute.lanes != 1) content += fmt::format(" x{}", compute.lanes);
    if (!compute.conditions.empty()) content += " if " + spell(compute.conditions);
    if (compute.operation == Operation::CopyOrZero) content += " else 0";
    line(depth, content);
  }

  void print_node(const FragmentOperation& operation, int depth) {
    const FragmentShape& shape = operation.shape;
    const auto line_text = [&](std::size_t matrix) {
      return fmt::format("{} lines of {}",
                         operation.orders[matrix] == MatrixOrder::RowMajor ? "row" : "column",
                         operation.line_stride);
    };
    const std::string destination =
        fmt::format("{} {}x{}x{}", spell(operation.destination), shape.rows, shape.columns, shape.depth);
    switch (operation.action) {
      case FragmentAction::SetZero:
        return line(depth, destination + " = 0");
      case FragmentAction::LoadA:
      case FragmentAction::LoadB:
        return line(depth, fmt::format("{} = {} of {}, {}", destination,
                                       operation.action == FragmentAction::LoadA ? "A" : "B",
                                       spell(operation.sources[0]), line_text(0)));
      case FragmentAction::MultiplyAccumulate:
        return line(depth, fmt::format("{} += {} * {}", destination, spell(operation.sources[0]),
                                       spell(operation.sources[1])));
      case FragmentAction::Store:
        return line(depth,
                    fmt::format("{} = {}, {}", destination, spell(operation.sources[0]), line_text(0)));
    }
  }

  const LoopNest& nest_;
  std::string text_;
};

}  // namespace

std::string to_text(const LoopNest& nest) { return nest.body ? Printer(nest).run(nest.body) : std::string(); }

}  // namespace kernelscape
