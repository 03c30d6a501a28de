#include <QCryptographicHash>
#include <QTest>

#include "core/base/random.h"
#include "core/base/sha256.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"

namespace kernelscape::base_sha256_test {

class BaseSha256Test : public QObject {
  Q_OBJECT

 private slots:
  /** FIPS 180-4's own examples. */
  void published_examples() {
    QCOMPARE(base::sha256(""),
             std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
    QCOMPARE(base::sha256("abc"),
             std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    QCOMPARE(base::sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
             std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    QCOMPARE(base::sha256(std::string(1'000'000, 'a')),
             std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
  }

  void random_texts_as_qt_hashes_them() {
    base::Random random(testing::random_seed());
    for (int i = 0; i < 500; ++i) {
      std::string text(random.below(i < 200 ? static_cast<std::uint64_t>(i) + 1 : 5000), '\0');
      for (char& letter : text) letter = static_cast<char>(random.below(256));
      const QByteArray expected =
          QCryptographicHash::hash(QByteArray::fromStdString(text), QCryptographicHash::Sha256).toHex();
      QCOMPARE(base::sha256(text), expected.toStdString());
    }
  }
};

KERNELSCAPE_TEST(BaseSha256Test, QCoreApplication)

}  // namespace kernelscape::base_sha256_test
#include "base_sha256_test.moc"
