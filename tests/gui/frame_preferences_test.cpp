#include <QApplication>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLayout>
#include <QLineEdit>
#include <QRandomGenerator>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/test_program.h"
#include "ui/frame/preferences/preferences.h"
#include "ui/frame/preferences/preferences_dialog.h"

namespace kernelscape::frame_preferences_test {

/** What the user chose survives, whatever lies in the file. */
class FramePreferencesTest : public QObject {
  Q_OBJECT

 private slots:
  void everyValueComesBack();
  void equalPreferencesAreEqualFiles();
  void unknownKeysArePassedOver();
  void whatCantBeUsedIsSetAside_data();
  void whatCantBeUsedIsSetAside();
  void changesAreWrittenOnceThereIsTime();
  void anUnwritableFileIsTold();
  void theDialogFitsItsContent();

 private:
  QTemporaryDir folder_;
  std::filesystem::path path() const {
    return folder_.filePath(QStringLiteral("p/preferences.json")).toStdString();
  }
  QString name() const { return QString::fromStdString(path().string()); }
  void write(const QByteArray& text) const;
};

namespace {

QString random_text(QRandomGenerator& random) {
  QString text;
  for (quint32 i = random.bounded(12U); i > 0; --i) text.append(QChar(random.bounded(0x20, 0x17f)));
  return text;
}

QByteArray random_bytes(QRandomGenerator& random) {
  QByteArray bytes;
  for (quint32 i = random.bounded(40U); i > 0; --i) bytes.append(static_cast<char>(random.bounded(256)));
  return bytes;
}

frame::Preferences random_preferences(QRandomGenerator& random) {
  frame::Preferences preferences;
  preferences.compiler = random_text(random);
  preferences.threads = random.bounded(0, 256);
  preferences.database = random_text(random);
  preferences.theme = static_cast<style::ThemeChoice>(random.bounded(3));
  preferences.text_scale = random.bounded(2.5) + 0.5;
  preferences.notifications = random.bounded(2) == 0;
  preferences.whole_speed_axis = random.bounded(2) == 0;
  preferences.first_start_dismissed = random.bounded(2) == 0;
  for (quint32 i = random.bounded(5U); i > 0; --i)
    preferences.shortcuts.insert(random_text(random),
                                 QKeySequence(Qt::CTRL | Qt::Key(Qt::Key_A + random.bounded(26))));
  for (quint32 i = random.bounded(5U); i > 0; --i)
    preferences.layouts.insert(random_text(random), random_bytes(random));
  for (quint32 i = random.bounded(5U); i > 0; --i)
    preferences.folders.insert(random_text(random), random_text(random));
  preferences.geometry = random_bytes(random);
  preferences.view = random_text(random);
  preferences.fleet_address = random_text(random);
  preferences.fleet_password_file = random_text(random);
  preferences.paused_database = random_text(random);
  for (quint32 i = random.bounded(5U); i > 0; --i) preferences.paused_sessions.append(random_text(random));
  preferences.session_database = random_text(random);
  preferences.session = random_text(random);
  preferences.form = random_text(random);
  for (quint32 i = random.bounded(5U); i > 0; --i) preferences.recent_databases.append(random_text(random));
  return preferences;
}

}  // namespace

void FramePreferencesTest::write(const QByteArray& text) const {
  QVERIFY(QDir().mkpath(folder_.filePath(QStringLiteral("p"))));
  QFile file(name());
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(text);
}

void FramePreferencesTest::everyValueComesBack() {
  const quint32 seed = QRandomGenerator::global()->generate();
  qInfo("seed %u", seed);
  QRandomGenerator random(seed);
  for (int round = 0; round < 200; ++round) {
    const frame::Preferences preferences = random_preferences(random);
    const Result<frame::Preferences> read =
        frame::preferences_from_json(frame::preferences_to_json(preferences));
    QVERIFY(read);
    QVERIFY(*read == preferences);
  }
}

void FramePreferencesTest::equalPreferencesAreEqualFiles() {
  frame::Preferences first;
  frame::Preferences second;
  first.layouts.insert(QStringLiteral("b"), "1");
  first.layouts.insert(QStringLiteral("a"), "2");
  second.layouts.insert(QStringLiteral("a"), "2");
  second.layouts.insert(QStringLiteral("b"), "1");
  QCOMPARE(frame::preferences_to_json(first), frame::preferences_to_json(second));
  QStringList keys;
  for (const QByteArray& line : frame::preferences_to_json(frame::Preferences()).split('\n')) {
    if (line.startsWith("    \"")) keys.append(QString::fromUtf8(line.mid(5, line.indexOf('"', 5) - 5)));
  }
  QVERIFY(keys.size() > 5);
  QVERIFY(std::ranges::is_sorted(keys));
}

void FramePreferencesTest::unknownKeysArePassedOver() {
  const Result<frame::Preferences> read =
      frame::preferences_from_json(R"({"version": 1, "threads": 3, "colour": [1, 2]})");
  QVERIFY(read);
  QCOMPARE(read->threads, 3);
}

void FramePreferencesTest::whatCantBeUsedIsSetAside_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("reason");
  QTest::newRow("cut") << QByteArray("{\"version\": 1, \"threa") << QStringLiteral("not valid JSON");
  QTest::newRow("empty") << QByteArray() << QStringLiteral("not valid JSON");
  QTest::newRow("array") << QByteArray("[1]") << QStringLiteral("not a JSON object");
  QTest::newRow("newer") << QByteArray("{\"version\": 99}") << QStringLiteral("newer");
  QTest::newRow("type") << QByteArray("{\"version\": 1, \"threads\": \"all\"}")
                        << QStringLiteral("\"threads\"");
}

