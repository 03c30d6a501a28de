#include "ui/views/trials/why_panel.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QTextBlock>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/machine_code/instruction_table.h"
#include "tests/gui/gui_support.h"
#include "tests/gui/made_insight.h"
#include "tests/test_program.h"
#include "ui/style/theme.h"
#include "ui/views/trials/bound_bars.h"
#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/instruction_panel.h"
#include "ui/views/trials/stage_panel.h"
#include "ui/views/trials/why_numbers.h"
#include "ui/views/trials/why_text.h"

namespace kernelscape::why_panel_test {
using namespace kernelscape::why_tests;

class WhyPanelTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { style::apply_theme(*qApp, style::ThemeChoice::Light); }

  void init() {
    workspace_ =
        std::make_unique<workspace::Workspace>(database_.path(), gui_tests::run_scripted, gui_tests::no_gpus);
    panel_ = std::make_unique<views::WhyPanel>(*workspace_);
    panel_->resize(1500, 900);
    panel_->show();
    QVERIFY(QTest::qWaitForWindowExposed(panel_.get()));
    panel_->show_insight(shared(made_insight()), {QStringLiteral("trial 1 of session 2, test"), 16});
  }

  void cleanup() {
    panel_.reset();
    workspace_.reset();
    workspace::JobTracker::wait_for_all();
  }

  void the_hot_loop_is_open_and_the_rest_is_folded() {
    const widgets::CodeView& view = instructions();
    QVERIFY(line_with(view, "vfmadd231ps (%rsi)") >= 0);
    QCOMPARE(line_with(view, "prologue0"), -1);
    QCOMPARE(line_with(view, "ret"), -1);
    QVERIFY(line_with(view, "30 lines before the loops around the hot loop") >= 0);
    QVERIFY(line_with(view, "hot loop, 5 lines, run 1,000 times per call of the kernel") >= 0);
    QVERIFY(!panel_->instructions().show_all_action().isChecked());
  }

  void the_hot_loop_is_selected_in_all_three_at_first() {
    QCOMPARE(panel_->source().view().linked_lines(), (std::vector<int>{3, 4}));
    QCOMPARE(panel_->nest().view().linked_lines(), (std::vector<int>{1}));
    QCOMPARE(static_cast<int>(instructions().linked_lines().size()), 5);
  }

  void a_line_of_source_selects_its_loop_and_its_instructions() {
    click(panel_->source().view(), hot_source_line - 1);
    QCOMPARE(panel_->nest().view().linked_lines(), (std::vector<int>{1}));
    const QStringList linked = texts_of(instructions(), instructions().linked_lines());
    QVERIFY2(linked.contains("vfmadd231ps (%rsi), %ymm1, %ymm2") &&
                 linked.contains("vfmadd231ps 32(%rsi), %ymm1, %ymm3") && linked.size() == 3,
             qPrintable(linked.join('|')));
  }

  void an_instruction_selects_its_line_and_its_loop() {
    click(instructions(), line_with(instructions(), "vmovaps"));
    QCOMPARE(panel_->source().view().linked_lines(), (std::vector<int>{spill_source_line - 1}));
    QCOMPARE(panel_->nest().view().linked_lines(), (std::vector<int>{1}));
    QCOMPARE(panel_->source().view().textCursor().blockNumber(), spill_source_line - 1);
    // Keys go on from there.
    QTest::keyClick(&instructions(), Qt::Key_Up);
    QCOMPARE(panel_->source().view().linked_lines(), (std::vector<int>{hot_source_line - 1}));
  }

  void a_line_of_the_nest_selects_all_that_was_written_from_it() {
    click(panel_->nest().view(), 1);
    QCOMPARE(panel_->source().view().linked_lines(), (std::vector<int>{3, 4}));
    QCOMPARE(static_cast<int>(instructions().linked_lines().size()), 4);
  }

  void what_is_selected_elsewhere_is_unfolded() {
    click(panel_->source().view(), 0);  // its instructions are all in the prologue
    QVERIFY(line_with(instructions(), "prologue0") >= 0);
    QCOMPARE(static_cast<int>(instructions().linked_lines().size()), prologue_lines);
    QCOMPARE(line_with(instructions(), "ret"), -1);
  }

  void a_line_without_instructions_selects_nothing() {
    click(panel_->source().view(), 1);
    QVERIFY(instructions().linked_lines().empty());
    QVERIFY(panel_->nest().view().linked_lines().empty());
  }

