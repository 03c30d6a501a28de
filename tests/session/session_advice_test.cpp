#include <fmt/format.h>

#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/base/random.h"
#include "core/machine_code/instruction_table.h"
#include "core/schedule/schedule.h"
#include "core/session/advice.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/schedule/random_tasks.h"
#include "tests/test_program.h"

namespace kernelscape::session_advice_test {
using testing::random_seed;

namespace {

constexpr int rounds = 60;

// Two units with a latency of four cycles; 1,000 decoded instructions.
constexpr machine_code::PortModel processor{
    .name = "Test", .mca_name = "test", .multiply_add_latency = 4, .decoded_instructions = 1000};

/** A kernel by hand: its hot loop is an assembly text, everything else is set by the tests. */
struct MadeKernel {
  measure::KernelInsight insight{};
  session::ScheduleFacts schedule{};
  std::optional<trial::CounterReading> counters{};

  explicit MadeKernel(const std::string& body) {
    insight.code = machine_code::parse_assembly(
        "kernel:\n.L1:\n" + body + "  addq $64, %rdx\n  cmpq %rcx, %rdx\n  jne .L1\n  ret\n",
        {.language = machine_code::MachineLanguage::X86, .entry = "kernel"});
    schedule.processor = &processor;
    schedule.target.vector_bits = 256;
    schedule.target.vector_registers = 16;
    schedule.target.l1_bytes = 32 << 10;
    schedule.target.l2_bytes = 512 << 10;
    for (machine_code::MachineLoop& loop : insight.code.loops) {
      loop.iterations = 1000;
      loop.multiply_adds = 1000 * static_cast<double>(loop.mix.multiply_adds);
    }
    if (const auto bound =
            machine_code::bound_by_counts(insight.code, *insight.code.hot(), {&processor, true}))
      insight.bounds.push_back(*bound);
  }

  session::AdviceFacts facts() const {
    return {.insight = &insight, .schedule = &schedule, .counters = counters ? &*counters : nullptr};
  }

  /** The sentence of a rule; empty: it has nothing to say. */
  std::string says(const std::string& rule) const {
    for (const session::Advice& advice : session::advise(facts()))
      if (advice.rule == rule) return advice.sentence;
    return {};
  }
};

/** Multiply-adds into so many registers. @param registers "ymm" or "xmm" */
std::string multiply_adds(std::uint64_t accumulators, const std::string& instruction = "vfmadd231ps",
                          const std::string& registers = "ymm") {
  std::string text;
  for (std::uint64_t i = 0; i < accumulators; ++i)
    text += fmt::format("  {0} %{1}14, %{1}15, %{1}{2}\n", instruction, registers, i);
  return text;
}

session::AdviceLoop made_loop(const std::string& name, std::int64_t length,
                              schedule::LoopAnnotation annotation = schedule::LoopAnnotation::Serial) {
  return {.name = name,
          .knob = fmt::format("tile_{}={}", name, length),
          .length = length,
          .annotation = annotation};
}

bool has(const std::string& text, const std::string& word) { return text.contains(word); }

}  // namespace

class SessionAdviceTest : public QObject {
  Q_OBJECT

 private slots:
  void every_rule_has_a_name_and_a_source() {
    QVERIFY(session::advice_rules().size() >= 8);
    std::vector<std::string_view> names;
    for (const session::AdviceRule& rule : session::advice_rules()) {
      QVERIFY(!rule.name.empty() && rule.source.size() > 10);
      QVERIFY(std::ranges::find(names, rule.name) == names.end());
      names.push_back(rule.name);
    }
  }

  void spills_are_counted() {
    base::Random random(random_seed());
    for (int round = 0; round < rounds; ++round) {
      const std::uint64_t spills = random.below(4);
      std::string body = multiply_adds(8);
      for (std::uint64_t i = 0; i < spills; ++i) body += fmt::format("  vmovaps %ymm9, {}(%rsp)\n", 32 * i);
      const MadeKernel kernel(body);
      const std::string text = kernel.says("spills");
      QCOMPARE(!text.empty(), spills > 0);
      if (spills > 0) QVERIFY2(text.starts_with(fmt::format("{} of the ", spills)), text.c_str());
    }
  }

