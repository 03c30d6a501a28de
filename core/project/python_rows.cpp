// Lists, tuples, sets and ranges.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <unordered_set>

#include "core/base/utf8.h"
#include "core/project/python_value.h"

namespace kernelscape::project {
namespace {

using Failure = std::unexpected<std::string>;
using Form = PythonObject::Form;
using Keys = std::unordered_set<std::string>;

std::size_t weight_of(const PythonObject& item) {
  const std::string* text = python_text(item);
  return text != nullptr ? 1 + text->size() / 64 : item.weight;
}

Keys keys_of(const PythonObject& set) {
  Keys keys;
  for (const PythonObject& item : *set.items) keys.insert(python_key(item).value_or(""));
  return keys;
}

bool has(const Keys& keys, const PythonObject& item) { return keys.contains(python_key(item).value_or("")); }

std::expected<std::vector<PythonObject>, std::string> distinct(std::vector<PythonObject> items) {
  Keys keys;
  std::vector<PythonObject> kept;
  for (PythonObject& item : items)
    if (keys.insert(TRY(python_key(item))).second) kept.push_back(std::move(item));
  return kept;
}

std::vector<PythonObject> letters_of(std::string_view text) {
  std::vector<PythonObject> all;
  while (!text.empty()) {
    const std::size_t bytes = base::first_character(text).bytes;
    all.push_back({.value = std::string(text.substr(0, bytes))});
    text.remove_prefix(bytes);
  }
  return all;
}

std::int64_t range_number(const PythonRange& range, std::uint64_t at) {
  return static_cast<std::int64_t>(base::int128{range.first} + base::int128{range.step} * at);
}

/** Returns first, end and step of a slice of `size` items, completed and clipped as the language does. */
std::expected<std::array<std::int64_t, 3>, std::string> slice_bounds(PythonArguments bounds,
                                                                     std::int64_t size) {
  for (const PythonObject& bound : bounds)
    if (bound.form != Form::None && !python_whole(bound))
      return Failure(fmt::format("[ : ] needs whole numbers, not {}", python_type(bound)));
  const std::int64_t step = python_whole(bounds[2]).value_or(1);
  if (step == 0) return Failure("[ : ] has a step of 0");
  const std::int64_t lowest = step < 0 ? -1 : 0;
  const std::int64_t highest = step < 0 ? size - 1 : size;
  const auto clipped = [&](const PythonObject& bound, std::int64_t otherwise) {
    const auto written = python_whole(bound);
    if (!written) return otherwise;
    return std::clamp(*written < 0 ? *written + size : *written, lowest, highest);
  };
  return std::array{clipped(bounds[0], step < 0 ? highest : lowest),
                    clipped(bounds[1], step < 0 ? lowest : highest), step};
}

}  // namespace

PythonResult python_row(Form form, std::vector<PythonObject> items) {
  if (form == Form::Set) items = TRY(distinct(std::move(items)));
  std::size_t weight = 1;
  for (const PythonObject& item : items) weight += weight_of(item);
  if (weight - 1 > max_python_items)
    return Failure(fmt::format("the result has over {} items", max_python_items));
  return PythonObject{.items = std::make_shared<const std::vector<PythonObject>>(std::move(items)),
                      .weight = weight,
                      .form = form};
}

std::expected<std::vector<PythonObject>, std::string> python_items(const PythonObject& of) {
  if (of.items) return *of.items;
  if (const std::string* text = python_text(of)) return letters_of(*text);
  if (!of.range) return Failure(fmt::format("iteration needs a list, not {}", python_type(of)));
  if (of.range->count > max_python_items)
    return Failure(
        fmt::format("range() has {} values, over the limit of {}", of.range->count, max_python_items));
  std::vector<PythonObject> all;
  for (std::uint64_t at = 0; at < of.range->count; ++at)
    all.push_back({.value = range_number(*of.range, at)});
  return all;
}

bool python_unordered(const PythonObject& of) { return of.form == Form::Set; }

std::expected<std::string, std::string> python_key(const PythonObject& object) {
  if (object.form == Form::None) return "none";
  if (const std::string* text = python_text(object)) return fmt::format("text {}:{}", text->size(), *text);
  if (const auto whole = python_whole(object)) return fmt::format("number {}", *whole);
  if (const auto real = python_real(object)) {
    if (std::isnan(*real)) return Failure("a set can't hold NaN");
    if (*real == std::trunc(*real) && *real >= -0x1p63 && *real < 0x1p63)
      return fmt::format("number {}", static_cast<std::int64_t>(*real));
    return fmt::format("real {}", std::bit_cast<std::uint64_t>(*real));
  }
  if (object.form != Form::Tuple)
    return Failure(fmt::format("a set can't hold a {}", python_type(object).substr(2)));
  std::string key = "tuple(";
  for (const PythonObject& item : *object.items) key += TRY(python_key(item)) + ",";
  return key + ")";
}

PythonResult python_set_arithmetic(PythonOperator by, const PythonObject& left, const PythonObject& right) {
  using enum PythonOperator;
  if (by != BitOr && by != BitXor && by != BitAnd && by != Subtract)
    return Failure(fmt::format("{} does not take a set and a set", symbol_of(by)));
  const Keys on_left = keys_of(left);
  const Keys on_right = keys_of(right);
  std::vector<PythonObject> items;
  for (const PythonObject& item : *left.items)
    if (by == BitOr || has(on_right, item) == (by == BitAnd)) items.push_back(item);
  for (const PythonObject& item : *right.items)
    if ((by == BitOr || by == BitXor) && !has(on_left, item)) items.push_back(item);
  return python_row(Form::Set, std::move(items));
}

std::expected<bool, std::string> python_set_compares(PythonOperator by, const PythonObject& left,
                                                     const PythonObject& right) {
  using enum PythonOperator;
  const auto within = [](const PythonObject& small, const PythonObject& large) {
    const Keys keys = keys_of(large);
    return std::ranges::all_of(*small.items, [&](const PythonObject& item) { return has(keys, item); });
  };
  const bool same_size = left.items->size() == right.items->size();
  if (by == Equal) return same_size && within(left, right);
  if (by == Less || by == LessEqual) return (by == LessEqual || !same_size) && within(left, right);
  return (by == GreaterEqual || !same_size) && within(right, left);
}

PythonResult python_subscript(const PythonObject& of, const PythonObject& at) {
  if (python_unordered(of) || (!of.items && !of.range && python_text(of) == nullptr))
    return Failure(fmt::format("[ ] does not take {}", python_type(of)));
  const auto asked = python_whole(at);
  if (!asked) return Failure(fmt::format("[ ] needs a whole number, not {}", python_type(at)));
  const std::vector<PythonObject> letters =
      of.items || of.range ? std::vector<PythonObject>{} : TRY(python_items(of));
  const base::int128 size = of.range   ? base::int128{of.range->count}
                            : of.items ? of.items->size()
                                       : letters.size();
  const base::int128 position = *asked < 0 ? *asked + size : base::int128{*asked};
  if (position < 0 || position >= size)
    return Failure(fmt::format("[{}] of an object with {} values", *asked, static_cast<std::uint64_t>(size)));
  if (of.range) return PythonObject{.value = range_number(*of.range, static_cast<std::uint64_t>(position))};
  return (of.items ? *of.items : letters)[static_cast<std::size_t>(position)];
}

PythonResult python_slice(const PythonObject& of, PythonArguments bounds) {
  if (python_unordered(of)) return Failure("[ ] does not take a set");
  if (of.range) return Failure("slices of a range are not supported: write list(range(...))[...]");
  const std::vector<PythonObject> all = TRY(python_items(of));
  const auto [first, end, step] = TRY(slice_bounds(bounds, static_cast<std::int64_t>(all.size())));
  std::vector<PythonObject> kept;
  // A step may be as large as any integer.
  for (base::int128 at = first; step > 0 ? at < end : at > end; at += step)
    kept.push_back(all[static_cast<std::size_t>(at)]);
  if (of.items) return python_row(of.form, std::move(kept));
  std::string text;
  for (const PythonObject& letter : kept) text += *python_text(letter);
  return PythonObject{.value = std::move(text)};
}

}  // namespace kernelscape::project
