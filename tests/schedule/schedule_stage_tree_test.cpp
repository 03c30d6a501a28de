#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/loop_nest/rewrite.h"
#include "core/schedule/schedule.h"
#include "core/schedule/stage_tree.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_stage_tree_test {
using namespace kernelscape::testing;

namespace {

constexpr double max_flops = 200'000;
constexpr int configurations_of_a_template = 12;
constexpr std::string_view no_line = "no separate line";

/** Whether a text has a name as a word of its own. */
bool has_word(const std::string& text, const std::string& name) {
  const auto continues = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  };
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !continues(text[at - 1])) && (end == text.size() || !continues(text[end]))) return true;
  }
  return false;
}

bool contains_text(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/** A kernel's tree, and what is wrong with it. */
class CheckedTree {
 public:
  CheckedTree(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration,
              const loop_nest::LoopNest& nest)
      : kernel_(kernel),
        schedule_(kernel.schedule()),
        configuration_(configuration),
        nest_(nest),
        tree_(schedule::stage_tree(kernel, configuration, nest)),
        lines_(base::split_text(loop_nest::to_text(nest), '\n')) {
    lines_.pop_back();  // behind the last line feed
    order_ = schedule_.ordered_loops(configuration);
  }

  /** Nothing: all is right. */
  std::string wrong() {
    check_nodes();
    check_loops();
    check_stages();
    check_places();
    if (!wrong_.empty())
      wrong_ =
          fmt::format("{}, {} on {}, {}: {}\n{}\n{}", kernel_.task().text, kernel_.template_name(),
                      schedule::to_string(kernel_.target().kind), kernel_.space().describe(configuration_),
                      wrong_, all_nodes(), loop_nest::to_text(nest_));
    return wrong_;
  }

 private:
  void expect(bool holds, const std::string& what) {
    if (!holds && wrong_.empty()) wrong_ = what;
  }

  std::string all_nodes() const {
    std::string text;
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i)
      text += fmt::format("{:{}}{} [{}]\n", "", 2 * tree_.depth_of(static_cast<int>(i)), tree_.nodes[i].text,
                          fmt::join(tree_.nodes[i].lines, " "));
    return text;
  }

  const std::string& line(int number) const { return lines_[static_cast<std::size_t>(number) - 1]; }
  /** Whether it is the one loop that gives a GPU's block or thread its index, and so has no line that begins
   * it. */
  bool launched(schedule::LoopId loop) const {
    return std::ranges::any_of(nest_.launch, [&](const loop_nest::LaunchIndex& index) {
      return nest_.variables[static_cast<std::size_t>(index.variable)] == schedule_.loop(loop).name;
    });
  }

  /** Each loop of the order and each stage once, parents first. */
  void check_nodes() {
    std::vector<schedule::LoopId> loops;
    std::multiset<int> stages;
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      const schedule::StageNode& node = tree_.nodes[i];
      expect(node.parent < static_cast<int>(i), "a node stands before the one around it");
      expect(!node.text.empty(), "a node has no text");
      expect(std::ranges::is_sorted(node.lines) && std::ranges::adjacent_find(node.lines) == node.lines.end(),
             node.text + ": its lines do not ascend");
      for (const int number : node.lines)
        expect(number >= 1 && number <= static_cast<int>(lines_.size()),
               node.text + ": there is no such line");
      if (node.kind == schedule::StageNodeKind::Loop) {
        loops.push_back(schedule::LoopId{node.number});
        expect(node.parent == 0, node.text + ": a loop is not of the sums");
      } else {
        stages.insert(node.number);
      }
    }
    expect(loops == order_, "the loops are not those of the order");
    const auto made = std::ranges::count_if(schedule_.stages(), [&](const schedule::Stage& stage) {
      return stage.kind == schedule::StageKind::Compute ||
             schedule_.attached_at(stage, configuration_) != schedule::nowhere;
    });
    expect(std::ssize(stages) == made && std::set<int>(stages.begin(), stages.end()).size() == stages.size(),
           "not every stage that is made is there once");
    expect(tree_.nodes[0].parent == -1 && tree_.nodes[0].kind == schedule::StageNodeKind::Stage &&
               schedule_.stages()[static_cast<std::size_t>(tree_.nodes[0].number)].kind ==
                   schedule::StageKind::Compute,
           "the root is not the sums");
  }

  /** The innermost of those that are permuted with it. */
  schedule::LoopId made_in(const schedule::Stage& stage) const {
    schedule::LoopId at = schedule_.attached_at(stage, configuration_);
    for (const schedule::OrderItem& item : schedule_.order()) {
      if (!item.permutation || !loop_nest::contains(item.loops, at)) continue;
      for (const schedule::LoopId loop : order_)
        if (loop_nest::contains(item.loops, loop)) at = loop;
      break;
    }
    return at;
  }

  void check_stages() {
    for (const schedule::StageNode& node : tree_.nodes) {
      if (node.kind != schedule::StageNodeKind::Stage || node.parent < 0) continue;
      const schedule::Stage& stage = schedule_.stages()[static_cast<std::size_t>(node.number)];
      const schedule::StageNode& around = tree_.nodes[static_cast<std::size_t>(node.parent)];
      expect(around.kind == schedule::StageNodeKind::Loop && around.number == made_in(stage).number,
             node.text + ": it stands below another loop than the one that it is made in");
      check_stage_lines(node);
      const bool copy = stage.kind == schedule::StageKind::CacheRead;
      expect(contains_text(node.text, copy                                            ? "copy of"
                                      : stage.scope == loop_nest::BufferScope::Shared ? "through"
                                      : stage.scope == loop_nest::BufferScope::Local  ? "results in"
                                                                                      : "sums in"),
             node.text + ": it says what it is");
    }
    for (const int number : tree_.nodes[0].lines)
      expect(contains_text(line(number), " += ") || contains_text(line(number), "parallel "),
             "the sums have the line " + line(number));
  }

  /** Whether a line is about a temporary of a transform of the stage's tensor. */
  bool is_of_transform(const schedule::StageNode& node, const std::string& text) const {
    const schedule::Stage& stage = schedule_.stages()[static_cast<std::size_t>(node.number)];
    const task::TensorOperator& op = schedule_.op();
    const auto tensor = static_cast<std::size_t>(stage.tensor);
    const std::string& name = tensor < op.inputs.size() ? op.inputs[tensor].tensor : op.output.tensor;
    return schedule_.tile_transform() &&
           (contains_text(text, name + "_patch") || contains_text(text, name + "_columns") ||
            contains_text(text, name + "_halves"));
  }

  /** A place is made in its first line, and all operations of its lines are about it. */
  void check_stage_lines(const schedule::StageNode& node) {
    expect(!node.lines.empty(), node.text + ": it has no line");
    if (!wrong_.empty()) return;
    const std::string first(base::trimmed(line(node.lines.front())));
    constexpr std::string_view making = "allocate ";
    expect(first.starts_with(making), node.text + ": it begins with " + first);
    if (!wrong_.empty()) return;
    const std::string buffer = first.substr(making.size());
    for (const int number : node.lines) {
      const std::string_view text = base::trimmed(line(number));
      const bool operation =
          !text.starts_with("for ") && !text.starts_with("let ") && !text.starts_with("if ");
      expect(!operation || has_word(line(number), buffer) || is_of_transform(node, line(number)),
             node.text + ": its line is " + line(number));
    }
  }

  void check_loops() {
    for (const schedule::StageNode& node : tree_.nodes) {
      if (node.kind != schedule::StageNodeKind::Loop) continue;
      const schedule::LoopId loop{node.number};
      const std::string& name = schedule_.loop(loop).name;
      expect(node.text.starts_with(name + ": "), node.text + ": it is not named");
      for (const int number : node.lines)
        expect(has_word(line(number), name), node.text + ": its line is " + line(number));
      expect(node.lines.empty() == contains_text(node.text, no_line) || launched(loop),
             node.text + ": it has lines or says that it has none");
      if (launched(loop) || std::ranges::count(nest_.variables, name) != 1) continue;
      const auto begun = std::ranges::count_if(lines_, [&](const std::string& text) {
        const std::string_view rest = base::trimmed(text);
        return rest.starts_with(fmt::format("for {} in ", name)) ||
               rest.starts_with(fmt::format("let {} = ", name));
      });
      expect(begun == static_cast<std::ptrdiff_t>(node.lines.size()), node.text + ": it lacks a line");
    }
  }

  /** Back from lines to nodes. */
  void check_places() {
    expect(tree_.places.size() == lines_.size(), "not every line has a place");
    expect(tree_.node_of(0) == -1 && tree_.node_of(static_cast<int>(lines_.size()) + 1) == -1,
           "there is a node of a line that there is not");
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {
      const schedule::StageNode& node = tree_.nodes[i];
      if (i == 0 || (node.kind == schedule::StageNodeKind::Loop && launched(schedule::LoopId{node.number})))
        continue;
      for (const int number : node.lines)
        expect(tree_.node_of(number) == static_cast<int>(i), node.text + ": its line leads elsewhere");
    }
    for (int number = 1; number <= static_cast<int>(lines_.size()); ++number) check_place(number);
  }

  /** What is nobody's line stands in the innermost loop around it. */
  void check_place(int number) {
    const int place = tree_.node_of(number);
    expect(place >= 0 && place < static_cast<int>(tree_.nodes.size()), line(number) + ": it stands nowhere");
    if (!wrong_.empty() || loop_nest::contains(tree_.nodes[static_cast<std::size_t>(place)].lines, number))
      return;
    const std::string_view text = base::trimmed(line(number));
    expect(contains_text(line(number), " += ") || text == "barrier" || text.starts_with("if "),
           line(number) + ": it is nobody's");
    const int around = loop_line_around(number);
    if (around > 0)
      expect(tree_.node_of(around) == place,
             line(number) + ": it stands in " + tree_.nodes[static_cast<std::size_t>(place)].text);
  }

  /** The line of the loop around a line, by its indentation; 0: none. */
  int loop_line_around(int number) const {
    const auto indent = [&](int of) { return line(of).find_first_not_of(' '); };
    std::size_t depth = indent(number);
    for (int above = number - 1; above >= 1; --above) {
      if (indent(above) >= depth) continue;
      depth = indent(above);
      if (base::trimmed(line(above)).starts_with("for ")) return above;
    }
    return 0;
  }

  const schedule::ScheduledKernel& kernel_;
  const schedule::Schedule& schedule_;
  const space::Configuration& configuration_;
  const loop_nest::LoopNest& nest_;
  schedule::StageTree tree_;
  std::vector<std::string> lines_;
  std::vector<schedule::LoopId> order_;
  std::string wrong_;
};

