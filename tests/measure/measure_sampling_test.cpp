#include <dlfcn.h>
#include <fmt/format.h>
#include <linux/perf_event.h>

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <bit>
#include <cerrno>
#include <map>
#include <thread>

#include "core/base/random.h"
#include "core/machine_code/instruction_table.h"
#include "core/measure/counting.h"
#include "core/measure/cpu/counters.h"
#include "core/measure/cpu/cpu_target.h"
#include "core/measure/cpu/sampler.h"
#include "core/measure/cpu/second_build.h"
#include "core/measure/line_shares.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/measure/kernel_sources.h"
#include "tests/test_program.h"

namespace kernelscape::measure_sampling_test {
using testing::random_seed;

namespace {

/** Gives what a test says, or refuses events with an error. */
class FakeSamplers final : public measure::SamplerSource {
 public:
  class Sampler final : public measure::OpenSampler {
   public:
    explicit Sampler(std::uint64_t address) : address_(address) {}
    void start() override { started_ = true; }
    void stop() override { stopped_ = started_; }
    measure::SampledAddresses read() override {
      if (!stopped_) return {};
      return {.addresses = {address_, address_ + 1}, .lost = 3};
    }

   private:
    std::uint64_t address_;
    bool started_ = false;
    bool stopped_ = false;
  };

  std::unique_ptr<measure::OpenSampler> open(measure::SampledEvent event, double, int& error) override {
    error = event == measure::SampledEvent::TaskClock ? 0 : refusal;
    if (error != 0) return nullptr;
    return std::make_unique<Sampler>(100);
  }

  int refusal = EACCES;
};

/** Opens, starts and stops the samplers, each in its thread. */
void run_samplers(measure::ThreadSamplers& samplers, int threads) {
  std::vector<std::jthread> team;
  for (int thread = 0; thread < threads; ++thread)
    team.emplace_back([&samplers, thread] { samplers.open(thread); });
  team.clear();
  if (samplers.error() != 0) return;
  for (int thread = 0; thread < threads; ++thread) {
    samplers.start(thread);
    samplers.stop(thread);
  }
}

/** A table made by hand, and the addresses that it has. */
struct MadeTable {
  std::vector<std::int32_t> words;
  std::vector<std::uint64_t> starts;  ///< the last one is the end
};

MadeTable made_table(base::Random& random) {
  MadeTable table;
  const auto count = static_cast<std::int32_t>(1 + random.below(50));
  table.words.assign(static_cast<std::size_t>(count) + 2, 0);
  table.words[0] = count;
  // The code may stand before its table or behind it.
  std::uint64_t address = std::bit_cast<std::uintptr_t>(table.words.data());
  address = random.chance(0.5) ? address + 1'000'000 : address - 1'000'000;
  for (std::size_t i = 1; i < table.words.size(); ++i) {
    const auto here = std::bit_cast<std::uintptr_t>(table.words.data() + i);
    table.words[i] = static_cast<std::int32_t>(static_cast<std::int64_t>(address - here));
    table.starts.push_back(address);
    address += 1 + random.below(15);
  }
  return table;
}

/** A kernel of several loops, one statement a line. */
std::string loops_text(base::Random& random) {
  std::string text = "void kernel(int part, int parts, const float* a, const float* b, float* c) {\n";
  const std::uint64_t loops = 1 + random.below(4);
  for (std::uint64_t loop = 0; loop < loops; ++loop) {
    text += fmt::format("  for (int i = part; i < {}; i += parts) {{\n", 10 + random.below(90));
    for (std::uint64_t line = 0; line <= random.below(4); ++line)
      text += fmt::format("    c[i + {0}] += a[i * {1}] * b[i + {0}];\n", 100 * line, 1 + random.below(4));
    text += "  }\n";
  }
  return text + "}\n";
}

codegen::KernelSource source_of(const std::string& text) {
  codegen::KernelSource source;
  source.text = text;
  source.entry = "kernel";
  source.flags = codegen::own_flags(codegen::Dialect::C);
  return source;
}

/** The lines that addr2line names for offsets in a file; 0: none. */
std::vector<int> lines_by_addr2line(const QString& file, const std::vector<std::uint64_t>& offsets) {
  QStringList arguments{"-e", file};
  for (const std::uint64_t offset : offsets) arguments.append("0x" + QString::number(offset, 16));
  QProcess process;
  process.start("addr2line", arguments);
  if (!process.waitForFinished()) return {};
  std::vector<int> lines;
  for (const QString& line : QString::fromUtf8(process.readAllStandardOutput()).trimmed().split('\n'))
    lines.push_back(line.section(':', -1).section(' ', 0, 0).toInt());
  return lines;
}

}  // namespace

class MeasureSamplingTest : public QObject {
  Q_OBJECT

