#include "core/project/argument_contents.h"

#include <QtTest>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::argument_contents_test {

namespace {

constexpr std::array all_types{
    project::ElementType::Bool, project::ElementType::I8,  project::ElementType::U8,
    project::ElementType::I16,  project::ElementType::U16, project::ElementType::I32,
    project::ElementType::U32,  project::ElementType::I64, project::ElementType::U64,
    project::ElementType::F16,  project::ElementType::F32, project::ElementType::F64};

project::ProgramArgument vector_of(project::ElementType type, std::int64_t count,
                                   project::ArgumentFill fill = {}) {
  project::ProgramArgument argument;
  argument.name = "y";
  argument.type = type;
  argument.count = count;
  argument.fill = std::move(fill);
  return argument;
}

std::vector<std::byte> contents_of(const project::ProgramArgument& argument) {
  std::vector<std::byte> bytes(argument.bytes());
  project::fill_argument(argument, bytes);
  return bytes;
}

/** IEEE 754's binary16, read bit by bit. */
double half_value(std::uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  if (exponent == 31) return fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

template <typename T>
double read_as(const std::vector<std::byte>& bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

double element(project::ElementType type, const std::vector<std::byte>& bytes, std::size_t index) {
  switch (type) {
    case project::ElementType::Bool:
    case project::ElementType::U8:
      return read_as<std::uint8_t>(bytes, index);
    case project::ElementType::I8:
      return read_as<std::int8_t>(bytes, index);
    case project::ElementType::I16:
      return read_as<std::int16_t>(bytes, index);
    case project::ElementType::U16:
      return read_as<std::uint16_t>(bytes, index);
    case project::ElementType::I32:
      return read_as<std::int32_t>(bytes, index);
    case project::ElementType::U32:
      return read_as<std::uint32_t>(bytes, index);
    case project::ElementType::I64:
      return read_as<std::int64_t>(bytes, index);
    case project::ElementType::U64:
      return read_as<std::uint64_t>(bytes, index);
    case project::ElementType::F16: {
      std::uint16_t bits = 0;
      std::memcpy(&bits, bytes.data() + index * 2, 2);
      return half_value(bits);
    }
    case project::ElementType::F32:
      return read_as<float>(bytes, index);
    case project::ElementType::F64:
      break;
  }
  return read_as<double>(bytes, index);
}

}  // namespace

class ArgumentContentsTest : public QObject {
  Q_OBJECT

 private slots:
  void constants_and_ramps_are_counted_out() {
    for (const project::ElementType type : all_types) {
      const project::ProgramArgument constant =
          vector_of(type, 17, {.kind = project::FillKind::Constant, .value = 1});
      const project::ProgramArgument ramp =
          vector_of(type, 100, {.kind = project::FillKind::Ramp, .value = 3});
      const auto ones = contents_of(constant);
      const auto counted = contents_of(ramp);
      for (std::size_t i = 0; i < 17; ++i) QCOMPARE(element(type, ones, i), 1.0);
      for (std::size_t i = 0; i < 100; ++i) QCOMPARE(element(type, counted, i), 3.0 + static_cast<double>(i));
    }
  }

  void random_contents_are_even_and_the_same_again() {
    for (const project::ElementType type : all_types) {
      const double end = type == project::ElementType::Bool ? 2 : 100;
      project::ProgramArgument argument =
          vector_of(type, 20'000, {.kind = project::FillKind::Random, .value = end, .seed = 7});
      const auto first = contents_of(argument);
      QCOMPARE(first, contents_of(argument));
      double sum = 0;
      for (std::size_t i = 0; i < 20'000; ++i) {
        const double value = element(type, first, i);
        QVERIFY2(value >= 0 && value < end, qPrintable(QString::number(value)));
        sum += value;
      }
      const bool real = type >= project::ElementType::F16;
      const double mean = real ? end / 2 : (end - 1) / 2;
      QVERIFY2(std::abs(sum / 20'000 - mean) < end / 50, qPrintable(QString::number(sum / 20'000)));
      argument.fill.seed = 8;
      QVERIFY(first != contents_of(argument));
    }
  }

  /** Against differences that the test computes itself. */
  void outputs_are_compared_within_their_tolerance() {
    const std::uint64_t seed = std::random_device()();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int round = 0; round < 300; ++round) {
      const project::ElementType type = all_types[random.below(all_types.size())];
      project::ProgramArgument argument =
          vector_of(type, 1 + static_cast<std::int64_t>(random.below(50)),
                    {.kind = project::FillKind::Random, .value = 50, .seed = random.bits()});
      if (type == project::ElementType::Bool) argument.fill.value = 2;
      argument.tolerance = {random.chance(0.5) ? 2 * random.uniform() : 0.0, random.chance(0.5) ? 0.1 : 0.0};
      const auto right = contents_of(argument);
      project::ProgramArgument other = argument;
      other.fill.seed = random.bits();
      auto actual = right;
      const auto noise = contents_of(other);
      const std::size_t size = project::element_bytes(type);
      std::size_t wrong = 0;
      double worst = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(argument.count); ++i) {
        if (random.chance(0.3))
          std::copy_n(noise.begin() + static_cast<std::ptrdiff_t>(i * size), size,
                      actual.begin() + static_cast<std::ptrdiff_t>(i * size));
        const double expected = element(type, right, i);
        const double error = std::abs(element(type, actual, i) - expected);
        worst = std::max(worst, error);
        if (!(error <= argument.tolerance.absolute + argument.tolerance.relative * std::abs(expected)))
          ++wrong;
      }
      const project::ArgumentComparison comparison = project::compare_argument(argument, right, actual);
      QCOMPARE(comparison.problem.empty(), wrong == 0);
      QCOMPARE(comparison.worst_error, worst);
      if (wrong > 0)
        QVERIFY2(comparison.problem.starts_with(std::to_string(wrong) + " of "), comparison.problem.c_str());
    }
  }

  void what_is_no_number_or_was_not_written_is_wrong() {
    for (const project::ElementType type :
         {project::ElementType::F16, project::ElementType::F32, project::ElementType::F64}) {
      project::ProgramArgument argument =
          vector_of(type, 5, {.kind = project::FillKind::Constant, .value = 1});
      argument.tolerance = {1e300, 1};
      const auto right = contents_of(argument);
      auto actual = right;
      project::fill_unwritten_argument(argument, std::span(actual).subspan(2 * project::element_bytes(type),
                                                                           project::element_bytes(type)));
      const project::ArgumentComparison comparison = project::compare_argument(argument, right, actual);
      QVERIFY2(comparison.problem.contains("1 elements were not written"), comparison.problem.c_str());
      QVERIFY(std::isfinite(comparison.worst_error));
      QVERIFY(project::describe_no_number(argument, actual).starts_with("y[2] is nan"));
      QVERIFY(project::describe_no_number(argument, right).empty());
    }
    project::ProgramArgument wide =
        vector_of(project::ElementType::U64, 1, {.kind = project::FillKind::Constant, .value = 0});
    const auto right = contents_of(wide);
    std::vector<std::byte> actual(8, std::byte{0xFF});
    QCOMPARE(project::compare_argument(wide, right, actual).worst_error, std::ldexp(1.0, 64));
  }
};

KERNELSCAPE_PLAIN_TEST(ArgumentContentsTest)

}  // namespace kernelscape::argument_contents_test
#include "argument_contents_test.moc"
