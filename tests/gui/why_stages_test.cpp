#include <QClipboard>
#include <QGuiApplication>
#include <QTabWidget>
#include <QTableWidget>
#include <QTreeWidget>
#include <array>

#include "tests/gui/gui_support.h"
#include "tests/gui/made_insight.h"
#include "tests/test_program.h"
#include "ui/style/theme.h"
#include "ui/views/trials/instruction_panel.h"
#include "ui/views/trials/stage_panel.h"
#include "ui/views/trials/why_numbers.h"
#include "ui/views/trials/why_panel.h"

namespace kernelscape::why_stages_test {
using namespace kernelscape::why_tests;

/** The tree of stages in the panel: linked with its nest, source and instructions both ways. */
class WhyStagesTest : public QObject {
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
  void a_node_selects_its_lines_everywhere() {
    show_stages();
    click_node(1);
    QCOMPARE(panel_->nest().view().linked_lines(), (std::vector<int>{0}));
    QCOMPARE(panel_->source().view().linked_lines(), (std::vector<int>{outer_source_line - 1}));
    QCOMPARE(texts_of(instructions(), instructions().linked_lines()).front(), QString("addq $4, %rdi"));
    click_node(0);
    QCOMPARE(panel_->nest().view().linked_lines(), (std::vector<int>{1}));
    QCOMPARE(panel_->source().view().linked_lines(), (std::vector<int>{3, 4}));
    // Keys go on from there; what has no line selects none.
    QTreeWidget& tree = panel_->stages().tree();
    QTest::keyClick(&tree, Qt::Key_End);
    QCOMPARE(panel_->stages().chosen(), 3);
    QVERIFY(panel_->nest().view().linked_lines().empty() && instructions().linked_lines().empty());
    QTest::keyClick(&tree, Qt::Key_Home);
    QCOMPARE(panel_->source().view().linked_lines(), (std::vector<int>{3, 4}));
    // A node can be chosen once more after something else was.
    click(panel_->source().view(), outer_source_line - 1);
    QCOMPARE(panel_->stages().chosen(), 1);
    click_node(1);
    QCOMPARE(panel_->nest().view().linked_lines(), (std::vector<int>{0}));
    QVERIFY(!instructions().linked_lines().empty());
  }

  void a_line_selects_its_innermost_loop() {
    show_stages();
    QCOMPARE(panel_->stages().chosen(), 1);  // the hot loop
    panel_->select({});
    QCOMPARE(panel_->stages().chosen(), -1);
    click(panel_->nest().view(), 1);
    QCOMPARE(panel_->stages().chosen(), 1);
    panel_->select({});
    click(panel_->source().view(), hot_source_line - 1);
    QCOMPARE(panel_->stages().chosen(), 1);
    panel_->select({});
    click(instructions(), line_with(instructions(), "vmovaps"));
    QCOMPARE(panel_->stages().chosen(), 1);
    // What the program chose selects nothing by itself.
    QCOMPARE(panel_->source().view().linked_lines(), (std::vector<int>{spill_source_line - 1}));
  }

  void pointing_at_a_node_hints_its_lines() {
    show_stages();
    QTreeWidget& tree = panel_->stages().tree();
    const QPoint place = tree.visualItemRect(item_of(1)).center();
    // A pointer that is there already does not move.
    QTest::mouseMove(tree.viewport(), place + QPoint(2, 0));
    QTest::mouseMove(tree.viewport(), place);
    QTRY_COMPARE(panel_->nest().view().hinted_lines(), (std::vector<int>{0}));
    emit panel_->stages().node_hovered(-1);
    QVERIFY(panel_->nest().view().hinted_lines().empty());
  }

