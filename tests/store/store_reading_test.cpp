#include <sys/stat.h>

#include <QTest>
#include <fstream>
#include <map>
#include <thread>

#include "core/store/schema.h"
#include "tests/store/damage_support.h"
#include "tests/store/whole_store.h"
#include "tests/test_program.h"

namespace kernelscape::store_reading_test {
using namespace kernelscape::store_test;

namespace {

namespace fs = std::filesystem;

/** Every file of a folder with what it holds and when it was written last. */
std::map<std::string, std::pair<QByteArray, fs::file_time_type>> contents_of(const fs::path& folder) {
  std::map<std::string, std::pair<QByteArray, fs::file_time_type>> contents;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    contents.emplace(entry.path().filename().string(),
                     std::pair(bytes_of(entry.path()), entry.last_write_time()));
  return contents;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    names.push_back(entry.path().string());
  return names;
}

/** Where temporary files go while this lives. */
class TemporaryPlace {
 public:
  explicit TemporaryPlace(const fs::path& path) : before_(qgetenv("TMPDIR")) {
    qputenv("TMPDIR", QByteArray::fromStdString(path.string()));
  }
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;
  ~TemporaryPlace() {
    if (before_.isNull()) {
      qunsetenv("TMPDIR");
    } else {
      qputenv("TMPDIR", before_);
    }
  }

 private:
  QByteArray before_;
};

/** Copies a database as it lies there when its writer is killed. */
void copy_with(const char* suffix, const fs::path& from, const fs::path& to) {
  fs::copy_file(from, to);
  fs::copy_file(from.string() + suffix, to.string() + suffix);
}

}  // namespace

/** Who only looks changes nothing, whatever the database's state is, and sees all that was committed. */
class StoreReadingTest : public QObject {
  Q_OBJECT

 private slots:
  void looking_changes_nothing_data() {
    QTest::addColumn<bool>("old");
    QTest::addRow("today's schema") << false;
    QTest::addRow("an older schema") << true;
  }
  void looking_changes_nothing() {
    QFETCH(bool, old);
    const Folder folder;
    const Folder temporary;
    const TemporaryPlace place(temporary.path());
    const std::vector<trial::Trial> trials = make_database(folder.file());
    if (old) QVERIFY(take_checksums_away(folder.file()));
    const auto before = contents_of(folder.path());
    for (int round = 0; round < 2; ++round) {
      auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
      VERIFY_RESULT(store);
      QVERIFY(store->path() == folder.file());
      VERIFY_RESULT(read_everything(*store));
      QVERIFY(store->trials().of(1).value() == trials);
      const Status written = store->sessions().set_name(1, "changed");
      QVERIFY(is_error(written.error(), ErrorCode::Refused, folder.file()));
      // A copy is gone before it could be left behind.
      QVERIFY(names_in(temporary.path()).empty());
    }
    QVERIFY(contents_of(folder.path()) == before);
    QVERIFY(names_in(temporary.path()).empty());
  }

  void an_older_schema_is_led_here_by_who_writes() {
    const Folder folder;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    QVERIFY(take_checksums_away(folder.file()));
    auto store = store::Store::open(folder.file(), store::OpenMode::Existing);
    VERIFY_RESULT(store);
    VERIFY_RESULT(read_everything(*store));
    QVERIFY(store->trials().of(1).value() == trials);
    trial::Trial next = trials.back();
    ++next.number;
    VERIFY_RESULT(store->trials().append(1, std::vector{next}, counted(next.number + 1)));
    QVERIFY(store->trials().get(1, next.number).value() == next);
    QCOMPARE(store->trials().of(1)->size(), trials.size() + 1);
  }

  void who_looks_while_others_write_sees_them() {
    const Folder folder;
    auto writer = store::Store::open(folder.file());
    const store::SessionId id = writer->sessions().create({}, store::Owner::this_process()).value();
    base::Random random = printed_random();
    {
      const auto reader = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
      VERIFY_RESULT(reader);
      for (int number = 0; number < 5; ++number) {
        const trial::Trial trial = random_trial(random, number, 3);
        VERIFY_RESULT(writer->trials().append(id, std::vector{trial}, counted(number + 1)));
        QVERIFY(reader->trials().get(id, number).value() == trial);
      }
    }
    // Their log is theirs.
    QVERIFY(fs::exists(folder.file().string() + "-wal"));
    QCOMPARE(writer->trials().of(id)->size(), 5U);
    writer = store::Store::open(folder.file("another.db"));
    QVERIFY(!fs::exists(folder.file().string() + "-wal"));
    QCOMPARE(store::Store::open(folder.file(), store::OpenMode::ReadOnly)->trials().of(id)->size(), 5U);
  }

