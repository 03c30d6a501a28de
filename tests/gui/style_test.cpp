#include <QApplication>
#include <QDockWidget>
#include <QImage>
#include <QLabel>
#include <QMainWindow>
#include <QMessageBox>
#include <QPainter>
#include <QStyle>
#include <QTest>
#include <QToolTip>
#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "tests/test_program.h"
#include "ui/charts/curves/point_cloud.h"
#include "ui/style/icons.h"
#include "ui/style/plain_texts.h"
#include "ui/style/theme.h"

namespace kernelscape::style_test {
namespace {

constexpr double text_contrast = 4.5;
constexpr double graphics_contrast = 3;

/** What the eye sees of a colour that lets its ground through. */
QColor over(const QColor& colour, const QColor& ground, double opacity) {
  const auto channel = [&](float above, float below) {
    return static_cast<float>(above * opacity + below * (1 - opacity));
  };
  return QColor::fromRgbF(channel(colour.redF(), ground.redF()), channel(colour.greenF(), ground.greenF()),
                          channel(colour.blueF(), ground.blueF()));
}

void add_pair(const QString& name, const QColor& above, const QColor& below, double least) {
  QTest::newRow(qPrintable(name)) << above << below << least;
}

/** What stands on all grounds. */
void add_grounds(const QString& theme, const style::Colours& palette) {
  const std::vector<std::pair<QString, QColor>> grounds{{QStringLiteral("window"), palette.window},
                                                        {QStringLiteral("surface"), palette.surface}};
  const std::vector<std::pair<QString, QColor>> texts{
      {QStringLiteral("text"), palette.text},
      {QStringLiteral("muted"), palette.muted_text},
      {QStringLiteral("accent"), palette.accent},
      {QStringLiteral("warning"), palette.warning},
      {QStringLiteral("marked"), palette.marked},
      {QStringLiteral("keyword"), palette.syntax.keyword},
      {QStringLiteral("type"), palette.syntax.type},
      {QStringLiteral("number"), palette.syntax.number},
      {QStringLiteral("string"), palette.syntax.string},
      {QStringLiteral("comment"), palette.syntax.comment},
      {QStringLiteral("preprocessor"), palette.syntax.preprocessor},
      {QStringLiteral("function"), palette.syntax.function}};
  for (const auto& [text, above] : texts) {
    for (const auto& [ground, below] : grounds)
      add_pair(theme + QStringLiteral(": ") + text + QStringLiteral(" on ") + ground, above, below,
               text_contrast);
  }
  for (std::size_t text = 0; text < 5; ++text)  // those that lists paint
    add_pair(theme + QStringLiteral(": ") + texts[text].first + QStringLiteral(" on selection"),
             texts[text].second, palette.selection, text_contrast);
  add_pair(theme + QStringLiteral(": selected text"), palette.selection_text, palette.selection,
           text_contrast);
  add_pair(theme + QStringLiteral(": text on accent"), palette.accent_text, palette.accent, text_contrast);
  for (const double tint : {0.12, 0.24})  // of chips
    add_pair(theme + QStringLiteral(": text on a chip of %1").arg(tint), palette.text,
             over(palette.accent, palette.window, tint), text_contrast);
  for (const auto& [ground, below] : grounds)
    add_pair(theme + QStringLiteral(": focus ring on ") + ground, palette.focus_ring, below,
             graphics_contrast);
}

/** What charts and tables paint on their surface. Categories and arms are letters and labels too. */
void add_own_colours(const QString& theme, const style::Colours& palette) {
  for (const style::CategoryStyle& category : palette.categories)
    add_pair(theme + QStringLiteral(": category ") + QLatin1Char(category.letter), category.colour,
             palette.surface, text_contrast);
  for (std::size_t arm = 0; arm <= style::arm_style_count; ++arm)
    add_pair(theme + QStringLiteral(": arm %1").arg(arm), palette.arm(arm).colour, palette.surface,
             text_contrast);
  const std::vector<QColor> phases{palette.phases.search, palette.phases.build, palette.phases.run,
                                   palette.phases.idle};
  for (std::size_t phase = 0; phase < phases.size(); ++phase)
    add_pair(theme + QStringLiteral(": phase %1").arg(phase), phases[phase], palette.surface,
             graphics_contrast);
  add_pair(theme + QStringLiteral(": a dot"), over(palette.accent, palette.surface, charts::min_dot_opacity),
           palette.surface, graphics_contrast);
}

QImage painted(const QIcon& icon) {
  QImage image(48, 48, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  icon.paint(&painter, image.rect());
  return image;
}

}  // namespace

class StyleTest : public QObject {
  Q_OBJECT

