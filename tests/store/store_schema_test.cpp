#include <QTest>

#include "core/store/schema.h"
#include "tests/store/damage_support.h"
#include "tests/test_program.h"

namespace kernelscape::store_schema_test {
using namespace kernelscape::store_test;

namespace {

Result<store::sqlite::Database> open_raw(const std::filesystem::path& path) {
  return store::sqlite::Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, false,
                                       std::chrono::milliseconds(1000));
}

/** Replaces a part of the definitions of tables. */
bool forge(const std::filesystem::path& path, const std::string& part, const std::string& replacement) {
  const auto quoted = [](const std::string& text) {
    std::string doubled;
    for (const char letter : text) doubled += letter == '\'' ? "\'\'" : std::string(1, letter);
    return "'" + doubled + "'";
  };
  RawDatabase raw(path);
  return raw.run("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, " + quoted(part) +
                 ", " + quoted(replacement) + ") WHERE type = 'table'");
}

constexpr std::string_view first =
    "CREATE TABLE fruit (name TEXT NOT NULL) STRICT; INSERT INTO fruit VALUES ('fig')";
constexpr std::string_view second = "ALTER TABLE fruit ADD COLUMN price INTEGER NOT NULL DEFAULT 3";
constexpr std::string_view broken = "CREATE TABLE more (x INTEGER) STRICT; INSERT INTO nowhere VALUES (1)";

}  // namespace

class StoreSchemaTest : public QObject {
  Q_OBJECT

 private slots:
  void an_old_schema_is_led_to_the_newest() {
    const Folder folder;
    const std::array migrations{first, second};
    auto opened = open_raw(folder.file());
    VERIFY_RESULT(opened);
    store::sqlite::Database& database = *opened;
    VERIFY_RESULT(store::migrate(database, std::span(migrations).first(1), true));
    QCOMPARE(database.integer("PRAGMA user_version").value(), 1);
    QCOMPARE(database.integer("PRAGMA application_id").value(), store::application_id);
    QVERIFY(store::needs_migration(database, migrations).value());

    QCOMPARE(store::migrate(database, migrations, false).error().code, ErrorCode::Refused);
    VERIFY_RESULT(store::migrate(database, migrations, true));
    QCOMPARE(database.integer("PRAGMA user_version").value(), 2);
    QCOMPARE(database.integer("SELECT price FROM fruit WHERE name = 'fig'").value(), 3);

    VERIFY_RESULT(store::migrate(database, migrations, true));  // nothing is done twice
    QCOMPARE(database.integer("SELECT count(*) FROM fruit").value(), 1);
    QCOMPARE(store::migrate(database, std::span(migrations).first(1), true).error().code, ErrorCode::Refused);
  }

  void whoever_only_looks_at_an_old_database_sees_it() {
    const Folder folder;
    {
      auto opened = open_raw(folder.file());
      VERIFY_RESULT(opened);
      VERIFY_RESULT(store::migrate(*opened, store::schema_migrations().first(1), true));
    }
    VERIFY_RESULT(store::Store::open(folder.file(), store::OpenMode::ReadOnly)->sessions().all());
    const auto version = [&] { return open_raw(folder.file())->integer("PRAGMA user_version").value(); };
    QCOMPARE(version(), 1);  // looking changes nothing
    VERIFY_RESULT(store::Store::open(folder.file(), store::OpenMode::Existing));
    QCOMPARE(version(), std::ssize(store::schema_migrations()));
  }

  void a_version_below_zero_is_damage() {
    const Folder folder;
    const std::array migrations{first, second};
    auto opened = open_raw(folder.file());
    VERIFY_RESULT(opened);
    store::sqlite::Database& database = *opened;
    VERIFY_RESULT(store::migrate(database, migrations, true));
    VERIFY_RESULT(database.execute("PRAGMA user_version = -268435456"));
    QCOMPARE(store::migrate(database, migrations, true).error().code, ErrorCode::Corrupt);
    QCOMPARE(store::migrate(database, migrations, false).error().code, ErrorCode::Corrupt);
  }

  void a_failed_migration_leaves_the_old_schema() {
    const Folder folder;
    const std::array migrations{first, second, broken};
    auto opened = open_raw(folder.file());
    VERIFY_RESULT(opened);
    store::sqlite::Database& database = *opened;
    VERIFY_RESULT(store::migrate(database, std::span(migrations).first(1), true));
    QVERIFY(!store::migrate(database, migrations, true));
    QCOMPARE(database.integer("PRAGMA user_version").value(), 1);
    QCOMPARE(database.integer("SELECT count(*) FROM sqlite_schema").value(), 1);
    VERIFY_RESULT(store::migrate(database, std::span(migrations).first(2), true));
  }