  void spills_name_the_tile_in_registers() {
    MadeKernel kernel(multiply_adds(8) + "  vmovaps %ymm9, 32(%rsp)\n");
    kernel.schedule.loops = {made_loop("ic", 64), made_loop("ow", 7, schedule::LoopAnnotation::Unrolled),
                             made_loop("oc", 16, schedule::LoopAnnotation::Vectorized)};
    QVERIFY(has(kernel.says("spills"), "tile_oc=16"));
    QVERIFY(!has(kernel.says("spills"), "tile_ic"));
  }

  /** Two units of four cycles need eight accumulators. */
  void accumulators_are_compared_with_units_and_latency() {
    base::Random random(random_seed());
    for (int round = 0; round < rounds; ++round) {
      const std::uint64_t accumulators = 1 + random.below(13);
      const std::string text = MadeKernel(multiply_adds(accumulators)).says("accumulators");
      QVERIFY2(text.empty() == (accumulators >= 8), fmt::format("{}: {}", accumulators, text).c_str());
      if (!text.empty()) QVERIFY(has(text, "need 8"));
    }
  }

  void vectors_are_compared_with_those_of_the_machine() {
    for (const std::int64_t bits : {128, 256, 512}) {
      MadeKernel kernel(multiply_adds(8));
      kernel.schedule.target.vector_bits = bits;
      // One unit of 512 bits does no more than two of 256.
      QVERIFY(kernel.says("vector_width").empty());
      machine_code::PortModel wide = processor;
      wide.wide_multiply_add_ports = 2;
      kernel.schedule.processor = &wide;
      QCOMPARE(kernel.says("vector_width").empty(), bits <= 256);
      MadeKernel scalar(multiply_adds(8, "vfmadd231ss", "xmm"));
      scalar.schedule.target.vector_bits = bits;
      QVERIFY(has(scalar.says("vector_width"), "use 32 of the"));
    }
  }

  void gathers_are_found() {
    QVERIFY(MadeKernel(multiply_adds(8)).says("gathers").empty());
    const std::string text =
        MadeKernel(multiply_adds(8) + "  vgatherdps %ymm1, (%rsi,%ymm2,4), %ymm3\n").says("gathers");
    QVERIFY2(text.starts_with("1 of the 12 "), text.c_str());
  }

  void a_sum_in_memory_is_found() {
    const std::string load = "  vmovups (%rsi), %ymm1\n";
    const std::string store = "  vmovups %ymm1, (%rsi)\n";
    const std::string narrow = "  vmovss %xmm1, (%rsi)\n";
    QVERIFY(MadeKernel(multiply_adds(8) + load).says("store_forwarding").empty());
    QVERIFY(MadeKernel(multiply_adds(8) + store).says("store_forwarding").empty());
    QVERIFY(has(MadeKernel(load + multiply_adds(8) + store).says("store_forwarding"), "(%rsi)"));
    QVERIFY(has(MadeKernel(load + multiply_adds(8) + narrow).says("store_forwarding"), "fewer bytes"));
    // The address moves on: the next iteration loads what nobody has stored.
    const std::string moving = "  vmovups (%rdx), %ymm1\n" + multiply_adds(8) + "  vmovups %ymm1, (%rdx)\n";
    QVERIFY(MadeKernel(moving).says("store_forwarding").empty());
  }

  void a_loop_is_compared_with_the_cache_of_instructions() {
    base::Random random(random_seed());
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t instructions = 900 + random.below(200);
      std::string body;
      for (std::uint64_t i = 0; i + 3 < instructions; ++i) body += multiply_adds(1);
      MadeKernel kernel(body);
      kernel.schedule.loops = {made_loop("kw", 7, schedule::LoopAnnotation::Unrolled)};
      const std::string text = kernel.says("code_size");
      QCOMPARE(!text.empty(), instructions > 1000);
      if (!text.empty()) QVERIFY(has(text, "tile_kw=7") && has(text, "1,000"));
    }
  }

