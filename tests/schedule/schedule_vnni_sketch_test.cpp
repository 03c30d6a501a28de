#include <fmt/format.h>

#include <QTest>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "core/loop_nest/passes.h"
#include "core/loop_nest/shared_memory.h"
#include "core/schedule/lower.h"
#include "core/space/csp.h"
#include "core/space/encoding.h"
#include "core/space/solver_model.h"
#include "tests/loop_nest/interpreter.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/nest_arguments.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::schedule_vnni_sketch_test {
using namespace kernelscape::testing;

namespace {

constexpr const char* sketch = "generated-vnni";
constexpr std::int64_t max_local_bytes = 256 * 1024;

/** KERNELSCAPE_TEST_ROUNDS=500 makes it as many configurations of each task. */
int configurations_of_a_task(int usual) {
  const char* given = std::getenv("KERNELSCAPE_TEST_ROUNDS");
  return given != nullptr ? std::atoi(given) : usual;
}

schedule::ScheduledKernel kernel_of(const std::string& text, std::int64_t lanes) {
  auto kernel = schedule::apply_template(*task::parse_task(text), cpu_with_lanes(lanes), sketch);
  if (!kernel) throw std::runtime_error(describe(kernel.error()));
  return std::move(*kernel);
}

/** What a loop nest needs, counted without a constraint. */
struct Needs {
  std::int64_t local_bytes = 0;
  std::int64_t sums = 0;  ///< elements
};

Needs needs_of(const loop_nest::LoopNest& nest) {
  Needs needs;
  for (const loop_nest::Buffer& buffer : nest.buffers) {
    if (buffer.scope == loop_nest::BufferScope::Registers) needs.sums += loop_nest::element_count(buffer);
    if (buffer.scope == loop_nest::BufferScope::Local)
      needs.local_bytes += loop_nest::element_count(buffer) * bytes_of_element(buffer);
  }
  return needs;
}

/** The number of lanes that a configuration computes together. */
std::int64_t lanes_of(const schedule::Schedule& schedule, const space::Configuration& configuration) {
  const auto lane = std::ranges::find(schedule.loops(), "lane", &schedule::Loop::name);
  return schedule.length(schedule::LoopId{static_cast<int>(lane - schedule.loops().begin())}, configuration);
}

/** Why a combination does not fit the machine; nothing: it fits. */
std::string why_not(const schedule::ScheduledKernel& kernel, const space::Configuration& configuration,
                    const loop_nest::LoopNest& nest) {
  const Needs needs = needs_of(nest);
  const std::int64_t lanes = lanes_of(kernel.schedule(), configuration);
  if (lanes != 4 && lanes != 8 && lanes != 16) return "vectors";
  if (needs.sums > (kernel.target().vector_registers - 2) * lanes) return "registers";
  return needs.local_bytes > max_local_bytes ? "local memory" : "";
}

/** Computes the operator from a nest and compares. */
class Comparison {
 public:
  explicit Comparison(const task::TensorOperator& op)
      : op_(op), reference_(task::compute_reference(op, task::make_reference_inputs(op, input_seed), 1)) {}

  /** Nothing: it is equal. */
  std::string wrong(const loop_nest::LoopNest& nest, int parts) const {
    const std::vector<double> output = interpret(nest, arguments_of(nest, op_), parts);
    const task::Comparison comparison =
        task::compare_with_reference(op_, reference_, unpack<double>(nest.buffers[2].layout, output));
    return comparison.equal ? std::string() : task::describe_mismatch(op_, comparison);
  }

 private:
  const task::TensorOperator& op_;
  task::Reference reference_;
};

/** Calls visit with every combination of these knobs, the others as they are in `configuration`. */
template <typename Visit>
void for_each_combination(const space::SearchSpace& space, const std::vector<std::uint32_t>& knobs,
                          space::Configuration configuration, const Visit& visit) {
  for (const std::uint32_t knob : knobs) configuration.indices[knob] = 0;
  for (;;) {
    visit(configuration);
    std::size_t next = 0;
    while (next < knobs.size() && ++configuration.indices[knobs[next]] == space.knobs()[knobs[next]].count())
      configuration.indices[knobs[next++]] = 0;
    if (next == knobs.size()) return;
  }
}

/** The knobs that constraints name. */
std::vector<std::uint32_t> constrained_knobs(const schedule::ScheduledKernel& kernel) {
  std::set<std::uint32_t> knobs;
  for (const space::ConstraintSystem* system : {&kernel.space().constraints(), &kernel.limits()})
    for (const space::Variable& variable : system->variables())
      if (variable.element) knobs.insert(variable.element->knob);
  return {knobs.begin(), knobs.end()};
}

bool is_position(const space::Knob& knob) { return knob.name().ends_with("_at"); }

/** The space of the other knobs' values in `configuration`. */
space::SearchSpace with_fixed_others(const space::SearchSpace& space, const std::vector<std::uint32_t>& open,
                                     const space::Configuration& configuration) {
  std::vector<space::Knob> knobs = space.knobs();
  for (std::uint32_t knob = 0; knob < knobs.size(); ++knob)
    if (std::ranges::find(open, knob) == open.end())
      knobs[knob] = *knobs[knob].restricted({configuration.indices[knob]});
  return *space::SearchSpace::make(std::move(knobs), space.constraints());
}

}  // namespace

