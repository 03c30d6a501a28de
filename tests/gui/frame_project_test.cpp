#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTextBlock>
#include <QUrl>

#include "tests/gui/frame_gui_support.h"
#include "tests/gui/project_gui_support.h"
#include "tests/test_program.h"
#include "ui/figures/headline.h"
#include "ui/frame/first_start_page.h"
#include "ui/frame/sessions/session_actions.h"
#include "ui/models/session_text.h"
#include "ui/style/theme.h"
#include "ui/views/project/project_space_view.h"
#include "ui/views/project/trust_dialog.h"
#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/message_panel.h"
#include "ui/views/trials/trial_detail_pane.h"
#include "ui/views/trials/trial_headline.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/tune_view.h"
#include "ui/workspace/file_import.h"
#include "ui/workspace/notices.h"

namespace kernelscape::frame_project_test {
using gui_tests::Desk;

namespace {

constexpr int deadline_milliseconds = gui_tests::frame_deadline_milliseconds;

void drop_on(frame::MainWindow& window, const QStringList& paths) {
  QMimeData data;
  QList<QUrl> urls;
  for (const QString& path : paths) urls.append(QUrl::fromLocalFile(path));
  data.setUrls(urls);
  QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  static_cast<QObject&>(window).event(&event);
}

bool form_has(Desk& desk, const std::filesystem::path& project) {
  const auto& form = desk.part<views::TuneView>().form();
  return QTest::qWaitFor(
      [&] {
        return form.checked() && form.check().project != nullptr && form.request().task == project.string();
      },
      deadline_milliseconds);
}

views::TrustDialog* question(Desk& desk) { return desk.window->findChild<views::TrustDialog*>(); }

views::CodePanel* source_of(const views::TrialDetailPane& pane) {
  for (views::CodePanel* panel : pane.findChildren<views::CodePanel*>())
    if (panel->view().accessibleName() == "Source") return panel;
  return nullptr;
}

/** Every third configuration is refused as a compiler would, on a line of the user's file. */
trial::Measurement refused_or_not(const space::Configuration& configuration) {
  trial::Measurement measurement = gui_tests::scripted_measurement(configuration);
  if (configuration.indices.front() == 0) {
    measurement = {};
    measurement.category = trial::ErrorCategory::CompileHost;
    measurement.message = "kernel.c: In function 'run':\nkernel.c:2:52: error: 'TILE' is refused\n    2 | x";
  } else {
    measurement.category = trial::ErrorCategory::NoError;
    measurement.message.clear();
    measurement.samples_seconds = {1e-3, 1.1e-3, 1.2e-3};
  }
  return measurement;
}

}  // namespace

/** Projects of users' own kernels from a drop to a session that goes on. */
class FrameProjectTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { style::apply_theme(*qApp, style::ThemeChoice::Light); }