  void tails_are_shares_of_the_multiply_adds() {
    base::Random random(random_seed());
    for (int round = 0; round < rounds; ++round) {
      MadeKernel kernel(multiply_adds(8));
      machine_code::MachineLoop tail = kernel.insight.code.loops.front();
      tail.mix.multiply_adds = tail.mix.of(machine_code::InstructionClass::MultiplyAdd);  // one lane
      const double share = random.uniform() * 0.04;
      tail.multiply_adds = share / (1 - share) * kernel.insight.code.hot()->multiply_adds;
      kernel.insight.code.loops.push_back(tail);
      kernel.schedule.loops = {made_loop("ow", 15)};
      kernel.schedule.loops.front().tile_remainder = 11;
      if (std::abs(share - 0.02) < 1e-6) continue;
      const std::string text = kernel.says("tails");
      QCOMPARE(!text.empty(), share > 0.02);
      if (!text.empty()) QVERIFY(has(text, "tile_ow=15 leaves 11 over"));
    }
  }

  /** Rows at a multiple of the line are never split; others as often as their offsets say. */
  void rows_that_are_no_multiple_of_a_line_split_loads() {
    base::Random random(random_seed());
    for (int round = 0; round < rounds; ++round) {
      const auto elements = static_cast<std::int64_t>(8 + random.below(64));
      MadeKernel kernel("  vmovups (%rdx), %ymm9\n" + multiply_adds(8));
      kernel.schedule.loops = {made_loop("oh", 64), made_loop("ow", 8, schedule::LoopAnnotation::Vectorized)};
      kernel.schedule.loops[0].steps = {{.tensor = "data", .stride_bytes = 4 * elements}};
      kernel.schedule.loops[1].steps = {{.tensor = "data", .stride_bytes = 4}};
      int split = 0;
      for (int row = 0; row < 64; ++row) split += row * 4 * elements % 64 > 32 ? 1 : 0;
      const std::string text = kernel.says("split_loads");
      QCOMPARE(!text.empty(), split >= 7);
      if (!text.empty())
        QVERIFY(has(text, fmt::format("moves {} B", 4 * elements)) && has(text, "tile_oh=64"));
      kernel.schedule.loops[1].steps[0].written = true;
      QVERIFY(kernel.says("split_loads").empty());
    }
  }

  void rows_at_a_power_of_two_share_a_set() {
    base::Random random(random_seed());
    for (int round = 0; round < rounds; ++round) {
      const auto length = static_cast<std::int64_t>(2 + random.below(14));
      const auto stride = static_cast<std::int64_t>(1024 * (1 + random.below(16)));
      const double bytes = random.chance(0.5) ? 64 : 3000;
      MadeKernel kernel("  vmovups (%rdx), %ymm9\n" + multiply_adds(8));
      kernel.schedule.loops = {made_loop("oh", length)};
      kernel.schedule.loops[0].steps = {{.tensor = "data", .stride_bytes = stride, .bytes = bytes}};
      const std::string text = kernel.says("aliasing");
      QCOMPARE(!text.empty(), length > 8 && stride % 4096 == 0 && bytes < 3000);
      // 48 KiB have 12 lines in a set; rows whose loads hit lose nothing.
      kernel.schedule.target.l1_bytes = 48 << 10;
      QCOMPARE(!kernel.says("aliasing").empty(), !text.empty() && length > 12);
      kernel.schedule.target.l1_bytes = 32 << 10;
      kernel.counters.emplace();
      kernel.counters->l1_misses = 1000;  // 1,000 loads are executed
      QCOMPARE(!kernel.says("aliasing").empty(), !text.empty());
      kernel.counters->l1_misses = 10;
      QVERIFY(kernel.says("aliasing").empty());
      kernel.counters.reset();
      // Iterations on different processors have different caches.
      kernel.schedule.loops[0].annotation = schedule::LoopAnnotation::Parallel;
      QVERIFY(kernel.says("aliasing").empty());
    }
  }

