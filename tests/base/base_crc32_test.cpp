#include <QTest>
#include <random>
#include <string>

#include "core/base/crc32.h"
#include "core/base/random.h"
#include "tests/test_program.h"

namespace kernelscape::base_crc32_test {

namespace {

/** Bit by bit, as the definition has it. */
std::uint32_t slow_crc32(std::string_view bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char letter : bytes) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const std::uint32_t next = (static_cast<unsigned char>(letter) >> bit) & 1U;
      const bool subtract = ((crc ^ next) & 1U) != 0;
      crc >>= 1;
      if (subtract) crc ^= 0xedb88320U;
    }
  }
  return crc ^ 0xffffffffU;
}

}  // namespace

class BaseCrc32Test : public QObject {
  Q_OBJECT

 private slots:
  void known_values() {
    QCOMPARE(base::crc32(""), 0U);
    QCOMPARE(base::crc32("123456789"), 0xcbf43926U);  // the check value of every catalogue of CRCs
    QCOMPARE(base::crc32("The quick brown fox jumps over the lazy dog"), 0x414fa339U);
  }

  void agrees_with_the_definition() {
    const std::uint64_t seed = std::random_device{}();
    qInfo("seed %llu", static_cast<unsigned long long>(seed));
    base::Random random(seed);
    for (int round = 0; round < 300; ++round) {
      std::string bytes(random.below(70), ' ');
      for (char& letter : bytes) letter = static_cast<char>(random.below(256));
      QCOMPARE(base::crc32(bytes), slow_crc32(bytes));
      const std::string_view unaligned =
          std::string_view(bytes).substr(std::min<std::size_t>(3, bytes.size()));
      QCOMPARE(base::crc32(unaligned), slow_crc32(unaligned));
    }
  }
};

KERNELSCAPE_PLAIN_TEST(BaseCrc32Test)

}  // namespace kernelscape::base_crc32_test
#include "base_crc32_test.moc"