  void a_dropped_project_is_opened_and_not_imported() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    const gui_tests::Database database;
    Desk desk(database);
    QVERIFY(workspace::is_project_file(project.path()));
    drop_on(*desk.window, {project.path()});
    QVERIFY(form_has(desk, project.file));
    QCOMPARE(desk.window->current_view()->name(), QString("Tune"));
    QVERIFY(!project::is_trusted(project.hash()));
    QVERIFY(desk.workspace.queue().runs().empty());
  }

  void what_is_no_project_is_distinguished() {
    const gui_tests::SmallProject project;
    const auto log = project.folder.write("log.json", R"({"ConfigurationSpace": 1})");
    QVERIFY(!workspace::is_project_file(QString::fromStdString(log.string())));
    QVERIFY(!workspace::is_project_file(QString::fromStdString(project.folder.path().string())));
    QVERIFY(!workspace::is_project_file("/nowhere/x.json"));
    const auto text = project.folder.write("project.txt", small_project().dump());
    QVERIFY(!workspace::is_project_file(QString::fromStdString(text.string())));
  }

  void the_card_writes_a_project_and_opens_it() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::Database database;
    Desk desk(database, false);
    QTRY_VERIFY_WITH_TIMEOUT(desk.window->shows_first_start(), deadline_milliseconds);
    QAbstractButton* card = gui_tests::button(*desk.window, "Tune your own kernel");
    QVERIFY(card != nullptr && card->isVisible());
    card->click();
    auto* dialog = desk.window->findChild<QFileDialog*>();
    QVERIFY(dialog != nullptr);
    QTemporaryDir folder;
    QVERIFY(QDir(folder.path()).mkdir("my-kernel"));  // taken
    emit dialog->fileSelected(folder.path());
    dialog->close();
    const std::filesystem::path written = folder.filePath("my-kernel-2/my-kernel-2.json").toStdString();
    QVERIFY(std::filesystem::exists(written));
    QVERIFY(form_has(desk, written));
    QTRY_VERIFY_WITH_TIMEOUT(desk.part<views::TuneView>().form().problem().isEmpty(), deadline_milliseconds);
  }

  void a_session_of_an_untrusted_project_asks_before_it_resumes() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    const gui_tests::Database database;
    const store::SessionId session = gui_tests::add_project_session(database, project.file, 3);
    gui_tests::trust_nothing();
    Desk desk(database);
    QVERIFY(desk.wait_for_list());
    const workspace::RunId run = desk.workspace.queue().resume(session, trial::Budget{.trials = 4});
    QTRY_VERIFY_WITH_TIMEOUT(question(desk) != nullptr, deadline_milliseconds);
    QCOMPARE(desk.workspace.queue().run(run)->state, workspace::RunState::Failed);
    for (const workspace::Notice& notice : desk.workspace.notices().all())
      QVERIFY(notice.kind != workspace::Notice::Kind::Failure);
    QCOMPARE(store::Store::open(database.path())->sessions().get(session)->status.trial_count, 3);
    gui_tests::button(*question(desk), "Trust and run")->click();
    QTRY_COMPARE_WITH_TIMEOUT(
        store::Store::open(database.path())->sessions().get(session)->status.trial_count, 4,
        deadline_milliseconds);
  }

  void running_again_takes_the_project_from_the_database() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::Database database;
    store::SessionId session = 0;
    {
      const gui_tests::SmallProject gone;
      session = gui_tests::add_project_session(database, gone.file, 3);
    }
    Desk desk(database);
    QVERIFY(desk.wait_for_list());
    frame::SessionActions actions(desk.workspace);
    connect(&actions, &frame::SessionActions::run_requested, desk.window.get(),
            &frame::MainWindow::prepare_run);
    actions.duplicate(session);
    const auto& form = desk.part<views::TuneView>().form();
    QTRY_VERIFY_WITH_TIMEOUT(form.checked() && form.check().project != nullptr, deadline_milliseconds);
    QCOMPARE(form.request().task, "project:" + std::to_string(session));
    QVERIFY2(form.problem().isEmpty(), qPrintable(form.problem()));
  }

  void compilers_messages_lead_to_their_lines() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    const gui_tests::Database database;
    store::Store store = *store::Store::open(database.path());
    session::TuningRequest request;
    request.task = project.file.string();
    request.tuner = "random";
    request.budget.trials = 4;
    request.trust = true;
    session::Setup setup = session::prepare_tuning(request, store).value().setup;
    setup.real_measurements = false;
    MeasurementScript script = gui_tests::make_script();
    script.measure = refused_or_not;
    const store::SessionId session = database.add_session(setup, script);
    Desk desk(database);
    QVERIFY(gui_tests::open_and_wait(desk.workspace, session));
    const workspace::SourceData& source = *desk.workspace.source();
    std::int64_t row = 0;
    while (source.trials.row(row).category == trial::ErrorCategory::NoError) ++row;
    desk.workspace.set_current_row(row);
    auto& pane = desk.part<views::TrialDetailPane>();
    QTRY_VERIFY_WITH_TIMEOUT(pane.details() != nullptr && pane.details()->row == row, deadline_milliseconds);
    views::CodePanel* code = source_of(pane);
    QVERIFY(code != nullptr);
    QCOMPARE(code->view().line_notes().size(), std::size_t{1});
    const int line = code->view().line_notes().begin()->first;
    QVERIFY(code->view().document()->findBlockByNumber(line).text().contains("TILE * x[i]"));
    QVERIFY(code->view().line_notes().at(line).contains("is refused"));

    // The headline is the compiler's error, and not the line before it.
    QVERIFY(pane.findChild<views::TrialHeadline*>()->text().contains("error: 'TILE' is refused"));
    QVERIFY(!pane.findChild<views::TrialHeadline*>()->text().contains("In function"));
    pane.tabs().setCurrentWidget(pane.findChild<views::MessagePanel*>());
    auto* message = pane.findChild<views::MessagePanel*>()->findChild<QPlainTextEdit*>();
    message->setTextCursor(QTextCursor(message->document()->findBlockByNumber(1)));
    QTest::keyClick(message, Qt::Key_Return);
    QVERIFY(pane.tabs().currentWidget()->isAncestorOf(code));
    QCOMPARE(code->view().textCursor().blockNumber(), line);
    QCOMPARE(code->view().linked_lines(), std::vector<int>{line});
    // The values of this trial stand beside it.
    auto* space = pane.findChild<views::ProjectSpaceView*>();
    QVERIFY(space->isVisibleTo(&pane));
    QCOMPARE(space->topLevelItem(0)->child(0)->text(2), QString("1"));
  }

  void texts_say_project_and_content() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    const gui_tests::Database database;
    const store::SessionId session = gui_tests::add_project_session(database, project.file, 4);
    Desk desk(database);
    QVERIFY(gui_tests::open_and_wait(desk.workspace, session));
    const workspace::SourceData& source = *desk.workspace.source();
    const QString start = QString::fromStdString(project.hash()).left(8);
    QCOMPARE(models::kernel_maker_text(source.record()), QString("project small, content %1…").arg(start));
    const figures::HeadlineText text = figures::headline_text(source, std::nullopt);
    QVERIFY2(text.what.contains(QString("project %1…").arg(start)), qPrintable(text.what));
    // It has no reference.
    QVERIFY(source.answer_unknown());
    if (source.headline.trial >= 0) QVERIFY(text.trust.contains("first valid configuration's"));
  }
};

KERNELSCAPE_TEST(FrameProjectTest, QApplication)

}  // namespace kernelscape::frame_project_test
#include "frame_project_test.moc"