  void counted_misses_name_the_tile_that_outgrows_the_cache() {
    base::Random random(random_seed());
    for (int round = 0; round < rounds; ++round) {
      MadeKernel kernel("  vmovups (%rdx), %ymm9\n" + multiply_adds(8));
      kernel.schedule.loops = {made_loop("ic", 64), made_loop("ow", 15)};
      kernel.schedule.loops[0].bytes = 1 << 20;
      kernel.schedule.loops[1].bytes = 1000;
      const double share = random.uniform() * 0.1;
      if (std::abs(share - 0.05) < 1e-6 || std::abs(share - 0.02) < 1e-6) continue;
      kernel.counters.emplace();
      QVERIFY(kernel.says("l1_misses").empty() && kernel.says("l2_misses").empty());
      kernel.counters->l1_misses = 1000 * share;  // 1,000 loads are executed
      kernel.counters->l2_misses = 1000 * share;
      const std::string l1 = kernel.says("l1_misses");
      const std::string l2 = kernel.says("l2_misses");
      QCOMPARE(!l1.empty(), share > 0.05);
      QCOMPARE(!l2.empty(), share > 0.02);
      if (!l1.empty()) QVERIFY(has(l1, "as counted") && has(l1, "tile_ic=64") && !has(l1, "tile_ow"));
    }
  }

  void counted_misses_of_the_tlb_name_the_loop_that_changes_pages() {
    base::Random random(random_seed());
    for (int round = 0; round < rounds; ++round) {
      MadeKernel kernel("  vmovups (%rdx), %ymm9\n" + multiply_adds(8));
      kernel.schedule.loops = {made_loop("ic", 64), made_loop("oh", 28), made_loop("ow", 15)};
      kernel.schedule.loops[0].steps = {{.tensor = "data", .stride_bytes = 1 << 20}};
      kernel.schedule.loops[1].steps = {{.tensor = "data", .stride_bytes = 4100}};
      kernel.schedule.loops[2].steps = {{.tensor = "data", .stride_bytes = 4}};
      const double share = random.uniform() * 0.01;
      if (std::abs(share - 0.005) < 1e-6) continue;
      kernel.counters.emplace();
      kernel.counters->tlb_misses = 1000 * share;
      const std::string text = kernel.says("tlb_misses");
      QCOMPARE(!text.empty(), share > 0.005);
      if (!text.empty()) QVERIFY2(has(text, "tile_oh=28"), text.c_str());
    }
  }

  void the_traffic_model_speaks_until_misses_are_counted() {
    base::Random random(random_seed());
    for (int round = 0; round < rounds; ++round) {
      MadeKernel kernel(multiply_adds(8));
      kernel.schedule.loops = {made_loop("ic", 64)};
      kernel.schedule.loops[0].bytes = 1 << 20;
      const double l1_share = random.uniform() * 0.5;
      const double l2_share = random.uniform() * 0.2;
      if (std::abs(l1_share - 0.25) < 1e-6 || std::abs(l2_share - 0.1) < 1e-6) continue;
      loop_nest::TrafficEstimate traffic;
      traffic.footprint_bytes = 1000;
      traffic.levels[0].bytes = 1e6;
      traffic.levels[1].bytes = 1000 + 1e6 * l1_share;
      traffic.levels[2].bytes = 1000 + 1e6 * l2_share;
      QVERIFY(kernel.says("l1_tile").empty());
      kernel.schedule.traffic = traffic;
      QCOMPARE(!kernel.says("l1_tile").empty(), l1_share > 0.25);
      QCOMPARE(!kernel.says("l2_tile").empty(), l2_share > 0.1);
      if (l1_share > 0.25) QVERIFY(has(kernel.says("l1_tile"), "By the traffic model"));
      kernel.counters.emplace();
      kernel.counters->l1_misses = 0;
      kernel.counters->l2_misses = 0;
      QVERIFY(kernel.says("l1_tile").empty() && kernel.says("l2_tile").empty());
    }
  }

