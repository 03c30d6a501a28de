#include "core/project/trusted_version.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "core/project/trust.h"
#include "tests/project/project_folder.h"
#include "tests/test_program.h"

namespace kernelscape::trusted_version_test {

/** The version of a project that was trusted last is known when the project has changed. */
class TrustedVersionTest final : public QObject {
  Q_OBJECT

 private slots:
  void init() { qputenv("XDG_CONFIG_HOME", folder_.filePath(QString::number(++rounds_)).toUtf8()); }

  void the_latest_trusted_version_is_returned() {
    const project::KernelProject first = read(std::string(small_kernel));
    const project::KernelProject second = read(std::string(small_kernel) + "// second\n");
    const project::KernelProject third = read(std::string(small_kernel) + "// third\n");
    QVERIFY(!project::last_trusted_version(third));
    QVERIFY(project::trust_project(first).has_value());
    QVERIFY(project::is_trusted(project::content_hash(first)));
    QCOMPARE(project::content_hash(project::last_trusted_version(third).value()),
             project::content_hash(first));
    QVERIFY(project::trust_project(second).has_value());
    QCOMPARE(project::content_hash(project::last_trusted_version(third).value()),
             project::content_hash(second));
    QVERIFY(!project::is_trusted(project::content_hash(third)));
  }

  void another_project_has_no_version() {
    project::KernelProject trusted = read(std::string(small_kernel));
    QVERIFY(project::trust_project(trusted).has_value());
    trusted.name = "another";
    QVERIFY(!project::last_trusted_version(trusted));
  }

  void a_damaged_or_replaced_copy_is_ignored() {
    const project::KernelProject trusted = read(std::string(small_kernel));
    QVERIFY(project::trust_project(trusted).has_value());
    const std::filesystem::path folder = project::trust_file().parent_path() / "trusted-projects";
    const std::filesystem::path copy = std::filesystem::directory_iterator(folder)->path();
    std::ofstream(copy) << project::project_to_json(read(std::string(small_kernel) + "// not trusted\n"));
    QVERIFY(!project::last_trusted_version(trusted));
    std::ofstream(copy) << "{";
    QVERIFY(!project::last_trusted_version(trusted));
  }

  void a_copy_that_cannot_be_written_is_no_error() {
    const project::KernelProject trusted = read(std::string(small_kernel));
    std::filesystem::create_directories(project::trust_file().parent_path());
    std::ofstream(project::trust_file().parent_path() / "trusted-projects") << "a file, not a folder";
    QVERIFY(project::trust_project(trusted).has_value());
    QVERIFY(project::is_trusted(project::content_hash(trusted)));
    QVERIFY(!project::last_trusted_version(trusted));
  }

 private:
  project::KernelProject read(const std::string& source) const {
    project_.write("kernel.c", source);
    return project_.read(small_project()).value();
  }

  QTemporaryDir folder_;
  ProjectFolder project_;
  int rounds_ = 0;
};

KERNELSCAPE_PLAIN_TEST(TrustedVersionTest)

}  // namespace kernelscape::trusted_version_test
#include "trusted_version_test.moc"