schedule::TargetDescription random_target(schedule::TargetKind kind, base::Random& random) {
  if (kind == schedule::TargetKind::Cpu) return cpu_with_lanes(one_of<3>(random, {4, 8, 16}));
  schedule::TargetDescription target = cuda_with_tensor_cores();
  target.kind = kind;
  return target;
}

/** All texts of the tree of a random configuration, a line each. */
std::string texts_of(const std::string& task_text, const std::string& name,
                     const schedule::TargetDescription& target, base::Random& random) {
  const task::Task task = *task::parse_task(task_text);
  const schedule::ScheduledKernel kernel = *schedule::apply_template(task, target, name);
  const space::Configuration configuration = accepted_member(kernel, random);
  std::string text;
  for (const schedule::StageNode& node :
       schedule::stage_tree(kernel, configuration, kernel.lower(configuration)->nest).nodes)
    text += node.text + '\n';
  return text;
}

}  // namespace

/** Trees of stages: what is in them, and from each node to its lines and back. */
class ScheduleStageTreeTest : public QObject {
  Q_OBJECT

 private slots:
  void loops_and_stages_have_their_lines_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("kind");
    for (const schedule::TargetKind kind :
         {schedule::TargetKind::Cpu, schedule::TargetKind::Cuda, schedule::TargetKind::OpenCl})
      for (const schedule::TemplateDeclaration* declaration : templates_of(kind))
        QTest::addRow("%s %s", declaration->name.c_str(), std::string(schedule::to_string(kind)).c_str())
            << QString::fromStdString(declaration->name) << static_cast<int>(kind);
  }

  void loops_and_stages_have_their_lines() {
    QFETCH(QString, name);
    QFETCH(int, kind);
    base::Random random(random_seed());
    const auto target_kind = static_cast<schedule::TargetKind>(kind);
    const schedule::TemplateDeclaration& declaration =
        **schedule::find_template(name.toStdString(), target_kind);
    int checked = 0;
    for (int i = 0; i < configurations_of_a_template; ++i) {
      const schedule::TargetDescription target = random_target(target_kind, random);
      const task::Task task = random_task(declaration, target, random, max_flops);
      const auto kernel = declaration.apply(task, target);
      QVERIFY2(kernel.has_value(), kernel ? "" : describe(kernel.error()).c_str());
      const space::Configuration configuration = accepted_member(*kernel, random);
      const Result<schedule::LoweredKernel> lowered = kernel->lower(configuration);
      if (!lowered) continue;  // it would be too long when it is unrolled
      const std::string wrong = CheckedTree(*kernel, configuration, lowered->nest).wrong();
      QVERIFY2(wrong.empty(), wrong.c_str());
      ++checked;
    }
    QVERIFY(checked > 0);
  }

  void nodes_say_what_they_are_data() {
    QTest::addColumn<QString>("task");
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("kind");
    QTest::addColumn<QStringList>("parts");
    const auto add = [](const char* task, const char* name, schedule::TargetKind kind,
                        const QStringList& parts) {
      QTest::newRow(name) << task << name << static_cast<int>(kind) << parts;
    };
    add("conv2d 1x8x12x12 16x8x3x3 pad=1", "conv2d-rows", schedule::TargetKind::Cpu,
        {"sums of data x weight over rc, ry, rx", "copy of data in local memory: box 1x", "made from data",
         "sums in registers: tile "});
    add("conv2d 1x8x12x12 16x8x3x3 pad=1 i8", "conv2d-vnni", schedule::TargetKind::Cpu,
        {"byte: 4 iterations, replaced by vpdpbusd", "sums in registers"});
    add("matmul 8x12 12x16 bf16", "matmul-bf16", schedule::TargetKind::Cpu,
        {"element: 2 iterations, ", "sums in registers"});
    add("matmul 64x64 64x64", "matmul", schedule::TargetKind::Cuda,
        {"in shared memory: box ", "double buffered", "sums in registers: tile "});
    add("conv2d 1x8x12x12 16x8x3x3 pad=1", "conv2d-direct", schedule::TargetKind::OpenCl,
        {"copy of data in shared memory", "copy of weight in shared memory"});
    add("matmul 64x64 64x64 f16", "matmul-wmma", schedule::TargetKind::Cuda,
        {"replaced by wmma", "in a warp's fragments: ", "made from the copy in shared memory",
         "written through shared memory: box ", "made from the sums"});
  }

  void nodes_say_what_they_are() {
    QFETCH(QString, task);
    QFETCH(QString, name);
    QFETCH(int, kind);
    QFETCH(QStringList, parts);
    base::Random random(random_seed());
    const std::string texts =
        texts_of(task.toStdString(), name.toStdString(),
                 random_target(static_cast<schedule::TargetKind>(kind), random), random);
    for (const QString& part : parts)
      QVERIFY2(contains_text(texts, part.toStdString()), qPrintable(part + "\n" + texts.c_str()));
  }

  /** Of one configuration the whole tree, as people read it. */
  void the_tree_follows_the_loops() {
    base::Random random(random_seed());
    const task::Task task = *task::parse_task("matmul 32x32 32x32");
    const schedule::ScheduledKernel kernel =
        *schedule::apply_template(task, schedule::default_cuda_target(), "matmul");
    const space::Configuration configuration = accepted_member(kernel, random);
    const loop_nest::LoopNest nest = kernel.lower(configuration)->nest;
    const schedule::StageTree tree = schedule::stage_tree(kernel, configuration, nest);
    QVERIFY(tree == schedule::stage_tree(kernel, configuration, nest));
    QCOMPARE(tree.depth_of(0), 0);
    for (std::size_t i = 1; i < tree.nodes.size(); ++i)
      QCOMPARE(tree.depth_of(static_cast<int>(i)),
               tree.nodes[i].kind == schedule::StageNodeKind::Loop ? 1 : 2);
    // A copy is filled where its first and last line stand, and both lead back to it.
    const auto copy = std::ranges::find_if(
        tree.nodes, [](const schedule::StageNode& node) { return contains_text(node.text, "copy of"); });
    QVERIFY(copy != tree.nodes.end() && copy->lines.size() >= 2);
    for (const int line : {copy->lines.front(), copy->lines.back()})
      QCOMPARE(tree.node_of(line), static_cast<int>(copy - tree.nodes.begin()));
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleStageTreeTest)

}  // namespace kernelscape::schedule_stage_tree_test
#include "schedule_stage_tree_test.moc"