  void a_copy_is_of_one_moment() {
    const Folder folder;
    make_database(folder.file());
    QVERIFY(take_checksums_away(folder.file()));
    bool all_written = true;
    std::jthread writer([&] {
      RawDatabase raw(folder.file());
      for (int round = 0; round < 300; ++round) {
        const std::string value = std::to_string(round);
        all_written = raw.run("BEGIN IMMEDIATE; UPDATE session SET name = '" + value + "' WHERE id = 1; " +
                              "UPDATE status SET state_reason = '" + value + "' WHERE session = 1; COMMIT") &&
                      all_written;
      }
    });
    for (int round = 0; round < 20; ++round) {
      const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
      VERIFY_RESULT(store);
      const auto session = store->sessions().get(1);
      VERIFY_RESULT(session);
      const bool before_the_first = session->status.state_reason.empty();
      QVERIFY(before_the_first || session->record.name == session->status.state_reason);
    }
    writer.join();
    QVERIFY(all_written);
  }

  void a_log_in_a_read_only_folder_is_read() {
    const Folder folder;
    const Folder copy;
    const Folder temporary;
    const TemporaryPlace place(temporary.path());
    QCOMPARE(chmod(temporary.path().c_str(), 0777), 0);
    {
      auto store = store::Store::open(folder.file());
      VERIFY_RESULT(store->sessions().create({}, store::Owner::this_process()));
      copy_with("-wal", folder.file(), copy.file());
    }
    const auto before = contents_of(copy.path());
    QCOMPARE(chmod(copy.file().c_str(), 0444), 0);
    QCOMPARE(chmod((copy.file().string() + "-wal").c_str(), 0444), 0);
    QCOMPARE(chmod(copy.path().c_str(), 0555), 0);
    {
      const OrdinaryUser ordinary;
      const auto store = store::Store::open(copy.file(), store::OpenMode::ReadOnly);
      VERIFY_RESULT(store);
      QCOMPARE(store->sessions().all()->size(), 1U);
    }
    QCOMPARE(chmod(copy.path().c_str(), 0755), 0);
    QVERIFY(contents_of(copy.path()) == before);
    QCOMPARE(store::Store::open(copy.file(), store::OpenMode::ReadOnly)->sessions().all()->size(), 1U);
  }

  void a_journal_left_behind_is_rolled_back_in_a_copy() {
    const Folder folder;
    const Folder copy;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    RawDatabase raw(folder.file());
    // More pages than the cache holds reach the file before the commit that never comes.
    QVERIFY(
        raw.run("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; PRAGMA cache_spill = 2; BEGIN; "
                "UPDATE trial SET run_seconds = run_seconds + 1"));
    QVERIFY(bytes_of(folder.file().string() + "-journal").size() > 0);
    copy_with("-journal", folder.file(), copy.file());
    QVERIFY(raw.run("ROLLBACK"));
    const auto before = contents_of(copy.path());
    const auto store = store::Store::open(copy.file(), store::OpenMode::ReadOnly);
    VERIFY_RESULT(store);
    QVERIFY(store->trials().of(1).value() == trials);
    QVERIFY(contents_of(copy.path()) == before);
  }

  /** SQLite would delete the file that such a journal names when it plays the journal back. */
  void a_journal_that_names_another_file_is_not_played() {
    const Folder folder;
    make_database(folder.file());
    RawDatabase(folder.file()).run("PRAGMA journal_mode = DELETE");
    const fs::path victim = folder.path() / "mine.txt";
    std::ofstream(victim) << "mine";
    const auto big_endian = [](std::uint32_t number) {
      std::string bytes;
      for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xFF);
      return bytes;
    };
    const std::string magic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
    const std::string name = victim.string();
    std::uint32_t sum = 0;
    for (const char letter : name) sum += static_cast<unsigned char>(letter);
    constexpr std::uint32_t page_bytes = 4096;
    constexpr std::uint32_t sector_bytes = 512;
    constexpr std::uint32_t lock_page = 0x40000000 / page_bytes + 1;
    const auto pages = static_cast<std::uint32_t>(fs::file_size(folder.file()) / page_bytes);
    std::string journal = magic + big_endian(0) + big_endian(1) + big_endian(pages) +
                          big_endian(sector_bytes) + big_endian(page_bytes);
    journal.resize(sector_bytes, '\0');
    journal += big_endian(lock_page) + name + big_endian(static_cast<std::uint32_t>(name.size())) +
               big_endian(sum) + magic;
    std::ofstream(folder.file().string() + "-journal", std::ios::binary) << journal;
    const fs::path link = folder.path() / "link.db";
    fs::create_symlink(folder.file(), link);
    for (const fs::path& path : {folder.file(), link}) {
      for (const store::OpenMode mode :
           {store::OpenMode::ReadOnly, store::OpenMode::Existing, store::OpenMode::ReadWrite}) {
        const auto store = store::Store::open(path, mode);
        QVERIFY(!store);
        QCOMPARE(store.error().code, ErrorCode::Refused);
        QVERIFY(store.error().message.contains("-journal"));
        QVERIFY(!store.error().hint.empty());
        QVERIFY(fs::exists(victim));
      }
    }
  }

