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

namespace kernelscape::project {

/** The values of range(): first, first + step, ... */
struct PythonRange {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::uint64_t count = 0;
};

/** An intermediate value in the evaluation of an expression. */
struct PythonObject {
  enum class Form : std::uint8_t { Value, None, List, Tuple, Set, Range };
  PythonValue value = std::int64_t{0};
  std::shared_ptr<const std::vector<PythonObject>> items{};  ///< items of lists, tuples and sets, else null
  std::shared_ptr<const PythonRange> range{};                ///< values of ranges, else null
  std::size_t weight = 1;  ///< number of values in it, including nested ones
  Form form = Form::Value;
};

/** Returns an object that is one value. */
inline PythonObject python_object(PythonValue value) { return {.value = std::move(value)}; }

/** An object, or the reason why it can't be computed: "division by zero". */
using PythonResult = std::expected<PythonObject, std::string>;
using PythonArguments = std::span<const PythonObject>;

inline constexpr std::size_t max_python_items = 1'000'000;   ///< items of a list, including nested lists
inline constexpr std::size_t max_python_letters = 1U << 16;  ///< maximum bytes of a text
inline constexpr std::uint64_t max_python_steps = 1U << 23;  ///< steps of one computation: about a second

/** Returns the value of an integer or a truth value as an integer; nullopt for other objects. */
std::optional<std::int64_t> python_whole(const PythonObject& object);
/** Returns a number as a real; nullopt for other objects. */
std::optional<double> python_real(const PythonObject& object);
/** Returns the contents of a text; null for other objects. */
const std::string* python_text(const PythonObject& object);
/** Returns a whole number, or an error if 64 bits do not hold it. */
PythonResult python_integer(base::int128 exact);

/** Computes + - * / // % ** | ^ & << >> */
PythonResult python_arithmetic(PythonOperator by, const PythonObject& left, const PythonObject& right);
/** Computes == != < <= > >= in, not in, is, is not */
std::expected<bool, std::string> python_compares(PythonOperator by, const PythonObject& left,
                                                 const PythonObject& right);
/** Computes -x if `minus` is true, else +x. */
PythonResult python_sign(bool minus, const PythonObject& of);
/** Computes ~x */
PythonResult python_invert(const PythonObject& of);
/** Returns the truth value of an object; empty objects, 0, False and None are false. */
bool python_truth(const PythonObject& object);
/** Computes a function of python_function(). */
PythonResult python_call(std::string_view function, PythonArguments arguments);
/** Computes `of[at]`; a negative `at` counts from the end. */
PythonResult python_subscript(const PythonObject& of, const PythonObject& at);
/**
 * Computes `of[first:end:step]`.
 * @param bounds first, end and step
 */
PythonResult python_slice(const PythonObject& of, PythonArguments bounds);

/** Makes a list, a tuple or a set; equal items of a set are merged. */
PythonResult python_row(PythonObject::Form form, std::vector<PythonObject> items);
/** Returns the items over which an object iterates: items, numbers of a range, characters of a text. */
std::expected<std::vector<PythonObject>, std::string> python_items(const PythonObject& of);
/** Returns true if the items have no defined order, which a list would need. */
bool python_unordered(const PythonObject& of);
/** Returns a key that is equal for equal objects; an error for objects that a set can't hold. */
std::expected<std::string, std::string> python_key(const PythonObject& object);
/** Computes | ^ & - and comparisons of two sets. */
PythonResult python_set_arithmetic(PythonOperator by, const PythonObject& left, const PythonObject& right);
/** Compares two sets: equality, or one as a subset of the other. */
std::expected<bool, std::string> python_set_compares(PythonOperator by, const PythonObject& left,
                                                     const PythonObject& right);

/**
 * Computes a part of an expression; errors are those of PythonExpression::evaluate.
 * @param text text of the whole expression
 * @param steps counter to which the steps of the computation are added
 */
Result<PythonObject> compute_python(std::string_view text, const PythonExpression::Node& node,
                                    const PythonNames& names, std::uint64_t* steps = nullptr);

/** Returns the type for messages: "a whole number", "a text", "a list". */
std::string python_type(const PythonObject& object);

/** Compares exactly, without rounding; unordered if `real` is NaN. */
std::partial_ordering compare_exactly(std::int64_t integer, double real);
/**
 * Returns the real nearest to a / b.
 * @param b not 0
 */
double divide_exactly(std::int64_t a, std::int64_t b);

}  // namespace kernelscape::project
