#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QStandardItemModel>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/tuner/tuner.h"
#include "tests/test_program.h"
#include "ui/views/runs/form_section.h"
#include "ui/views/runs/headline_bar.h"
#include "ui/widgets/code_view.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/form_fields.h"
#include "ui/widgets/form_scroll_area.h"
#include "ui/widgets/hyperparameter_form.h"
#include "ui/widgets/library_table.h"
#include "ui/widgets/row_height.h"
#include "ui/widgets/themed_label.h"

namespace kernelscape::widgets_test {

/** Widgets that more than one view has. */
class WidgetsTest : public QObject {
  Q_OBJECT

 private slots:
  void cleanup() { style::set_text_scale(1); }
  void theSizeOfTextReachesEveryWidget();
  void hyperparametersFitANarrowDock();
  void aFormIsAsWideAsItNeeds();
  void wrappedTextsKeepTheirLines();
  void aLineThatDoesNotFitIsElided();
  void linesOfAFlowAreAsHighAsTheirOwnWidgets();
  void columnsGrowWithTheirContents();
  void amountsHaveTheDecimalsTheyNeed();
};

namespace {

/** Shown, wrapping, and lower than its lines. */
QString cut_text(const QWidget& parent) {
  for (const QLabel* label : parent.findChildren<QLabel*>()) {
    const bool seen = label->isVisible() && label->wordWrap() && !label->text().isEmpty();
    if (seen && label->height() < label->heightForWidth(label->width())) return label->text();
  }
  return {};
}

/** As the set-up stands in its dock. */
struct NarrowForm {
  NarrowForm() {
    scroll.setWidgetResizable(true);
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    section = new views::FormSection(QStringLiteral("Tuner"), true, content);
    note = widgets::make_note(content);
    form = new widgets::HyperparameterForm(content);
    auto* settings = new views::FormSection(QStringLiteral("Hyperparameters"), true, content);
    settings->form().addRow(form);
    section->form().addRow(note);
    section->form().addRow(settings);
    column->addWidget(section);
    column->addStretch(1);
    scroll.setWidget(content);
    scroll.resize(272, 400);
    scroll.show();
  }