  /** Opening a pipe waits for who writes into it. */
  void nobody_waits_for_a_pipe() {
    const Folder folder;
    make_database(folder.file());
    fs::create_symlink(folder.file(), folder.file("link.db"));
    const fs::path pipe = folder.file("pipe");
    QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
    fs::create_symlink(pipe, folder.file("link to a pipe"));
    for (const store::OpenMode mode :
         {store::OpenMode::ReadOnly, store::OpenMode::Existing, store::OpenMode::ReadWrite}) {
      for (const fs::path& path : {pipe, folder.file("link to a pipe"), fs::path("/dev/null")})
        QVERIFY(is_error(store::Store::open(path, mode).error(), ErrorCode::InvalidArgument, path));
      for (const char* suffix : {"-journal", "-wal", "-shm"}) {
        const fs::path beside = folder.file().string() + suffix;
        fs::create_symlink(pipe, beside);
        for (const fs::path& path : {folder.file(), folder.file("link.db")})
          QVERIFY(is_error(store::Store::open(path, mode).error(), ErrorCode::Refused, beside));
        fs::remove(beside);
      }
      VERIFY_RESULT(store::Store::open(folder.file(), mode));
    }
  }

  void a_temporary_folder_without_space_is_said() {
    const Folder folder;
    const Folder temporary;
    const TemporaryPlace place(temporary.path());
    make_database(folder.file());
    QVERIFY(take_checksums_away(folder.file()));
    {
      const FileSizeLimit full(fs::file_size(folder.file()) / 2);
      const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
      QVERIFY(!store);
      QVERIFY(is_error(store.error(), ErrorCode::Environment, folder.file()));
      QVERIFY(store.error().message.contains(temporary.path().string()));
      QVERIFY(store.error().hint.contains("TMPDIR"));
    }
    QVERIFY(names_in(temporary.path()).empty());
    VERIFY_RESULT(store::Store::open(folder.file(), store::OpenMode::ReadOnly));
  }

  /** A file with holes is little where it lies, and whole in a copy. */
  void what_fits_nowhere_is_not_begun_to_be_copied() {
    const Folder folder;
    const Folder temporary;
    const TemporaryPlace place(temporary.path());
    make_database(folder.file());
    QVERIFY(take_checksums_away(folder.file()));
    QVERIFY(RawDatabase(folder.file()).run("PRAGMA journal_mode = DELETE"));
    constexpr std::uintmax_t page_bytes = 4096;
    constexpr std::uintmax_t max_pages = 1'073'741'823;
    const std::uintmax_t pages = fs::space(temporary.path()).available / page_bytes + 1'000'000;
    if (pages > max_pages) QSKIP("no database is larger than the free space");
    std::error_code too_large;
    fs::resize_file(folder.file(), pages * page_bytes, too_large);
    if (too_large) QSKIP("the file system has no files of this size");
    {
      // The header says how many pages there are.
      std::fstream file(folder.file(), std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(28);
      for (int shift = 24; shift >= 0; shift -= 8) file.put(static_cast<char>(pages >> shift & 0xFF));
    }
    constexpr rlim_t noticed_bytes = 1 << 20;
    const FileSizeLimit limit(noticed_bytes);
    static volatile std::sig_atomic_t wrote = 0;
    std::signal(SIGXFSZ, [](int) { wrote = 1; });
    const auto store = store::Store::open(folder.file(), store::OpenMode::ReadOnly);
    std::signal(SIGXFSZ, SIG_IGN);
    QVERIFY(!store);
    QVERIFY(is_error(store.error(), ErrorCode::Environment, folder.file()));
    QCOMPARE(int{wrote}, 0);
    QVERIFY(names_in(temporary.path()).empty());
  }

  void a_mistyped_name_is_reported_and_not_made() {
    const Folder folder;
    make_database(folder.file("measured.db"));
    const auto before = contents_of(folder.path());
    for (const store::OpenMode mode : {store::OpenMode::ReadOnly, store::OpenMode::Existing}) {
      const auto store = store::Store::open(folder.file("mesured.db"), mode);
      QVERIFY(is_error(store.error(), ErrorCode::NotFound, folder.file("mesured.db")));
      QVERIFY(store.error().hint.contains("measured.db"));
      const fs::path nowhere = folder.file("no/such/folder.db");
      QVERIFY(is_error(store::Store::open(nowhere, mode).error(), ErrorCode::NotFound, nowhere));
    }
    QVERIFY(contents_of(folder.path()) == before);
  }

  void what_was_not_made_yet_is_empty() {
    const Folder folder;
    auto store = store::Store::nothing_yet(folder.file());
    VERIFY_RESULT(store);
    QVERIFY(store->path() == folder.file());
    QVERIFY(store->sessions().all()->empty());
    QVERIFY(store->studies().all()->empty());
    QVERIFY(is_error(store->sessions().find("1").error(), ErrorCode::NotFound, folder.file()));
    QVERIFY(is_error(store->sessions().create({}, store::Owner::this_process()).error(), ErrorCode::Refused,
                     folder.file()));
    QVERIFY(names_in(folder.path()).empty());
  }
};

KERNELSCAPE_PLAIN_TEST(StoreReadingTest)

}  // namespace kernelscape::store_reading_test
#include "store_reading_test.moc"
