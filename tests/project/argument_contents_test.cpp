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

constexpr std::array all_types{ElementType::Bool, ElementType::I8,  ElementType::U8,  ElementType::I16,
                               ElementType::U16,  ElementType::I32, ElementType::U32, ElementType::I64,
                               ElementType::U64,  ElementType::F16, ElementType::F32, ElementType::F64};

ProgramArgument vector_of(ElementType type, std::int64_t count, ArgumentFill fill = {}) {
  ProgramArgument argument;
  argument.name = "y";
  argument.type = type;
  argument.count = count;
  argument.fill = std::move(fill);
  return argument;
}

std::vector<std::byte> contents_of(const ProgramArgument& argument) {
  std::vector<std::byte> bytes(argument.bytes());
  fill_argument(argument, bytes);
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

double element(ElementType type, const std::vector<std::byte>& bytes, std::size_t index) {
  switch (type) {
    case ElementType::Bool:
    case ElementType::U8:
      return read_as<std::uint8_t>(bytes, index);
    case ElementType::I8:
      return read_as<std::int8_t>(bytes, index);
    case ElementType::I16:
      return read_as<std::int16_t>(bytes, index);
    case ElementType::U16:
      return read_as<std::uint16_t>(bytes, index);
    case ElementType::I32:
      return read_as<std::int32_t>(bytes, index);
    case ElementType::U32:
      return read_as<std::uint32_t>(bytes, index);
    case ElementType::I64:
      return read_as<std::int64_t>(bytes, index);
    case ElementType::U64:
      return read_as<std::uint64_t>(bytes, index);
    case ElementType::F16: {
      std::uint16_t bits = 0;
      std::memcpy(&bits, bytes.data() + index * 2, 2);
      return half_value(bits);
    }
    case ElementType::F32:
      return read_as<float>(bytes, index);
    case ElementType::F64:
      break;
  }
  return read_as<double>(bytes, index);
}

}  // namespace

class ArgumentContentsTest : public QObject {
  Q_OBJECT

 private slots:
  void constants_and_ramps_are_counted_out() {
    for (const ElementType type : all_types) {
      const ProgramArgument constant = vector_of(type, 17, {.kind = FillKind::Constant, .value = 1});
      const ProgramArgument ramp = vector_of(type, 100, {.kind = FillKind::Ramp, .value = 3});
      const auto ones = contents_of(constant);
      const auto counted = contents_of(ramp);
      for (std::size_t i = 0; i < 17; ++i) QCOMPARE(element(type, ones, i), 1.0);
      for (std::size_t i = 0; i < 100; ++i) QCOMPARE(element(type, counted, i), 3.0 + static_cast<double>(i));
    }
  }

  void random_contents_are_even_and_the_same_again() {
    for (const ElementType type : all_types) {
      const double end = type == ElementType::Bool ? 2 : 100;
      ProgramArgument argument = vector_of(type, 20'000, {.kind = FillKind::Random, .value = end, .seed = 7});
      const auto first = contents_of(argument);
      QCOMPARE(first, contents_of(argument));
      double sum = 0;
      for (std::size_t i = 0; i < 20'000; ++i) {
        const double value = element(type, first, i);
        QVERIFY2(value >= 0 && value < end, qPrintable(QString::number(value)));
        sum += value;
      }
      const bool real = type >= ElementType::F16;
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
    Random random(seed);
    for (int round = 0; round < 300; ++round) {
      const ElementType type = all_types[random.below(all_types.size())];
      ProgramArgument argument = vector_of(type, 1 + static_cast<std::int64_t>(random.below(50)),
                                           {.kind = FillKind::Random, .value = 50, .seed = random.bits()});
      if (type == ElementType::Bool) argument.fill.value = 2;
      argument.tolerance = {random.chance(0.5) ? 2 * random.uniform() : 0.0, random.chance(0.5) ? 0.1 : 0.0};
      const auto right = contents_of(argument);
      ProgramArgument other = argument;
      other.fill.seed = random.bits();
      auto actual = right;
      const auto noise = contents_of(other);
      const std::size_t size = element_bytes(type);
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
      const ArgumentComparison comparison = compare_argument(argument, right, actual);
      QCOMPARE(comparison.problem.empty(), wrong == 0);
      QCOMPARE(comparison.worst_error, worst);
      if (wrong > 0)
        QVERIFY2(comparison.problem.starts_with(std::to_string(wrong) + " of "), comparison.problem.c_str());
    }
  }

  void what_is_no_number_or_was_not_written_is_wrong() {
    for (const ElementType type : {ElementType::F16, ElementType::F32, ElementType::F64}) {
      ProgramArgument argument = vector_of(type, 5, {.kind = FillKind::Constant, .value = 1});
      argument.tolerance = {1e300, 1};
      const auto right = contents_of(argument);
      auto actual = right;
      fill_unwritten_argument(argument,
                              std::span(actual).subspan(2 * element_bytes(type), element_bytes(type)));
      const ArgumentComparison comparison = compare_argument(argument, right, actual);
      QVERIFY2(comparison.problem.contains("1 elements were not written"), comparison.problem.c_str());
      QVERIFY(std::isfinite(comparison.worst_error));
      QVERIFY(describe_no_number(argument, actual).starts_with("y[2] is nan"));
      QVERIFY(describe_no_number(argument, right).empty());
    }
    ProgramArgument wide = vector_of(ElementType::U64, 1, {.kind = FillKind::Constant, .value = 0});
    const auto right = contents_of(wide);
    std::vector<std::byte> actual(8, std::byte{0xFF});
    QCOMPARE(compare_argument(wide, right, actual).worst_error, std::ldexp(1.0, 64));
  }
};

KERNELSCAPE_PLAIN_TEST(ArgumentContentsTest)

}  // namespace kernelscape::argument_contents_test
#include "argument_contents_test.moc"
