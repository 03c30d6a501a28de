#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/trial/measurement.h"

// Functions to declare and traverse a table of fields (fields.h). All of it is resolved by the
// compiler: the generated code is the same as code written by hand for each field.
namespace kernelscape::trial {

enum class Measured : std::uint8_t;

/** The place of a field in a format that does not have it. */
inline constexpr int nowhere = -1;

/**
 * The range of real numbers that a field can hold. Integers are never negative, and enums have no unknown
 * enumerator.
 */
enum class RealRange : std::uint8_t {
  Seconds,    ///< finite
  Magnitude,  ///< also infinity and not-a-number
  Share       ///< at most 1
};

/** The rows in which the database has NULL for a field. */
enum class StoredNull : std::uint8_t { Never, WhereZero, WithoutSamples };

/**
 * Position of the knobs among the columns that a table shows by default: after the measurements, before their
 * costs.
 */
inline constexpr int place_of_knobs = 10;

/** Position of the metrics among these columns: after the costs, the worker and the machine's speed. */
inline constexpr int place_of_metrics = place_of_knobs + 5;

/** The column of a field in tables, filters, axes and CSV. */
struct ColumnFacts {
  Measured measured;           ///< identifies the column; columns are in the order of these enumerators
  std::string_view name;       ///< name in filters and CSV
  std::string_view title;      ///< title in tables
  std::string_view unit = {};  ///< empty: none
  double factor = 1;           ///< from the field's unit to the column's
  bool logarithmic = false;    ///< a log2 axis suits it
  bool timed = false;          ///< absent if nothing was timed
  /// its position among the columns that a table shows by default, in which knobs have place_of_knobs
  int usual = nowhere;
  bool of_runs = false;  ///< has no meaning if kernels are only built
};

/**
 * The properties of a field besides its type. The places are fixed by data that were already written: a new
 * field takes the next place and needs a new version of recordings.
 */
struct FieldFacts {
  std::string_view key;  ///< its name in JSON and in the database
  int wire = nowhere;    ///< place in a worker's message
  int json = nowhere;    ///< place in sessions as JSON
  int stored = nowhere;  ///< place in the checksum of a database row, integers before reals
  /// place in the checksum, for fields that are not in rows of a trial table
  int stored_apart = nowhere;
  int recorded = nowhere;             ///< its column in recordings; an omitted column is all zero
  std::uint8_t recorded_since = 1;    ///< first version of recordings that has it
  std::string_view recorded_as = {};  ///< its name there; empty: the key
  std::string_view select = {};       ///< SQL that reads it; empty: the key
  std::int64_t max_stored = std::numeric_limits<std::int64_t>::max();  ///< maximum stored value
  StoredNull null = StoredNull::Never;
  RealRange range = RealRange::Seconds;  ///< range, for real numbers
  bool valid_only = false;               ///< 0 in rows of errors
  bool zero_is_unknown = false;          ///< 0 is shown as unknown
  std::string_view event = {};           ///< its name in events of --json; empty: omitted
  std::string_view counted = {};         ///< its unit in text lines for users: "B spilled"; empty: omitted
  std::string_view logged = {};          ///< its name in results of other tuners; empty: omitted
  std::optional<ColumnFacts> column = {};

