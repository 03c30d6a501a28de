#include <QTest>
#include <algorithm>
#include <cmath>
#include <ranges>

#include "core/measure/kernel_insight.h"
#include "core/session/kernel_difference.h"
#include "tests/test_program.h"

namespace kernelscape::session_kernel_difference_test {

/** What the numbers of two kernels say, from hand-made numbers. */
class SessionKernelDifferenceTest : public QObject {
  Q_OBJECT

 private slots:
  void speedsThatDifferAreARatioWithAnInterval();
  void speedsThatDoNotDifferSaySo();
  void tooFewSamplesSaySo();
  void samplesThatAreMissingAreNamed();
  void everyNumberThatDiffersIsSaid_data();
  void everyNumberThatDiffersIsSaid();
  void numbersAgainstTheFasterOneAreLeftOut();
  void alikeLoopsPointElsewhere();
  void boundsAreComparedByOneAnalyser();
  void boundsAreHeldAgainstTheTimes_data();
  void boundsAreHeldAgainstTheTimes();
  void theSameConfigurationHasNoLoopsToCompare();
  void anUnknownLoopIsNamed();
  void exchangedKernelsGiveTheSameSentences();
};

namespace {

/** Ten samples around a time, in an order that is not that of their sizes. */
std::vector<double> ten_samples(double seconds) {
  std::vector<double> samples;
  for (int sample = 0; sample < 10; ++sample)
    samples.push_back(seconds * (1 + 0.001 * static_cast<double>(sample * 7 % 10)));
  return samples;
}

/** 24 multiply-adds of 8 lanes into 12 registers, 12 loads, 4 shuffles and 8 other instructions. */
machine_code::InstructionMix made_mix() {
  machine_code::InstructionMix mix;
  mix.counts[static_cast<std::size_t>(machine_code::InstructionClass::MultiplyAdd)] = 24;
  mix.counts[static_cast<std::size_t>(machine_code::InstructionClass::Load)] = 12;
  mix.counts[static_cast<std::size_t>(machine_code::InstructionClass::Shuffle)] = 4;
  mix.counts[static_cast<std::size_t>(machine_code::InstructionClass::Integer)] = 8;
  mix.memory_reads = 12;
  mix.bytes_loaded = 12 * 32;
  mix.multiply_adds = 24 * 8;
  mix.accumulators = 12;
  return mix;
}

machine_code::LoopBound made_bound(
    double per_cycle, machine_code::BoundResource resource = machine_code::BoundResource::LoadPorts) {
  machine_code::LoopBound bound;
  bound.by = "own counts";
  bound.processor = "Zen 3";
  bound.resource = resource;
  bound.multiply_adds_per_cycle = per_cycle;
  return bound;
}

session::ComparedKernel made_kernel(const std::string& name, double seconds) {
  return {.name = name, .samples_seconds = ten_samples(seconds), .mix = made_mix()};
}

const std::vector<std::string> one_knob{"tile_oc"};

/** Whether a sentence has all of the words. */
bool says(const session::KernelDifference& difference, const std::vector<std::string>& words) {
  return std::ranges::any_of(difference.sentences, [&](const std::string& sentence) {
    return std::ranges::all_of(
        words, [&](const std::string& word) { return sentence.find(word) != std::string::npos; });
  });
}

}  // namespace

void SessionKernelDifferenceTest::speedsThatDifferAreARatioWithAnInterval() {
  const session::KernelDifference difference =
      session::kernel_difference(made_kernel("A", 2e-3), made_kernel("B", 1e-3), one_knob);
  QVERIFY(difference.speeds);
  QVERIFY(difference.speeds->distinguished);
  QVERIFY(std::fabs(difference.speeds->speed_ratio - 2) < 1e-9);
  QVERIFY(difference.speeds->interval);
  QVERIFY(difference.speeds->interval->low <= 2 && difference.speeds->interval->high >= 2);
  QVERIFY(difference.speeds->interval->low > 1.9 && difference.speeds->interval->high < 2.1);
  QVERIFY(difference.sentences.front().starts_with("B is 2 times as fast as A (95 % interval "));
}

void SessionKernelDifferenceTest::speedsThatDoNotDifferSaySo() {
  session::ComparedKernel a = made_kernel("A", 1e-3);
  session::ComparedKernel b = made_kernel("B", 1e-3);
  b.mix->accumulators = 24;
  const session::KernelDifference difference = session::kernel_difference(a, b, one_knob);
  QVERIFY(!difference.speeds->distinguished);
  QVERIFY(difference.sentences.front().starts_with("The samples of A and B are not distinguishable"));
  // What differs in the code is said all the same, without a word of who is faster.
  QVERIFY(says(difference, {"B keeps 24 accumulators"}));
  QVERIFY(!says(difference, {"as fast"}));
}

void SessionKernelDifferenceTest::tooFewSamplesSaySo() {
  session::ComparedKernel a = made_kernel("A", 2e-3);
  session::ComparedKernel b = made_kernel("B", 1e-3);
  a.samples_seconds = {2e-3, 2.1e-3};
  b.samples_seconds = {1e-3, 1.1e-3};
  const session::KernelDifference difference = session::kernel_difference(a, b, one_knob);
  QVERIFY(!difference.speeds->distinguished);
  QVERIFY(says(difference, {"of A and B are not distinguishable", "measure both more often"}));
}

void SessionKernelDifferenceTest::samplesThatAreMissingAreNamed() {
  session::ComparedKernel a = made_kernel("A", 2e-3);
  session::ComparedKernel b = made_kernel("B", 1e-3);
  b.samples_seconds.clear();
  session::KernelDifference difference = session::kernel_difference(a, b, one_knob);
  QVERIFY(!difference.speeds);
  QVERIFY(difference.sentences.front().starts_with("B has no samples"));
  a.samples_seconds.clear();
  difference = session::kernel_difference(a, b, one_knob);
  QVERIFY(difference.sentences.front().starts_with("Neither A nor B has samples"));
}

void SessionKernelDifferenceTest::everyNumberThatDiffersIsSaid_data() {
  QTest::addColumn<int>("number");
  QTest::addColumn<QStringList>("words");
  QTest::newRow("accumulators") << 0 << QStringList{"B keeps 24 accumulators", "A 12."};
  QTest::newRow("spills") << 1
                          << QStringList{"A does not fit into the registers", "iteration: 6",
                                         "B does (spills 0)"};
  QTest::newRow("more spills") << 2 << QStringList{"Both spill", "A 6 times", "B 2."};
  QTest::newRow("reads") << 3 << QStringList{"Memory reads per multiply-add instruction: A 1, B 0.5."};
  QTest::newRow("lanes") << 4
                         << QStringList{"A multiply-add instruction of B computes 16 products", "of A 8"};
  QTest::newRow("instructions") << 5 << QStringList{"A executes 3 instructions", "B executes 2"};
  QTest::newRow("shuffles") << 6 << QStringList{"Moves between lanes", "A 0.5, B 0.167."};
  QTest::newRow("bytes") << 7 << QStringList{"A loads 4 bytes per product", "B loads 2"};
}

void SessionKernelDifferenceTest::everyNumberThatDiffersIsSaid() {
  QFETCH(int, number);
  QFETCH(QStringList, words);
  session::ComparedKernel a = made_kernel("A", 2e-3);
  session::ComparedKernel b = made_kernel("B", 1e-3);
  const auto of_a = [&a](machine_code::InstructionClass of) -> int& {
    return a.mix->counts[static_cast<std::size_t>(of)];
  };
  switch (number) {
    case 0:
      b.mix->accumulators = 24;
      break;
    case 1:
      of_a(machine_code::InstructionClass::SpillLoad) = 6;
      break;
    case 2:
      of_a(machine_code::InstructionClass::SpillLoad) = 6;
      b.mix->counts[static_cast<std::size_t>(machine_code::InstructionClass::SpillLoad)] = 2;
      break;
    case 3:
      a.mix->memory_reads = 24;
      break;
    case 4:
      b.mix->multiply_adds = 24 * 16;
      break;
    case 5:
      of_a(machine_code::InstructionClass::Integer) = 32;
      break;
    case 6:
      of_a(machine_code::InstructionClass::Shuffle) = 12;
      break;
    default:
      a.mix->bytes_loaded = 4 * 24 * 8;
  }
  std::vector<std::string> wanted;
  for (const QString& word : words) wanted.push_back(word.toStdString());
  const session::KernelDifference difference = session::kernel_difference(a, b, one_knob);
  QVERIFY2(says(difference, wanted), difference.sentences.at(1).c_str());
}

void SessionKernelDifferenceTest::numbersAgainstTheFasterOneAreLeftOut() {
  session::ComparedKernel a = made_kernel("A", 2e-3);
  const session::ComparedKernel b = made_kernel("B", 1e-3);
  a.mix->accumulators = 24;
  const session::KernelDifference difference = session::kernel_difference(a, b, one_knob);
  QVERIFY(!says(difference, {"accumulators"}));
  QVERIFY(says(difference, {"No number of the hot loops favours B", "elsewhere"}));
}

void SessionKernelDifferenceTest::alikeLoopsPointElsewhere() {
  session::ComparedKernel a = made_kernel("A", 2e-3);
  session::ComparedKernel b = made_kernel("B", 1e-3);
  a.bounds = {made_bound(16)};
  b.bounds = {made_bound(16.1)};
  const session::KernelDifference difference = session::kernel_difference(a, b, one_knob);
  QVERIFY(says(difference, {"The hot loops do not differ", "elsewhere", "memory"}));
  b.samples_seconds = a.samples_seconds;
  QVERIFY(says(session::kernel_difference(a, b, one_knob), {"The hot loops do not differ."}));
}

void SessionKernelDifferenceTest::boundsAreComparedByOneAnalyser() {
  session::ComparedKernel a = made_kernel("A", 2e-3);
  session::ComparedKernel b = made_kernel("B", 1e-3);
  machine_code::LoopBound simulated = made_bound(99);
  simulated.by = "llvm-mca 14";
  a.bounds = {simulated, made_bound(8)};
  b.bounds = {made_bound(16, machine_code::BoundResource::MultiplyAddPorts)};
  QCOMPARE(session::comparable_bounds(a, b).speed_ratio(), 2.0);
  const session::KernelDifference difference = session::kernel_difference(a, b, one_knob);
  QVERIFY(says(difference,
               {"The hot loop of B adds at most 16 products", "that of A at most 8 products", "own counts",
                std::string(machine_code::name_of(machine_code::BoundResource::LoadPorts)),
                std::string(machine_code::name_of(machine_code::BoundResource::MultiplyAddPorts))}));
  b.bounds.front().by = "another";
  QVERIFY(session::comparable_bounds(a, b).a == nullptr);
  QVERIFY(!says(session::kernel_difference(a, b, one_knob), {"products per cycle"}));
}

void SessionKernelDifferenceTest::boundsAreHeldAgainstTheTimes_data() {
  QTest::addColumn<double>("per_cycle");  // of B; A adds 8 and takes twice the time
  QTest::addColumn<QString>("words");
  QTest::newRow("as much") << 16.0 << "The bounds differ as much as the times: 2 times and 2 times";
  QTest::newRow("less") << 10.0 << "By the bounds B would be 1.25 times as fast, but it was measured 2 times";
  QTest::newRow("more") << 32.0
                        << "By the bounds B would be 4 times as fast, but it was measured only 2 times";
  QTest::newRow("against it") << 4.0 << "By the bounds of their hot loops B would be slower";
  QTest::newRow("alike") << 8.0 << "are equal and do not explain 2 times";
}

void SessionKernelDifferenceTest::boundsAreHeldAgainstTheTimes() {
  QFETCH(double, per_cycle);
  QFETCH(QString, words);
  session::ComparedKernel a = made_kernel("A", 2e-3);
  session::ComparedKernel b = made_kernel("B", 1e-3);
  b.mix->accumulators = 24;
  a.bounds = {made_bound(8)};
  b.bounds = {made_bound(per_cycle)};
  QVERIFY(says(session::kernel_difference(a, b, one_knob), {words.toStdString()}));
}

void SessionKernelDifferenceTest::theSameConfigurationHasNoLoopsToCompare() {
  session::ComparedKernel b = made_kernel("B", 1e-3);
  b.mix->accumulators = 24;
  const session::KernelDifference difference = session::kernel_difference(made_kernel("A", 2e-3), b, {});
  QCOMPARE(difference.sentences.size(), std::size_t(2));
  QVERIFY(says(difference, {"the same configuration"}));
}

void SessionKernelDifferenceTest::anUnknownLoopIsNamed() {
  const session::ComparedKernel a = made_kernel("A", 2e-3);
  const session::ComparedKernel b = session::compared_kernel("B", ten_samples(1e-3), nullptr);
  QVERIFY(says(session::kernel_difference(a, b, one_knob), {"The hot loop of B is unknown"}));
  measure::KernelInsight insight;
  machine_code::MachineLoop hot;
  hot.mix = made_mix();
  insight.code.loops = {hot};
  insight.code.hot_loop = 0;
  insight.bounds = {made_bound(8)};
  const session::ComparedKernel known = session::compared_kernel("B", ten_samples(1e-3), &insight);
  QVERIFY(known.mix && *known.mix == made_mix());
  QCOMPARE(known.bounds.size(), std::size_t(1));
}

void SessionKernelDifferenceTest::exchangedKernelsGiveTheSameSentences() {
  session::ComparedKernel a = made_kernel("A", 2e-3);
  session::ComparedKernel b = made_kernel("B", 1e-3);
  b.mix->accumulators = 24;
  a.bounds = {made_bound(8)};
  b.bounds = {made_bound(12)};
  const session::KernelDifference forth = session::kernel_difference(a, b, one_knob);
  const session::KernelDifference back = session::kernel_difference(b, a, one_knob);
  QVERIFY(std::ranges::equal(forth.sentences | std::views::drop(1), back.sentences | std::views::drop(1)));
  QVERIFY(back.sentences.front().starts_with("B is 2 times as fast as A"));
}

KERNELSCAPE_PLAIN_TEST(SessionKernelDifferenceTest)

}  // namespace kernelscape::session_kernel_difference_test
#include "session_kernel_difference_test.moc"
