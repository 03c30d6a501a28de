#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTableWidget>
#include <QTextBlock>
#include <QTreeWidget>
#include <random>

#include "core/analysis/filter/filter.h"
#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/style/numbers.h"
#include "ui/style/theme.h"
#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/difference_panel.h"
#include "ui/views/trials/instruction_panel.h"
#include "ui/views/trials/knob_panel.h"
#include "ui/views/trials/occupancy_bar.h"
#include "ui/views/trials/resource_panel.h"
#include "ui/views/trials/stage_panel.h"
#include "ui/views/trials/timing_panel.h"
#include "ui/views/trials/trial_detail_pane.h"
#include "ui/views/trials/trial_headline.h"
#include "ui/views/trials/trial_table_view.h"
#include "ui/views/trials/why_panel.h"

namespace kernelscape::trials_resources_test {
namespace {

constexpr int patience_milliseconds = 30'000;

const QStringList resource_columns = {"occupancy",     "limited_by",   "registers",
                                      "spilled_bytes", "shared_bytes", "threads"};

QColor colour_of(const widgets::CodeView& view, const QString& word) {
  const QTextCursor found =
      view.document()->find(word, 0, QTextDocument::FindWholeWords | QTextDocument::FindCaseSensitively);
  if (found.isNull()) return {};
  const QTextBlock block = view.document()->findBlock(found.selectionStart());
  const int place = found.selectionStart() - block.position();
  for (const QTextLayout::FormatRange& range : block.layout()->formats())
    if (range.start <= place && place < range.start + range.length) return range.format.foreground().color();
  return {};
}

/** How far the accent reaches in the bar, of the bar's width. */
double filled_share(views::OccupancyBar& bar) {
  const QImage picture = bar.grab().toImage();
  const int y = picture.height() / 2;
  int end = 0;
  while (end < picture.width() && picture.pixelColor(end, y) != bar.palette().color(QPalette::Window)) ++end;
  int filled = 0;
  // The frame's own pixels at both ends are neither.
  for (int x = 1; x + 1 < end; ++x) filled += picture.pixelColor(x, y) == style::colours().accent ? 1 : 0;
  return end < 3 ? 0 : static_cast<double>(filled) / (end - 2);
}

}  // namespace

class TrialsResourcesTest : public QObject {
  Q_OBJECT

 private:
  gui_tests::Database database_;
  store::SessionId cuda_ = 0;
  store::SessionId opencl_ = 0;
  store::SessionId built_ = 0;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<views::TrialDetailPane> pane_;

  void open(store::SessionId session) {
    workspace_ =
        std::make_unique<workspace::Workspace>(database_.path(), gui_tests::run_scripted, gui_tests::no_gpus);
    pane_ = std::make_unique<views::TrialDetailPane>(*workspace_);
    pane_->resize(900, 500);
    pane_->show();
    QVERIFY(gui_tests::open_and_wait(*workspace_, session));
  }
  void choose(std::int64_t row) {
    workspace_->set_current_row(row);
    QTRY_VERIFY_WITH_TIMEOUT(pane_->details() && pane_->details()->row == row, patience_milliseconds);
  }
  int tab(const QString& title) const {
    for (int index = 0; index < pane_->tabs().count(); ++index)
      if (pane_->tabs().tabText(index) == title) return index;
    throw std::logic_error("no tab is called " + title.toStdString());
  }
  std::int64_t row_with(trial::ErrorCategory category) const {
    const trial::Snapshot& trials = workspace_->source()->trials;
    for (std::int64_t row = 0; row < trials.size(); ++row)
      if (trials.row(row).category == category) return row;
    return analysis::no_row;
  }
  const views::CodePanel& source_panel() const {
    for (const views::CodePanel* panel : pane_->findChildren<views::CodePanel*>())
      if (panel->findChild<widgets::CodeView*>()->accessibleName() == "Source") return *panel;
    throw std::logic_error("there is no source");
  }

 private slots:
  void initTestCase() {
    style::apply_theme(*qApp, style::ThemeChoice::Light);
    cuda_ = database_.add_gpu_session(80, false);
    opencl_ = database_.add_gpu_session(20, false, "opencl:0");
    built_ = database_.add_gpu_session(80, true);
  }
  void cleanup() {
    pane_.reset();
    workspace_.reset();
    workspace::JobTracker::wait_for_all();
  }

