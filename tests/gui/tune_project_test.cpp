#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>

#include "core/session/request_json.h"
#include "tests/gui/project_gui_support.h"
#include "tests/gui/tune_gui_support.h"
#include "tests/test_program.h"
#include "ui/views/project/changed_code.h"
#include "ui/views/project/project_space_view.h"
#include "ui/views/project/source_and_space.h"
#include "ui/views/project/trust_dialog.h"
#include "ui/views/tune/setup_form.h"
#include "ui/views/tune/space_panel.h"
#include "ui/widgets/code_view.h"
#include "ui/workspace/source.h"

namespace kernelscape::tune_project_test {

namespace {

constexpr int deadline_milliseconds = gui_tests::tune_deadline_milliseconds;

struct Window : gui_tests::TuneWindow {
  bool open(const gui_tests::SmallProject& project) {
    view.open_project(project.path());
    return QTest::qWaitFor([&] { return view.form().checked() && view.form().check().project != nullptr; },
                           deadline_milliseconds);
  }
  views::TrustDialog* question() { return view.findChild<views::TrustDialog*>(); }
  QPushButton* answer(const QString& text) {
    for (auto* button : question()->findChildren<QPushButton*>())
      if (button->text() == text) return button;
    return nullptr;
  }
};

}  // namespace

/** A project of the user's own kernel in the form: what it shows, and that nothing of it runs unasked. */
class TuneProjectTest : public QObject {
  Q_OBJECT

 private slots:
  void a_project_is_the_task_by_its_name_with_the_target_that_runs_it() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    Window window;
    QVERIFY(window.wait_until_ready());
    QVERIFY(window.open(project));
    QCOMPARE(window.task().currentText(), QString("small"));
    const session::TuningRequest request = window.view.form().request();
    QCOMPARE(request.task, project.file.string());
    QCOMPARE(request.target, std::string("cpu"));
    QVERIFY(request.template_name.empty());
    auto& templates = window.find<QComboBox>("Template");
    QVERIFY(!templates.isEnabled());
    QVERIFY(templates.toolTip().contains("source"));
    // TILE of 1 and 2, MODE of two.
    const auto* size = window.view.findChild<views::SpacePanel*>()->findChild<QLabel*>();
    QVERIFY2(size->text().startsWith("4 configurations"), qPrintable(size->text()));
    QVERIFY(window.view.form().problem().isEmpty());
  }

