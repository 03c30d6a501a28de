#include <QTest>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/output_file.h"
#include "core/exchange/importer.h"
#include "core/exchange/validation.h"
#include "core/study/tasks.h"
#include "core/task/catalogue.h"
#include "tests/exchange/import_support.h"
#include "tests/exchange/stored_session.h"
#include "tests/store/child_process.h"
#include "tests/test_program.h"

namespace kernelscape::exchange_open_database_test {
using namespace kernelscape::exchange_tests;
using store_test::another_process_can_lock;

namespace fs = std::filesystem;

namespace {

/** A way in which a file that a user names is opened. */
struct Reader {
  const char* name;
  std::function<bool(store::Store&, const fs::path&)> takes;  ///< whether it took the file
};

std::vector<Reader> all_readers() {
  return {
      {"import", [](store::Store& store,
                    const fs::path& path) { return exchange::import_file(store, path).has_value(); }},
      {"reading an import",
       [](store::Store&, const fs::path& path) { return exchange::read_import(path).has_value(); }},
      {"first bytes", [](store::Store&, const fs::path& path) { return exchange::is_recording_file(path); }},
      {"recorded space",
       [](store::Store&, const fs::path& path) { return exchange::open_recording(path).has_value(); }},
      {"space of a study",
       [](store::Store&, const fs::path& path) { return study::open_recorded_file(path).has_value(); }},
      {"text",
       [](store::Store&, const fs::path& path) { return base::read_text_file(path, 1 << 30).has_value(); }},
      {"beginning",
       [](store::Store&, const fs::path& path) {
         return base::read_beginning_in(must(base::OpenFolder::open(path.parent_path())), path.filename(),
                                        1 << 20)
             .has_value();
       }},
      {"task",
       [](store::Store&, const fs::path& path) { return task::Catalogue().find(path.string()).has_value(); }},
      {"export",
       [](store::Store&, const fs::path& path) {
         return base::write_output({.path = path, .kind = {.name = "table"}, .force = true}, "text")
             .has_value();
       }},
  };
}

}  // namespace

/** SQLite's locks on a file end when any descriptor of it is closed in the process that holds them. */
class ExchangeOpenDatabaseTest : public QObject {
  Q_OBJECT

 private slots:
  void nobody_who_reads_it_ends_its_locks() {
    StoredSessions sessions;
    const fs::path database = sessions.path("test.db");
    const fs::path log = database.string() + "-wal";
    const fs::path index = database.string() + "-shm";
    QVERIFY(sessions.store().sessions().create({}, store::Owner::this_process()));
    QVERIFY(fs::exists(log) && fs::exists(index));
    const std::string other_name = sessions.path("trials.json");
    const std::string other_name_of_index = sessions.path("space.ksrec");
    fs::create_hard_link(database, other_name);
    fs::create_hard_link(index, other_name_of_index);
    const std::string link = sessions.path("link.json");
    fs::create_symlink(database, link);
    for (const fs::path& path :
         {database, log, index, fs::path(other_name), fs::path(other_name_of_index), fs::path(link)}) {
      for (const Reader& reader : all_readers()) {
        const std::string what = std::string(reader.name) + " of " + path.string();
        QVERIFY2(!reader.takes(sessions.store(), path), what.c_str());
        QVERIFY2(!another_process_can_lock(database), what.c_str());
        QVERIFY2(!another_process_can_lock(index), what.c_str());
      }
    }
    // As a database of its own the index would be closed again, too.
    for (const store::OpenMode mode :
         {store::OpenMode::ReadOnly, store::OpenMode::Existing, store::OpenMode::ReadWrite}) {
      for (const fs::path& part : {log, index, fs::path(other_name_of_index)}) {
        const auto opened = store::Store::open(part, mode);
        QVERIFY(!opened && opened.error().message.contains(part.string()));
        QVERIFY(!another_process_can_lock(index));
      }
    }
  }

  void it_is_still_reported_what_it_is() {
    StoredSessions sessions;
    const fs::path database = sessions.path("test.db");
    QVERIFY(sessions.store().sessions().create({}, store::Owner::this_process()));
    QVERIFY(error_of(exchange::read_import(database)).contains("--db"));
    const std::string index = database.string() + "-shm";
    QVERIFY(error_of(exchange::read_import(index)).contains("a part of a database"));
  }

  void what_is_closed_may_be_read() {
    fs::path database;
    QTemporaryDir folder;
    {
      const store::Store store = must(store::Store::open(folder.filePath("closed.db").toStdString()));
      database = store.path();
    }
    QVERIFY(another_process_can_lock(database));
    QVERIFY(base::read_text_file(database, 1 << 30).has_value());
    QVERIFY(error_of(exchange::read_import(database)).contains("--db"));
  }
};

KERNELSCAPE_TEST(ExchangeOpenDatabaseTest, QCoreApplication)

}  // namespace kernelscape::exchange_open_database_test
#include "exchange_open_database_test.moc"