  void threads_are_idle_in_the_last_round() {
    base::Random random(random_seed());
    for (int round = 0; round < 200; ++round) {
      MadeKernel kernel(multiply_adds(8));
      const auto first = static_cast<std::int64_t>(1 + random.below(20));
      const auto second = static_cast<std::int64_t>(1 + random.below(20));
      kernel.schedule.threads = static_cast<int>(1 + random.below(16));
      kernel.schedule.loops = {made_loop("oc", first, schedule::LoopAnnotation::Parallel),
                               made_loop("oh", second, schedule::LoopAnnotation::Parallel),
                               made_loop("ic", 3)};
      // The reference deals the iterations out one by one.
      std::vector<int> dealt(static_cast<std::size_t>(kernel.schedule.threads));
      for (std::int64_t i = 0; i < first * second; ++i) ++dealt[static_cast<std::size_t>(i) % dealt.size()];
      const double busiest = *std::ranges::max_element(dealt);
      const double idle =
          1 - static_cast<double>(first * second) / (busiest * static_cast<double>(dealt.size()));
      if (std::abs(idle - 0.05) < 1e-9) continue;
      const std::string text = kernel.says("imbalance");
      QCOMPARE(!text.empty(), idle > 0.05);
      if (!text.empty()) QVERIFY(has(text, fmt::format("The {} parallel", first * second)));
    }
  }

  /** Samples of the hot loop, before it (line 3), and outside of the kernel. */
  void sampled_time_outside_of_the_hot_loop_is_named() {
    base::Random random(random_seed());
    for (int round = 0; round < rounds; ++round) {
      MadeKernel kernel(multiply_adds(8));
      kernel.insight.source.text = "one\ntwo\nthree();\n";
      machine_code::MachineLine& last = kernel.insight.code.lines.back();  // ret, behind the loop
      last.source_line = 3;
      const auto count = machine_code::instruction_count(kernel.insight.code);
      const auto hot = static_cast<std::int64_t>(random.below(1000));
      const auto behind = static_cast<std::int64_t>(1 + random.below(500));
      const auto outside = static_cast<std::int64_t>(random.below(200));
      kernel.counters.emplace();
      QVERIFY(kernel.says("other_loops").empty() && kernel.says("waiting").empty());
      kernel.counters->samples =
          trial::CodeSamples{.event = "processor time",
                             .instruction_count = count,
                             .instructions = {{0, 2, hot}, {count - 1, 3, behind}},
                             .outside = outside,
                             .lost = 0,
                             .code_hash = machine_code::instructions_hash(kernel.insight.code)};
      // In whole numbers: shares of exactly 20 % and 10 % speak.
      const std::int64_t all = hot + behind + outside;
      if (5 * behind == all || 10 * outside == all) continue;
      const std::string text = kernel.says("other_loops");
      QCOMPARE(!text.empty(), 5 * behind > all);
      if (!text.empty()) QVERIFY2(has(text, "line 3, `three();`"), text.c_str());
      QCOMPARE(!kernel.says("waiting").empty(), 10 * outside > all);
    }
  }

  /** Time of instructions without a line is not that of line 1. */
  void instructions_without_a_line_name_none() {
    MadeKernel kernel(multiply_adds(8));
    kernel.insight.source.text = "one();\ntwo();\n";
    machine_code::MachineLine& last = kernel.insight.code.lines.back();
    last.source_line = 0;
    const auto count = machine_code::instruction_count(kernel.insight.code);
    kernel.counters.emplace();
    kernel.counters->samples =
        trial::CodeSamples{.event = "processor time",
                           .instruction_count = count,
                           .instructions = {{0, 2, 10}, {count - 1, 0, 90}},
                           .outside = 0,
                           .lost = 0,
                           .code_hash = machine_code::instructions_hash(kernel.insight.code)};
    const std::string text = kernel.says("other_loops");
    QVERIFY2(text.starts_with("90 %") && !has(text, "line 1"), text.c_str());
  }