 private slots:
  void every_address_of_an_instruction_is_found() {
    base::Random random(random_seed());
    for (int round = 0; round < 200; ++round) {
      const MadeTable table = made_table(random);
      const measure::InstructionAddresses addresses(table.words.data());
      QCOMPARE(addresses.count(), table.words[0]);
      QVERIFY(!addresses.instruction_at(table.starts.front() - 1));
      QVERIFY(!addresses.instruction_at(table.starts.back()));
      std::map<std::int32_t, std::int64_t> expected;
      measure::SampledAddresses samples{.addresses = {0, table.starts.back()}, .lost = 2};
      for (std::size_t i = 0; i + 1 < table.starts.size(); ++i) {
        for (std::uint64_t address = table.starts[i]; address < table.starts[i + 1]; ++address) {
          QVERIFY(addresses.instruction_at(address) == static_cast<std::int32_t>(i));
          if (!random.chance(0.3)) continue;
          samples.addresses.push_back(address);
          ++expected[static_cast<std::int32_t>(i)];
        }
      }
      const trial::CodeSamples counted = addresses.count_samples(samples);
      QCOMPARE(counted.outside, std::int64_t{2});
      QCOMPARE(counted.lost, std::int64_t{2});
      QCOMPARE(counted.instruction_count, table.words[0]);
      QCOMPARE(counted.instructions.size(), expected.size());
      for (const trial::InstructionSamples& at : counted.instructions)
        QCOMPARE(at.samples, expected[at.instruction]);
    }
  }

  /** The lines of a build's addresses are those that its own line table has, as addr2line reads it. */
  void addresses_have_the_lines_of_addr2line() {
    if (QStandardPaths::findExecutable("addr2line").isEmpty()) QSKIP("there is no addr2line");
    const auto target = measure::describe_cpu_target();
    if (!target) QSKIP("there is no compiler");
    base::Random random(random_seed());
    for (int round = 0; round < 4; ++round) {
      const auto build = measure::sampled_build(source_of(loops_text(random)), target->compiler, 30);
      QVERIFY2(build, build ? "" : describe(build.error()).c_str());
      const QTemporaryDir folder;
      QFile file(folder.filePath("kernel.so"));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write(build->artefact.data(), static_cast<qint64>(build->artefact.size()));
      file.close();
      void* library = dlopen(file.fileName().toUtf8().constData(), RTLD_NOW | RTLD_LOCAL);
      QVERIFY2(library != nullptr, dlerror());
      const auto* table =
          static_cast<const std::int32_t*>(dlsym(library, machine_code::instruction_table_symbol));
      void* entry = dlsym(library, "kernel");
      Dl_info loaded{};
      QVERIFY(table != nullptr && entry != nullptr && dladdr(entry, &loaded) != 0);
      const measure::InstructionAddresses addresses(table);
      const auto base = std::bit_cast<std::uintptr_t>(loaded.dli_fbase);
      std::vector<std::uint64_t> offsets;
      for (std::uint64_t at = std::bit_cast<std::uintptr_t>(entry); addresses.instruction_at(at); ++at)
        if (static_cast<std::size_t>(*addresses.instruction_at(at)) == offsets.size())
          offsets.push_back(at - base);
      QCOMPARE(offsets.size(), static_cast<std::size_t>(addresses.count()));
      std::vector<int> expected;
      for (const machine_code::MachineLine& line : build->code.lines)
        if (line.instruction()) expected.push_back(line.source_line);
      QVERIFY(std::ranges::count_if(expected, [](int line) { return line > 0; }) > 3);
      QCOMPARE(lines_by_addr2line(file.fileName(), offsets), expected);
      dlclose(library);
    }
  }

  void records_are_read_up_to_a_damaged_one() {
    base::Random random(random_seed());
    const auto header = [](std::uint64_t type, std::uint64_t words) { return type | (8 * words) << 48U; };
    for (int round = 0; round < 100; ++round) {
      std::vector<std::uint64_t> records;
      std::vector<std::uint64_t> addresses;
      std::int64_t lost = 0;
      for (std::uint64_t record = random.below(30); record > 0; --record) {
        const std::uint64_t value = random.below(1'000'000);
        switch (random.below(3)) {
          case 0:
            records.insert(records.end(), {header(PERF_RECORD_SAMPLE, 2), value});
            addresses.push_back(value);
            break;
          case 1:
            records.insert(records.end(), {header(PERF_RECORD_LOST, 3), 7, value});
            lost += static_cast<std::int64_t>(value);
            break;
          default:
            records.insert(records.end(), {header(PERF_RECORD_THROTTLE, 4), 1, 2, 3});
        }
      }
      // A size of zero, or one beyond the end: what follows is not read.
      records.insert(records.end(), {header(PERF_RECORD_SAMPLE, random.chance(0.5) ? 0 : 9), 5});
      const measure::SampledAddresses read = measure::read_sample_records(records);
      QVERIFY(read.addresses == addresses);
      QCOMPARE(read.lost, lost);
    }
  }