  void pointing_at_a_line_hints_the_others() {
    widgets::CodeView& view = panel_->source().view();
    const QTextBlock block = view.document()->findBlockByNumber(spill_source_line - 1);
    emit view.line_hovered(block.blockNumber());
    const QStringList hinted = texts_of(instructions(), instructions().hinted_lines());
    QCOMPARE(hinted, QStringList("vmovaps %ymm3, 32(%rsp)"));
    QVERIFY(view.hinted_lines().empty());
    emit view.line_hovered(-1);
    QVERIFY(instructions().hinted_lines().empty());
  }

  void folded_lines_unfold_by_click_and_by_key() {
    click(instructions(), line_with(instructions(), "30 lines"));
    QVERIFY(line_with(instructions(), "prologue0") >= 0);
    click(instructions(), line_with(instructions(), "30 lines"));
    QCOMPARE(line_with(instructions(), "prologue0"), -1);
    instructions().put_caret(line_with(instructions(), "30 lines"));
    for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Minus, Qt::Key_Plus}) {
      const bool folded = line_with(instructions(), "prologue0") < 0;
      QTest::keyClick(&instructions(), key);
      QCOMPARE(line_with(instructions(), "prologue0") >= 0, folded);
    }
  }

  void show_all_and_copy_have_all_lines() {
    panel_->instructions().show_all_action().trigger();
    QVERIFY(line_with(instructions(), "prologue29") >= 0 && line_with(instructions(), "ret") >= 0);
    QVERIFY(panel_->instructions().show_all_action().isChecked());
    panel_->instructions().show_all_action().trigger();
    QCOMPARE(line_with(instructions(), "ret"), -1);
    panel_->instructions().copy();
    QVERIFY(QGuiApplication::clipboard()->text().contains("prologue17"));
  }

  void what_is_looked_for_is_unfolded() {
    QTest::keyClicks(&panel_->instructions().find_entry(), "prologue7");
    QCOMPARE(instructions().textCursor().selectedText(), QString("prologue7"));
    QCOMPARE(line_with(instructions(), "ret"), -1);
  }

  void every_line_of_the_code_has_one_place() {
    views::InstructionListing listing(std::make_shared<const machine_code::MachineCode>(two_loops()));
    const std::size_t sections = listing.sections().size();
    for (std::size_t open = 0; open < (std::size_t{1} << sections); ++open) {
      for (std::size_t section = 0; section < sections; ++section)
        listing.set_open(section, ((open >> section) & 1) != 0);
      const QStringList lines = listing.shown().text.split('\n');
      for (std::size_t line = 0; line < two_loops().lines.size(); ++line) {
        const int place = listing.view_line(line);
        QVERIFY(place >= 0 && place < lines.size());
        if (listing.section_of(place) >= 0) continue;  // folded
        QCOMPARE(listing.machine_line(place), static_cast<int>(line));
        QCOMPARE(lines[place], views::listing_text(two_loops().lines[line]));
      }
    }
  }

  void the_sentence_says_what_bounds_and_who_says_so() {
    const QString text = panel_->sentence();
    for (const char* part : {"24.2", "llvm-mca 14.0.6", "Zen 3", "own counts", "23", "2 multiply-add"})
      QVERIFY2(text.contains(part), qPrintable(text));
    const auto& bars = panel_->numbers().bars().bars();
    QCOMPARE(static_cast<int>(bars.size()), 2);
    QVERIFY(bars[0].bounds && !bars[1].bounds);
    QVERIFY(!bars[0].explanation.isEmpty());
  }

  void spills_are_marked_and_warned_of() {
    const QTableWidget& mix = panel_->numbers().mix();
    const std::string name(machine_code::plural_of(machine_code::InstructionClass::SpillStore));
    const QList<QTableWidgetItem*> spills = mix.findItems(QString::fromStdString(name), Qt::MatchExactly);
    QVERIFY(!spills.isEmpty());
    QCOMPARE(spills.front()->foreground().color(), style::colours().warning);
    QVERIFY(!spills.front()->toolTip().isEmpty());
    const QList<QTableWidgetItem*> registers = mix.findItems("vector registers", Qt::MatchExactly);
    QCOMPARE(mix.item(registers.front()->row(), 1)->text(), QString("3 of 16"));
    const views::InstructionListing listing(std::make_shared<const machine_code::MachineCode>(two_loops()));
    const widgets::MarkedCode shown = listing.shown();
    const auto place = static_cast<std::size_t>(listing.view_line(34));
    QCOMPARE(shown.marks[place], widgets::LineMark::Warning);
    QVERIFY(shown.labels[static_cast<qsizetype>(place)].startsWith('!'));
    measure::KernelInsight operand = made_insight();
    operand.code.lines[35].facts.spilled_operand = true;
    operand.code.loops[1].mix.spilled_operands = 1;
    panel_->show_insight(shared(operand), {QString(), 16});
    QCOMPARE(mix.findItems("operands on the stack", Qt::MatchExactly).front()->foreground().color(),
             style::colours().warning);
    QVERIFY(panel_->instructions().listing().shown().labels.contains("! 36"));
    measure::KernelInsight clean = made_insight();
    clean.code.loops[1].mix.counts[static_cast<std::size_t>(machine_code::InstructionClass::SpillStore)] = 0;
    panel_->show_insight(shared(clean), {QString(), 16});
    QCOMPARE(mix.item(mix.findItems("spills", Qt::MatchExactly).front()->row(), 1)->text(), QString("none"));
  }

  void code_without_a_loop_is_shown_whole() {
    measure::KernelInsight insight = made_insight();
    insight.code.loops.clear();
    insight.code.hot_loop = -1;
    insight.bounds.clear();
    panel_->show_insight(shared(insight), {QString(), 16});
    QVERIFY(line_with(instructions(), "prologue0") >= 0 && line_with(instructions(), "ret") >= 0);
    QVERIFY(panel_->sentence().contains("no loop"));
  }

  void a_gpus_kernel_offers_both_of_its_codes() {
    QVERIFY(!panel_->instructions().code_choice().isVisible());
    measure::KernelInsight insight = made_insight();
    insight.bounds.clear();
    insight.device_code = two_loops(machine_code::MachineLanguage::Sass);
    insight.code = two_loops(machine_code::MachineLanguage::Ptx);
    insight.code.lines.back().text = "exit;";
    insight.resources.emplace();
    insight.resources->registers = 64;
    insight.resources->spilled_bytes = 128;
    insight.resources->occupancy = 0.5;
    panel_->show_insight(shared(insight), {QString(), 0});
    QComboBox& choice = panel_->instructions().code_choice();
    QVERIFY(choice.isVisible());
    QCOMPARE(choice.currentText(), QString("SASS"));
    choice.setCurrentIndex(1);
    emit choice.activated(1);
    QCOMPARE(choice.currentText(), QString("PTX"));
    QVERIFY(panel_->instructions().whole_text().contains("exit;"));
    const QTableWidget& mix = panel_->numbers().mix();
    const auto value = [&mix](const QString& name) {
      const auto found = mix.findItems(name, Qt::MatchExactly);
      return found.isEmpty() ? QString() : mix.item(found.front()->row(), 1)->text();
    };
    QCOMPARE(value("registers of a thread"), QString("64"));
    QCOMPARE(value("spilled by a thread"), QString("128 B"));
    QCOMPARE(value("occupancy"), QString("50 %"));
  }

  void views_without_room_become_tabs() {
    QCOMPARE(panel_->tabs().count(), 0);
    const auto titles = [this] {
      QStringList texts;
      for (int tab = 0; tab < panel_->tabs().count(); ++tab) texts.append(panel_->tabs().tabText(tab));
      return texts;
    };
    panel_->resize(420, 280);
    QTRY_COMPARE(titles(), QStringList({"Instructions", "Loop nest", "Source", "Numbers"}));
    QVERIFY(instructions().isVisible());
    QCOMPARE(panel_->width(), 420);
    panel_->resize(800, 900);
    QTRY_COMPARE(titles(), QStringList({"Loop nest", "Source"}));
    QVERIFY(instructions().isVisible() && panel_->numbers().isVisible());
    panel_->resize(1500, 900);
    QTRY_COMPARE(panel_->tabs().count(), 0);
    QVERIFY(panel_->nest().isVisible() && panel_->source().isVisible());
  }

  void the_listing_has_each_line_of_source_above_its_instructions() {
    const measure::KernelInsight insight = made_insight();
    const std::string text = views::interleaved_listing(insight, insight.code, "trial 1");
    const auto source = text.find("# 5:     keep(acc);");
    const auto spill = text.find("vmovaps");
    QVERIFY2(source != std::string::npos && source < spill, text.c_str());
    for (const machine_code::MachineLine& line : insight.code.lines)
      QVERIFY(text.find(line.text) != std::string::npos);
    QVERIFY(text.substr(0, text.find('\n')).ends_with(views::listing_title()));
  }

  void counters_are_shown_where_there_are_any() {
    QVERIFY(!panel_->numbers().counted().isVisible());
    trial::CounterReading reading;
    reading.cycles = 2000;
    reading.instructions = 5000;
    reading.missing = {{"L2 misses", "this processor does not count them", ""}};
    panel_->show_insight(
        std::make_shared<const workspace::TrialInsight>(workspace::TrialInsight{made_insight(), reading}),
        {});
    const QTableWidget& counted = panel_->numbers().counted();
    QVERIFY(counted.isVisible());
    const auto found = counted.findItems("instructions per cycle", Qt::MatchExactly);
    QCOMPARE(counted.item(found.front()->row(), 1)->text(), QString("2.5"));
    QVERIFY(!counted.findItems("L2 misses", Qt::MatchExactly).isEmpty());
  }

  /** Without samples the bars are of instructions; with samples of time, also in the instructions. */
  void lines_have_bars_of_their_shares() {
    const auto share = [](const widgets::CodeView& view, int line) {
      const std::vector<double>& shares = view.line_shares();
      const auto place = static_cast<std::size_t>(line);
      return place < shares.size() ? shares[place] : 0.0;
    };
    // 30 lines before the loops, 2 of the outer loop and 1 behind run once; 4 of the hot loop 1,000 times.
    constexpr double all = 30 + 2 + 1 + 4 * 1000;
    QVERIFY(std::abs(share(panel_->source().view(), hot_source_line - 1) - 3000 / all) < 1e-9);
    QVERIFY(std::abs(share(panel_->nest().view(), 1) - 4000 / all) < 1e-9);
    QVERIFY(std::abs(share(instructions(), line_with(instructions(), "30 lines")) - 30 / all) < 1e-9);
    const int width = panel_->source().view().margin_width();
    trial::CounterReading reading;
    reading.samples = trial::CodeSamples{.event = "processor time",
                                         .instruction_count = 37,
                                         .instructions = {{32, spill_source_line, 75}},
                                         .outside = 25,
                                         .lost = 0,
                                         .code_hash = machine_code::instructions_hash(made_insight().code)};
    panel_->show_insight(
        std::make_shared<const workspace::TrialInsight>(workspace::TrialInsight{made_insight(), reading}),
        {});
    QCOMPARE(share(panel_->source().view(), spill_source_line - 1), 0.75);
    QCOMPARE(share(panel_->source().view(), hot_source_line - 1), 0.0);
    QCOMPARE(share(instructions(), line_with(instructions(), "vmovaps")), 0.75);
    panel_->instructions().show_all_action().trigger();
    QCOMPARE(share(instructions(), line_with(instructions(), "vmovaps")), 0.75);
    panel_->source().view().set_code("no bars\n");
    QVERIFY(panel_->source().view().margin_width() < width);
  }

  void advice_stands_above_the_numbers() {
    QVERIFY2(panel_->numbers().advice().contains("moves values between registers and the stack"),
             qPrintable(panel_->numbers().advice()));
    measure::KernelInsight clean = made_insight();
    clean.code.loops[1].mix = {};
    clean.bounds.clear();
    panel_->show_insight(shared(clean), {});
    QVERIFY2(panel_->numbers().advice().startsWith("No rule found"), qPrintable(panel_->numbers().advice()));
  }

  void a_kernel_is_counted_from_here() {
    trial::CounterReading reading;
    reading.cycles = 2000;
    reading.instructions = 5000;
    reading.missing = {{"L1 misses", "the system allows none", "lower perf_event_paranoid"},
                       {"L2 misses", "the system allows none", "lower perf_event_paranoid"}};
    views::WhyPanel panel(*workspace_,
                          [reading](store::Store&, store::SessionId session, std::int64_t trial,
                                    const session::StopRequest&) -> Result<trial::CounterReading> {
                            if (session == 2 && trial == 1) return reading;
                            return fail(ErrorCode::Refused, "it replays a recorded space",
                                        "run its task here");
                          });
    panel.resize(1500, 900);
    panel.show();
    views::WhyNumbers& numbers = panel.numbers();
    const auto show = [&](store::SessionId session, const QString& uncountable = {}) {
      panel.show_insight(shared(made_insight()), {QStringLiteral("a trial"), 16, session, 1, uncountable});
    };
    show(2);
    QVERIFY(numbers.count_button().isEnabled() && numbers.count_button().isVisible());
    QVERIFY2(numbers.counting().contains("Nothing was counted"), qPrintable(numbers.counting()));
    click(panel.source().view(), spill_source_line - 1);
    const std::vector<int> selected = panel.instructions().view().linked_lines();
    numbers.count_button().click();
    QVERIFY(!numbers.count_button().isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(numbers.counted().isVisible(), patience_milliseconds);
    QVERIFY(numbers.count_button().isEnabled());
    QCOMPARE(numbers.counting(), QString("Missing: L1 misses, L2 misses (the system allows none). "
                                         "To get them: lower perf_event_paranoid."));
    QCOMPARE(panel.instructions().view().linked_lines(), selected);
    // Another kernel has no numbers of this one, and says why it can't have any.
    show(3);
    QVERIFY(!numbers.counted().isVisible());
    numbers.count_button().click();
    QTRY_VERIFY_WITH_TIMEOUT(numbers.counting().contains("recorded space"), patience_milliseconds);
    QVERIFY(numbers.counting().contains("run its task here"));
    QVERIFY(numbers.count_button().isEnabled());
    show(4, QStringLiteral("a GPU's"));
    QVERIFY(!numbers.count_button().isEnabled());
    QCOMPARE(numbers.counting(), QString("a GPU's"));
    panel.count_now();
    QVERIFY(!numbers.count_button().isEnabled());
  }

  void a_trial_of_a_session_is_built_and_kept() {
    const store::SessionId session = database_.add_session(20, "random", "matmul 64x64 64x64 f32");
    QVERIFY(gui_tests::open_and_wait(*workspace_, session));
    const auto details = [this](std::int64_t row) {
      return std::make_shared<const workspace::TrialDetails>(
          workspace::load_trial_details(workspace_->database(), workspace_->source(), row).value());
    };
    const auto best = details(workspace_->source()->headline.row);
    QVERIFY2(!best->source_text.empty(), best->source_problem.c_str());
    panel_->set_trial(workspace_->source(), best);
    QVERIFY(panel_->insight() == nullptr);
    QVERIFY2(panel_->state().contains("line tables"), qPrintable(panel_->state()));
    QTRY_VERIFY_WITH_TIMEOUT(panel_->insight() != nullptr, patience_milliseconds);
    QVERIFY(panel_->state().isEmpty());
    const measure::KernelInsight& kernel = panel_->insight()->kernel;
    QCOMPARE(panel_->source().view().toPlainText().toStdString(), best->source_text);
    QVERIFY(!panel_->nest().view().toPlainText().isEmpty());
    QVERIFY(std::ranges::any_of(kernel.code.lines,
                                [](const machine_code::MachineLine& line) { return line.source_line > 0; }));
    QVERIFY(!panel_->sentence().isEmpty());
    // From each node to its lines, and back.
    const schedule::StageTree& stages = kernel.stages;
    QVERIFY(stages.nodes.size() > 3);
    for (std::size_t node = 1; node < stages.nodes.size(); ++node) {
      emit panel_->stages().node_chosen(static_cast<int>(node));
      std::vector<int> lines = stages.nodes[node].lines;
      for (int& line : lines) --line;
      QCOMPARE(panel_->nest().view().linked_lines(), lines);
      if (lines.empty()) continue;
      emit panel_->nest().view().line_chosen(lines.front());
      QCOMPARE(panel_->stages().chosen(), static_cast<int>(node));
    }

    const auto first = panel_->insight();
    std::int64_t other = 0;
    while (other == workspace_->source()->headline.row) ++other;
    panel_->set_trial(workspace_->source(), details(other));
    panel_->set_trial(workspace_->source(), best);
    QVERIFY(panel_->insight() == first);  // not built again
  }

  void a_source_that_cannot_be_made_again_says_why() {
    const store::SessionId session = database_.add_session(session_tests::make_setup("random", 3, 10, 5));
    QVERIFY(gui_tests::open_and_wait(*workspace_, session));
    const auto details = std::make_shared<const workspace::TrialDetails>(
        workspace::load_trial_details(workspace_->database(), workspace_->source(), 0).value());
    panel_->set_trial(workspace_->source(), details);
    QVERIFY(!details->source_problem.empty());
    QVERIFY(panel_->state().contains(QString::fromStdString(details->source_problem)));
  }

 private:
  widgets::CodeView& instructions() const { return panel_->instructions().view(); }

  gui_tests::Database database_;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<views::WhyPanel> panel_;
};

KERNELSCAPE_TEST(WhyPanelTest, QApplication)

}  // namespace kernelscape::why_panel_test
#include "why_panel_test.moc"