  void the_largest_effect_is_first() {
    MadeKernel kernel(multiply_adds(2, "vfmadd231ss", "xmm") + "  vmovaps %ymm9, 32(%rsp)\n");
    kernel.schedule.threads = 16;
    kernel.schedule.loops = {made_loop("oc", 17, schedule::LoopAnnotation::Parallel)};
    const std::vector<session::Advice> found = session::advise(kernel.facts());
    QVERIFY(found.size() >= 3);
    QVERIFY(std::ranges::is_sorted(found, std::ranges::greater(), &session::Advice::effect));
    for (const session::Advice& advice : found) {
      QVERIFY(advice.effect >= 0 && advice.effect <= 1 && !advice.source.empty());
      QVERIFY(advice.sentence.ends_with('.'));
    }
  }

  void nothing_found_is_said() {
    MadeKernel kernel(multiply_adds(8));
    QVERIFY(session::advise(kernel.facts()).empty());
    QVERIFY(has(session::no_advice_text(kernel.facts()), "not counted"));
    kernel.counters.emplace();
    QVERIFY(has(session::no_advice_text(kernel.facts()), "could not be counted"));
    kernel.counters->l1_misses = 0;
    QCOMPARE(session::no_advice_text(kernel.facts()), std::string("No rule found a cause of lost time."));
    kernel.insight.source.dialect = codegen::Dialect::Cuda;
    QVERIFY(has(session::no_advice_text(kernel.facts()), "GPU"));
    kernel.insight.source.dialect = codegen::Dialect::C;
    kernel.insight.code = {};
    QVERIFY(has(session::no_advice_text(kernel.facts()), "no loop"));
    kernel.insight.code_problem = "there is no disassembler";
    QVERIFY(has(session::no_advice_text(kernel.facts()), "the instructions are not known"));
  }

  /** Facts of real schedules: knobs are those of the configuration, and outer loops touch more data. */
  void facts_follow_from_the_schedule() {
    base::Random random(random_seed());
    const schedule::TargetDescription target = testing::cpu_with_lanes(8);
    for (const schedule::TemplateDeclaration* declaration :
         testing::templates_of(schedule::TargetKind::Cpu)) {
      const task::Task task = testing::random_task(*declaration, target, random, 2e5);
      const auto kernel = declaration->apply(task, target);
      QVERIFY(kernel);
      if (kernel->schedule().op().inputs.size() != 2) continue;
      const space::Configuration configuration = testing::accepted_member(*kernel, random);
      const session::ScheduleFacts facts = session::schedule_facts(*kernel, configuration, 3);
      QCOMPARE(facts.threads, 3);
      QVERIFY(!facts.loops.empty());
      const std::string all_knobs = kernel->space().describe(configuration);
      for (std::size_t i = 0; i < facts.loops.size(); ++i) {
        const session::AdviceLoop& loop = facts.loops[i];
        QVERIFY(loop.knob.empty() || all_knobs.contains(loop.knob));
        QVERIFY(i == 0 || facts.loops[i - 1].bytes >= loop.bytes);
        for (const session::AdviceStep& step : loop.steps)
          QVERIFY(step.bytes > 0 && step.bytes <= loop.bytes && step.stride_bytes % step.element_bytes == 0);
        QCOMPARE(std::ranges::count_if(loop.steps, &session::AdviceStep::written), std::ptrdiff_t{1});
      }
    }
  }
};

KERNELSCAPE_PLAIN_TEST(SessionAdviceTest)

}  // namespace kernelscape::session_advice_test
#include "session_advice_test.moc"
