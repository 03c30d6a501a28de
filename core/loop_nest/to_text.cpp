#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/loop_nest/nest_text.h"

namespace kernelscape::loop_nest {
namespace {

constexpr double warp_threads = 32;

class Printer {
 public:
  explicit Printer(const LoopNest& nest) : nest_(nest) {}

  NestText run(const StatementPtr& statement) {
    // A launch runs the whole body once for each of its threads.
    for (const LaunchIndex& index : nest_.launch) {
      const Range range = nest_.ranges[static_cast<std::size_t>(index.variable)];
      place_.executions *= static_cast<double>(range.high - range.low + 1);
    }
    print(statement, 0);
    return std::move(result_);
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
    result_.text += fmt::format("{:{}}{}\n", "", 2 * depth, content);
    ++lines_;
  }

  /** Prints a statement; it begins with its own line if it has one. */
  void print(const StatementPtr& statement, int depth) {
    const StatementPlace around = place_;
    if (!std::holds_alternative<Sequence>(statement->node)) place_.line = lines_ + 1;
    place_.multiply_adds = place_.executions * multiply_adds(*statement);
    result_.statements.push_back(place_);
    std::visit([&](const auto& node) { print_node(node, depth); }, statement->node);
    place_ = around;
  }

  /** Returns the multiply-adds of one execution. */
  static double multiply_adds(const Statement& statement) {
    if (const auto* compute = std::get_if<Compute>(&statement.node))
      return compute->operation == Operation::MultiplyAccumulate
                 ? static_cast<double>(compute->lanes * compute->group)
                 : 0;
    const auto* matrix = std::get_if<FragmentOperation>(&statement.node);
    if (matrix == nullptr || matrix->action != FragmentAction::MultiplyAccumulate) return 0;
    // A warp executes it together: each of its 32 threads runs the statement and does 1/32 of the work.
    const FragmentShape& shape = matrix->shape;
    return static_cast<double>(shape.rows * shape.columns * shape.depth) / warp_threads;
  }

  void print_node(const Loop& loop, int depth) {
    static constexpr std::string_view kinds[] = {"for", "parallel", "unrolled", "vectorized"};
    line(depth, fmt::format("{} {} in [{}, {})", kinds[static_cast<std::size_t>(loop.kind)],
                            nest_.variables[static_cast<std::size_t>(loop.variable)], loop.begin, loop.end));
    place_.executions *= static_cast<double>(std::max<std::int64_t>(loop.end - loop.begin, 0));
    print(loop.body, depth + 1);
  }
  void print_node(const Let& let, int depth) {
    line(depth, fmt::format("let {} = {}", nest_.variables[static_cast<std::size_t>(let.variable)],
                            spell(let.value)));
    print(let.body, depth);
  }
  void print_node(const Guard& guard, int depth) {
    line(depth, "if " + spell(guard.conditions));
    place_.exact = false;
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

  /** Returns " then +bias[f] +relu". */
  std::string epilogue(const Compute& compute) const {
    std::string text = " then";
    std::size_t operand = std::max<std::size_t>(compute.coefficients.size(), 1);
    for (const task::EpilogueStep& step : compute.epilogue)
      text += task::has_operand(step.kind)
                  ? fmt::format(" {} {}", step.kind == task::EpilogueKind::Scale ? "*" : "+",
                                spell(compute.sources[operand++]))
                  : " " + task::to_string({step});
    return text;
  }

  void print_node(const Compute& compute, int depth) {
    std::string value = "0";
    if (compute.operation == Operation::Copy || compute.operation == Operation::CopyOrZero)
      value = spell(compute.sources[0]);
    if (compute.operation == Operation::MultiplyAccumulate)
      value = spell(compute.sources[0]) + " * " + spell(compute.sources[1]);
    if (compute.operation == Operation::Combine) {
      value.clear();
      for (std::size_t i = 0; i < compute.coefficients.size(); ++i)
        value +=
            fmt::format("{}{} * {}", i == 0 ? "" : " + ", compute.coefficients[i], spell(compute.sources[i]));
    }
    if (!compute.epilogue.empty()) value += epilogue(compute);
    if (compute.group != 1)
      value += fmt::format(" in groups of {}{}", compute.group, compute.by_elements ? ", by elements" : "");
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
  NestText result_;
  StatementPlace place_;  ///< place of the statement that is being printed, inherited by its parts
  int lines_ = 0;
};

}  // namespace

NestText nest_text(const LoopNest& nest) { return nest.body ? Printer(nest).run(nest.body) : NestText(); }

std::string to_text(const LoopNest& nest) { return nest_text(nest).text; }

int count_statements(const StatementPtr& statement) {
  int count = 1;
  const auto add = [&count](const StatementPtr& part) { count += part ? count_statements(part) : 0; };
  std::visit(
      [&add](const auto& node) {
        if constexpr (requires { node.statements; })
          for (const StatementPtr& part : node.statements) add(part);
        else if constexpr (requires { node.body; })
          add(node.body);
      },
      statement->node);
  return count;
}

std::string to_string(BufferScope scope) {
  switch (scope) {
    case BufferScope::Global:
      return "global";
    case BufferScope::Registers:
      return "registers";
    case BufferScope::Local:
      return "local";
    case BufferScope::Shared:
      return "shared";
    case BufferScope::Fragments:
      return "fragments";
  }
  return "nowhere";
}

}  // namespace kernelscape::loop_nest
