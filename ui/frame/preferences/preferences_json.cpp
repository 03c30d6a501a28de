#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "ui/frame/preferences/preferences.h"

namespace kernelscape::frame {
namespace {

constexpr int current_version = 1;
constexpr auto theme_names = {"system", "light", "dark"};

QString name_of(style::ThemeChoice theme) {
  return QString::fromLatin1(theme_names.begin()[static_cast<std::size_t>(theme)]);
}

/** Reads values of known types, and stores the first value with another type. */
class Reader {
 public:
  explicit Reader(QJsonObject object) : object_(std::move(object)) {}

  void read(const char* key, QString& value) {
    if (const QJsonValue found = take(key, QJsonValue::String); !found.isUndefined())
      value = found.toString();
  }
  void read(const char* key, bool& value) {
    if (const QJsonValue found = take(key, QJsonValue::Bool); !found.isUndefined()) value = found.toBool();
  }
  void read(const char* key, double& value) {
    if (const QJsonValue found = take(key, QJsonValue::Double); !found.isUndefined())
      value = found.toDouble();
  }
  void read(const char* key, int& value) {
    if (const QJsonValue found = take(key, QJsonValue::Double); !found.isUndefined())
      value = found.toInt(value);
  }
  void read(const char* key, QStringList& values) {
    for (const auto& value : take(key, QJsonValue::Array).toArray()) values.append(value.toString());
  }
  void read(const char* key, QByteArray& value) {
    QString text = QString::fromLatin1(value.toBase64());
    read(key, text);
    value = QByteArray::fromBase64(text.toLatin1());
  }
  void read(const char* key, style::ThemeChoice& value) {
    QString text = name_of(value);
    read(key, text);
    for (const auto theme :
         {style::ThemeChoice::System, style::ThemeChoice::Light, style::ThemeChoice::Dark}) {
      if (name_of(theme) == text) value = theme;
    }
  }
  template <typename Value, typename Make>
  void read(const char* key, QMap<QString, Value>& values, Make make) {
    const QJsonObject members = take(key, QJsonValue::Object).toObject();
    for (auto member = members.begin(); member != members.end(); ++member)
      values.insert(member.key(), make(member.value().toString()));
  }

  const QString& wrong_key() const { return wrong_key_; }

 private:
  QJsonValue take(const char* key, QJsonValue::Type type) {
    QJsonValue value = object_.value(QLatin1String(key));
    if (value.isUndefined() || value.type() == type) return value;
    if (wrong_key_.isEmpty()) wrong_key_ = QLatin1String(key);
    return QJsonValue(QJsonValue::Undefined);
  }

  QJsonObject object_;
  QString wrong_key_;
};

}  // namespace

QByteArray preferences_to_json(const Preferences& preferences) {
  QJsonObject shortcuts;
  for (auto entry = preferences.shortcuts.begin(); entry != preferences.shortcuts.end(); ++entry)
    shortcuts.insert(entry.key(), entry.value().toString(QKeySequence::PortableText));
  QJsonObject layouts;
  for (auto entry = preferences.layouts.begin(); entry != preferences.layouts.end(); ++entry)
    layouts.insert(entry.key(), QString::fromLatin1(entry.value().toBase64()));
  QJsonObject folders;
  for (auto entry = preferences.folders.begin(); entry != preferences.folders.end(); ++entry)
    folders.insert(entry.key(), entry.value());
  // The keys of an object are sorted, so that equal preferences give equal files.
  const QJsonObject object{
      {"version", current_version},
      {"compiler", preferences.compiler},
      {"threads", preferences.threads},
      {"database", preferences.database},
      {"theme", name_of(preferences.theme)},
      {"text_scale", preferences.text_scale},
      {"notifications", preferences.notifications},
      {"whole_speed_axis", preferences.whole_speed_axis},
      {"first_start_dismissed", preferences.first_start_dismissed},
      {"shortcuts", shortcuts},
      {"layouts", layouts},
      {"folders", folders},
      {"geometry", QString::fromLatin1(preferences.geometry.toBase64())},
      {"view", preferences.view},
      {"fleet_address", preferences.fleet_address},
      {"fleet_password_file", preferences.fleet_password_file},
      {"paused_database", preferences.paused_database},
      {"session_database", preferences.session_database},
      {"session", preferences.session},
      {"form", preferences.form},
      {"paused_sessions", QJsonArray::fromStringList(preferences.paused_sessions)},
      {"recent_networks", QJsonArray::fromStringList(preferences.recent_networks)},
      {"recent_databases", QJsonArray::fromStringList(preferences.recent_databases)},
  };
  return QJsonDocument(object).toJson();
}

Result<Preferences> preferences_from_json(const QByteArray& json) {
  QJsonParseError problem;
  const QJsonDocument document = QJsonDocument::fromJson(json, &problem);
  if (!document.isObject()) {
    const bool parsed = problem.error == QJsonParseError::NoError;
    return fail(ErrorCode::Corrupt,
                parsed ? "the preferences are not a JSON object"
                       : "the preferences are not valid JSON: " + problem.errorString().toStdString());
  }
  const QJsonObject object = document.object();
  const int version = object.value(QLatin1String("version")).toInt();
  if (version > current_version) {
    return fail(ErrorCode::Refused,
                "the preferences are from a newer Kernelscape (version " + std::to_string(version) + ")");
  }
  Preferences preferences;
  Reader reader(object);
  reader.read("compiler", preferences.compiler);
  reader.read("threads", preferences.threads);
  reader.read("database", preferences.database);
  reader.read("theme", preferences.theme);
  reader.read("text_scale", preferences.text_scale);
  reader.read("notifications", preferences.notifications);
  reader.read("whole_speed_axis", preferences.whole_speed_axis);
  reader.read("first_start_dismissed", preferences.first_start_dismissed);
  reader.read("shortcuts", preferences.shortcuts,
              [](const QString& text) { return QKeySequence::fromString(text, QKeySequence::PortableText); });
  reader.read("layouts", preferences.layouts,
              [](const QString& text) { return QByteArray::fromBase64(text.toLatin1()); });
  reader.read("folders", preferences.folders, [](const QString& text) { return text; });
  reader.read("geometry", preferences.geometry);
  reader.read("view", preferences.view);
  reader.read("recent_databases", preferences.recent_databases);
  reader.read("recent_networks", preferences.recent_networks);
  reader.read("fleet_address", preferences.fleet_address);
  reader.read("fleet_password_file", preferences.fleet_password_file);
  reader.read("paused_database", preferences.paused_database);
  reader.read("paused_sessions", preferences.paused_sessions);
  reader.read("session_database", preferences.session_database);
  reader.read("session", preferences.session);
  reader.read("form", preferences.form);
  if (!reader.wrong_key().isEmpty()) {
    return fail(ErrorCode::Corrupt,
                "the preference \"" + reader.wrong_key().toStdString() + "\" has the wrong type");
  }
  return preferences;
}

}  // namespace kernelscape::frame