  /** However long the calls are, and however fast the processor: half of the ring stays free. */
  void samples_of_long_calls_fit_into_the_ring() {
    base::Random random(random_seed());
    QVERIFY(measure::sampling_period(measure::SampledEvent::TaskClock, 0.5) < 260'000);
    for (int round = 0; round < 100; ++round) {
      const double seconds = 0.01 + 30 * random.uniform();
      for (const measure::SampledEvent event : measure::sampled_events) {
        const double hertz = event == measure::SampledEvent::TaskClock ? 1e9 : 6e9;
        const std::uint64_t period = measure::sampling_period(event, seconds);
        QVERIFY(seconds * hertz / static_cast<double>(period) <= measure::sampler_ring_records / 2 + 1);
        for (std::uint64_t divisor = 2; divisor < 1000; ++divisor) QVERIFY(period % divisor != 0);
      }
    }
  }

  /** Records that pass the end of the ring go on at its beginning. */
  void a_ring_is_read_around_its_end() {
    base::Random random(random_seed());
    for (int round = 0; round < 200; ++round) {
      std::vector<std::uint64_t> ring(std::size_t{1} << (3 + random.below(5)));
      const std::uint64_t records = 1 + random.below(ring.size() / 2 - 1);
      const std::uint64_t tail = 16 * random.below(1000);
      std::vector<std::uint64_t> addresses;
      for (std::uint64_t record = 0; record < records; ++record) {
        const std::uint64_t place = tail / 8 + 2 * record;
        addresses.push_back(random.below(1'000'000));
        ring[place % ring.size()] = PERF_RECORD_SAMPLE | (std::uint64_t{16} << 48U);
        ring[(place + 1) % ring.size()] = addresses.back();
      }
      const measure::SampledAddresses read = measure::read_sample_ring(ring, tail, tail + 16 * records);
      QVERIFY(read.addresses == addresses);
      // A full ring has lost samples, how many is not known.
      QCOMPARE(read.lost, std::int64_t{records + 1 == ring.size() / 2 ? 1 : 0});
    }
  }

  void samples_of_all_threads_are_joined() {
    FakeSamplers source;
    measure::ThreadSamplers samplers(3, measure::SampledEvent::TaskClock, 0.5, source);
    run_samplers(samplers, 3);
    QCOMPARE(samplers.error(), 0);
    const measure::SampledAddresses samples = samplers.samples();
    QCOMPARE(std::ranges::count(samples.addresses, std::uint64_t{100}), std::ptrdiff_t{3});
    QCOMPARE(samples.addresses.size(), std::size_t{6});
    QCOMPARE(samples.lost, std::int64_t{9});
  }

  void a_refused_event_is_an_error_with_a_remedy() {
    FakeSamplers source;
    for (const int error : {ENOENT, EACCES, EPERM, ENOSYS, EMFILE, EINVAL}) {
      source.refusal = error;
      measure::ThreadSamplers samplers(2, measure::SampledEvent::Cycles, 0.5, source);
      run_samplers(samplers, 2);
      QCOMPARE(samplers.error(), error);
      const trial::MissingCounter missing = measure::missing_samples(error, 3);
      QCOMPARE(missing.name, std::string(measure::samples_name));
      QVERIFY(!missing.reason.empty());
    }
    QVERIFY(measure::missing_samples(EACCES, 3).hint.contains("kernel.perf_event_paranoid=1"));
    QVERIFY(measure::missing_samples(EPERM, 2).reason.contains("container"));
  }

  /** Whatever this machine allows: there are samples of the kernel's own lines, or the reason why not. */
  void a_counted_kernel_is_sampled_or_says_why() {
    const SourceFamily family(small_matmul, {{"right", matmul_text()}});
    const auto target = measure::describe_cpu_target();
    if (!target) QSKIP("there is no compiler");
    const auto reading =
        measure::count_configuration(family, *target, quick_options(), family.named("right"));
    QVERIFY2(reading, reading ? "" : describe(reading.error()).c_str());
    QVERIFY(reading->has_value());
    const trial::CounterReading& counted = **reading;
    const auto missing =
        std::ranges::find(counted.missing, measure::samples_name, &trial::MissingCounter::name);
    QCOMPARE(counted.samples.has_value(), missing == counted.missing.end());
    if (!counted.samples) {
      QVERIFY(!missing->reason.empty());
      return;
    }
    QVERIFY(!counted.samples->instructions.empty());
    QVERIFY(!counted.samples->event.empty());
    const auto lines = std::ranges::count(matmul_text(), '\n');
    for (const trial::InstructionSamples& at : counted.samples->instructions)
      QVERIFY(at.source_line >= 0 && at.source_line <= lines && at.samples > 0);
  }

  /** Without samples the shares are called instructions, and never time. */
  void without_samples_the_shares_are_estimated() {
    base::Random random(random_seed());
    for (int round = 0; round < 100; ++round) {
      const machine_code::MachineCode code = looped_code(random);
      trial::CounterReading refused;
      refused.missing = {measure::missing_samples(EACCES, 3)};
      const measure::LineShares shares = measure::line_shares(code, &refused);
      QVERIFY(shares.kind == measure::ShareKind::Instructions);
      QVERIFY(!shares.text().starts_with("time") && shares.text().contains("estimated from instructions"));
      // The reference: executions of every instruction, summed by line.
      std::map<int, double> expected;
      double all = 0;
      for (const machine_code::MachineLine& line : code.lines) {
        const double times = line.loop < 0 ? 1 : code.loops[static_cast<std::size_t>(line.loop)].iterations;
        if (!line.instruction()) continue;
        expected[line.source_line] += times;
        all += times;
      }
      double sum = shares.outside;
      for (int line = 1; line <= static_cast<int>(shares.source.size()); ++line) {
        QVERIFY(std::abs(shares.of_source(line) - expected[line] / all) < 1e-9);
        sum += shares.of_source(line);
      }
      QVERIFY(std::abs(sum - 1) < 1e-9);
      QCOMPARE(shares.of_source(0), 0.0);
    }
  }

  void samples_are_shares_of_time() {
    base::Random random(random_seed());
    for (int round = 0; round < 100; ++round) {
      const machine_code::MachineCode code = looped_code(random);
      trial::CounterReading reading;
      reading.samples.emplace();
      trial::CodeSamples& samples = *reading.samples;
      samples.event = "processor time";
      samples.instruction_count = machine_code::instruction_count(code);
      samples.code_hash = machine_code::instructions_hash(code);
      samples.outside = static_cast<std::int64_t>(random.below(50));
      std::int32_t number = 0;
      for (const machine_code::MachineLine& line : code.lines)
        if (line.instruction())
          samples.instructions.push_back(
              {number++, line.source_line, static_cast<std::int64_t>(1 + random.below(100))});
      const measure::LineShares shares = measure::line_shares(code, &reading);
      QVERIFY(shares.kind == measure::ShareKind::Time);
      QVERIFY(shares.text().starts_with("time, from "));
      double by_source = shares.outside;
      for (const double share : shares.source) by_source += share;
      double by_machine = static_cast<double>(samples.outside) / static_cast<double>(samples.total());
      for (const double share : shares.machine) by_machine += share;
      QVERIFY(std::abs(by_source - 1) < 1e-9 && std::abs(by_machine - 1) < 1e-9);
      // Another compiler's instructions have other numbers: only the lines of source are known.
      ++samples.instruction_count;
      const measure::LineShares other = measure::line_shares(code, &reading);
      QVERIFY(other.machine.empty());
      QVERIFY(other.source == shares.source);
      --samples.instruction_count;
      samples.code_hash = "that of other instructions";
      QVERIFY(measure::line_shares(code, &reading).machine.empty());
      samples.lost = 7;
      QVERIFY(measure::line_shares(code, &reading).text().contains("; at least 7 lost"));
    }
  }

 private:
  /** A code of a few loops without multiply-adds, which run so and so often. */
  static machine_code::MachineCode looped_code(base::Random& random) {
    machine_code::MachineCode code;
    const int loops = 1 + static_cast<int>(random.below(4));
    for (int loop = -1; loop < loops; ++loop) {
      for (std::uint64_t line = 0; line <= random.below(6); ++line) {
        machine_code::MachineLine& added = code.lines.emplace_back();
        added.loop = loop;
        added.source_line = static_cast<int>(1 + random.below(8));
      }
      if (loop < 0) continue;
      machine_code::MachineLoop& added = code.loops.emplace_back();
      added.iterations = static_cast<double>(1 + random.below(1000));
    }
    code.hot_loop = 0;
    return code;
  }
};

KERNELSCAPE_TEST(MeasureSamplingTest, QCoreApplication)

}  // namespace kernelscape::measure_sampling_test
#include "measure_sampling_test.moc"
