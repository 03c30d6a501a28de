#include <unistd.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/file.h"
#include "core/base/read_file.h"
#include "tests/test_program.h"

namespace kernelscape::base_read_file_test {
namespace fs = std::filesystem;

/** Files are read whole, or why not is a value. */
class BaseReadFileTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  fs::path path(const char* name) const { return fs::path(folder_.path().toStdString()) / name; }

 private slots:
  void a_file_is_read_as_far_as_it_is_asked_for() {
    std::string text("a\0b\n\xff", 5);
    for (int doubled = 0; doubled < 16; ++doubled) text += text;
    QVERIFY(base::write_file_atomically(path("file"), text));
    QCOMPARE(base::read_file_beginning(path("file"), text.size()).value(), text);
    QCOMPARE(base::read_file_beginning(path("file"), 2 * text.size()).value(), text);
    QCOMPARE(base::read_file_beginning(path("file"), 3).value(), text.substr(0, 3));
    QCOMPARE(base::read_file_beginning(path("file"), 0).value(), std::string());
    QCOMPARE(base::read_system_file(path("file")), text);
  }

  void a_file_is_read_piece_by_piece() {
    QVERIFY(base::write_file_atomically(path("pieces"), "12345"));
    base::ReadableFile file = base::ReadableFile::open(path("pieces")).value();
    std::string piece(3, ' ');
    QCOMPARE(file.read(piece).value(), std::size_t{3});
    QCOMPARE(piece, std::string("123"));
    QCOMPARE(file.read(piece).value(), std::size_t{2});
    QCOMPARE(file.read(piece).value(), std::size_t{0});
  }

  void what_cannot_be_read_is_named_with_its_reason() {
    const Error missing = base::read_file_beginning(path("none"), 10).error();
    QVERIFY(missing.code == ErrorCode::NotFound && missing.message.contains("none"));
    const Error folder = base::read_file_beginning(folder_.path().toStdString(), 10).error();
    QVERIFY(folder.code == ErrorCode::InvalidArgument && folder.message.contains("directory"));
    // Opens, and cannot be read from its beginning: as on a failing disk.
    const Error broken = base::read_file_beginning("/proc/self/mem", 10).error();
    QVERIFY(broken.code == ErrorCode::InvalidArgument && broken.message.contains("/proc/self/mem"));
    QVERIFY(!broken.hint.empty());
    QCOMPARE(base::read_system_file("/proc/self/mem"), std::string());
    QCOMPARE(base::read_system_file(path("none")), std::string());
  }

  void files_of_the_system_have_no_size_before() {
    QVERIFY(base::read_system_file("/proc/self/stat").starts_with(std::to_string(getpid())));
  }

  void a_path_has_no_folder_where_that_is_gone() {
    const QString before = QDir::currentPath();
    const fs::path gone = path("gone");
    QVERIFY(QDir().mkpath(QString::fromStdString(gone.string())));
    QVERIFY(QDir::setCurrent(QString::fromStdString(gone.string())));
    QCOMPARE(base::absolute_path("file").value().string(), (gone / "file").string());
    QVERIFY(rmdir(gone.c_str()) == 0);
    const Result<fs::path> lost = base::absolute_path("file");
    const Result<fs::path> whole = base::absolute_path("/file");
    QVERIFY(!base::path_exists("file"));
    QVERIFY(QDir::setCurrent(before));
    QVERIFY(lost.error().code == ErrorCode::InvalidArgument && lost.error().message.contains("file"));
    QVERIFY(!lost.error().hint.empty());
    QCOMPARE(whole.value().string(), std::string("/file"));
  }
};

KERNELSCAPE_TEST(BaseReadFileTest, QCoreApplication)

}  // namespace kernelscape::base_read_file_test
#include "base_read_file_test.moc"