void FramePreferencesTest::whatCantBeUsedIsSetAside() {
  QFETCH(const QByteArray, text);
  QFETCH(const QString, reason);
  write(text);
  frame::PreferencesFile file(path());
  const Status loaded = file.load();
  QVERIFY(!loaded);
  QVERIFY2(QString::fromStdString(loaded.error().message).contains(reason), loaded.error().message.c_str());
  QVERIFY(loaded.error().message.find(".broken") != std::string::npos);
  QVERIFY(file.get() == frame::Preferences());
  QVERIFY(!QFile::exists(name()));
  QFile aside(name() + QStringLiteral(".broken"));
  QVERIFY(aside.open(QIODevice::ReadOnly));
  QCOMPARE(aside.readAll(), text);
  QVERIFY(frame::PreferencesFile(path()).load());
}

void FramePreferencesTest::changesAreWrittenOnceThereIsTime() {
  frame::PreferencesFile file(path());
  QVERIFY(file.load());
  QSignalSpy changed(&file, &frame::PreferencesFile::changed);
  file.change([](frame::Preferences& p) { p.threads = 5; });
  file.change([](frame::Preferences& p) { p.threads = 6; });
  file.change([](frame::Preferences& p) { p.threads = 6; });
  QCOMPARE(changed.size(), 2);
  QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(name()), 10'000);
  frame::PreferencesFile again(path());
  QVERIFY(again.load());
  QCOMPARE(again.get().threads, 6);
  file.change([](frame::Preferences& p) { p.threads = 7; });
  QVERIFY(file.flush());
  QVERIFY(again.load());
  QCOMPARE(again.get().threads, 7);
}

void FramePreferencesTest::anUnwritableFileIsTold() {
  // A file where the folder should be: also root can't write there.
  QFile obstacle(folder_.filePath(QStringLiteral("obstacle")));
  QVERIFY(obstacle.open(QIODevice::WriteOnly));
  frame::PreferencesFile file(folder_.filePath(QStringLiteral("obstacle/preferences.json")).toStdString());
  QSignalSpy failed(&file, &frame::PreferencesFile::failed);
  file.change([](frame::Preferences& p) { p.threads = 1; });
  QTRY_COMPARE_WITH_TIMEOUT(failed.size(), 1, 10'000);
  QVERIFY(failed.front().front().value<Error>().message.find("obstacle") != std::string::npos);
}

void FramePreferencesTest::theDialogFitsItsContent() {
  frame::PreferencesFile file(path());
  frame::PreferencesDialog dialog(file);
  dialog.show();
  for (const double scale : {1.0, 1.5}) {
    QFont font = dialog.font();
    font.setPointSizeF(font.pointSizeF() * scale);
    dialog.setFont(font);
    QTRY_VERIFY(dialog.height() >= dialog.layout()->totalHeightForWidth(dialog.width()));
    QLineEdit* database = nullptr;
    for (auto* field : dialog.findChildren<QLineEdit*>())
      if (field->accessibleName() == QStringLiteral("Database")) database = field;
    QVERIFY(database != nullptr);
    QTRY_VERIFY(database->width() >=
                std::min(600, database->fontMetrics().horizontalAdvance(database->placeholderText())));
  }
}

KERNELSCAPE_TEST(FramePreferencesTest, QApplication)

}  // namespace kernelscape::frame_preferences_test
#include "frame_preferences_test.moc"