  void every_trial_shows_what_the_compiler_said_of_it() {
    open(cuda_);
    auto& panel = *pane_->findChild<views::ResourcePanel*>();
    const store::Store store = *store::Store::open(database_.path());
    int logs = 0;
    for (std::int64_t row = 0; row < 40; ++row) {
      choose(row);
      QVERIFY(pane_->tabs().isTabVisible(tab("Resources")));
      const trial::Trial trial = *store.trials().get(cuda_, workspace_->source()->trials.row(row).number);
      const QStringList facts = panel.facts();
      if (!trial.measurement.resources) {
        QVERIFY(!trial.measurement.valid());
        QVERIFY(panel.log().state().contains("not built"));
        QCOMPARE(panel.occupancy().text(), QString("not known"));
        QVERIFY(facts[0].endsWith(style::no_number()));
        continue;
      }
      const trial::KernelResources& resources = *trial.measurement.resources;
      QCOMPARE(facts[0], QString("registers of a thread: %1 of at most 255").arg(resources.registers));
      QCOMPARE(facts[1].endsWith("nothing"), resources.spilled_bytes == 0);
      QVERIFY(facts[2].contains(style::format_bytes(static_cast<double>(resources.shared_bytes))));
      QVERIFY(facts[3].contains(
          QStringLiteral("%1 of at most 1,024").arg(style::format_count(resources.threads))));
      QVERIFY(panel.occupancy().text().startsWith(style::format_percent(resources.occupancy)));
      logs += trial.measurement.build_log.empty() ? 0 : 1;
      QCOMPARE(panel.log().view().toPlainText().toStdString().empty() || !panel.log().state().isEmpty(),
               trial.measurement.build_log.empty());
      if (!trial.measurement.build_log.empty())
        QCOMPARE(panel.log().view().toPlainText().toStdString(), trial.measurement.build_log);
    }
    QVERIFY(logs > 0);
  }

  void the_bar_is_as_long_as_the_occupancy_and_says_what_limits_it() {
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937 random(seed);
    views::OccupancyBar bar;
    bar.resize(400, 24);
    bar.show();
    const std::array limits = {std::pair(trial::OccupancyLimit::Registers, "limited by registers"),
                               std::pair(trial::OccupancyLimit::SharedMemory, "limited by shared memory"),
                               std::pair(trial::OccupancyLimit::Threads, "limited by threads"),
                               std::pair(trial::OccupancyLimit::Blocks, "limited by blocks")};
    for (int repeat = 0; repeat < 60; ++repeat) {
      const auto& [limit, words] = limits[random() % limits.size()];
      trial::KernelResources resources{.occupancy = static_cast<double>(1 + random() % 64) / 64,
                                       .limited_by = limit};
      bar.set_resources(resources);
      QVERIFY(bar.text().endsWith(words));
      QVERIFY(bar.accessibleName().contains(words));
      QVERIFY2(std::abs(filled_share(bar) - resources.occupancy) < 0.03,
               qPrintable(QString("%1 of %2").arg(filled_share(bar)).arg(resources.occupancy)));
    }
    bar.set_resources({});
    QCOMPARE(bar.text(), QString("not known"));
    QVERIFY(!bar.accessibleName().contains("limited"));
  }

  void the_source_is_coloured_in_its_dialect() {
    open(cuda_);
    choose(workspace_->source()->headline.row);
    QVERIFY2(!pane_->details()->source_text.empty(), pane_->details()->source_problem.c_str());
    QCOMPARE(pane_->details()->dialect, codegen::Dialect::Cuda);
    QVERIFY(std::ranges::any_of(source_panel().findChildren<QLabel*>(),
                                [](const QLabel* label) { return label->text().startsWith("CUDA C++"); }));
    const auto* view = source_panel().findChild<widgets::CodeView*>();
    QCOMPARE(colour_of(*view, "__global__"), style::light_colours().syntax.keyword);
    QCOMPARE(colour_of(*view, "threadIdx"), style::light_colours().syntax.keyword);
    const auto& panel = *pane_->findChild<views::ResourcePanel*>();
    const codegen::Launch& launch = pane_->details()->launch;
    QVERIFY(launch.threads() > 1);
    QVERIFY(panel.facts()[4].contains(style::format_count(launch.block[0])));
    QVERIFY(panel.facts()[5].contains(style::format_count(launch.grid[0])));
  }

  void words_of_one_dialect_are_names_in_another() {
    widgets::CodeView view(widgets::CodeLanguage::C);
    view.resize(400, 200);
    view.show();
    const QString text = "local threadIdx float4 uint4 float_x16 return\n";
    const auto look = [&](codegen::Dialect dialect) {
      view.set_dialect(dialect);
      view.set_code(text);
    };
    const style::SyntaxColours& syntax = style::light_colours().syntax;
    look(codegen::Dialect::OpenCl);
    QCOMPARE(colour_of(view, "local"), syntax.keyword);
    QVERIFY(colour_of(view, "threadIdx") != syntax.keyword);
    look(codegen::Dialect::Cuda);
    QVERIFY(colour_of(view, "local") != syntax.keyword);
    QCOMPARE(colour_of(view, "threadIdx"), syntax.keyword);
    look(codegen::Dialect::C);
    QVERIFY(colour_of(view, "local") != syntax.keyword);
    for (const codegen::Dialect dialect :
         {codegen::Dialect::C, codegen::Dialect::Cuda, codegen::Dialect::OpenCl}) {
      look(dialect);
      QCOMPARE(colour_of(view, "return"), syntax.keyword);
      for (const char* type : {"float4", "uint4", "float_x16"}) QCOMPARE(colour_of(view, type), syntax.type);
    }
  }