  void the_tree_is_read_copied_and_seen_in_every_theme() {
    show_stages();
    views::StagePanel& stages = panel_->stages();
    QVERIFY(!stages.tree().accessibleName().isEmpty());
    QCOMPARE(stages.whole_text().split('\n').size(), 5);
    stages.copy();
    QVERIFY(QGuiApplication::clipboard()->text().contains("\n    sums in registers"));
    click_node(2);
    QTest::keySequence(&stages.tree(), QKeySequence::Copy);
    QCOMPARE(QGuiApplication::clipboard()->text(), item_of(2)->text(0));
    QCOMPARE(item_of(2)->toolTip(0), item_of(2)->text(0));
    QVERIFY(item_of(0)->font(0).bold() && !item_of(1)->font(0).bold());
    for (const style::ThemeChoice theme : {style::ThemeChoice::Dark, style::ThemeChoice::Light}) {
      style::apply_theme(*qApp, theme);
      QTRY_COMPARE(item_of(1)->foreground(0).color(), style::colours().text);
      QCOMPARE(item_of(3)->foreground(0).color(), style::colours().muted_text);
    }
    const int height = stages.tree().visualItemRect(item_of(1)).height();
    style::set_text_scale(1.5);
    QTRY_VERIFY(stages.tree().visualItemRect(item_of(1)).height() > height);
    style::set_text_scale(1);
  }

  void stages_stand_above_their_nest_or_become_a_tab() {
    QVERIFY(!panel_->stages().isVisible());  // this kernel has none
    show_stages();
    const auto titles = [this] {
      QStringList texts;
      for (int tab = 0; tab < panel_->tabs().count(); ++tab) texts.append(panel_->tabs().tabText(tab));
      return texts;
    };
    QVERIFY(panel_->stages().isVisible() && panel_->nest().isVisible() && titles().isEmpty());
    const auto top = [this](const QWidget& widget) { return widget.mapTo(panel_.get(), QPoint()).y(); };
    QVERIFY(top(panel_->stages()) < top(panel_->nest()));
    panel_->resize(800, 900);
    QTRY_COMPARE(titles(), QStringList({"Stages", "Loop nest", "Source"}));
    panel_->resize(420, 280);
    QTRY_COMPARE(titles(), QStringList({"Instructions", "Stages", "Loop nest", "Source", "Numbers"}));
    panel_->resize(1500, 900);
    QTRY_VERIFY(titles().isEmpty());
    QVERIFY(panel_->stages().isVisible() && top(panel_->stages()) < top(panel_->nest()));
    panel_->show_insight(shared(made_insight()), {});
    QVERIFY(!panel_->stages().isVisible() && panel_->nest().isVisible() && titles().isEmpty());
  }

  void without_machine_code_there_is_all_the_rest() {
    measure::KernelInsight insight = staged_insight();
    insight.code = {};
    insight.bounds.clear();
    insight.code_problem = "the driver shows no assembly";
    panel_->show_insight(shared(insight), {});
    QCOMPARE(panel_->instructions().state(), QString("the driver shows no assembly"));
    QVERIFY(panel_->sentence().contains("not known"));
    QCOMPARE(panel_->numbers().mix().rowCount(), 0);
    click_node(1);
    QCOMPARE(panel_->source().view().linked_lines(), (std::vector<int>{outer_source_line - 1}));
    click(panel_->nest().view(), 1);
    QCOMPARE(panel_->source().view().linked_lines(), (std::vector<int>{3, 4}));
    panel_->show_insight(shared(staged_insight()), {});
    QVERIFY(panel_->instructions().state().isEmpty());
  }

 private:
  widgets::CodeView& instructions() const { return panel_->instructions().view(); }
  void show_stages() { panel_->show_insight(shared(staged_insight()), {QStringLiteral("a trial"), 16}); }
  /** The item of a node of made_stages(). */
  QTreeWidgetItem* item_of(int node) const {
    QTreeWidgetItem* root = panel_->stages().tree().topLevelItem(0);
    const std::array items{root, root->child(0), root->child(0)->child(0), root->child(1)};
    return items[static_cast<std::size_t>(node)];
  }
  void click_node(int node) const {
    QTreeWidget& tree = panel_->stages().tree();
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, Qt::NoModifier,
                      tree.visualItemRect(item_of(node)).center());
  }

  gui_tests::Database database_;
  std::unique_ptr<workspace::Workspace> workspace_;
  std::unique_ptr<views::WhyPanel> panel_;
};

KERNELSCAPE_TEST(WhyStagesTest, QApplication)

}  // namespace kernelscape::why_stages_test
#include "why_stages_test.moc"