  QScrollArea scroll;
  views::FormSection* section = nullptr;
  QLabel* note = nullptr;
  widgets::HyperparameterForm* form = nullptr;
};

}  // namespace

void WidgetsTest::theSizeOfTextReachesEveryWidget() {
  QWidget window;
  auto* column = new QVBoxLayout(&window);
  auto* small = new widgets::ThemedLabel(style::TextSize::Small, &style::Colours::text);
  auto* large = new widgets::ThemedLabel(style::TextSize::Large, &style::Colours::text);
  auto* code = new widgets::CodeView(widgets::CodeLanguage::C);
  auto* headline = new views::HeadlineBar;
  headline->show_text({.what = QStringLiteral("resnet18/C6"),
                       .state = {},
                       .speed = QStringLiteral("90 GFLOPS"),
                       .spread = {},
                       .comparisons = {},
                       .trust = {}});
  auto* table = new QTableWidget(3, 1);
  widgets::keep_row_height(*table, 8, 10);
  for (QWidget* widget : std::initializer_list<QWidget*>{small, large, code, headline, table})
    column->addWidget(widget);
  window.show();
  const auto heights = [&] {
    return QList<int>{small->fontMetrics().height(), large->fontMetrics().height(),
                      code->fontMetrics().height(), headline->sizeHint().height(),
                      table->verticalHeader()->defaultSectionSize()};
  };
  const QList<int> usual = heights();
  style::set_text_scale(1.5);
  // What has a size of its own has it at once; what inherits its window's, after the next round of events.
  QCOMPARE(large->font().pointSizeF(), style::font_of(style::TextSize::Large).pointSizeF());
  QTRY_COMPARE(table->font().pointSizeF(), style::font_of(style::TextSize::Normal).pointSizeF());
  // Layouts inside of layouts know once they were asked to lay out again.
  QTRY_VERIFY(heights()[3] > usual[3]);
  const QList<int> larger = heights();
  for (qsizetype i = 0; i < usual.size(); ++i) QVERIFY2(larger[i] > usual[i], qPrintable(QString::number(i)));
  style::set_text_scale(1);
  QTRY_COMPARE(table->font().pointSizeF(), style::font_of(style::TextSize::Normal).pointSizeF());
  QTRY_COMPARE(heights(), usual);
}

void WidgetsTest::hyperparametersFitANarrowDock() {
  for (const double scale : {1.0, 1.5}) {
    style::set_text_scale(scale);
    NarrowForm narrow;
    for (const tuner::Declaration& tuner : tuner::tuner_registry()) {
      narrow.form->set_tuner(tuner);
      QTRY_VERIFY2(narrow.scroll.widget()->width() <= narrow.scroll.viewport()->width(), tuner.name.c_str());
      const QRect inside = narrow.scroll.widget()->rect();
      for (const QLineEdit* editor : narrow.form->findChildren<QLineEdit*>()) {
        if (!editor->isVisible()) continue;
        const QRect place(editor->mapTo(narrow.scroll.widget(), QPoint()), editor->size());
        QVERIFY2(inside.left() <= place.left() && place.right() <= inside.right(),
                 qPrintable(editor->accessibleName()));
      }
    }
  }
}

void WidgetsTest::aFormIsAsWideAsItNeeds() {
  constexpr int least = 120;
  QWidget window;
  auto* column = new QVBoxLayout(&window);
  auto* scroll = new widgets::FormScrollArea(least);
  auto* content = new QWidget;
  auto* row = new QVBoxLayout(content);
  auto* box = new QCheckBox(QStringLiteral("Enforce device limits"));
  row->addWidget(box);
  scroll->setWidget(content);
  column->addWidget(scroll);
  window.show();
  const auto fits = [&] {
    return scroll->width() >= least && content->width() <= scroll->viewport()->width() &&
           box->width() >= box->minimumSizeHint().width();
  };
  QTRY_VERIFY(scroll->minimumWidth() > least);
  QTRY_VERIFY(fits());
  const int usual = scroll->minimumWidth();
  style::set_text_scale(2);
  QTRY_VERIFY(scroll->minimumWidth() > usual);
  QTRY_VERIFY(fits());
  style::set_text_scale(1);
  QTRY_COMPARE(scroll->minimumWidth(), usual);
}

void WidgetsTest::wrappedTextsKeepTheirLines() {
  NarrowForm narrow;
  narrow.form->set_tuner(**tuner::find_tuner("gp"));
  narrow.note->setText(QStringLiteral("short"));
  QTRY_COMPARE(cut_text(narrow.scroll), QString());
  narrow.note->setText(
      QStringLiteral("conv2d 1x128x28x28 128x128x3x3 stride=1 pad=1 dilation=1 groups=1 f32\n231.2 MFLOP"));
  QTRY_COMPARE(cut_text(narrow.scroll), QString());
  QVERIFY(narrow.note->height() >= 2 * narrow.note->fontMetrics().height());
  auto* line = narrow.form->findChild<QLineEdit*>();
  line->setText(QStringLiteral("no number, and long enough that what is said of it takes several lines"));
  QTRY_COMPARE(cut_text(narrow.scroll), QString());
  auto* heading = narrow.section->findChild<QToolButton*>();
  heading->click();
  QCoreApplication::processEvents();
  heading->click();
  QTRY_COMPARE(cut_text(narrow.scroll), QString());
  narrow.scroll.resize(360, 400);
  QTRY_COMPARE(cut_text(narrow.scroll), QString());
}

void WidgetsTest::amountsHaveTheDecimalsTheyNeed() {
  QWidget parent;
  QDoubleSpinBox* box =
      widgets::make_amount(&parent, QStringLiteral("Region"), 1000, 20, QStringLiteral("ms"), {});
  QCOMPARE(box->text(), QStringLiteral("20 ms"));
  box->setValue(0.125);
  QCOMPARE(box->cleanText(), box->locale().toString(0.125, 'f', 3));
  box->setValue(100);
  QCOMPARE(box->text(), QStringLiteral("100 ms"));
}

void WidgetsTest::aLineThatDoesNotFitIsElided() {
  widgets::ThemedLabel label(style::TextSize::Normal, &style::Colours::text);
  label.setText(QStringLiteral("a state that is longer than the room beside a few buttons"));
  label.setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  label.resize(label.sizeHint());
  label.show();
  QVERIFY(!label.is_elided());
  const QImage whole = label.grab().toImage();
  label.resize(label.width() / 2, label.height());
  QVERIFY(label.is_elided());
  // It is not the left half of the whole text: it ends in an ellipsis.
  const QImage half = label.grab().toImage();
  QVERIFY(half != whole.copy(half.rect()));
  label.setWordWrap(true);
  QVERIFY(!label.is_elided());
}

void WidgetsTest::linesOfAFlowAreAsHighAsTheirOwnWidgets() {
  QWidget window;
  auto* flow = new widgets::FlowLayout(12);
  window.setLayout(flow);
  const auto add = [&](QSize size) {
    auto* widget = new QWidget;
    widget->setFixedSize(size);
    flow->addWidget(widget);
    return widget;
  };
  const QWidget* high = add({150, 40});
  const QWidget* beside = add({100, 16});
  const QWidget* below = add({200, 16});
  window.resize(300, flow->heightForWidth(300));
  window.show();
  // The low ones neither get the height of the high one nor stand at its top.
  QCOMPARE(high->y(), 0);
  QCOMPARE(beside->geometry().center().y(), high->geometry().center().y());
  QCOMPARE(below->pos(), QPoint(0, 40 + 12));
  QCOMPARE(flow->heightForWidth(300), 40 + 12 + 16);
  QCOMPARE(flow->heightForWidth(1000), 40);
}

void WidgetsTest::columnsGrowWithTheirContents() {
  widgets::LibraryTable table(QStringLiteral("Sessions"));
  QStandardItemModel model(0, 3);
  table.setModel(&model);
  table.resize(600, 200);
  table.show();
  const auto add = [&](const QString& best) {
    model.appendRow({new QStandardItem(QStringLiteral("1")), new QStandardItem(best),
                     new QStandardItem(QStringLiteral("done"))});
  };
  const auto fits = [&](const QString& text) {
    return table.columnWidth(1) > table.fontMetrics().horizontalAdvance(text);
  };
  add(QStringLiteral("1"));
  QTRY_VERIFY(fits(QStringLiteral("1")));
  const QString best = QStringLiteral("14.82 TFLOPS unconfirmed");
  QVERIFY(!fits(best));
  add(best);
  QTRY_VERIFY(fits(best));
  const int width = table.columnWidth(1);
  model.removeRow(1);
  add(QStringLiteral("2"));
  QTest::qWait(600);
  QCOMPARE(table.columnWidth(1), width);
}

KERNELSCAPE_TEST(WidgetsTest, QApplication)

}  // namespace kernelscape::widgets_test
#include "widgets_test.moc"
