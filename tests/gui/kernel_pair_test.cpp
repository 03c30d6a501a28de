#include <QTabWidget>
#include <QTableWidget>
#include <algorithm>

#include "tests/gui/gui_support.h"
#include "tests/test_program.h"
#include "ui/style/theme.h"
#include "ui/views/trials/code_panel.h"
#include "ui/views/trials/kernel_pair_text.h"
#include "ui/views/trials/kernel_pair_window.h"
#include "ui/views/trials/trial_table_view.h"

namespace kernelscape::kernel_pair_test {

namespace {

constexpr int pair_patience_milliseconds = 120'000;

machine_code::MachineCode one_loop(int accumulators) {
  machine_code::MachineCode code;
  code.language = machine_code::MachineLanguage::X86;
  machine_code::MachineLine line;
  line.text = "vfmadd231ps (%rsi), %ymm1, %ymm" + std::to_string(accumulators);
  line.loop = 0;
  line.facts.instruction_class = machine_code::InstructionClass::MultiplyAdd;
  code.lines = {line};
  machine_code::MachineLoop hot;
  hot.mix.counts[static_cast<std::size_t>(machine_code::InstructionClass::MultiplyAdd)] = 1;
  hot.mix.multiply_adds = 8;
  hot.mix.accumulators = accumulators;
  code.loops = {hot};
  code.hot_loop = 0;
  return code;
}

workspace::TrialInsight made_insight(int accumulators) {
  workspace::TrialInsight insight;
  insight.kernel.code = one_loop(accumulators);
  insight.kernel.nest_text = "for i in [0, " + std::to_string(accumulators) + ")\n";
  return insight;
}

const views::PairFact* fact_of(const std::vector<views::PairFact>& facts, const QString& what) {
  const auto found = std::ranges::find(facts, what, &views::PairFact::what);
  return found == facts.end() ? nullptr : &*found;
}

}  // namespace

/** Two trials side by side: what is read, what is said, and where it is asked for. */
class KernelPairTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() {
    style::apply_theme(*qApp, style::ThemeChoice::Light);
    session_ = database_.add_session(60);
  }

  void init() {
    workspace_ = std::make_unique<workspace::Workspace>(database_.path());
    QVERIFY(gui_tests::open_and_wait(*workspace_, session_));
    source_ = workspace_->source();
    best_ = source_->headline.row;
    other_ = valid_row_but(best_);
    QVERIFY(best_ != analysis::no_row && other_ != analysis::no_row);
  }

  void cleanup() {
    source_.reset();
    workspace_.reset();
    workspace::JobTracker::wait_for_all();
  }

  void two_trials_are_read_and_compared() {
    views::KernelPairWindow window(*workspace_);
    window.compare(source_, other_, best_);
    window.show();
    QVERIFY(window.state().contains("building both"));
    QTRY_VERIFY_WITH_TIMEOUT(window.state().isEmpty(), pair_patience_milliseconds);
    QVERIFY(!window.sentences().isEmpty());
    QVERIFY(window.table().rowCount() > 0);
    // The scripted kernels have other sources, whatever the compiler makes of them.
    QVERIFY(window.source_difference().state().isEmpty());
  }

  void the_table_has_knobs_and_numbers_of_the_loops() {
    const workspace::KernelPair pair = made_pair();
    const std::vector<views::PairFact> facts = views::pair_facts(pair);
    QVERIFY(!pair.knobs.empty());
    for (const std::size_t knob : pair.knobs) {
      const views::PairFact* fact =
          fact_of(facts, QString::fromStdString(source_->space().knobs()[knob].name()));
      QVERIFY(fact && fact->differs());
    }
    const views::PairFact* lanes = fact_of(facts, "lanes of a multiply-add");
    QVERIFY(lanes && lanes->a == "8" && !lanes->differs());
  }

  void what_is_known_is_shown_at_once() {
    views::KernelPairWindow window(*workspace_);
    window.show_pair(std::make_shared<const views::ShownPair>(views::shown_pair(made_pair())));
    QVERIFY(window.state().isEmpty());
    QVERIFY(window.sentences().startsWith(QString::fromStdString(made_pair().difference.sentences.front())));
    QVERIFY(window.hot_loop_a().view().toPlainText().contains("%ymm6"));
    QVERIFY(window.hot_loop_b().view().toPlainText().contains("%ymm12"));
    QVERIFY(window.nest_difference().view().toPlainText().contains("[0, 12)"));
    QCOMPARE(window.table().rowCount(), static_cast<int>(views::pair_facts(made_pair()).size()));
  }

  void a_kernel_without_code_has_its_reason() {
    workspace::KernelPair pair = made_pair();
    pair.b.insight.reset();
    pair.b.insight_problem = "no compiler was found";
    workspace::compare_pair(pair);
    views::KernelPairWindow window(*workspace_);
    window.show_pair(std::make_shared<const views::ShownPair>(views::shown_pair(std::move(pair))));
    QVERIFY(window.sentences().contains("The hot loop of B is unknown"));
    QVERIFY(window.hot_loop_b().state().contains("no compiler was found"));
    QVERIFY(window.nest_difference().state().contains("no compiler was found"));
    QVERIFY(window.hot_loop_a().state().isEmpty());
  }

  void the_table_asks_for_two_trials() {
    views::TrialTableView view(*workspace_);
    QList<std::pair<qint64, qint64>> asked;
    QStringList reported;
    connect(&view, &views::TrialTableView::pair_requested, this,
            [&asked](qint64 row_a, qint64 row_b) { asked.append(std::pair<qint64, qint64>(row_a, row_b)); });
    connect(&view, &views::TrialTableView::notified, this,
            [&reported](const QString& text) { reported.append(text); });
    workspace_->set_current_row(best_);
    view.compare_chosen();
    QVERIFY(asked.isEmpty());
    QCOMPARE(reported.size(), 1);
    workspace_->set_current_row(other_);
    view.compare_chosen();
    QVERIFY((asked.takeLast() == std::pair<qint64, qint64>(other_, best_)));
    const std::vector<std::int64_t> two{0, 1};
    workspace_->set_selection(analysis::RowSet::of(source_->trials.size(), two));
    view.compare_chosen();
    QVERIFY((asked.takeLast() == std::pair<qint64, qint64>(0, 1)));
  }

 private:
  std::int64_t valid_row_but(std::int64_t best) const {
    for (std::int64_t row = 0; row < source_->trials.size(); ++row)
      if (row != best && source_->trials.row(row).median_seconds > 0) return row;
    return analysis::no_row;
  }

  /** Both trials as they are stored, with hand-made code of 6 and 12 accumulators. */
  workspace::KernelPair made_pair() const {
    workspace::KernelPair pair;
    pair.source = source_;
    pair.a.details = workspace::load_trial_details(database_.path(), source_, other_).value();
    pair.b.details = workspace::load_trial_details(database_.path(), source_, best_).value();
    pair.a.insight = made_insight(6);
    pair.b.insight = made_insight(12);
    workspace::compare_pair(pair);
    return pair;
  }

  gui_tests::Database database_;
  store::SessionId session_ = 0;
  std::unique_ptr<workspace::Workspace> workspace_;
  workspace::Source source_;
  std::int64_t best_ = analysis::no_row;
  std::int64_t other_ = analysis::no_row;
};

KERNELSCAPE_TEST(KernelPairTest, QApplication)

}  // namespace kernelscape::kernel_pair_test
#include "kernel_pair_test.moc"
