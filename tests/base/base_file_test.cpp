#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <fstream>

#include "core/base/file.h"
#include "tests/test_program.h"

namespace kernelscape::base_file_test {
namespace fs = std::filesystem;

/** Files that appear whole or not at all. */
class BaseFileTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  fs::path path(const char* name) const { return fs::path(folder_.path().toStdString()) / name; }
  QStringList entries() const {
    return QDir(folder_.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
  }

 private slots:
  void a_file_is_written_and_replaced() {
    const std::string text("a\0b\n\xff", 5);
    QVERIFY(base::write_file_atomically(path("file"), text));
    QCOMPARE(base::read_text_file(path("file"), 100).value(), text);
    QVERIFY(base::write_file_atomically(path("file"), ""));
    QCOMPARE(base::read_text_file(path("file"), 100).value(), std::string());
    QCOMPARE(entries(), QStringList{"file"});
  }

  void without_commit_nothing_changes() {
    QVERIFY(base::write_file_atomically(path("file"), "old"));
    {
      Result<base::AtomicFile> file = base::AtomicFile::create(path("file"));
      QVERIFY(file.has_value());
      QVERIFY(file->write("new"));
    }
    QCOMPARE(base::read_text_file(path("file"), 100).value(), std::string("old"));
    QCOMPARE(entries(), QStringList{"file"});
  }

  void who_is_killed_while_writing_leaves_nothing() {
    const int unnamed = open(folder_.path().toUtf8().constData(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    if (unnamed < 0) QSKIP("the file system has no files without a name");
    close(unnamed);
    const QStringList before = entries();
    const pid_t child = fork();
    if (child == 0) {
      Result<base::AtomicFile> file = base::AtomicFile::create(path("killed"));
      if (!file || !file->write("half")) _exit(1);
      std::raise(SIGKILL);
    }
    int status = 0;
    QCOMPARE(waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status));
    QCOMPARE(entries(), before);
  }

  void the_mode_stays() {
    QVERIFY(base::write_file_atomically(path("file"), "old"));
    for (const mode_t mode : {0600U, 0644U, 0755U}) {
      chmod(path("file").c_str(), mode);
      QVERIFY(base::write_file_atomically(path("file"), "new"));
      struct stat state{};
      QCOMPARE(stat(path("file").c_str(), &state), 0);
      QCOMPARE(state.st_mode & 07777, mode);
    }
  }

  /** Nor does what a stranger could write to later run with the rights of who wrote it. */
  void nothing_runs_as_its_owner() {
    QVERIFY(base::write_file_atomically(path("file"), "old"));
    for (const mode_t mode : {04755U, 02755U, 01644U, 07777U}) {
      chmod(path("file").c_str(), mode);
      QVERIFY(base::write_file_atomically(path("file"), "new"));
      struct stat state{};
      QCOMPARE(stat(path("file").c_str(), &state), 0);
      QCOMPARE(state.st_mode & 07777, mode & 0777);
    }
  }

  void links_are_followed() {
    QVERIFY(base::write_file_atomically(path("file"), "old"));
    fs::remove(path("link"));
    fs::create_symlink("file", path("link"));
    QVERIFY(base::write_file_atomically(path("link"), "new"));
    QVERIFY(fs::is_symlink(path("link")));
    QCOMPARE(base::read_text_file(path("file"), 100).value(), std::string("new"));
    fs::remove(path("link"));
  }

  void devices_stay_devices() {
    QVERIFY(base::write_file_atomically("/dev/null", "text"));
    QVERIFY(fs::is_character_file("/dev/null"));
    const Status full = base::write_file_atomically("/dev/full", "text");
    QVERIFY(!full);
    QVERIFY(full.error().message.find("/dev/full") != std::string::npos);
    QVERIFY(full.error().hint.find("free space") != std::string::npos);
  }

  void unwritable_places_are_named() {
    QVERIFY(base::write_file_atomically(path("file"), "old"));
    for (const fs::path& place :
         {path("no/such/folder"), path("file") / "below", fs::path("/proc/file"), path(""), fs::path("")}) {
      const Status written = base::write_file_atomically(place, "text");
      QVERIFY2(!written, place.c_str());
      QVERIFY2(written.error().message.find(place.string()) != std::string::npos,
               written.error().message.c_str());
      QVERIFY(!written.error().hint.empty());
    }
    QCOMPARE(base::read_text_file(path("file"), 100).value(), std::string("old"));
  }

  void what_cannot_be_read_is_an_error() {
    QVERIFY(base::write_file_atomically(path("file"), "12345"));
    QVERIFY(base::read_text_file(path("file"), 5).has_value());
    QVERIFY(base::read_text_file(path("file"), 4).error().code == ErrorCode::Corrupt);
    QVERIFY(base::read_text_file(path("none"), 4).error().code == ErrorCode::NotFound);
    QVERIFY(!base::read_text_file(path(""), 4).has_value());
  }
};

KERNELSCAPE_TEST(BaseFileTest, QCoreApplication)

}  // namespace kernelscape::base_file_test
#include "base_file_test.moc"