  void an_opencl_kernel_is_shown_as_such_and_not_disassembled() {
    open(opencl_);
    choose(workspace_->source()->headline.row);
    QVERIFY2(!pane_->details()->source_text.empty(), pane_->details()->source_problem.c_str());
    QCOMPARE(pane_->details()->dialect, codegen::Dialect::OpenCl);
    pane_->tabs().setCurrentIndex(tab("Why"));
    auto& panel = *pane_->findChild<views::WhyPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(panel.insight() != nullptr, patience_milliseconds);
    QVERIFY2(panel.instructions().state().contains("OpenCL"), qPrintable(panel.instructions().state()));
    panel.instructions().show_all_action().trigger();
    QVERIFY(!panel.instructions().state().isEmpty());
    QVERIFY(!panel.sentence().isEmpty());
    // Its stages, loops and source are known all the same, and linked.
    QTreeWidget& stages = panel.stages().tree();
    QVERIFY(stages.topLevelItemCount() == 1 && stages.topLevelItem(0)->childCount() > 0);
    panel.stages().tree().setCurrentItem(stages.topLevelItem(0));
    QVERIFY(!panel.nest().view().linked_lines().empty());
    QVERIFY(!panel.source().view().linked_lines().empty());
  }

  void a_kernel_that_was_only_built_has_no_speed_anywhere() {
    open(built_);
    choose(row_with(trial::ErrorCategory::NoError));
    const QString headline = pane_->headline().text();
    QVERIFY2(headline.startsWith("built") && !headline.contains("FLOPS") && headline.contains("no timings"),
             qPrintable(headline));
    const auto says = [](const QWidget& panel, const QString& text) {
      return std::ranges::any_of(panel.findChildren<QLabel*>(),
                                 [&](const QLabel* label) { return label->text().contains(text); });
    };
    QVERIFY(says(*pane_->findChild<views::TimingPanel*>(), "never run"));
    QVERIFY(!says(*pane_->findChild<views::TimingPanel*>(), "largest error"));
    QVERIFY(says(*pane_->findChild<views::KnobPanel*>(), "Build only"));
    pane_->tabs().setCurrentIndex(tab("Difference"));
    QVERIFY(pane_->findChild<views::DifferencePanel*>()->code().state().contains("Build only"));
  }

  void the_table_has_the_columns_where_there_is_something_in_them() {
    for (const store::SessionId session : {cuda_, built_}) {
      workspace::Workspace workspace(database_.path(), gui_tests::run_scripted, gui_tests::no_gpus);
      views::TrialTableView table(workspace);
      table.resize(1600, 400);
      table.show();
      QVERIFY(gui_tests::open_and_wait(workspace, session));
      const QStringList shown = table.visible_columns();
      for (const QString& name : resource_columns) QVERIFY2(shown.contains(name), qPrintable(name));
      QCOMPARE(shown.contains("gflops"), session == cuda_);
      QCOMPARE(shown.contains("ms"), session == cuda_);
      const analysis::TrialColumns& columns = workspace.source()->columns();
      for (const QString& name : resource_columns) {
        const int column = static_cast<int>(*columns.find(name.toStdString()));
        const int width = table.columnWidth(column);
        // Each value is readable, and none takes the place of the others.
        QVERIFY(width <= 160);
        for (int row = 0; row < table.model()->rowCount(); ++row) {
          const QString text = table.model()->index(row, column).data().toString();
          QVERIFY2(table.fontMetrics().horizontalAdvance(text) + 16 <= width, qPrintable(name + ": " + text));
        }
      }
    }
    workspace::Workspace workspace(database_.path(), gui_tests::run_scripted, gui_tests::no_gpus);
    views::TrialTableView table(workspace);
    QVERIFY(gui_tests::open_and_wait(workspace, database_.add_session(10)));
    for (const QString& name : resource_columns) QVERIFY(!table.visible_columns().contains(name));
  }

  void the_columns_can_be_filtered() {
    workspace::Workspace workspace(database_.path(), gui_tests::run_scripted, gui_tests::no_gpus);
    QVERIFY(gui_tests::open_and_wait(workspace, built_));
    QVERIFY(workspace.set_filters({"registers > 100", "limited_by = registers"}));
    std::int64_t expected = 0;
    const trial::Snapshot& trials = workspace.source()->trials;
    for (std::int64_t row = 0; row < trials.size(); ++row) {
      const auto& resources = trials.row(row).resources;
      expected += resources && resources->registers > 100 &&
                  resources->limited_by == trial::OccupancyLimit::Registers;
    }
    QCOMPARE(static_cast<std::int64_t>(workspace.shown_rows().size()), expected);
  }
};

KERNELSCAPE_TEST(TrialsResourcesTest, QApplication)

}  // namespace kernelscape::trials_resources_test
#include "trials_resources_test.moc"
