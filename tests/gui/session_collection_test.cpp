#include <QAbstractItemModelTester>
#include <QApplication>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QSignalSpy>

#include "core/exchange/importer.h"
#include "tests/exchange/generated_log.h"
#include "tests/gui/gui_support.h"
#include "tests/loop_nest/random_seed.h"
#include "tests/test_program.h"
#include "ui/frame/palette/palette_source.h"
#include "ui/frame/sessions/session_dock.h"
#include "ui/models/session_order.h"
#include "ui/models/session_text.h"
#include "ui/style/theme.h"
#include "ui/views/explore/explore_view.h"
#include "ui/views/explore/session_box.h"
#include "ui/views/library/library_view.h"
#include "ui/views/library/session_panel.h"
#include "ui/views/library/sessions_page.h"
#include "ui/widgets/library_table.h"
#include "ui/workspace/file_import.h"
#include "ui/workspace/notices.h"
#include "ui/workspace/study_watch.h"

namespace kernelscape::session_collection_test {
using namespace kernelscape::gui_tests;

namespace {

constexpr int collection_patience_ms = 30'000;
constexpr int many_tasks = 814;

/** A database into which a log was imported, and what shows it. */
struct CollectionBench {
  explicit CollectionBench(std::size_t tasks, int loose = 0) {
    base::Random random(kernelscape::testing::random_seed());
    for (int i = 0; i < loose; ++i) database.add_session(3);
    store::Store store = *store::Store::open(database.path());
    const QString path = folder.filePath(QStringLiteral("tophub.log"));
    exchange_write(path, exchange_tests::generated_log(tasks, random));
    outcome = exchange::import_file(store, path.toStdString()).value();
    workspace = std::make_unique<workspace::Workspace>(database.path(), run_scripted);
  }

  static void exchange_write(const QString& path, const std::string& text) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), std::ssize(text)) != std::ssize(text))
      qFatal("no file");
  }

  Database database;
  QTemporaryDir folder;
  exchange::ImportOutcome outcome;
  std::unique_ptr<workspace::Workspace> workspace;

  store::StudyId collection() const { return outcome.collection->id; }
  store::SessionId session(std::size_t task) const { return outcome.sessions.at(task).session; }
};

QString shape(std::size_t task) { return QString::fromStdString(exchange_tests::generated_shape(task)); }

}  // namespace

