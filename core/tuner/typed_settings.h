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

namespace kernelscape::tuner {

/**
 * Returns a pointer to a member of a member: `submember(&GpSettings::model, &SpaceModelOptions::damping)`.
 */
template <typename Outer, typename Inner>
auto submember(Outer outer, Inner inner) {
  return [=](auto& settings) -> auto& { return std::invoke(inner, std::invoke(outer, settings)); };
}

/**
 * The settings of a plain struct. Each is declared once, with the member that it is read into, given as a
 * pointer to member or a submember(). The member's type is the type of the setting; its initializer is the
 * default.
 */
template <typename Struct>
class SettingsOf {
 public:
  /** The type of the value of a member. */
  template <typename Member>
  using Held = std::remove_cvref_t<std::invoke_result_t<Member, Struct&>>;

  /** Adds a whole or real number. The range includes both ends. */
  template <typename Member>
  SettingsOf& add(const std::string& name, Member member, double minimum, double maximum,
                  const std::string& unit, const std::string& documentation, const std::string& source) {
    return add_as<std::conditional_t<std::is_integral_v<Held<Member>>, std::int64_t, double>>(
        member, {name, {}, minimum, maximum, {}, unit, documentation, source});
  }

  /** Adds a boolean or a free text. */
  template <typename Member>
  SettingsOf& add(const std::string& name, Member member, const std::string& documentation,
                  const std::string& source) {
    return add_as<Held<Member>>(member, {name, {}, {}, {}, {}, "", documentation, source});
  }

  /**
   * Adds a choice between texts, each with the value that the member gets, such as an enumerator; the default
   * first.
   */
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

  /**
   * Sets the value of the last choice for sessions that were stored before the setting existed, and that
   * resume with this value.
   */
  SettingsOf& before(std::string choice) {
    rows_.back().declaration.before = std::move(choice);
    return *this;
  }

  /** Adds all settings of a member that is itself a struct with settings. */
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

  /** Returns the declarations in the order in which they were added. */
  std::vector<HyperparameterDeclaration> declarations() const {
    std::vector<HyperparameterDeclaration> result;
    const Struct defaults{};
    for (const Row& row : rows_) {
      result.push_back(row.declaration);
      result.back().default_value = row.get(defaults);
    }
    return result;
  }

  /** Reads the struct from checked values, which may include other settings. */
  Struct read(const SettingValues& values) const {
    Struct settings{};
    for (const Row& row : rows_) row.set(settings, values.at(row.declaration.name));
    return settings;
  }

  /** Returns the values by name, from which `read` makes an equal struct. */
  SettingValues values_of(const Struct& settings) const {
    SettingValues values;
    for (const Row& row : rows_) values[row.declaration.name] = row.get(settings);
    return values;
  }

 private:
  template <typename>
  friend class SettingsOf;

  struct Row {
    HyperparameterDeclaration declaration;  ///< without its default
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

/** Returns the settings of a struct whose static function table() declares them. */
template <typename Struct>
const SettingsOf<Struct>& settings_of() {
  static const SettingsOf<Struct> table = Struct::table();
  return table;
}

/** Reads a struct from checked values, which may include settings that settings_of() does not declare. */
template <typename Struct>
Struct read_settings(const SettingValues& values) {
  return settings_of<Struct>().read(values);
}

/**
 * Returns a function for Declaration::random_phase that reads one whole number from checked values, whatever
 * the budget: `integer_of<GaSettings>(&GaSettings::population)`.
 */
template <typename Struct, typename Member>
auto integer_of(Member member) {
  return [member](const SettingValues& values, std::int64_t /*trial_budget*/) {
    const auto settings = read_settings<Struct>(values);
    return static_cast<std::int64_t>(std::invoke(member, settings));
  };
}

}  // namespace kernelscape::tuner
