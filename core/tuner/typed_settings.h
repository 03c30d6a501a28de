#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/tuner/declaration.h"

namespace kernelscape {

/** A member of a member: `submember(&GpSettings::model, &SpaceModelOptions::damping)`. */
template <typename Outer, typename Inner>
auto submember(Outer outer, Inner inner) {
  return [=](auto& settings) -> auto& { return std::invoke(inner, std::invoke(outer, settings)); };
}

/**
 * The settings of a plain struct, each declared once, with the member that it is read into, which is a
 * pointer to it or a submember(). The member's type is that of the setting, its initialiser is the default.
 */
template <typename Struct>
class SettingsOf {
 public:
  /** What a member holds. */
  template <typename Member>
  using Held = std::remove_cvref_t<std::invoke_result_t<Member, Struct&>>;

  /** A whole or real number. Both ends of the range are of it. */
  template <typename Member>
  SettingsOf& add(const std::string& name, Member member, double minimum, double maximum,
                  const std::string& unit, const std::string& documentation, const std::string& source) {
    return add_as<std::conditional_t<std::is_integral_v<Held<Member>>, std::int64_t, double>>(
        member, {name, {}, minimum, maximum, {}, unit, documentation, source});
  }

  /** true or false, or any text. */
  template <typename Member>
  SettingsOf& add(const std::string& name, Member member, const std::string& documentation,
                  const std::string& source) {
    return add_as<Held<Member>>(member, {name, {}, {}, {}, {}, "", documentation, source});
  }

  /** One of some texts, each with what the member holds for it, such as an enumerator; the default first. */
  template <typename Member>
  SettingsOf& choice(const std::string& name, Member member,
                     const std::vector<std::pair<std::string, Held<Member>>>& choices,
                     const std::string& documentation, const std::string& source) {
    using Choice = std::pair<std::string, Held<Member>>;
    std::vector<std::string> texts;
    for (const auto& [text, held] : choices) texts.push_back(text);
    rows_.push_back(
        {{name, {}, {}, {}, texts, "", documentation, source},
         [=](const Struct& settings) -> SettingValue {
           return std::ranges::find(choices, std::invoke(member, settings), &Choice::second)->first;
         },
         [=](Struct& settings, const SettingValue& value) {
           std::invoke(member, settings) =
               std::ranges::find(choices, std::get<std::string>(value), &Choice::first)->second;
         }});
    return *this;
  }

  /** Of the last choice, which sessions did not have at first: what they did then, and go on with. */
  SettingsOf& before(std::string choice) {
    rows_.back().declaration.before = std::move(choice);
    return *this;
  }

  /** All settings of a member that is such a struct itself. */
  template <typename Member>
  SettingsOf& group(Member member, const SettingsOf<Held<Member>>& settings) {
    for (const auto& row : settings.rows_) {
      rows_.push_back(
          {row.declaration,
           [member, get = row.get](const Struct& outer) { return get(std::invoke(member, outer)); },
           [member, set = row.set](Struct& outer, const SettingValue& value) {
             set(std::invoke(member, outer), value);
           }});
    }
    return *this;
  }

  /** In the order in which they were added. */
  std::vector<HyperparameterDeclaration> declarations() const {
    std::vector<HyperparameterDeclaration> result;
    const Struct defaults{};
    for (const Row& row : rows_) {
      result.push_back(row.declaration);
      result.back().default_value = row.get(defaults);
    }
    return result;
  }

  /** From checked values, which may be of other settings too. */
  Struct read(const SettingValues& values) const {
    Struct settings{};
    for (const Row& row : rows_) row.set(settings, values.at(row.declaration.name));
    return settings;
  }

  /** By name: what `read` makes the same struct of. */
  SettingValues values_of(const Struct& settings) const {
    SettingValues values;
    for (const Row& row : rows_) values[row.declaration.name] = row.get(settings);
    return values;
  }

 private:
  template <typename>
  friend class SettingsOf;

  struct Row {
    HyperparameterDeclaration declaration;  ///< but for its default
    std::function<SettingValue(const Struct&)> get;
    std::function<void(Struct&, const SettingValue&)> set;
  };

  template <typename Stored, typename Member>
  SettingsOf& add_as(Member member, HyperparameterDeclaration declaration) {
    rows_.push_back({std::move(declaration),
                     [member](const Struct& settings) -> SettingValue {
                       return static_cast<Stored>(std::invoke(member, settings));
                     },
                     [member](Struct& settings, const SettingValue& value) {
                       std::invoke(member, settings) = static_cast<Held<Member>>(std::get<Stored>(value));
                     }});
    return *this;
  }

  std::vector<Row> rows_;
};

/** Of a struct whose static function table() declares its settings. */
template <typename Struct>
const SettingsOf<Struct>& settings_of() {
  static const SettingsOf<Struct> table = Struct::table();
  return table;
}

/** The struct that checked values stand for: those that settings_of() declares, among others. */
template <typename Struct>
Struct read_settings(const SettingValues& values) {
  return settings_of<Struct>().read(values);
}

/** Gives one whole number among checked values: `integer_of<GaSettings>(&GaSettings::population)`. */
template <typename Struct, typename Member>
auto integer_of(Member member) {
  return [member](const SettingValues& values) {
    const auto settings = read_settings<Struct>(values);
    return static_cast<std::int64_t>(std::invoke(member, settings));
  };
}

}  // namespace kernelscape