  void the_schema_guards_its_values_data() {
    QTest::addColumn<QString>("values");
    QTest::addColumn<bool>("allowed");
    const QString no_resources = ", NULL, NULL, NULL, NULL, NULL, NULL, NULL";
    const QString rest = ", 0.5, 0.5, 1, NULL, x'', %1, 0, 0, 0, NULL" + no_resources;
    const QString sample = rest.arg("x'000000000000f03f'");
    const QString none = rest.arg("x''");
    QTest::addRow("valid") << "4294967296, 1, 0, 0, 0, 0, 0, 1, 1, 1" + sample << true;
    QTest::addRow("valid without samples") << "4294967296, 1, 0, 0, 0, 0, 0, NULL, NULL, NULL" + none << true;
    QTest::addRow("error") << "4294967296, 1, 0, 0, 0, 5, 0, NULL, NULL, NULL" + none << true;
    QTest::addRow("error with a median") << "4294967296, 1, 0, 0, 0, 5, 0, 1, 1, 1" + none << false;
    QTest::addRow("error with samples") << "4294967296, 1, 0, 0, 0, 5, 0, 1, 1, 1" + sample << false;
    QTest::addRow("an objective alone")
        << "4294967296, 1, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0.5, 0.5, 1, NULL, x'', x'', 0, 0, 0, 0.25" +
               no_resources
        << true;
    QTest::addRow("an objective of an error")
        << "4294967296, 1, 0, 0, 0, 5, 0, NULL, NULL, NULL, 0.5, 0.5, 1, NULL, x'', x'', 0, 0, 0, 0.25" +
               no_resources
        << false;
    QTest::addRow("samples without a median") << "4294967296, 1, 0, 0, 0, 0, 0, NULL, 1, 1" + sample << false;
    QTest::addRow("half a sample") << "4294967296, 1, 0, 0, 0, 0, 0, 1, 1, 1" + rest.arg("x'00000000'")
                                   << false;
    QTest::addRow("unknown category") << "4294967296, 1, 0, 0, 0, 9, 0, NULL, NULL, NULL" + none << false;
    QTest::addRow("negative number") << "4294967296, 1, -1, 0, 0, 5, 0, NULL, NULL, NULL" + none << false;
    QTest::addRow("no such session") << "8589934592, 2, 0, 0, 0, 5, 0, NULL, NULL, NULL" + none << false;
    QTest::addRow("an id of another session")
        << "8589934592, 1, 0, 0, 0, 5, 0, NULL, NULL, NULL" + none << false;
    const QString built =
        "4294967296, 1, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0.5, 0.5, 1, NULL, x'', x'', 0, 0, 0, "
        "NULL, ";
    QTest::addRow("resources") << built + "32, 0, 4096, 256, 0.5, NULL, 3" << true;
    QTest::addRow("nothing known of a kernel") << built + "0, 0, 0, 0, 0, NULL, 0" << true;
    QTest::addRow("some of the resources") << built + "32, 0, NULL, 256, 0.5, NULL, 3" << false;
    QTest::addRow("a limit alone") << built + "NULL, NULL, NULL, NULL, NULL, NULL, 3" << false;
    QTest::addRow("negative registers") << built + "-1, 0, 0, 256, 0.5, NULL, 3" << false;
    QTest::addRow("too many threads") << built + "32, 0, 0, 2147483648, 0.5, NULL, 3" << false;
    QTest::addRow("over full occupancy") << built + "32, 0, 0, 256, 1.01, NULL, 3" << false;
    QTest::addRow("an unknown limit") << built + "32, 0, 0, 256, 0.5, NULL, 5" << false;
    QTest::addRow("a log that is no message") << built + "32, 0, 0, 256, 0.5, 7, 3" << false;
    QTest::addRow("a text for a number")
        << "4294967296, 1, 'zero', 0, 0, 5, 0, NULL, NULL, NULL" + none << false;
  }
  void the_schema_guards_its_values() {
    QFETCH(QString, values);
    QFETCH(bool, allowed);
    const Folder folder;
    QCOMPARE(store::Store::open(folder.file())->sessions().create({}, store::Owner::this_process()).value(),
             1);
    auto opened = open_raw(folder.file());
    VERIFY_RESULT(opened);
    store::sqlite::Database& database = *opened;
    VERIFY_RESULT(database.execute("PRAGMA foreign_keys = ON"));
    const Status inserted = database.execute("INSERT INTO trial VALUES (" + values.toStdString() +
                                             ", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
    QVERIFY2(inserted.has_value() == allowed, inserted ? "was allowed" : describe(inserted.error()).c_str());
  }

  /** They are computed for each row that is written. */
  void checks_of_a_stranger_are_not_computed() {
    const Folder folder;
    make_database(folder.file());
    QVERIFY(forge(folder.file(), "CHECK (state BETWEEN 0 AND 3)", "CHECK (state > length(zeroblob(100)))"));
    auto store = store::Store::open(folder.file());
    VERIFY_RESULT(store);
    VERIFY_RESULT(store->sessions().create({}, store::Owner::this_process()));
  }

  void our_checks_stay_in_all_versions() {
    for (std::size_t version = 1; version <= store::schema_migrations().size(); ++version) {
      const Folder folder;
      {
        auto opened = open_raw(folder.file());
        VERIFY_RESULT(opened);
        VERIFY_RESULT(store::migrate(*opened, store::schema_migrations().first(version), true));
      }
      for (int opened = 0; opened < 2; ++opened) {
        store::StudyRecord impossible;
        impossible.run_count = -1;
        QVERIFY(!store::Store::open(folder.file())->studies().create(impossible));
      }
    }
  }

  void what_a_tool_changed_without_harm_is_opened_data() {
    QTest::addColumn<QString>("sql");
    QTest::addRow("packed") << "VACUUM";
    QTest::addRow("statistics") << "ANALYZE";
    QTest::addRow("an index") << "CREATE INDEX mine ON session (tuner, seed DESC)";
    QTest::addRow("an index of some rows") << "CREATE INDEX mine ON trial (number) WHERE category = 0";
    QTest::addRow("a table") << "CREATE TABLE mine (x INTEGER CHECK (x > 0))";
    QTest::addRow("a column") << "ALTER TABLE session ADD COLUMN mine TEXT DEFAULT 'x'";
  }
  void what_a_tool_changed_without_harm_is_opened() {
    QFETCH(QString, sql);
    const Folder folder;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    QVERIFY(RawDatabase(folder.file()).run(sql.toStdString()));
    QVERIFY(forge(folder.file(), "CREATE TABLE session (", "CREATE TABLE \"session\" ("));
    for (const store::OpenMode mode : {store::OpenMode::ReadOnly, store::OpenMode::Existing}) {
      const auto store = store::Store::open(folder.file(), mode);
      VERIFY_RESULT(store);
      QVERIFY(store->trials().of(1).value() == trials);
    }
    VERIFY_RESULT(store::Store::open(folder.file())->sessions().create({}, store::Owner::this_process()));
  }

  void what_a_stranger_lets_compute_is_refused() {
    for (const store::OpenMode mode : {store::OpenMode::ReadOnly, store::OpenMode::Existing}) {
      const Folder folder;
      make_database(folder.file());
      QVERIFY(forge(folder.file(), "note TEXT NOT NULL DEFAULT ''", "note TEXT DEFAULT (hex(zeroblob(9)))"));
      QVERIFY(is_error(store::Store::open(folder.file(), mode).error(), ErrorCode::Corrupt, folder.file()));
    }
    for (const char* index : {"session (lower(name))", "session (name) WHERE length(name) > 3"}) {
      const Folder folder;
      make_database(folder.file());
      QVERIFY(RawDatabase(folder.file()).run(std::string("CREATE INDEX mine ON ") + index));
      for (const store::OpenMode mode : {store::OpenMode::ReadOnly, store::OpenMode::Existing})
        QVERIFY(is_error(store::Store::open(folder.file(), mode).error(), ErrorCode::Refused, folder.file()));
    }
  }

  /** Without them a question that is asked for each row would walk through a table each time. */
  void tables_without_our_keys_are_refused_data() {
    QTest::addColumn<QString>("part");
    QTest::addColumn<QString>("replacement");
    QTest::addRow("unique") << "session INTEGER UNIQUE REFERENCES" << "session INTEGER REFERENCES";
    QTest::addRow("a primary key of two")
        << "PRIMARY KEY (study, run)\n) STRICT, WITHOUT ROWID" << "CHECK (1)) STRICT";
    QTest::addRow("another order") << "PRIMARY KEY (study, run)" << "PRIMARY KEY (run, study)";
    QTest::addRow("a text for a number") << "session INTEGER UNIQUE" << "session TEXT UNIQUE";
    QTest::addRow("in another order of texts")
        << "series TEXT NOT NULL" << "series TEXT NOT NULL COLLATE NOCASE";
    QTest::addRow("another table") << "CREATE TABLE study_run" << "CREATE TABLE run_of_study";
  }
  void tables_without_our_keys_are_refused() {
    QFETCH(QString, part);
    QFETCH(QString, replacement);
    const Folder folder;
    std::string definition;
    {
      VERIFY_RESULT(store::Store::open(folder.file()));
      auto database = open_raw(folder.file());
      store::sqlite::Query query =
          database->query("SELECT sql FROM sqlite_schema WHERE instr(sql, ?) AND type = 'table'");
      const std::string text = part.toStdString();
      QVERIFY(query.bind(text).next());
      definition = query.text(0);
    }
    // A new table of the same name: as a tool would define it anew.
    const QString changed = QString::fromStdString(definition).replace(part, replacement);
    const std::string table = definition.substr(13, definition.find(' ', 13) - 13);
    QVERIFY(RawDatabase(folder.file()).run("DROP TABLE " + table + "; " + changed.toStdString()));
    for (const store::OpenMode mode : {store::OpenMode::ReadOnly, store::OpenMode::Existing})
      QVERIFY(is_error(store::Store::open(folder.file(), mode).error(), ErrorCode::Corrupt, folder.file()));
  }

  void missing_indices_are_reported() {
    for (const std::string index :
         {"session_name", "trial_message", "confirmation_session", "predictor_hash"}) {
      const Folder folder;
      make_database(folder.file());
      QVERIFY(RawDatabase(folder.file()).run("DROP INDEX " + index));
      if (index == "trial_message") {
        QVERIFY(RawDatabase(folder.file())
                    .run("CREATE INDEX trial_message ON trial (message) WHERE message IS NULL"));
      }
      for (const store::OpenMode mode : {store::OpenMode::ReadOnly, store::OpenMode::Existing})
        QVERIFY(is_error(store::Store::open(folder.file(), mode).error(), ErrorCode::Corrupt, folder.file()));
    }
  }

  /** Forged ones would make SQLite take a walk through a table for the shorter way. */
  void statistics_of_a_tool_are_not_used() {
    const Folder folder;
    const std::vector<trial::Trial> trials = make_database(folder.file());
    QVERIFY(RawDatabase(folder.file()).run("ANALYZE; UPDATE sqlite_stat1 SET stat = '1 1'"));
    const auto are_there = [&] {
      auto database = open_raw(folder.file());
      return database->integer("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'").value() > 0;
    };
    const QByteArray before = bytes_of(folder.file());
    VERIFY_RESULT(store::Store::open(folder.file(), store::OpenMode::ReadOnly));
    QCOMPARE(bytes_of(folder.file()), before);
    QVERIFY(are_there());
    auto database = open_raw(folder.file());
    VERIFY_RESULT(database);
    QVERIFY(store::needs_migration(*database, store::schema_migrations()).value());
    VERIFY_RESULT(store::migrate(*database, store::schema_migrations(), true));
    QVERIFY(!store::needs_migration(*database, store::schema_migrations()).value());
    QVERIFY(!are_there());
    QVERIFY(store::Store::open(folder.file())->trials().of(1).value() == trials);
  }

  void a_full_database_is_rolled_back() {
    const Folder folder;
    auto opened = open_raw(folder.file());
    VERIFY_RESULT(opened);
    store::sqlite::Database& database = *opened;
    VERIFY_RESULT(database.execute("CREATE TABLE data (bytes BLOB); PRAGMA max_page_count = 20"));
    const auto fill = [&](int kilobytes) -> Status {
      auto transaction = store::sqlite::Transaction::begin(database);
      if (!transaction) return std::unexpected(transaction.error());
      for (int i = 0; i < kilobytes; ++i) {
        Status inserted = database.query("INSERT INTO data VALUES (zeroblob(1024))").run();
        if (!inserted) return inserted;
      }
      return transaction->commit();
    };
    VERIFY_RESULT(fill(10));
    const Status full = fill(200);
    QCOMPARE(full.error().code, ErrorCode::Environment);
    QVERIFY(full.error().message.find("full") != std::string::npos);
    QCOMPARE(database.integer("SELECT count(*) FROM data").value(), 10);
    VERIFY_RESULT(fill(10));
    QCOMPARE(database.integer("SELECT count(*) FROM data").value(), 20);
  }

  void odd_paths_work() {
    const Folder folder;
    const std::filesystem::path path = folder.file("a ?b#c%41&mode=ro\xc3\xa9.db");
    const store::SessionId id =
        store::Store::open(path)->sessions().create({}, store::Owner::this_process()).value();
    QVERIFY(std::filesystem::exists(path));
    VERIFY_RESULT(store::Store::open(path, store::OpenMode::ReadOnly)->sessions().get(id));
    // Two slashes are one to the system; in a URI a host's name follows them.
    const std::filesystem::path more_slashes = "/" + path.string();
    for (const store::OpenMode mode : {store::OpenMode::ReadOnly, store::OpenMode::Existing}) {
      const auto store = store::Store::open(more_slashes, mode);
      VERIFY_RESULT(store);
      VERIFY_RESULT(store->sessions().get(id));
    }
    QVERIFY(!open_raw("//localhost" + path.string()));
  }
};

KERNELSCAPE_PLAIN_TEST(StoreSchemaTest)

}  // namespace kernelscape::store_schema_test
#include "store_schema_test.moc"