  void what_was_chosen_comes_back_without_trust() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    Window window;
    QVERIFY(window.wait_until_ready());
    QVERIFY(window.open(project));
    session::TuningRequest request = window.view.form().request();
    request.trust = true;
    request.outside_files = true;
    const std::string kept = session::request_to_json(request);
    QVERIFY(!kept.contains("trust"));
    const session::TuningRequest again = session::request_from_json(kept).value();
    QCOMPARE(again.task, request.task);
    QVERIFY(again.outside_files);
    Window next;
    next.view.form().set_request(again);
    QTRY_VERIFY_WITH_TIMEOUT(next.view.form().checked() && next.view.form().check().project != nullptr,
                             deadline_milliseconds);
    QCOMPARE(next.task().currentText(), QString("small"));
    QCOMPARE(next.view.form().request().task, project.file.string());
    QVERIFY(!next.view.form().request().trust);
  }

  void another_task_takes_its_place() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    Window window;
    QVERIFY(window.wait_until_ready());
    QVERIFY(window.open(project));
    window.task().setEditText("matmul 64x64 64x64 f32");
    QVERIFY(window.wait_until_ready());
    QCOMPARE(window.find<QComboBox>("Template").currentText(), QString("matmul-packed"));
    QVERIFY(window.find<QComboBox>("Template").isEnabled());
    QCOMPARE(window.view.form().request().task, std::string("matmul 64x64 64x64 f32"));
    QTRY_VERIFY(!window.find<QDockWidget>("Source and space").isVisible());
  }

  void a_broken_project_says_what_is_wrong_below_the_task() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    nlohmann::json broken = small_project();
    broken["KernelSpecification"]["KernelFile"] = "nowhere.c";
    project.folder.write("small.json", broken.dump());
    Window window;
    QVERIFY(window.wait_until_ready());
    window.view.open_project(project.path());
    QTRY_VERIFY_WITH_TIMEOUT(window.view.form().problem().contains("nowhere.c"), deadline_milliseconds);
    QVERIFY(!window.start().isEnabled());
  }

  void a_language_that_no_chosen_target_runs_is_reported_and_its_space_is_seen() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    project.folder.write("small.json", small_gpu_project("OpenCL").dump());
    Window window;
    QVERIFY(window.wait_until_ready());
    session::TuningRequest request = window.view.form().request();
    request.task = project.file.string();
    request.target = "cpu";
    window.view.form().set_request(request);
    QTRY_VERIFY_WITH_TIMEOUT(window.view.form().problem().contains("does not run OpenCL, the language of"),
                             deadline_milliseconds);
    QVERIFY(window.view.form().problem().contains("OpenCL device"));
    QVERIFY(window.view.findChild<views::SpacePanel*>()->findChild<QLabel*>()->text().startsWith("4 "));
  }

  void source_and_space_are_linked() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    Window window;
    QVERIFY(window.wait_until_ready());
    QVERIFY(window.open(project));
    QTRY_VERIFY(window.find<QDockWidget>("Source and space").isVisible());
    auto* panel = window.view.findChild<views::SourceAndSpace*>();
    auto* code = qobject_cast<widgets::CodeView*>(panel->files().widget(0));
    QCOMPARE(panel->files().tabText(0), QString("kernel.c"));
    QCOMPARE(code->toPlainText().toStdString(), std::string(small_kernel));
    QCOMPARE(panel->space().parameters(), QStringList({"TILE", "MODE"}));
    panel->space().topLevelItem(0)->child(0)->setSelected(true);
    QCOMPARE(code->linked_lines(), std::vector<int>{1});
    emit code->line_chosen(0);
    QVERIFY(panel->space().selectedItems().isEmpty());
    emit code->line_chosen(1);
    QCOMPARE(panel->space().chosen_parameter(), QString("TILE"));
  }

  void names_count_as_words() {
    QCOMPARE(views::lines_mentioning("int TILED;\nint x = TILE;\nTILE_X\n(TILE)", "TILE"),
             (std::vector<int>{1, 3}));
    QVERIFY(views::lines_mentioning("anything", "").empty());
  }

  void nothing_runs_before_it_is_trusted() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    Window window;
    QVERIFY(window.wait_until_ready());
    QVERIFY(window.open(project));
    QTRY_VERIFY_WITH_TIMEOUT(window.start().isEnabled(), deadline_milliseconds);
    window.start().click();
    QTRY_VERIFY_WITH_TIMEOUT(window.question() != nullptr, deadline_milliseconds);
    QVERIFY(!window.question()->isModal());
    QVERIFY(window.workspace.queue().runs().empty());
    QTest::keyClick(window.question(), Qt::Key_Return);  // is no yes
    QTRY_VERIFY(window.question() == nullptr);
    QVERIFY(window.workspace.queue().runs().empty());
    QVERIFY(!project::is_trusted(project.hash()));

    window.start().click();
    window.start().click();  // asks once
    QTRY_VERIFY_WITH_TIMEOUT(window.question() != nullptr, deadline_milliseconds);
    QCOMPARE(window.view.findChildren<views::TrustDialog*>().size(), 1);
    QStringList said;
    for (const auto* label : window.question()->findChildren<QLabel*>()) said << label->text();
    QVERIFY(said.join("\n").contains(QString::fromStdString(project.hash())));
    auto* tabs = window.question()->findChild<QTabWidget*>();
    QCOMPARE(tabs->count(), 2);
    QCOMPARE(qobject_cast<widgets::CodeView*>(tabs->widget(1))->toPlainText().toStdString(),
             std::string(small_kernel));
    const auto* facts = tabs->findChild<QTreeWidget*>();
    QVERIFY(!facts->findItems("-D{MODE}", Qt::MatchExactly | Qt::MatchRecursive).isEmpty());
    window.answer("Trust and run")->click();
    QVERIFY(project::is_trusted(project.hash()));
    QTRY_VERIFY_WITH_TIMEOUT(!window.workspace.queue().runs().empty(), deadline_milliseconds);
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.source() != nullptr, deadline_milliseconds);
    QCOMPARE(window.workspace.queue().runs().size(), std::size_t{1});  // however often Start was clicked
    QCOMPARE(window.workspace.source()->record().project_hash, project.hash());
    window.workspace.queue().stop_all();
  }

  void a_file_that_changed_after_it_was_trusted_does_not_run() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    QVERIFY(project::trust(project.hash(), "small").has_value());
    Window window;
    QVERIFY(window.wait_until_ready());
    QVERIFY(window.open(project));
    QTRY_VERIFY_WITH_TIMEOUT(window.start().isEnabled(), deadline_milliseconds);
    const session::TuningRequest request = window.view.form().request();
    project.folder.write("kernel.c", std::string(small_kernel) + "// another\n");
    window.workspace.queue().start(request);  // as if the file had changed after the user was asked
    QTRY_VERIFY_WITH_TIMEOUT(!window.workspace.queue().runs().empty() &&
                                 window.workspace.queue().runs().front().state == workspace::RunState::Failed,
                             deadline_milliseconds);
    const workspace::RunView run = window.workspace.queue().runs().front();
    QVERIFY(run.untrusted != nullptr && !run.session);
    QCOMPARE(project::content_hash(*run.untrusted), project.hash());
    // Once it is trusted the same is asked for again.
    QVERIFY(project::trust(project.hash(), "small").has_value());
    const auto again = window.workspace.queue().again(run.id);
    QVERIFY(again.has_value());
    QTRY_VERIFY_WITH_TIMEOUT(window.workspace.queue().run(*again)->session.has_value(),
                             deadline_milliseconds);
    window.workspace.queue().stop_all();
  }

  void a_changed_file_is_shown_with_its_changes_before_it_runs() {
    const gui_tests::TrustOfNobody nobody;
    const gui_tests::SmallProject project;
    QVERIFY(project::trust_project(project.read()).has_value());
    Window window;
    QVERIFY(window.wait_until_ready());
    QVERIFY(window.open(project));
    QTRY_VERIFY_WITH_TIMEOUT(window.start().isEnabled(), deadline_milliseconds);
    const std::string changed = "// another\n" + std::string(small_kernel);
    project.folder.write("kernel.c", changed);
    window.start().click();
    QTRY_VERIFY_WITH_TIMEOUT(window.question() != nullptr, deadline_milliseconds);
    QVERIFY(window.workspace.queue().runs().empty());
    QCOMPARE(window.question()->content_hash(), project.hash());
    auto* tabs = window.question()->findChild<QTabWidget*>();
    QCOMPARE(tabs->count(), 3);
    QCOMPARE(tabs->currentIndex(), 0);
    QCOMPARE(tabs->tabText(0), QString("What changed"));
    QCOMPARE(qobject_cast<widgets::CodeView*>(tabs->widget(0))->toPlainText(),
             QString("source:\n  +1: // another"));
    QCOMPARE(tabs->tabText(2), QString("kernel.c (changed)"));
    QCOMPARE(qobject_cast<widgets::CodeView*>(tabs->widget(2))->toPlainText().trimmed().toStdString(),
             changed.substr(0, changed.size() - 1));
    // The form reads the file again too.
    QTRY_COMPARE_WITH_TIMEOUT(window.view.form().check().project_hash, project.hash(), deadline_milliseconds);
    window.answer("Cancel")->click();
    QVERIFY(!project::is_trusted(project.hash()));
  }

  void changed_lines_are_marked() {
    const widgets::MarkedCode code = views::changed_code("a\nb\nc", "a\nB\nc");
    QCOMPARE(code.text, QString("a\nb\nB\nc"));
    QCOMPARE(code.labels, (QStringList{"1  ", "-", "2 +", "3  "}));
    using enum widgets::LineMark;
    QVERIFY((code.marks == std::vector<widgets::LineMark>{None, Removed, Added, None}));
  }

  /** A file is shown whole, however large it is; only the marks are left out. */
  void large_changes_are_cut_and_large_files_are_not() {
    project::KernelProject before = gui_tests::SmallProject().read();
    before.flags.assign(6'000, "-DA");
    before.source.assign(600'000, 'a');
    project::KernelProject now = before;
    now.flags.assign(6'000, "-DB");
    now.source.back() = 'b';
    const widgets::MarkedCode changes = views::project_changes(before, now);
    QCOMPARE(changes.labels.size(), 5'001);
    QCOMPARE(changes.marks.size(), std::size_t{5'001});
    QCOMPARE(changes.text.count(QLatin1Char('\n')), 5'000);
    QVERIFY(changes.text.endsWith("more lines"));
    const std::vector<views::ShownFile> files = views::shown_files(now, &before);
    QVERIFY(files.front().changed && files.front().code.marks.empty());
    QCOMPARE(files.front().code.text.toStdString(), now.source);
  }
};

KERNELSCAPE_TEST(TuneProjectTest, QApplication)

}  // namespace kernelscape::tune_project_test
#include "tune_project_test.moc"
