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

// How a table of fields (trial_fields.h) is written and walked. All of it is resolved by the compiler: what
// is made of a field is the code that would be written for it.
namespace kernelscape {

enum class Measured : std::uint8_t;

/** The place of a field in a format that does not have it. */
inline constexpr int nowhere = -1;

/** Which reals a field can hold. Integers are never negative, and enums have no unknown enumerator. */
enum class RealRange : std::uint8_t {
  Seconds,    ///< finite
  Magnitude,  ///< infinity and not-a-number, too
  Share       ///< at most 1
};

/** Where the database has NULL in the place of a field. */
enum class StoredNull : std::uint8_t { Never, WhereZero, WithoutSamples };

/** Of knobs among the columns that a table shows at first: after what was measured, before what it cost. */
inline constexpr int place_of_knobs = 10;

/** The column that tables, filters, axes and CSV have of a field. */
struct ColumnFacts {
  Measured measured;           ///< which: columns stand in the order of these
  std::string_view name;       ///< as filters and CSV write it
  std::string_view title;      ///< as tables write it
  std::string_view unit = {};  ///< empty: none
  double factor = 1;           ///< from the field's unit to the column's
  bool logarithmic = false;    ///< a log2 axis suits it
  bool timed = false;          ///< there is none where nothing was timed
  int usual = nowhere;   ///< its place among what a table shows at first, where knobs have place_of_knobs
  bool of_runs = false;  ///< says nothing where kernels are only built
};

/**
 * What is known of a field beside its type. The places are fixed by the bytes that were written already: a
 * new field takes the next one, and a recording of a new version.
 */
struct FieldFacts {
  std::string_view key;               ///< its name in JSON and in the database
  int wire = nowhere;                 ///< in a worker's message
  int json = nowhere;                 ///< in sessions as JSON
  int stored = nowhere;               ///< in the checksum of a row of the database, integers before reals
  int stored_apart = nowhere;         ///< the same, of what rows of a trial table leave out
  int recorded = nowhere;             ///< its column in recordings; one that is left out there is all zero
  std::uint8_t recorded_since = 1;    ///< version of recordings
  std::string_view recorded_as = {};  ///< its name there; empty: the key
  std::string_view select = {};       ///< SQL that reads it; empty: the key
  std::int64_t most_stored = std::numeric_limits<std::int64_t>::max();  ///< of what its type holds
  StoredNull null = StoredNull::Never;
  RealRange range = RealRange::Seconds;  ///< of reals
  bool valid_only = false;               ///< rows of errors have 0
  bool zero_is_unknown = false;          ///< shown as none
  std::string_view event = {};           ///< its name in events of --json; empty: they leave it out
  std::string_view counted = {};         ///< what a line for people counts: "B spilled"; empty: not there
  std::string_view logged = {};          ///< its name in results of other tuners; empty: they leave it out
  std::optional<ColumnFacts> column = {};