/** Heron's sketch for DL Boost: how many choices it has, that its constraints say exactly what fits, and that
 * all that fits computes the operator. */
class ScheduleVnniSketchTest : public QObject {
  Q_OBJECT

 private slots:
  void there_are_at_least_25_tunables_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"matmul 1024x1024 1024x1024 i8", "conv2d 1x64x56x56 64x64x3x3 pad=1 i8",
          "conv2d 1x64x56x56 64x64x1x1 i8", "bmm 12x512x64 12x64x512 i8",
          "conv1d 1x512x892 512x512x3 dilation=2 pad=4 i8", "conv3d 1x64x8x14x14 64x64x3x3x3 pad=1 i8"})
      QTest::newRow(text) << text;
  }

  void there_are_at_least_25_tunables() {
    QFETCH(QString, text);
    const schedule::ScheduledKernel kernel = kernel_of(text.toStdString(), 16);
    const auto restricted = kernel.space().restricted_by(kernel.limits());
    QVERIFY(restricted.has_value());
    const auto levels = space::EncodedSpace::make(*restricted);
    QVERIFY2(levels.has_value(), levels ? "" : describe(levels.error()).c_str());
    const std::size_t tunables = levels->space().knobs().size();
    const space::ConstraintSystem csp = space::csp_of(levels->space());
    QVERIFY2(tunables >= 25, qPrintable(QString::number(tunables)));
    QVERIFY(csp.variables().size() > tunables && csp.constraints().size() > 10);
    base::Random random(1);
    constexpr int draws = 4000;
    int members = 0;
    int level_members = 0;
    for (int i = 0; i < draws; ++i) {
      members += restricted->contains(restricted->at(random.below_wide(restricted->size()))) ? 1 : 0;
      const space::SearchSpace& free = levels->space();
      level_members += free.contains(free.at(random.below_wide(free.size()))) ? 1 : 0;
    }
    qInfo("%s: %zu knobs, %zu tunables, %zu variables, %zu constraints; of %d draws %d members, %d of levels",
          qPrintable(text), kernel.space().knobs().size(), tunables, csp.variables().size(),
          csp.constraints().size(), draws, members, level_members);
    QVERIFY(members > 0 && members < draws);
  }

  void constraints_are_exactly_what_fits_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("lanes");
    const auto row = [](const char* text, int lanes) {
      QTest::newRow(fmt::format("{} with {} lanes", text, lanes).c_str()) << text << lanes;
    };
    row("matmul 1x8 8x8 i8", 4);
    row("matmul 2x4 4x16 i8", 8);
    row("matmul 15x4 4x4 i8", 4);  // more rows than registers
    row("bmm 2x2x4 2x4x4 i8", 4);
    row("conv1d 1x4x4 4x4x2 i8", 4);
    row("matmul 3x40028 40028x4 i8", 4);  // both copies of whole rows are beyond local memory
  }

  /** Every combination of the knobs that constraints name: the accepted ones are those whose nest, lowered
   * without constraints, has vectors of the machine, keeps its sums in registers and all copies in local
   * memory. Those that are interpreted compute the operator. */
  void constraints_are_exactly_what_fits() {
    QFETCH(QString, text);
    QFETCH(int, lanes);
    base::Random random(random_seed());
    const schedule::ScheduledKernel kernel = kernel_of(text.toStdString(), lanes);
    const std::vector<std::uint32_t> named = constrained_knobs(kernel);
    const space::Configuration some = kernel.space().at(random.below_wide(kernel.space().size()));
    const bool small = kernel.task().flops() < 4000;
    const Comparison comparison(*kernel.task().op);
    std::map<std::string, std::int64_t> counted;
    std::string wrong;
    for_each_combination(kernel.space(), named, some, [&](const space::Configuration& configuration) {
      if (!wrong.empty()) return;
      const loop_nest::LoopNest nest = schedule::lower(kernel.schedule(), configuration, kernel.target());
      std::string reason = why_not(kernel, configuration, nest);
      if (reason.empty() && small && random.below(16) == 0) reason = comparison.wrong(nest, 2);
      ++counted[reason];
      const bool accepts = kernel.space().contains(configuration) && kernel.within_limits(configuration);
      if (accepts != reason.empty())
        wrong = fmt::format("{} {}: {}", accepts ? "accepted" : "refused",
                            kernel.space().describe(configuration), reason);
    });
    QVERIFY2(wrong.empty(), wrong.c_str());
    QVERIFY(counted[""] > 0 && counted["vectors"] > 0);
    QVERIFY(small || counted["local memory"] > 0);
    std::string report;
    for (const auto& [reason, times] : counted)
      report += fmt::format(" {} {},", reason.empty() ? "accepted" : reason, times);
    qInfo("%s:%s", qPrintable(text), report.c_str());
  }

  void the_solver_finds_exactly_what_fits_data() { constraints_are_exactly_what_fits_data(); }

  /** All combinations of tiles, with copies and results in random places. */
  void the_solver_finds_exactly_what_fits() {
    QFETCH(QString, text);
    QFETCH(int, lanes);
    base::Random random(random_seed());
    const schedule::ScheduledKernel kernel = kernel_of(text.toStdString(), lanes);
    const auto restricted = kernel.space().restricted_by(kernel.limits());
    QVERIFY(restricted.has_value());
    const space::Configuration some = kernel.space().at(random.below_wide(kernel.space().size()));
    std::vector<std::uint32_t> tiles = constrained_knobs(kernel);
    std::erase_if(tiles, [&](std::uint32_t knob) { return is_position(kernel.space().knobs()[knob]); });
    std::set<std::vector<std::uint32_t>> fitting;
    for_each_combination(kernel.space(), tiles, some, [&](const space::Configuration& configuration) {
      const loop_nest::LoopNest nest = schedule::lower(kernel.schedule(), configuration, kernel.target());
      if (why_not(kernel, configuration, nest).empty()) fitting.insert(configuration.indices);
    });
    const space::SearchSpace few = with_fixed_others(*restricted, tiles, some);
    std::set<std::vector<std::uint32_t>> found;
    space::SolverLimits limits{.nodes = 10'000'000};
    for (base::uint128 next = 0; next < few.size();) {
      const auto solution = few.solver().first_from(few.at(next), limits);
      QVERIFY(solution.has_value());
      if (const auto* none = std::get_if<space::NoSolution>(&*solution)) {
        QVERIFY(*none == space::NoSolution::Proven);
        break;
      }
      space::Configuration configuration = std::get<space::Configuration>(*solution);
      next = few.index_of(configuration) + 1;
      for (std::uint32_t knob = 0; knob < some.indices.size(); ++knob)
        if (std::ranges::find(tiles, knob) == tiles.end()) configuration.indices[knob] = some.indices[knob];
      found.insert(configuration.indices);
    }
    QVERIFY2(found == fitting, kernel.space().describe(some).c_str());
  }

  void members_compute_the_operator_data() {
    QTest::addColumn<QString>("text");
    for (const char* text :
         {"matmul 12x20 20x24 i8", "matmul 31x17 13x31 transpose_a transpose_b i8", "gemv 24x10 10 i8",
          "bmm 3x6x12 3x12x20 i8", "conv2d 1x6x5x6 12x6x3x3 pad=1 i8",
          "conv2d 2x5x6x5 9x5x3x2 stride=2x1 pad=1:0x0:1 dilation=1x2 i8", "conv2d 1x16x4x6 24x16x1x1 i8",
          "conv1d 1x10x12 20x10x3 dilation=2 i8", "conv3d 1x4x3x3x4 8x4x2x2x2 i8",
          "conv2d 1x8x3x4 8x8x2x2 stride=2 transposed i8", "conv2d 1x8x4x4 16x4x3x3 pad=1 groups=2 i8"})
      QTest::newRow(text) << text;
  }

  /** Random members, wherever copies and results are, before all passes and after them, by 1 to 3 threads. */
  void members_compute_the_operator() {
    QFETCH(QString, text);
    base::Random random(random_seed());
    const task::Task task = *task::parse_task(text.toStdString());
    const Comparison comparison(*task.op);
    const int count = configurations_of_a_task(24);
    std::map<std::string, std::set<std::int64_t>> places;
    for (int i = 0; i < count; ++i) {
      const schedule::ScheduledKernel kernel = kernel_of(text.toStdString(), one_of<3>(random, {4, 8, 16}));
      const space::Configuration member = accepted_member(kernel, random);
      const loop_nest::LoopNest nest = schedule::lower(kernel.schedule(), member, kernel.target());
      const auto lowered = kernel.lower(member);
      QVERIFY2(lowered.has_value(), lowered ? "" : describe(lowered.error()).c_str());
      const int parts = static_cast<int>(between(random, 1, 3));
      for (const loop_nest::LoopNest* version : {&nest, &lowered->nest}) {
        const std::string wrong = comparison.wrong(*version, parts);
        QVERIFY2(wrong.empty(), fmt::format("{}: {}\n{}", kernel.space().describe(member), wrong,
                                            loop_nest::to_text(*version))
                                    .c_str());
      }
      for (std::uint32_t knob = 0; knob < kernel.space().knobs().size(); ++knob)
        if (const std::string& name = kernel.space().knobs()[knob].name(); name.ends_with("_at"))
          places[name].insert(kernel.space().knobs()[knob].element(member.indices[knob], 0));
    }
    QCOMPARE(places.size(), std::size_t{3});
    for (const auto& [name, seen] : places) QVERIFY2(seen.size() > 1, name.c_str());
  }

  void what_the_solver_finds_is_right_data() {
    QTest::addColumn<QString>("text");
    for (const char* text : {"matmul 48x96 96x80 i8", "conv2d 1x32x9x9 32x32x3x3 pad=1 i8"})
      QTest::newRow(text) << text;
  }

  /** At sizes at which no one enumerates, with levels in place of factorizations as Heron has them. */
  void what_the_solver_finds_is_right() {
    QFETCH(QString, text);
    const schedule::ScheduledKernel kernel = kernel_of(text.toStdString(), 8);
    const auto restricted = kernel.space().restricted_by(kernel.limits());
    QVERIFY(restricted.has_value());
    const auto levels = space::EncodedSpace::make(*restricted);
    QVERIFY(levels.has_value());
    const Comparison comparison(*kernel.task().op);
    base::Random random(random_seed());
    for (int i = 0; i < configurations_of_a_task(4); ++i) {
      const auto solution = levels->space().solver().solve({}, {}, base::Random(random.bits()));
      QVERIFY(solution.has_value() && std::holds_alternative<space::Configuration>(*solution));
      const auto member = levels->decode(std::get<space::Configuration>(*solution));
      QVERIFY(member.has_value());
      QVERIFY(kernel.space().contains(*member) && kernel.within_limits(*member));
      const auto lowered = kernel.lower(*member);
      QVERIFY2(lowered.has_value(), lowered ? "" : describe(lowered.error()).c_str());
      const std::string wrong = comparison.wrong(lowered->nest, 1);
      QVERIFY2(wrong.empty(), (kernel.space().describe(*member) + ": " + wrong).c_str());
    }
  }

  /** The bytes that constraints count are those that lie in memory. */
  void memory_is_counted_where_it_is_attached() {
    base::Random random(random_seed());
    for (const char* text : {"matmul 40x96 96x48 i8", "conv2d 1x12x9x7 20x12x3x3 pad=1 stride=2 i8"}) {
      const schedule::ScheduledKernel kernel = kernel_of(text, 8);
      const std::optional<space::VariableId> counted = kernel.limits().find("local_bytes");
      QVERIFY(counted.has_value());
      std::set<std::int64_t> sizes;
      for (int i = 0; i < 60; ++i) {
        const space::Configuration member = *kernel.space().random_member(random);
        const space::Evaluation evaluation = kernel.limits().evaluate(kernel.space().knobs(), member);
        const loop_nest::LoopNest nest = schedule::lower(kernel.schedule(), member, kernel.target());
        QCOMPARE(evaluation.values[*counted], needs_of(nest).local_bytes);
        sizes.insert(evaluation.values[*counted]);
      }
      QVERIFY(sizes.size() > 10);
    }
  }

  void other_types_are_refused() {
    for (const char* text : {"matmul 8x8 8x8", "conv2d 1x8x4x4 8x8x3x3 bf16"}) {
      const auto refused = schedule::apply_template(*task::parse_task(text), cpu_with_lanes(8), sketch);
      QVERIFY(!refused.has_value());
      QVERIFY2(refused.error().message.contains("u8 by i8 into i32"), describe(refused.error()).c_str());
    }
  }
};

KERNELSCAPE_PLAIN_TEST(ScheduleVnniSketchTest)

}  // namespace kernelscape::schedule_vnni_sketch_test
#include "schedule_vnni_sketch_test.moc"
