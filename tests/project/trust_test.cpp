#include "core/project/trust.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/base/sha256.h"
#include "tests/test_program.h"

namespace kernelscape::trust_test {

class TrustTest final : public QObject {
  Q_OBJECT

 private slots:
  void init() { qputenv("XDG_CONFIG_HOME", folder_.filePath(QString::number(++rounds_)).toUtf8()); }

  void nothing_is_trusted_before_it_is_said() {
    const std::string hash = base::sha256("kernel");
    QVERIFY(!project::is_trusted(hash));
    QVERIFY(project::trust(hash, "my kernel\n\x1b[31m").has_value());
    QVERIFY(project::is_trusted(hash));
    QVERIFY(!project::is_trusted(base::sha256("another")));
    QVERIFY(!project::is_trusted(hash.substr(0, 63)));
    QVERIFY(!project::is_trusted(""));
    const std::string text = written();
    QVERIFY(text.contains("my kernel\\n\\x1b[31m\n"));
    QVERIFY(project::trust(hash, "again").has_value());
    QCOMPARE(written(), text);
    QVERIFY(!project::trust("short", "x").has_value());
    QVERIFY(!project::trust(std::string(64, 'G'), "x").has_value());
  }

  void damaged_lines_are_kept_and_mean_nothing() {
    const std::string hash = base::sha256("kernel");
    std::filesystem::create_directories(project::trust_file().parent_path());
    const std::string damaged = "# note\n" + hash + "\n " + hash + " date\nxyz";
    std::ofstream(project::trust_file()) << damaged;
    QVERIFY(!project::is_trusted(hash));
    QVERIFY(project::trust(hash, "kernel").has_value());
    QVERIFY(project::is_trusted(hash));
    QVERIFY(written().starts_with(damaged + "\n" + hash + " "));
  }

  void no_line_of_several_at_once_is_lost() {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 4; ++writer)
      writers.emplace_back([writer] {
        for (int round = 0; round < 8; ++round)
          std::ignore = project::trust(base::sha256(std::to_string(writer * 8 + round)), "x");
      });
    writers.clear();
    for (int kernel = 0; kernel < 32; ++kernel)
      QVERIFY(project::is_trusted(base::sha256(std::to_string(kernel))));
  }

  void a_place_that_cannot_be_written_is_an_error() {
    QTemporaryDir folder;
    const QString file = folder.filePath("file");
    std::ofstream(file.toStdString()) << "x";
    qputenv("XDG_CONFIG_HOME", file.toUtf8());
    QVERIFY(!project::is_trusted(base::sha256("kernel")));
    const Status status = project::trust(base::sha256("kernel"), "kernel");
    QVERIFY(!status.has_value());
    QVERIFY(status.error().message.contains(file.toStdString()));
  }

 private:
  static std::string written() {
    std::ifstream file(project::trust_file());
    return {std::istreambuf_iterator<char>(file), {}};
  }

  QTemporaryDir folder_;
  int rounds_ = 0;
};

KERNELSCAPE_PLAIN_TEST(TrustTest)

}  // namespace kernelscape::trust_test
#include "trust_test.moc"