 private slots:
  void texts_and_marks_stand_out_data() {
    QTest::addColumn<QColor>("above");
    QTest::addColumn<QColor>("below");
    QTest::addColumn<double>("least");
    for (const style::Colours* palette : {&style::light_colours(), &style::dark_colours()}) {
      const QString theme = palette->dark ? QStringLiteral("dark") : QStringLiteral("light");
      add_grounds(theme, *palette);
      add_own_colours(theme, *palette);
    }
  }

  /** Every pair of colours that a text or a mark of the window is painted with, in both themes. */
  void texts_and_marks_stand_out() {
    QFETCH(const QColor, above);
    QFETCH(const QColor, below);
    QFETCH(const double, least);
    const double contrast = style::contrast_ratio(above, below);
    QVERIFY2(contrast >= least,
             qPrintable(QStringLiteral("%1 on %2: %3").arg(above.name(), below.name()).arg(contrast)));
  }

  void the_widgets_palette_stands_out() {
    QCOMPARE(style::contrast_ratio(Qt::white, Qt::black), 21.0);
    auto& application = *qobject_cast<QApplication*>(QCoreApplication::instance());
    for (const style::ThemeChoice theme : {style::ThemeChoice::Light, style::ThemeChoice::Dark}) {
      style::apply_theme(application, theme);
      const QPalette palette = QApplication::palette();
      const auto verify = [&](QPalette::ColorGroup group, QPalette::ColorRole above,
                              QPalette::ColorRole below, double least) {
        const double contrast =
            style::contrast_ratio(palette.color(group, above), palette.color(group, below));
        QVERIFY2(contrast >= least, qPrintable(QStringLiteral("%1 on %2 of group %3, theme %4: %5")
                                                   .arg(above)
                                                   .arg(below)
                                                   .arg(group)
                                                   .arg(static_cast<int>(theme))
                                                   .arg(contrast)));
      };
      for (const auto group : {QPalette::Active, QPalette::Inactive}) {
        for (const auto below : {QPalette::Window, QPalette::Base, QPalette::AlternateBase, QPalette::Button})
          for (const auto above : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText,
                                   QPalette::PlaceholderText, QPalette::Link, QPalette::LinkVisited})
            verify(group, above, below, text_contrast);
        verify(group, QPalette::HighlightedText, QPalette::Highlight, text_contrast);
        verify(group, QPalette::ToolTipText, QPalette::ToolTipBase, text_contrast);
      }
      for (const auto below : {QPalette::Window, QPalette::Base, QPalette::Button})
        for (const auto above : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
          verify(QPalette::Disabled, above, below, graphics_contrast);
      verify(QPalette::Disabled, QPalette::HighlightedText, QPalette::Highlight, graphics_contrast);
    }
    style::apply_theme(application, style::ThemeChoice::Light);
  }

  void texts_are_no_markup() {
    style::keep_texts_plain(*qApp);
    style::keep_texts_plain(*qApp);
    const QString markup = QStringLiteral("<img src='file:///dev/null'>");
    const auto is_plain = [](QLabel& label) {
      (void)label.sizeHint();
      return label.textFormat() == Qt::PlainText;
    };
    QLabel early(markup);
    QVERIFY(is_plain(early));
    QLabel later;
    QVERIFY(is_plain(later));
    later.setText(markup);
    QVERIFY(is_plain(later));
    QLabel chosen(markup);
    chosen.setTextFormat(Qt::RichText);
    QVERIFY(!is_plain(chosen));
    QMessageBox question;
    question.setText(markup);
    question.setInformativeText(markup);
    question.show();
    const QList<QLabel*> labels = question.findChildren<QLabel*>();
    QVERIFY(std::ranges::count(labels, markup, &QLabel::text) >= 2);
    for (QLabel* label : labels) QVERIFY(is_plain(*label));
    QToolTip::showText(QPoint(10, 10), markup);
    int tips = 0;
    for (QWidget* widget : QApplication::allWidgets()) {
      if (!widget->inherits("QTipLabel")) continue;
      ++tips;
      QVERIFY(is_plain(*qobject_cast<QLabel*>(widget)));
    }
    QCOMPARE(tips, 1);
    QToolTip::hideText();
  }