/** What one file brought is one row of every list, and opens to its sessions. */
class SessionCollectionTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { style::apply_theme(*qApp, style::ThemeChoice::Light); }
  void cleanup() { workspace::JobTracker::wait_for_all(); }

  void the_model_opens_and_searches() {
    CollectionBench bench(many_tasks, 1);
    models::SessionModel model(*bench.workspace);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    // Who waits for the first list is not told of an empty one.
    connect(bench.workspace.get(), &workspace::Workspace::sessions_changed, this,
            [&bench] { QVERIFY(!bench.workspace->sessions()->empty()); });
    QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 2, collection_patience_ms);
    const QModelIndex top = model.index(0, models::SessionModel::NameColumn);
    QVERIFY(model.collection(top) != nullptr && model.session(top) == nullptr);
    QVERIFY(top.data().toString().contains(QStringLiteral("tophub")));
    QCOMPARE(model.index(0, models::SessionModel::TaskColumn).data().toString(),
             QStringLiteral("814 sessions"));
    QCOMPARE(top.data(models::SessionModel::SessionIdRole).toLongLong(), 0);
    QCOMPARE(model.all_sessions(), std::ptrdiff_t{many_tasks + 1});

    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    model.set_open(bench.collection(), true);
    QCOMPARE(model.rowCount(), many_tasks + 2);
    QCOMPARE(inserted.size(), 1);  // all of them together
    for (std::size_t task = 0; task < many_tasks; ++task) {
      const QModelIndex index = model.index(static_cast<int>(task) + 1, models::SessionModel::NameColumn);
      QVERIFY(model.is_member(index));
      QCOMPARE(model.session(index)->summary.record.id, bench.session(task));
      QVERIFY(models::session_title(*model.session(index)).contains(shape(task)));
    }
    model.set_open(bench.collection(), false);
    QCOMPARE(model.rowCount(), 2);

    // What matches opens its collection.
    model.set_search(QStringLiteral("BATCH_MATMUL ") + shape(100));
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.row_of(bench.session(100)), 1);
    QCOMPARE(model.found_sessions(), std::ptrdiff_t{1});
    model.toggle(bench.collection());
    QCOMPARE(model.rowCount(), 1);
    model.set_search(QStringLiteral("tophub"));
    QCOMPARE(model.rowCount(), 1);
    QVERIFY(model.collection(model.index(0, 0)) != nullptr);
    model.set_search(QStringLiteral("nothing has this"));
    QCOMPARE(model.rowCount(), 0);
    model.set_search({});
    QCOMPARE(model.rowCount(), 2);
  }

  void sorted_rows_stay_with_their_collection() {
    CollectionBench bench(5, 2);
    models::SessionModel model(*bench.workspace);
    models::SessionOrder order;
    order.setSourceModel(&model);
    QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 3, collection_patience_ms);
    model.set_open(bench.collection(), true);
    for (int column = 0; column < models::SessionModel::column_count; ++column) {
      for (const Qt::SortOrder direction : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        order.sort(column, direction);
        QCOMPARE(order.rowCount(), 8);
        int top = 0;
        while (model.collection(order.mapToSource(order.index(top, 0))) == nullptr) ++top;
        for (int row = 0; row < order.rowCount(); ++row)
          QCOMPARE(model.is_member(order.mapToSource(order.index(row, 0))), row > top && row <= top + 5);
      }
    }
  }

  void the_dock_opens_and_searches() {
    CollectionBench bench(12, 1);
    frame::SessionActions actions(*bench.workspace);
    frame::SessionDock dock(*bench.workspace, actions);
    dock.resize(300, 600);
    dock.show();
    QListView& list = dock.list();
    QTRY_COMPARE_WITH_TIMEOUT(list.model()->rowCount(), 2, collection_patience_ms);
    const auto click = [&](int row) {
      const QModelIndex index = list.model()->index(row, models::SessionModel::NameColumn);
      QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(index).center());
    };
    click(0);
    QCOMPARE(list.model()->rowCount(), 14);
    QVERIFY(!bench.workspace->opened());
    QTest::keyClick(&list, Qt::Key_Left);
    QCOMPARE(list.model()->rowCount(), 2);
    QTest::keyClick(&list, Qt::Key_Return);
    QCOMPARE(list.model()->rowCount(), 14);
    QTest::keyClick(&list, Qt::Key_Left);
    QVERIFY(dock.search().isVisible());
    QTest::keyClicks(&dock.search(), shape(4));
    QCOMPARE(list.model()->rowCount(), 2);
    click(1);
    QCOMPARE(bench.workspace->opened(), std::optional(bench.session(4)));
    dock.search().setText(QStringLiteral("nothing has this"));
    QVERIFY(!list.isVisible());
    actions.open_collection(bench.collection());
    QVERIFY(list.isVisible());
    QCOMPARE(list.model()->rowCount(), 14);
  }

  void explore_has_one_source_for_it() {
    CollectionBench bench(many_tasks);
    views::SessionBox box(*bench.workspace);
    QSignalSpy chosen(&box, &views::SessionBox::session_chosen);
    box.show();
    QTRY_COMPARE_WITH_TIMEOUT(box.count(), 1, collection_patience_ms);
    box.showPopup();
    box.sessions().set_open(bench.collection(), true);
    QCOMPARE(box.count(), many_tasks + 1);
    QTest::keyClicks(&box.search(), shape(333));
    QCOMPARE(box.list().model()->rowCount(), 2);
    QTest::keyClick(&box.search(), Qt::Key_Down);
    QTest::keyClick(&box.search(), Qt::Key_Return);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen.front().front().toLongLong(), bench.session(333));
    // The next search begins anew, and what is chosen is named whether its row is there or not.
    QVERIFY(box.search().text().isEmpty());
    bench.workspace->open_session(bench.session(333));
    box.sessions().set_open(bench.collection(), false);
    QVERIFY(box.toolTip().contains(shape(333)));
  }

  void the_library_deletes_it_and_brings_it_back() {
    CollectionBench bench(6, 1);
    views::ActionRegistry actions;
    views::LibraryView view(views::ViewContext{*bench.workspace, actions}, {});
    view.resize(1400, 800);
    view.show();
    QVERIFY(QTest::qWaitForWindowActive(&view));
    auto* page = view.findChild<views::SessionsPage*>();
    auto* table = page->findChild<widgets::LibraryTable*>();
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 2, collection_patience_ms);
    emit table->row_opened(0);
    QCOMPARE(table->model()->rowCount(), 8);
    emit table->row_opened(0);
    table->selectRow(0);
    QCOMPARE(page->selected_collections(), std::vector<store::StudyId>{bench.collection()});
    QVERIFY(page->selected().empty());
    actions.find(QStringLiteral("library.delete"))->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 1, collection_patience_ms);
    actions.find(QStringLiteral("library.undo_delete"))->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 2, collection_patience_ms);
    emit table->row_opened(0);
    QCOMPARE(table->model()->rowCount(), 8);
  }

  void the_library_writes_its_tags_and_its_note() {
    CollectionBench bench(6, 1);
    views::ActionRegistry actions;
    views::LibraryView view(views::ViewContext{*bench.workspace, actions}, {});
    view.resize(1400, 800);
    view.show();
    QVERIFY(QTest::qWaitForWindowActive(&view));
    auto* table = view.findChild<views::SessionsPage*>()->findChild<widgets::LibraryTable*>();
    auto* panel = view.findChild<views::SessionPanel*>();
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 2, collection_patience_ms);
    table->selectRow(0);
    const auto line = [&](const QString& name) -> QLineEdit& {
      for (QLineEdit* entry : panel->findChildren<QLineEdit*>())
        if (entry->accessibleName() == name) return *entry;
      qFatal("there is no such entry");
    };
    QLineEdit& name = line(QStringLiteral("Name of the collection"));
    QLineEdit& tags = line(QStringLiteral("Tags, separated by commas"));
    auto* note = panel->findChild<QPlainTextEdit*>();
    QVERIFY(name.isVisible() && name.text().contains(QStringLiteral("tophub")));
    actions.find(QStringLiteral("library.rename"))->trigger();
    QVERIFY(name.hasFocus());
    tags.setFocus();
    QTest::keyClicks(&tags, QStringLiteral("gpu, , log"));
    note->setFocus();
    QTest::keyClicks(note, QStringLiteral("of a colleague"));
    QTest::keyClick(note, Qt::Key_Return, Qt::ControlModifier);
    const auto stored = [&] {
      return store::Store::open(bench.database.path())->collections().all()->front();
    };
    QCOMPARE(stored().annotation.tags, (std::vector<std::string>{"gpu", "log"}));
    QCOMPARE(stored().annotation.note, std::string("of a colleague"));
    const QAbstractItemModel& rows = *table->model();
    QTRY_COMPARE_WITH_TIMEOUT(rows.index(0, models::SessionModel::TagsColumn).data().toString(),
                              QStringLiteral("gpu, log"), collection_patience_ms);
    QTRY_COMPARE_WITH_TIMEOUT(rows.index(0, models::SessionModel::NoteColumn).data().toString(),
                              QStringLiteral("of a colleague"), collection_patience_ms);
    // It always has a name.
    const std::string before = stored().name;
    name.setFocus();
    name.selectAll();
    QTest::keyClick(&name, Qt::Key_Delete);
    QTest::keyClick(&name, Qt::Key_Return);
    QCOMPARE(name.text().toStdString(), before);
    QCOMPARE(stored().name, before);
    // It is found by what was written.
    models::SessionModel model(*bench.workspace);
    model.set_search(QStringLiteral("colleague"));
    QCOMPARE(model.rowCount(), 1);
    QVERIFY(model.collection(model.index(0, 0)) != nullptr);
  }

  void its_sessions_are_compared_with_others_of_their_tasks() {
    CollectionBench bench(6, 1);
    store::SessionId twin = 0;
    {
      store::Store store = *store::Store::open(bench.database.path());
      const store::Owner owner = store::Owner::this_process();
      store::SessionRecord record = store.sessions().get(bench.session(2))->record;
      record.tuner = "ga";
      twin = store.sessions().create(record, owner).value();
      QVERIFY(store.sessions().release(twin, owner));
    }
    views::ActionRegistry actions;
    views::LibraryView view(views::ViewContext{*bench.workspace, actions}, {});
    view.resize(1400, 800);
    view.show();
    auto* table = view.findChild<views::SessionsPage*>()->findChild<widgets::LibraryTable*>();
    QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 3, collection_patience_ms);
    const auto row_of = [&](int role, qint64 id) {
      for (int row = 0; row < table->model()->rowCount(); ++row)
        if (table->model()->index(row, 0).data(role).toLongLong() == id) return row;
      return -1;
    };
    QAction& compare = *actions.find(QStringLiteral("library.compare"));
    std::vector<workspace::CompareSource> asked;
    connect(bench.workspace.get(), &workspace::Workspace::comparison_requested, this,
            [&asked](const workspace::CompareSource& source) { asked.push_back(source); });
    table->selectRow(row_of(models::SessionModel::CollectionIdRole, bench.collection()));
    QVERIFY(compare.isEnabled());
    compare.trigger();
    QVERIFY(asked.empty());
    QVERIFY(bench.workspace->notices().all().back().hint.contains(QStringLiteral("same task")));
    // With one that is of a task of its own, it is compared on that task.
    const QModelIndex other = table->model()->index(row_of(models::SessionModel::SessionIdRole, twin), 0);
    table->selectionModel()->select(other, QItemSelectionModel::Select | QItemSelectionModel::Rows);
    compare.trigger();
    QCOMPARE(asked.size(), std::size_t{1});
    QCOMPARE(asked.front().sessions, (std::vector<store::SessionId>{twin, bench.session(2)}));
  }

  void the_palette_has_one_command_for_it() {
    CollectionBench bench(9, 1);
    views::ActionRegistry actions;
    frame::SessionActions session_actions(*bench.workspace);
    frame::PaletteSource source(*bench.workspace, actions, session_actions);
    QTRY_COMPARE_WITH_TIMEOUT(bench.workspace->sessions()->size(), std::size_t{10}, collection_patience_ms);
    const std::vector<frame::PaletteCommand> commands = source.commands({});
    QCOMPARE(commands.size(), std::size_t{2});
    QVERIFY(commands[0].text.contains(QStringLiteral("tophub")));
    QVERIFY(commands[0].detail.contains(QStringLiteral("9 sessions")));
    QSignalSpy opened(&session_actions, &frame::SessionActions::collection_opened);
    commands[0].run();
    QCOMPARE(opened.size(), 1);
  }

  void loose_sessions_of_older_imports_are_rows_as_ever() {
    CollectionBench bench(2);
    {
      store::Store store = *store::Store::open(bench.database.path());
      const store::Owner owner = store::Owner::this_process();
      for (int i = 0; i < 3; ++i) {
        store::SessionRecord record = store.sessions().get(bench.session(0))->record;
        record.name = "tophub batch_matmul.cuda";
        const store::SessionId id = store.sessions().create(record, owner).value();
        QVERIFY(store.sessions().release(id, owner));
      }
    }
    models::SessionModel model(*bench.workspace);
    QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 4, collection_patience_ms);
    // Distinguished by their shapes, and found by them.
    QVERIFY(model.index(0, models::SessionModel::TaskColumn).data().toString().contains(shape(0)));
    model.set_search(shape(0));
    QCOMPARE(model.rowCount(), 5);
  }
};

KERNELSCAPE_TEST(SessionCollectionTest, QApplication)

}  // namespace kernelscape::session_collection_test
#include "session_collection_test.moc"