  /** Returns its name in recordings. */
  constexpr std::string_view recorded_name() const { return recorded_as.empty() ? key : recorded_as; }
  /** Returns the SQL expression that reads it from the database. */
  constexpr std::string_view selected() const { return select.empty() ? key : select; }
};

/** The class and the type of a pointer to member; void for other types. */
template <typename Member>
struct MemberTypes {
  using Owner = void;
  using Value = void;
};
template <typename Object, typename Type>
struct MemberTypes<Type Object::*> {
  using Owner = Object;
  using Value = Type;
};

/**
 * An entry of a table.
 * @tparam trial_member member of Trial, Measurement or KernelResources
 * @tparam row_member member of Row; nullptr: Row does not have it, or has it as a part of its
 * resources
 * @tparam probe_member member of ProbeSeconds if the member of Row is one; see probe_in()
 */
template <auto trial_member, auto row_member = nullptr, auto probe_member = nullptr>
struct Field {
  static constexpr auto in_trial = trial_member;
  static constexpr auto in_row = row_member;
  static constexpr auto in_probe = probe_member;
  FieldFacts facts;
};

/** The field at a position of a table, as a type: all of its properties are constants. */
template <const auto& table, std::size_t position>
struct FieldAt {
  using Entry = std::tuple_element_t<position, std::remove_cvref_t<decltype(table)>>;
  static constexpr auto in_trial = Entry::in_trial;
  static constexpr auto in_row = Entry::in_row;
  static constexpr auto in_probe = Entry::in_probe;
  static constexpr const FieldFacts& facts = std::get<position>(table).facts;
  static constexpr bool has_row_member = !std::is_null_pointer_v<std::remove_const_t<decltype(in_row)>>;
  /// void: it has no member
  using Owner = typename MemberTypes<std::remove_const_t<decltype(in_trial)>>::Owner;
  static constexpr bool of_resources = std::is_same_v<Owner, KernelResources>;
  /** True if it belongs to another table too, which is then the same one. */
  template <const auto& other>
  static constexpr bool is_in = std::is_same_v<FieldAt<table, 0>, FieldAt<other, 0>>;
  static constexpr bool of_probe = !std::is_null_pointer_v<std::remove_const_t<decltype(in_probe)>>;
  /** The type in its owner, or in a row if it has no owner. */
  using Value = typename MemberTypes<std::remove_const_t<
      std::conditional_t<std::is_void_v<Owner>, decltype(in_row), decltype(in_trial)>>>::Value;
  /** The type in a row of a trial table; void: rows do not have it. */
  using RowValue = std::conditional_t<of_resources, Value,
                                      typename MemberTypes<std::remove_const_t<decltype(in_row)>>::Value>;
  /** True if it is a number, an enumerator or a boolean. */
  static constexpr bool scalar = std::is_arithmetic_v<Value> || std::is_enum_v<Value>;
};

template <const auto& table>
inline constexpr std::size_t table_size = std::tuple_size_v<std::remove_cvref_t<decltype(table)>>;

/** The places of all fields of a table. */
template <const auto& table, int FieldFacts::* place>
inline constexpr auto field_places =
    std::apply([](const auto&... field) { return std::array{field.facts.*place...}; }, table);

/** The number of fields that have a place. */
template <const auto& table, int FieldFacts::* place>
inline constexpr std::size_t field_count =
    table_size<table> - static_cast<std::size_t>(std::ranges::count(field_places<table, place>, nowhere));

/** Returns the positions in the table of the fields that have a place, in the order of the places. */
template <const auto& table, int FieldFacts::* place>
consteval auto fields_by_place() {
  const auto& places = field_places<table, place>;
  std::array<std::size_t, field_count<table, place>> positions{};
  std::size_t next = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] != nowhere) positions[next++] = i;
  std::ranges::sort(positions, {}, [&](std::size_t position) { return places[position]; });
  return positions;
}
template <const auto& table, int FieldFacts::* place>
inline constexpr auto ordered_fields = fields_by_place<table, place>();

template <const auto& table, int FieldFacts::* place, typename = void>
struct PlacedFields;
template <const auto& table, int FieldFacts::* place>
struct PlacedFields<table, place, void>
    : PlacedFields<table, place, std::make_index_sequence<field_count<table, place>>> {};
template <const auto& table, int FieldFacts::* place, std::size_t... i>
struct PlacedFields<table, place, std::index_sequence<i...>> {
  using Positions = std::index_sequence<ordered_fields<table, place>[i]...>;
};

/** Calls `visit` with the FieldAt of each position. */
template <const auto& table, typename Visit, std::size_t... positions>
constexpr void visit_fields_at(Visit&& visit, std::index_sequence<positions...>) {
  (visit(FieldAt<table, positions>{}), ...);
}