  void categories_and_arms_differ_without_colour() {
    for (const style::Colours* palette : {&style::light_colours(), &style::dark_colours()}) {
      std::set<char> letters;
      std::set<style::Hatch> hatches;
      std::set<QRgb> category_colours;
      for (const style::CategoryStyle& category : palette->categories) {
        letters.insert(category.letter);
        hatches.insert(category.hatch);
        category_colours.insert(category.colour.rgb());
      }
      QCOMPARE(letters.size(), trial::error_category_count);
      QCOMPARE(hatches.size(), trial::error_category_count);
      QCOMPARE(category_colours.size(), trial::error_category_count);
      std::set<std::vector<double>> dashes;
      for (const style::ArmStyle& arm : palette->arms) dashes.insert(arm.dashes);
      QCOMPARE(dashes.size(), style::arm_style_count);
    }
    QCOMPARE(style::light_colours().of(trial::ErrorCategory::NoError).letter, 'V');
    QCOMPARE(style::light_colours().of(trial::ErrorCategory::NoError).colour, style::light_colours().accent);
    const int hue = style::light_colours().accent.hsvHue();
    QVERIFY2(hue < 190 || hue > 270, "the accent must not be blue");
  }

  void themes() {
    auto& application = *qobject_cast<QApplication*>(QCoreApplication::instance());
    style::apply_theme(application, style::ThemeChoice::Dark);
    QVERIFY(style::colours().dark);
    QCOMPARE(QApplication::palette().color(QPalette::Window), style::dark_colours().window);
    style::apply_theme(application, style::ThemeChoice::Light);
    QVERIFY(!style::colours().dark);
    QCOMPARE(QApplication::palette().color(QPalette::Text), style::light_colours().text);
    QCOMPARE(style::theme_choice(), style::ThemeChoice::Light);
    for (const style::ThemeChoice choice : {style::ThemeChoice::Dark, style::ThemeChoice::Light}) {
      style::apply_theme(application, choice);
      const QPalette palette = QApplication::palette();
      for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        QVERIFY(style::contrast_ratio(palette.color(QPalette::Disabled, role), style::colours().window) >=
                graphics_contrast);
    }
    QCOMPARE(QApplication::style()->name().toLower(), QStringLiteral("fusion"));
    style::apply_theme(application, style::ThemeChoice::System);
    QVERIFY2(!style::colours().dark, "the offscreen platform's palette is light, whatever was set before");
  }

  void text_sizes() {
    style::set_text_scale(1);
    const double normal = style::font_of(style::TextSize::Normal).pointSizeF();
    QVERIFY(style::font_of(style::TextSize::Small).pointSizeF() < normal);
    QVERIFY(style::font_of(style::TextSize::Large).pointSizeF() > normal);
    style::set_text_scale(1.5);
    QCOMPARE(style::font_of(style::TextSize::Normal).pointSizeF(), 1.5 * normal);
    QCOMPARE(QApplication::font().pointSizeF(), 1.5 * normal);
    style::set_text_scale(100);
    QCOMPARE(style::text_scale(), 3.0);
    style::set_text_scale(std::numeric_limits<double>::quiet_NaN());
    QCOMPARE(style::text_scale(), 3.0);
    style::set_text_scale(1);
    QCOMPARE(style::font_of(style::TextSize::Normal).pointSizeF(), normal);
  }