  /** Its name in recordings. */
  constexpr std::string_view recorded_name() const { return recorded_as.empty() ? key : recorded_as; }
  /** What reads it from the database. */
  constexpr std::string_view selected() const { return select.empty() ? key : select; }
};

/** What a pointer to a member points into, and at; void of anything else. */
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
 * An entry of a table. @tparam trial_member of Trial, Measurement or KernelResources. @tparam row_member of
 * TrialRow, where that has it; nullptr: it has not, or as a part of its resources
 */
template <auto trial_member, auto row_member = nullptr>
struct TrialField {
  static constexpr auto in_trial = trial_member;
  static constexpr auto in_row = row_member;
  FieldFacts facts;
};

/** The field at a position of a table, as a type: all that is known of it is constant. */
template <const auto& table, std::size_t position>
struct FieldAt {
  using Entry = std::tuple_element_t<position, std::remove_cvref_t<decltype(table)>>;
  static constexpr auto in_trial = Entry::in_trial;
  static constexpr auto in_row = Entry::in_row;
  static constexpr const FieldFacts& facts = std::get<position>(table).facts;
  static constexpr bool has_row_member = !std::is_null_pointer_v<std::remove_const_t<decltype(in_row)>>;
  using Owner = typename MemberTypes<std::remove_const_t<decltype(in_trial)>>::Owner;  ///< void: no member
  static constexpr bool of_resources = std::is_same_v<Owner, KernelResources>;
  /** In its owner; that in a row where it has none. */
  using Value = typename MemberTypes<std::remove_const_t<
      std::conditional_t<std::is_void_v<Owner>, decltype(in_row), decltype(in_trial)>>>::Value;
  /** In a row of a trial table; void: rows are without. */
  using RowValue = std::conditional_t<of_resources, Value,
                                      typename MemberTypes<std::remove_const_t<decltype(in_row)>>::Value>;
  /** Whether it is a number, an enumerator or a yes or no. */
  static constexpr bool scalar = std::is_arithmetic_v<Value> || std::is_enum_v<Value>;
};

template <const auto& table>
inline constexpr std::size_t table_size = std::tuple_size_v<std::remove_cvref_t<decltype(table)>>;

/** Places of all fields of a table. */
template <const auto& table, int FieldFacts::* place>
inline constexpr auto field_places =
    std::apply([](const auto&... field) { return std::array{field.facts.*place...}; }, table);

/** How many fields have a place. */
template <const auto& table, int FieldFacts::* place>
inline constexpr std::size_t field_count =
    table_size<table> - static_cast<std::size_t>(std::ranges::count(field_places<table, place>, nowhere));

/** Positions in the table of the fields that have a place, in the order of the places. */
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
/** The same of those that have a place, in the order of the places. */
template <const auto& table, int FieldFacts::* place, typename Visit>
constexpr void for_each_field(Visit&& visit) {
  visit_fields_at<table>(visit, typename PlacedFields<table, place>::Positions());
}

/** Pointers to the members in a trial of the fields at these positions. */
template <const auto& table, std::size_t... positions>
consteval auto members_at(std::index_sequence<positions...>) {
  return std::tuple{FieldAt<table, positions>::in_trial...};
}
/** Pointers to the members of the fields that have a place, in the order of the places. */
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
/** A tuple with a Held<FieldAt> of every field: std::get<Held<Field>>() is that of one. */
template <template <typename> typename Held, const auto& table>
using HeldOfEachField = typename HeldOfFields<Held, table, std::make_index_sequence<table_size<table>>>::Type;
/** The same of the fields that have a place. */
template <template <typename> typename Held, const auto& table, int FieldFacts::* place>
using HeldOfPlacedFields =
    typename HeldOfFields<Held, table, typename PlacedFields<table, place>::Positions>::Type;

/** Whether an entry is that of a member of a trial's parts or of a row. */
template <auto member, typename Entry>
consteval bool is_member_of_entry() {
  using Member = std::remove_const_t<decltype(member)>;
  if constexpr (std::is_same_v<Member, std::remove_const_t<decltype(Entry::in_trial)>>)
    if (member == Entry::in_trial) return true;
  if constexpr (std::is_same_v<Member, std::remove_const_t<decltype(Entry::in_row)>>)
    return member == Entry::in_row;
  return false;
}
/** The position of that entry; the table's size where it has none. */
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

/** Of seconds that something took, and of session time: what every reader relies on. */
constexpr bool plausible_seconds(double value) {
  return value >= 0 && value <= std::numeric_limits<double>::max();
}

/** Whether a field can hold the value. */
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

/** The value as another type, at most the largest of that. */
template <typename To, typename From>
constexpr To clamped(From value) {
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From> && !std::is_same_v<To, bool>) {
    return std::cmp_greater(value, std::numeric_limits<To>::max()) ? std::numeric_limits<To>::max()
                                                                   : static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace kernelscape
