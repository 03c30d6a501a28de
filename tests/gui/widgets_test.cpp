#include <QHeaderView>
#include <QTableWidget>
#include <QTest>
#include <QVBoxLayout>

#include "tests/test_program.h"
#include "ui/views/tune/headline_bar.h"
#include "ui/widgets/code_view.h"
#include "ui/widgets/row_height.h"
#include "ui/widgets/themed_label.h"

using namespace kernelscape;

/** Widgets that more than one view has. */
class WidgetsTest : public QObject {
  Q_OBJECT

 private slots:
  void cleanup() { set_text_scale(1); }
  void theSizeOfTextReachesEveryWidget();
};

void WidgetsTest::theSizeOfTextReachesEveryWidget() {
  QWidget window;
  auto* column = new QVBoxLayout(&window);
  auto* small = new ThemedLabel(TextSize::Small, &Colours::text);
  auto* large = new ThemedLabel(TextSize::Large, &Colours::text);
  auto* code = new CodeView(CodeLanguage::C);
  auto* headline = new HeadlineBar;
  auto* table = new QTableWidget(3, 1);
  keep_row_height(*table, 8, 10);
  for (QWidget* widget : std::initializer_list<QWidget*>{small, large, code, headline, table})
    column->addWidget(widget);
  window.show();
  const auto heights = [&] {
    return QList<int>{small->fontMetrics().height(), large->fontMetrics().height(),
                      code->fontMetrics().height(), headline->sizeHint().height(),
                      table->verticalHeader()->defaultSectionSize()};
  };
  const QList<int> usual = heights();
  set_text_scale(1.5);
  // What has a size of its own has it at once; what inherits its window's, after the next round of events.
  QCOMPARE(large->font().pointSizeF(), font_of(TextSize::Large).pointSizeF());
  QTRY_COMPARE(table->font().pointSizeF(), font_of(TextSize::Normal).pointSizeF());
  const QList<int> larger = heights();
  for (qsizetype i = 0; i < usual.size(); ++i) QVERIFY2(larger[i] > usual[i], qPrintable(QString::number(i)));
  set_text_scale(1);
  QTRY_COMPARE(table->font().pointSizeF(), font_of(TextSize::Normal).pointSizeF());
  QCOMPARE(heights(), usual);
}

KERNELSCAPE_TEST(WidgetsTest, QApplication)
#include "widgets_test.moc"