/** Calls `visit` with each FieldAt of a table. */
template <const auto& table, typename Visit>
constexpr void for_each_field(Visit&& visit) {
  visit_fields_at<table>(visit, std::make_index_sequence<table_size<table>>());
}
/** Calls `visit` with each FieldAt that has a place, in the order of the places. */
template <const auto& table, int FieldFacts::* place, typename Visit>
constexpr void for_each_field(Visit&& visit) {
  visit_fields_at<table>(visit, typename PlacedFields<table, place>::Positions());
}

/** Returns pointers to the members, in a trial, of the fields at these positions. */
template <const auto& table, std::size_t... positions>
consteval auto members_at(std::index_sequence<positions...>) {
  return std::tuple{FieldAt<table, positions>::in_trial...};
}
/** Returns pointers to the members of the fields that have a place, in the order of the places. */
template <const auto& table, int FieldFacts::* place>
consteval auto field_members() {
  return members_at<table>(typename PlacedFields<table, place>::Positions());
}

template <template <typename> typename Held, const auto& table, typename Positions>
struct HeldOfFields;
template <template <typename> typename Held, const auto& table, std::size_t... positions>
struct HeldOfFields<Held, table, std::index_sequence<positions...>> {
  using Type = std::tuple<Held<FieldAt<table, positions>>...>;
};
/** A tuple with a Held<FieldAt> of every field: std::get<Held<Field>>() returns that of one field. */
template <template <typename> typename Held, const auto& table>
using HeldOfEachField = typename HeldOfFields<Held, table, std::make_index_sequence<table_size<table>>>::Type;
/** A tuple with a Held<FieldAt> of every field that has a place. */
template <template <typename> typename Held, const auto& table, int FieldFacts::* place>
using HeldOfPlacedFields =
    typename HeldOfFields<Held, table, typename PlacedFields<table, place>::Positions>::Type;

/** Returns true if the entry is that of a member of a trial's parts or of a row. */
template <auto member, typename Entry>
consteval bool is_member_of_entry() {
  using Member = std::remove_const_t<decltype(member)>;
  if constexpr (std::is_same_v<Member, std::remove_const_t<decltype(Entry::in_trial)>>)
    if (member == Entry::in_trial) return true;
  if constexpr (std::is_same_v<Member, std::remove_const_t<decltype(Entry::in_row)>>)
    return member == Entry::in_row;
  return false;
}
/** Returns the position of the member's entry; the table's size if there is none. */
template <const auto& table, auto member, std::size_t... i>
consteval std::size_t position_of_member(std::index_sequence<i...>) {
  std::size_t position = table_size<table>;
  ((is_member_of_entry<member, typename FieldAt<table, i>::Entry>() ? void(position = i) : void()), ...);
  return position;
}
/** The field of a member of a trial's parts or of a row. */
template <const auto& table, auto member>
using FieldOf =
    FieldAt<table, position_of_member<table, member>(std::make_index_sequence<table_size<table>>())>;

/** Returns true for a plausible duration or session time in seconds: every reader relies on it. */
constexpr bool plausible_seconds(double value) {
  return value >= 0 && value <= std::numeric_limits<double>::max();
}

/** Returns true if a field can hold the value. */
template <typename Field, typename Value>
constexpr bool plausible(Field, const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return static_cast<std::size_t>(value) < enumerator_count<Value>;
  } else if constexpr (std::is_same_v<Value, double>) {
    if (Field::facts.range == RealRange::Seconds) return plausible_seconds(value);
    return Field::facts.range == RealRange::Share ? value >= 0 && value <= 1 : !(value < 0);
  } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
    return std::ranges::all_of(value, plausible_seconds);
  } else if constexpr (std::is_integral_v<Value> && std::is_signed_v<Value>) {
    return value >= 0;
  } else {
    return true;
  }
}

/** Returns the value as another type, at most that type's largest value. */
template <typename To, typename From>
constexpr To clamped(From value) {
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From> && !std::is_same_v<To, bool>) {
    return std::cmp_greater(value, std::numeric_limits<To>::max()) ? std::numeric_limits<To>::max()
                                                                   : static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace kernelscape::trial
