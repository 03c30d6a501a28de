#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/int128.h"
#include "core/project/python_node.h"

namespace kernelscape {

/** The values of range(): first, first + step, ... */
struct PythonRange {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::uint64_t count = 0;
};

/** What an expression is made of while it is computed. */
struct PythonObject {
  enum class Form : std::uint8_t { Value, None, List, Tuple, Set, Range };
  PythonValue value = std::int64_t{0};
  std::shared_ptr<const std::vector<PythonObject>> items{};  ///< of lists, tuples and sets, else null
  std::shared_ptr<const PythonRange> range{};                ///< of ranges, else null
  std::size_t weight = 1;                                    ///< values in it, and in those
  Form form = Form::Value;
};

/** Returns an object that is one value. */
inline PythonObject python_object(PythonValue value) { return {.value = std::move(value)}; }

/** An object, or why there is none: "division by zero". */
using PythonResult = std::expected<PythonObject, std::string>;
using PythonArguments = std::span<const PythonObject>;

inline constexpr std::size_t max_python_items = 1'000'000;   ///< of a list, with those of its lists
inline constexpr std::size_t max_python_letters = 1U << 16;  ///< of a text
inline constexpr std::uint64_t max_python_steps = 1U << 23;  ///< of one computation: about a second

/** Returns the whole number of an integer or a truth value. */
std::optional<std::int64_t> python_whole(const PythonObject& object);
/** Returns the number as a real. */
std::optional<double> python_real(const PythonObject& object);
/** Returns the letters of a text, else null. */
const std::string* python_text(const PythonObject& object);
/** Returns a whole number, or an error if 64 bits do not hold it. */
PythonResult python_integer(int128 exact);

/** + - * / // % ** | ^ & << >> */
PythonResult python_arithmetic(PythonOperator by, const PythonObject& left, const PythonObject& right);
/** == != < <= > >= in, not in, is, is not */
std::expected<bool, std::string> python_compares(PythonOperator by, const PythonObject& left,
                                                 const PythonObject& right);
/** -x, or +x. */
PythonResult python_sign(bool minus, const PythonObject& of);
/** ~x */
PythonResult python_invert(const PythonObject& of);
/** Empty, 0, False and None are not true. */
bool python_truth(const PythonObject& object);
/** Computes a function of python_function(). */
PythonResult python_call(std::string_view function, PythonArguments arguments);
/** `of[at]`, from the end where `at` is negative. */
PythonResult python_subscript(const PythonObject& of, const PythonObject& at);
/** `of[first:end:step]` @param bounds these three */
PythonResult python_slice(const PythonObject& of, PythonArguments bounds);

/** Makes a list, a tuple or a set, of which equal items are one. */
PythonResult python_row(PythonObject::Form form, std::vector<PythonObject> items);
/** Returns what an object runs through: items, a range's numbers, a text's letters. */
std::expected<std::vector<PythonObject>, std::string> python_items(const PythonObject& of);
/** Returns whether items have no order of their own, which a list would need. */
bool python_unordered(const PythonObject& of);
/** Returns a value that is the same for all objects that are equal; an error of what no set holds. */
std::expected<std::string, std::string> python_key(const PythonObject& object);
/** | ^ & - and comparisons of two sets. */
PythonResult python_set_arithmetic(PythonOperator by, const PythonObject& left, const PythonObject& right);
std::expected<bool, std::string> python_set_compares(PythonOperator by, const PythonObject& left,
                                                     const PythonObject& right);

/** Computes a part of an expression; errors are those of PythonExpression::evaluate.
 * @param text of the whole @param steps the steps of the computation are added to it */
Result<PythonObject> compute_python(std::string_view text, const PythonExpression::Node& node,
                                    const PythonNames& names, std::uint64_t* steps = nullptr);

/** "a whole number", "a text", "a list": for messages. */
std::string python_type(const PythonObject& object);

/** As exact as numbers are; unordered where one is no number. */
std::partial_ordering compare_exactly(std::int64_t integer, double real);
/** The real nearest to a / b. @param b not 0 */
double divide_exactly(std::int64_t a, std::int64_t b);

}  // namespace kernelscape