  void a_dock_title_follows_the_text() {
    const auto picture_of = [](QDockWidget& dock) {
      dock.ensurePolished();
      dock.resize(300, 200);
      return dock.grab(QRect(0, 0, 150, 30)).toImage();
    };
    style::set_text_scale(1);
    QMainWindow window;
    auto* kept = new QDockWidget(QStringLiteral("Trials"), &window);
    kept->setWidget(new QWidget);
    window.addDockWidget(Qt::LeftDockWidgetArea, kept);
    const QImage usual = picture_of(*kept);
    for (const double scale : {1.5, 0.8, 1.0}) {
      style::set_text_scale(scale);
      QCoreApplication::processEvents();
      auto* fresh = new QDockWidget(QStringLiteral("Trials"), &window);
      fresh->setWidget(new QWidget);
      window.addDockWidget(Qt::RightDockWidgetArea, fresh);
      QCOMPARE(kept->font().pointSizeF(), QApplication::font().pointSizeF());
      QCOMPARE(picture_of(*kept), picture_of(*fresh));
      QCOMPARE(picture_of(*kept) == usual, scale == 1.0);
      delete fresh;
    }
  }

  void colour_maps() {
    QCOMPARE(style::viridis(0), QColor(0x44, 0x01, 0x54));
    QCOMPARE(style::viridis(1), QColor(0xfd, 0xe7, 0x25));
    QCOMPARE(style::viridis(7), style::viridis(1));
    QCOMPARE(style::viridis(std::numeric_limits<double>::quiet_NaN()), style::viridis(0));
    // Viridis grows lighter all the way, so that it also reads in grey.
    for (int step = 1; step <= 100; ++step)
      QVERIFY(style::contrast_ratio(style::viridis(step / 100.0), Qt::black) >
              style::contrast_ratio(style::viridis((step - 1) / 100.0), Qt::black));
    QVERIFY(style::diverging(0).blue() > style::diverging(0).red());
    QVERIFY(style::diverging(1).red() > style::diverging(1).blue());
    QVERIFY(style::diverging(0.5).lightness() > 240);
    QCOMPARE(style::diverging(std::numeric_limits<double>::quiet_NaN()), style::diverging(0.5));
  }

  void icons() {
    const QStringList names = style::icon_names();
    for (const char* name : {"tune",  "explore", "compare", "network",  "library", "start",   "pause",
                             "stop",  "resume",  "queue",   "search",   "filter",  "columns", "export",
                             "copy",  "menu",    "close",   "settings", "theme",   "note",    "tag",
                             "trash", "undo",    "kernel",  "pin",      "follow",  "warning", "help"})
      QVERIFY2(names.contains(QString::fromLatin1(name)), name);
    auto& application = *qobject_cast<QApplication*>(QCoreApplication::instance());
    for (const style::ThemeChoice choice : {style::ThemeChoice::Light, style::ThemeChoice::Dark}) {
      style::apply_theme(application, choice);
      for (const QString& name : names) {
        const QImage image = painted(style::icon(name));
        int opaque = 0;
        for (int y = 0; y < image.height(); ++y)
          for (int x = 0; x < image.width(); ++x)
            if (image.pixelColor(x, y) == style::colours().text) ++opaque;
        QVERIFY2(opaque > 20, qPrintable(name + QStringLiteral(" is not painted in the text's colour")));
      }
    }
    style::apply_theme(application, style::ThemeChoice::Light);
    // A button that begins disabled is painted so first: enabled it must not look the same.
    const QIcon start = style::icon(QStringLiteral("start"));
    const QImage faded = start.pixmap(QSize(48, 48), 1, QIcon::Disabled).toImage();
    const QImage clear = start.pixmap(QSize(48, 48), 1, QIcon::Normal).toImage();
    QVERIFY(faded != clear);
    QVERIFY(start.pixmap(QSize(48, 48), 1, QIcon::Disabled).toImage() == faded);
    QVERIFY(style::icon(QStringLiteral("start")).pixmap(QSize(48, 48), 1, QIcon::Normal).toImage() == clear);
    QVERIFY(style::icon(QStringLiteral("no such icon")).isNull());
    QVERIFY(!style::application_icon().isNull());
    style::apply_theme(application, style::ThemeChoice::Light);
  }
};

KERNELSCAPE_TEST(StyleTest, QApplication)

}  // namespace kernelscape::style_test
#include "style_test.moc"
